package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"gonum.org/v1/gonum/stat"

	"nrdl.example/nrdl"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/frontend"
	"nrdl.example/nrdl/gallery"
)

// said compares what train says of other target FPIRs, from held-out photographs, with
// what is true of the other photographs of the same people and of strangers.
func said(ctx context.Context, data string, draws int) error {
	for _, how := range []struct {
		name string
		read nrdl.ReadOptions
	}{
		{"class mean of embeddings (default)", nrdl.ReadOptions{}},
		{"NRC on faces96 (--input faces96 --project none)", nrdl.ReadOptions{Frame: frontend.Faces96.Frame}},
	} {
		set, err := nrdl.Read(ctx, filepath.Join(data, "photos", "lfw86"), how.read)
		if err != nil {
			return err
		}
		files, err := dataset.PhotoFiles(filepath.Join(data, "photos", "lfw_strangers"))
		if err != nil {
			return err
		}
		others, err := nrdl.ReadFiles(ctx, files, nrdl.ReadOptions{Frame: set.Frame})
		if err != nil {
			return err
		}
		fmt.Printf("\n%s, %d draws: known faces named rightly, wrongly, and strangers named, all in %%\n", how.name, draws)
		w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(w, "people\tphotographs\tFPIR\tsaid\ttrue\tdifference\tSD\tlargest\twrong: said\ttrue\tstrangers\tmost\t")
		for _, size := range []struct{ people, each int }{{5, 5}, {10, 5}, {20, 5}, {43, 5}, {20, 2}, {20, 3}, {20, 10}} {
			var c comparison
			for seed := range uint64(draws) {
				if err := c.draw(ctx, set.Faces(), others.Faces(), size.people, size.each, seed); err != nil {
					return err
				}
			}
			c.print(w, size.people, size.each)
			w.Flush() // each takes minutes
		}
		w.Flush()
	}
	return nil
}

// A comparison has, for each target FPIR, a value per draw.
type comparison struct {
	fpirs                                                []float64
	saidRight, trueRight, saidWrong, trueWrong, stranger [][]float64
}

// draw trains on so many photographs each of so many people of set.
func (c *comparison) draw(ctx context.Context, set, others *dataset.Images, people, each int, seed uint64) error {
	rng := rand.New(rand.NewPCG(seed, uint64(1000*people+each)))
	var learn, test, strangers []int
	for i, p := range rng.Perm(len(set.Classes)) {
		for k, j := range rng.Perm(set.Groups[p+1] - set.Groups[p]) {
			j += set.Groups[p]
			switch {
			case i >= people:
				strangers = append(strangers, j)
			case k < each:
				learn = append(learn, j)
			default:
				test = append(test, j)
			}
		}
	}
	for _, list := range [][]int{learn, test, strangers} {
		slices.Sort(list)
	}
	train := set.Select(learn)
	o := nrdl.Defaults(train)
	o.Pipeline.Projection, o.Seed = frontend.Pipeline{}.Projection, seed
	r, err := nrdl.Train(ctx, train, o)
	if err != nil {
		return err
	}
	m := r.Model()
	known, err := m.Identify(ctx, set.Select(test))
	if err != nil {
		return err
	}
	unknown, err := m.Margins(ctx, set.Select(strangers))
	if err != nil {
		return err
	}
	further, err := m.Margins(ctx, others)
	if err != nil {
		return err
	}
	unknown = append(unknown, further...)
	names := set.Select(test)
	rates := m.Rates()
	if c.fpirs == nil {
		for _, list := range []*[][]float64{&c.saidRight, &c.trueRight, &c.saidWrong, &c.trueWrong, &c.stranger} {
			*list = make([][]float64, len(rates))
		}
		for _, rate := range rates {
			c.fpirs = append(c.fpirs, rate.FPIR)
		}
	}
	for i, rate := range rates {
		right, wrong := named(m, names, known, rate.Threshold)
		c.saidRight[i], c.trueRight[i] = append(c.saidRight[i], 100*rate.Right), append(c.trueRight[i], 100*right)
		c.saidWrong[i], c.trueWrong[i] = append(c.saidWrong[i], 100*rate.Wrong), append(c.trueWrong[i], 100*wrong)
		above := 0
		for _, v := range unknown {
			if v >= rate.Threshold {
				above++
			}
		}
		c.stranger[i] = append(c.stranger[i], 100*float64(above)/float64(len(unknown)))
	}
	return nil
}

// named are the shares of faces that get the right name and a wrong one.
func named(m *gallery.Model, images *dataset.Images, faces []gallery.Face, threshold float64) (right, wrong float64) {
	for j, f := range faces {
		switch own := images.Classes[images.ClassOf(j)]; {
		case f.Decisive < threshold:
		case m.Parts().Classes[f.Class] == own:
			right++
		default:
			wrong++
		}
	}
	n := float64(len(faces))
	return right / n, wrong / n
}

func (c *comparison) print(w *tabwriter.Writer, people, each int) {
	mean := func(list []float64) float64 { return stat.Mean(list, nil) }
	for i, fpir := range c.fpirs {
		differences := make([]float64, len(c.saidRight[i]))
		largest := 0.0
		for d, v := range c.saidRight[i] {
			differences[d] = v - c.trueRight[i][d]
			largest = max(largest, math.Abs(differences[d]))
		}
		fmt.Fprintf(w, "%d\t%d\t%v\t%.1f\t%.1f\t%+.1f\t%.1f\t%.1f\t%.2f\t%.2f\t%.2f\t%.2f\t\n", people, each, 100*fpir,
			mean(c.saidRight[i]), mean(c.trueRight[i]), mean(differences), stat.StdDev(differences, nil), largest,
			mean(c.saidWrong[i]), mean(c.trueWrong[i]), mean(c.stranger[i]), slices.Max(c.stranger[i]))
	}
}
