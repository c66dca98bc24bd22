//go:build linux

package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"slices"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/frontend"
	"nrdl.example/nrdl/frontend/embedding"
	"nrdl.example/nrdl/gallery"
	"nrdl.example/nrdl/gallery/index"
	"nrdl.example/nrdl/gallery/large"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/openset"
)

// each is the number of photographs of an enrolled person.
const each = 4

// frame is that of the built-in network, whose embeddings are drawn.
func frame() dataset.Frame { return embedding.Default().Frame() }

// grow returns a gallery of images.
func grow(ctx context.Context, images *dataset.Images, by classify.Method) (*large.Gallery, error) {
	first := images.Select([]int{0, images.Len() - 1})
	m, err := gallery.Learn(ctx, first, frontend.Pipeline{}.ForImages(images.Frame), by, classify.Run{})
	if err != nil {
		return nil, err
	}
	return large.New(ctx, m, by, images)
}

// mixed enrols the photographs of some real people among drawn ones.
type mixed struct {
	d       *drawer
	real    []*index.Person
	others  *dataset.Images // further photographs of the real people
	ownerOf []int           // person of real, for each of others
}

func mix(d *drawer, set *dataset.Images) *mixed {
	m := &mixed{d: d}
	x := classify.Unit(set.X)
	var others []int
	for c, name := range set.Classes {
		p := &index.Person{Name: "real " + name}
		for j := set.Groups[c]; j < set.Groups[c+1]; j++ {
			if len(p.IDs) == each {
				others, m.ownerOf = append(others, j), append(m.ownerOf, len(m.real))
				continue
			}
			p.IDs = append(p.IDs, fmt.Sprintf("%s/%d", p.Name, j))
			row := make([]float32, d.dims)
			for i := range row {
				row[i] = float32(x.At(i, j))
			}
			unit(row)
			p.Vectors = append(p.Vectors, row...)
		}
		m.real = append(m.real, p)
	}
	m.others = set.Select(others)
	m.others.Frame = frame()
	return m
}

// sizes returns how many drawn and real people a gallery with so many faces has.
func (m *mixed) sizes(faces int) (drawn, real int) {
	people := faces / each
	real = min(len(m.real), people/2)
	return people - real, real
}

// scored is what a gallery says of probes.
type scored struct {
	score float64
	right bool
}

// ask returns the scores of images, and whether the best guess is the owner.
func ask(ctx context.Context, g *large.Gallery, images *dataset.Images, owner func(j int) string) ([]scored, error) {
	raw, err := uncalibrated(g)
	if err != nil {
		return nil, err
	}
	all := make([]scored, 0, images.Len())
	const together = 1024
	for lo := 0; lo < images.Len(); lo += together {
		var columns []int
		for j := lo; j < min(images.Len(), lo+together); j++ {
			columns = append(columns, j)
		}
		faces, err := raw.Identify(ctx, images.Select(columns))
		if err != nil {
			return nil, err
		}
		for i, f := range faces {
			all = append(all, scored{f.Decisive, owner != nil && f.Of.Parts().Classes[f.Class] == owner(lo+i)})
		}
	}
	return all, nil
}

// uncalibrated is g without a threshold: the margins of its faces are scores.
func uncalibrated(g *large.Gallery) (*large.Gallery, error) {
	by, err := method.Of(g.Template().Classifier)
	if err != nil {
		return nil, err
	}
	return large.Restore(g.Template(), by, g.Faces(), nil)
}

func percent(part, of int) string { return fmt.Sprintf("%.2f", 100*float64(part)/float64(of)) }

// share is how many of all have an evidence, in percent.
func share(all []scored, evidence func(float64) float64, least float64, rightOnly bool) string {
	n := 0
	for _, s := range all {
		if (s.right || !rightOnly) && evidence(s.score) >= least {
			n++
		}
	}
	return percent(n, len(all))
}

