//go:build linux

package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/faces/gallery/file"
	"nrdl.example/nrdl/faces/gallery/index"
	"nrdl.example/nrdl/internal/parallel"
	"nrdl.example/nrdl/openset"
	"nrdl.example/nrdl/tools/internal/cputime"
)

// uneven are drawn people of whom each second has all photographs, and the others have one to each.
func (r *rotation) uneven(first, people, k int) []*index.Person {
	all := r.people(first, people, k)
	for i, p := range all {
		if at := first + i; at%2 == 1 {
			n := 1 + at/2%k
			p.IDs, p.Info, p.Vectors = p.IDs[:n], p.Info[:infos*n], p.Vectors[:n*r.dims]
		}
	}
	return all
}

// A best is what a face is most similar to among all people.
type best struct {
	name  string
	score float64
}

// exhaustive prints how often a face gets the name and the score, by a shortlist, that a plain comparison
// with the mean of each person of the gallery gives.
func exhaustive(ctx context.Context, d *drawer) error {
	folder, err := os.MkdirTemp("", "gallery")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	r := rotate(d, *dims)
	fmt.Printf("| faces | people | probes | same person | same decision | largest difference of the scores | of the evidence | named: enrolled | strangers |\n| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n")
	for faces := *least; faces <= *most; faces *= 10 {
		people := faces * 2 * 2 / (3*each + 1) // a person has (each + (1+each)/2)/2 faces on average
		path := filepath.Join(folder, "model.nrdl")
		if err := r.write(ctx, path, people, r.uneven); err != nil {
			return err
		}
		g, err := file.Open(path, file.Options{})
		if err != nil {
			return err
		}
		if err := r.compare(ctx, g, people); err != nil {
			return err
		}
	}
	return nil
}

func (r *rotation) compare(ctx context.Context, g *gallery.Gallery, people int) error {
	const known, strangers, elsewhere = 1000, 1000, 300_000_000
	var probes []*index.Person
	var queries []float32
	for i := range known + strangers {
		p := i * (people / known)
		if i >= known {
			p = elsewhere + i
		}
		v := r.of(r.d.faces(p, 1, each, 1))
		queries = append(queries, v...)
		probes = append(probes, &index.Person{Name: fmt.Sprintf("drawn %d", p), IDs: []string{"new"}, Vectors: v})
	}
	start, used := time.Now(), cputime.Used()
	faces, err := g.Identify(ctx, imagesOf(probes, r.dims, r.frame()))
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "identified %d faces in %.1f s, %.1f s of processor time\n", len(probes), time.Since(start).Seconds(), (cputime.Used() - used).Seconds())
	law := frontend.Pipeline{Frame: r.frame()}.Law()
	want := r.bests(law, queries, people)
	samePerson, sameDecision, off, offEvidence := 0, 0, 0.0, 0.0
	var named [2]int
	for j, f := range faces {
		w := want[j]
		evidence := g.Calibration.Evidence(w.score)
		decision := g.Calibration.Decide(evidence)
		if got := f.Gallery.Names()[f.Class]; got == w.name {
			samePerson++
			if f.Known == decision.Known {
				sameDecision++
			}
		} else if !f.Known && !decision.Known {
			sameDecision++
		}
		off, offEvidence = max(off, math.Abs(f.Largest-w.score)), max(offEvidence, math.Abs(f.DecisionScore-evidence))
		if f.Known {
			named[j/known]++
		}
	}
	n := len(faces)
	enrolled, count := g.Enrolled.Len()
	fmt.Printf("| %d | %d | %d | %d | %d | %.1e | %.1e | %.1f %% | %.2f %% |\n", count, enrolled, n, samePerson, sameDecision, off, offEvidence, 100*float64(named[0])/known, 100*float64(named[1])/strangers)
	return nil
}

// bests are the people whose means are most similar to rows of queries, by comparable scores.
func (r *rotation) bests(law *openset.Impostors, queries []float32, people int) []best {
	d := r.dims
	all := make([]best, len(queries)/d)
	for j := range all {
		all[j].score = math.Inf(-1)
	}
	const together = 5000
	for first := 0; first < people; first += together {
		part := r.uneven(first, min(together, people-first), each)
		means, photographs := make([][]float64, len(part)), make([]int, len(part))
		for p, one := range part {
			means[p], photographs[p] = make([]float64, d), len(one.IDs)
			for k := range one.IDs {
				for i, v := range one.Vectors[k*d : (k+1)*d] {
					means[p][i] += float64(v)
				}
			}
			var norm float64
			for _, v := range means[p] {
				norm += v * v
			}
			for i := range means[p] {
				means[p][i] /= math.Sqrt(norm)
			}
		}
		parallel.For(len(all), 16, func(lo, hi int) {
			scores := make([]float64, len(part))
			for j := lo; j < hi; j++ {
				q := queries[j*d : (j+1)*d]
				for p, m := range means {
					var sum float64
					for i, v := range m {
						sum += v * float64(q[i])
					}
					scores[p] = sum
				}
				law.Level(scores, photographs, nil)
				for p, v := range scores {
					if v > all[j].score {
						all[j] = best{part[p].Name, v}
					}
				}
			}
		})
	}
	return all
}
