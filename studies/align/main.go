// Command align compares ways to align faces for a network: by the pupils, by five
// landmarks, by the mean of both, and as Search does. It prints how many faces of enrolled
// people are identified when 1 % of strangers are named, and writes the embeddings of
// each way, from which studies/impostors measures its law.
//
//	go -C studies run ./align -data DIR -o OUT
//	go -C studies run ./impostors -data OUT/landmarks -fit
//
// DIR has the folder photos. The way is chosen by lfw_several and lfw_cohort; lfw86 and
// lfw_strangers judge it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/face"
	"nrdl.example/nrdl/frontend/embedding"
	"nrdl.example/nrdl/internal/hint"
	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/internal/parallel"
)

func main() {
	data := flag.String("data", os.Getenv("NRDL_DATA"), "folder with photos")
	output := flag.String("o", "", "folder for the embeddings")
	draws := flag.Int("draws", 20, "galleries of each kind")
	flag.Parse()
	hint.Exit("align", run(context.Background(), *data, *output, *draws))
}

// ways are how faces are aligned: from the pupils, and the pupils of the mean face whose
// landmarks are as those of the face.
var ways = []struct {
	name string
	of   func(f face.Face, byLandmarks [2]face.Point) [2]face.Point
}{
	{"default", func(f face.Face, _ [2]face.Point) [2]face.Point { return f.Aligned }},
	{"pupils", func(f face.Face, _ [2]face.Point) [2]face.Point { return f.Pupils }},
	{"landmarks", func(_ face.Face, p [2]face.Point) [2]face.Point { return p }},
	{"both", func(f face.Face, p [2]face.Point) [2]face.Point {
		for k := range p {
			p[k] = face.Point{X: (p[k].X + f.Pupils[k].X) / 2, Y: (p[k].Y + f.Pupils[k].Y) / 2}
		}
		return p
	}},
}

// mostOff is how far landmarks may be from those of the mean face, in eye distances, for
// a face to be aligned by them. Of 1000 faces of LFW, 1 % are above 0.15.
const mostOff = 0.2

// A looked is a photograph with the vector of its face in each way; nil without a face.
type looked struct {
	vectors [][]float64
	turn    float64 // of the head, as by face.Turn
}

func look(ctx context.Context, file string, e *embedding.Embedder) (l looked, err error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return l, err
	}
	photo, err := dataset.DecodeColour(ctx, data, file)
	if err != nil {
		return l, err
	}
	faces, err := face.DefaultSearch.Find(ctx, photo)
	if err != nil || len(faces) == 0 || face.NetworkLimits.Refusal(faces[0]) != nil {
		return l, err
	}
	f := faces[0]
	landmarks, off, err := face.ByLandmarks(ctx, photo, f.Pupils)
	if err != nil {
		return l, err
	}
	if off > mostOff {
		landmarks = f.Pupils
	}
	if l.turn, _, err = face.Turn(ctx, photo, f); err != nil {
		return l, err
	}
	cut := face.Cut{Frame: dataset.Frame{Eyes: e.Frame().Eyes}, Embedder: e}
	for _, way := range ways {
		one := f
		one.Aligned = way.of(f, landmarks)
		v, err := cut.Values(ctx, photo, one)
		if err != nil {
			return l, err
		}
		l.vectors = append(l.vectors, v)
	}
	return l, nil
}

// A set has the vectors of a folder in each way, grouped by person.
type set struct {
	images []*dataset.Images // a way each
	turns  []float64
}

// read looks at the photographs of a folder. Without folders of people, each is of a
// person of its own.
func read(ctx context.Context, folder string, e *embedding.Embedder) (s set, err error) {
	files, err := dataset.ImageFiles(folder)
	if err != nil {
		return s, err
	}
	seen, errs := make([]looked, len(files)), make([]error, len(files))
	parallel.For(len(files), 1, func(first, last int) {
		for i := first; i < last; i++ {
			seen[i], errs[i] = look(ctx, files[i], e)
		}
	})
	if err := errors.Join(errs...); err != nil {
		return s, err
	}
	var labels, ids []string
	var found []looked
	for i, l := range seen {
		if l.vectors == nil {
			continue
		}
		person := filepath.Base(filepath.Dir(files[i]))
		if filepath.Dir(files[i]) == folder {
			person = filepath.Base(files[i])
		}
		labels, ids, found = append(labels, person), append(ids, filepath.Base(files[i])), append(found, l)
	}
	for w := range ways {
		x := mat.NewDense(e.Frame().Embedding.Length, len(found), nil)
		for j, l := range found {
			x.SetCol(j, l.vectors[w])
		}
		images, err := dataset.NewImages(x, labels, ids, nil, e.Frame())
		if err != nil {
			return s, err
		}
		s.images = append(s.images, images)
	}
	for _, id := range s.images[0].IDs {
		s.turns = append(s.turns, found[slices.Index(ids, id)].turn)
	}
	return s, nil
}