// rates prints who is named as a gallery grows. The first threshold comes from the first
// gallery; then people are added, and nothing else.
func rates(ctx context.Context, d *drawer, r *real) error {
	const genuine, strange = 2000, 10000 // drawn probes
	m := mix(d, r.lfw86)
	law := openset.ImpostorsOf(frame().Embedding.Digest, frame().Embedding.Mirror)
	strangers := imagesOf(d.people(100_000_000, strange, 1), d.dims, frame())
	others := merged(r.strangers, r.gt)
	fmt.Println("| faces | people | rank-1: drawn | real | named at 1 %: drawn | real | at 0.1 %: drawn | real | FPIR at 1 %: drawn | real | at 0.1 %: drawn | real |")
	fmt.Println("| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
	var g *large.Gallery
	var fixed *openset.Grown
	var fixedAt, fixedPairs int
	var ways []string
	drawn, reals := 0, 0
	for faces := 100; faces <= *most; faces *= 10 {
		wantDrawn, wantReal := m.sizes(faces)
		more := slices.Clone(m.real[reals:wantReal])
		reals = wantReal
		for {
			n := min(wantDrawn-drawn, 10000)
			more = append(more, d.people(drawn, n, each)...)
			drawn += n
			if len(more) == 0 {
				break
			}
			images := imagesOf(more, d.dims, frame())
			var err error
			if g == nil {
				if g, err = grow(ctx, images, method.Mean{}); err == nil {
					g, err = g.Calibrate(ctx, openset.Default, nil, nil)
				}
			} else {
				g, _, err = g.Enrol(ctx, images)
			}
			if err != nil {
				return err
			}
			more = nil
		}
		people, n := g.Len()
		own := min(genuine, drawn)
		var probes []*index.Person
		for i := range own {
			p := i * (drawn / own)
			probes = append(probes, &index.Person{Name: fmt.Sprintf("drawn %d", p), IDs: []string{"new"}, Vectors: d.faces(p, 1, each, 1)})
		}
		known, err := ask(ctx, g, imagesOf(probes, d.dims, frame()), func(j int) string { return probes[j].Name })
		if err != nil {
			return err
		}
		var columns []int
		for j, p := range m.ownerOf {
			if p < reals {
				columns = append(columns, j)
			}
		}
		knownReal, err := ask(ctx, g, m.others.Select(columns), func(j int) string { return m.real[m.ownerOf[columns[j]]].Name })
		if err != nil {
			return err
		}
		unknown, err := ask(ctx, g, strangers, nil)
		if err != nil {
			return err
		}
		unknownReal, err := ask(ctx, g, others, nil)
		if err != nil {
			return err
		}
		now := g.Grown().Evidence
		always := func(float64) float64 { return math.Inf(1) }
		fmt.Printf("| %d | %d | %s | %s |", n, people, share(known, always, 0, true), share(knownReal, always, 0, true))
		for _, e := range []float64{2, 3} {
			fmt.Printf(" %s | %s |", share(known, now, e, true), share(knownReal, now, e, true))
		}
		for _, e := range []float64{2, 3} {
			fmt.Printf(" %s | %s |", share(unknown, now, e, false), share(unknownReal, now, e, false))
		}
		fmt.Println()
		if faces == 10000 {
			fixed, fixedAt = g.Grown(), people
			fixedPairs, err = pairsAbove(g, strangers, fixed)
			if err != nil {
				return err
			}
		}
		if fixed != nil {
			growth := float64(people) / float64(fixedAt)
			scaled := func(s float64) float64 {
				return -math.Log10(-math.Expm1(growth * math.Log1p(-math.Pow(10, -fixed.Evidence(s)))))
			}
			lawful := func(s float64) float64 { return law.Evidence(s, people) }
			fmr := float64(fixedPairs) / float64(strange*fixedAt)
			ways = append(ways, fmt.Sprintf("| %d | %s, %s | %s, %s | %s, %s | %s, %s | %.2f | %.2f |", people,
				share(unknown, now, 2, false), share(unknown, now, 3, false),
				share(unknown, scaled, 2, false), share(unknown, scaled, 3, false),
				share(unknown, lawful, 2, false), share(unknown, lawful, 3, false),
				share(unknown, fixed.Evidence, 2, false), share(unknown, fixed.Evidence, 3, false),
				-100*math.Expm1(float64(people)*math.Log1p(-fmr)), 100*(1-math.Pow(1-0.01, growth))))
		}
	}
	fmt.Println("\n| people | held faces follow: FPIR at 1 %, 0.1 % | threshold of the first line, by (N/N₀) | law of the network | threshold of the first line, unchanged | 1 − (1 − FMR)^N | 1 − (1 − 1 %)^(N/N₀) |")
	fmt.Println("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
	for _, line := range ways {
		fmt.Println(line)
	}
	fmt.Fprintf(os.Stderr, "pairs above the threshold of the first line: %d\n", fixedPairs)
	return nil
}

// merged are the faces of two sets, without labels.
func merged(a, b *dataset.Images) *dataset.Images {
	d, n := a.X.Dims()
	_, k := b.X.Dims()
	x := mat.NewDense(d, n+k, nil)
	x.Slice(0, d, 0, n).(*mat.Dense).Copy(a.X)
	x.Slice(0, d, n, n+k).(*mat.Dense).Copy(b.X)
	return dataset.Unlabelled(x, frame())
}

// pairsAbove counts the pairs of a stranger and a person of g who match at 1 %.
func pairsAbove(g *large.Gallery, strangers *dataset.Images, by *openset.Grown) (n int, err error) {
	w, err := g.Whole()
	if err != nil {
		return 0, err
	}
	_, means := openset.Means(classify.Unit(w.Images().X), w.Images().Groups)
	var c mat.Dense
	c.Mul(means.T(), classify.Unit(strangers.X))
	least := by.Score()
	level := openset.ImpostorsOf(frame().Embedding.Digest, frame().Embedding.Mirror)
	people, _ := c.Dims()
	photographs := make([]int, people)
	for i := range photographs {
		photographs[i] = each
	}
	_, probes := c.Dims()
	for j := range probes {
		column := mat.Col(nil, j, &c)
		level.Level(column, photographs)
		for _, v := range column {
			if v >= least {
				n++
			}
		}
	}
	return n, nil
}