func run(ctx context.Context, data, output string, draws int) error {
	e := embedding.Default()
	sets := map[string]set{}
	for _, name := range []string{"lfw_several", "lfw_cohort", "lfw86", "lfw_strangers"} {
		s, err := read(ctx, filepath.Join(data, "photos", name), e)
		if err != nil {
			return err
		}
		sets[name] = s
		for w, way := range ways {
			if output == "" {
				continue
			}
			if err := os.MkdirAll(filepath.Join(output, way.name), 0o777); err != nil {
				return err
			}
			if err := dataset.Save(ctx, filepath.Join(output, way.name, name+".npz"), s.images[w]); err != nil {
				return err
			}
		}
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "set\tpeople\tphotographs\talignment\tidentified at 1 %\tof heads turned aside\tthese\tat 0.1 %\t")
	for _, of := range []struct{ known, strangers string }{{"lfw_several", "lfw_cohort"}, {"lfw86", "lfw_strangers"}} {
		for _, kind := range [][2]int{{5, 5}, {20, 5}, {43, 8}, {20, 1}, {43, 1}} {
			for i, way := range ways {
				r := identified(sets[of.known], sets[of.strangers], i, kind[0], kind[1], draws)
				if r != nil {
					fmt.Fprintf(w, "%s\t%d\t%d\t%s\t%.2f\t%.2f\t%.0f\t%.2f\t\n", of.known, kind[0], kind[1], way.name, r[0], r[1], r[2], r[3])
				}
			}
		}
	}
	return w.Flush()
}

// turnedAside is the turn from which a head counts as turned aside.
const turnedAside = 0.15

// identified returns how many of the other faces of enrolled people are identified, in
// percent, where 1 % of the strangers are: all, and those of heads turned aside, with
// their number; and where 0.1 % are. Means over galleries.
func identified(known, strangers set, way, people, each, draws int) []float64 {
	all := known.images[way]
	x, y := classify.Unit(all.X), classify.Unit(strangers.images[way].X)
	var can []int
	for p := range all.Classes {
		if all.Groups[p+1]-all.Groups[p] > each {
			can = append(can, p)
		}
	}
	if len(can) < people {
		return nil
	}
	sums := make([]float64, 4)
	for draw := range draws {
		rng := rand.New(rand.NewPCG(uint64(draw), uint64(100*people+each)))
		var own []int
		var enrol, probes, whose, others []int
		rng.Shuffle(len(can), func(i, j int) { can[i], can[j] = can[j], can[i] })
		for i, p := range can[:people] {
			own = append(own, len(enrol))
			for k, j := range rng.Perm(all.Groups[p+1] - all.Groups[p]) {
				if j += all.Groups[p]; k < each {
					enrol = append(enrol, j)
				} else {
					probes, whose = append(probes, j), append(whose, i)
				}
			}
		}
		for p := range all.Classes {
			if !slices.Contains(can[:people], p) {
				for j := all.Groups[p]; j < all.Groups[p+1]; j++ {
					others = append(others, j)
				}
			}
		}
		means := mat.NewDense(x.RawMatrix().Rows, people, nil)
		for i := range own {
			for _, j := range enrol[own[i]:][:each] {
				for r := range x.RawMatrix().Rows {
					means.Set(r, i, means.At(r, i)+x.At(r, j))
				}
			}
		}
		means = classify.Unit(means)
		scores := append(largest(means, lin.Select(x, others)), largest(means, y)...)
		slices.Sort(scores)
		cosines := mat.NewDense(people, len(probes), nil)
		lin.AtB(cosines, 1, means, lin.Select(x, probes))
		at := func(rate float64, takes func(j int) bool) (share, n float64) {
			limit := stat.Quantile(1-rate, stat.LinInterp, scores, nil)
			right := 0.
			for i, best := range classify.Best(cosines) {
				if !takes(probes[i]) {
					continue
				}
				n++
				if best == whose[i] && cosines.At(best, i) > limit {
					right++
				}
			}
			return 100 * right / n, n
		}
		everybody := func(int) bool { return true }
		aside := func(j int) bool { return math.Abs(known.turns[j]) > turnedAside }
		a, _ := at(0.01, everybody)
		b, n := at(0.01, aside)
		c, _ := at(0.001, everybody)
		for i, v := range []float64{a, b, n, c} {
			sums[i] += v / float64(draws)
		}
	}
	return sums
}

// largest returns the largest cosine of each column of faces with those of means.
func largest(means, faces *mat.Dense) []float64 {
	_, n := means.Dims()
	_, m := faces.Dims()
	cosines := mat.NewDense(n, m, nil)
	lin.AtB(cosines, 1, means, faces)
	all := make([]float64, m)
	for j, best := range classify.Best(cosines) {
		all[j] = cosines.At(best, j)
	}
	return all
}
