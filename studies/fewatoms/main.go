// Command fewatoms finds how a query should be coded over a dictionary of NRDL with
// fewer atoms than samples, without a look at a test image:
//
//	NRDL_DATA=DIR go -C studies run ./fewatoms -repeats 4
//
// Of the training part of each database it learns a dictionary from some images of each
// person, for each number of atoms, of which the last is that of the images, and judges
// coders by the others: exact ones with a ridge as it is, as a part of the mean diagonal of
// DᵀD, and over atoms at norm 1, and ADMM that stops early. A row has the rate in percent,
// and of the codes the number of non-zeros, their sum, and the condition of DᵀD + ridge.
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/studies/internal/hint"
)

var tasks = []struct {
	file, train, learn string
	atoms              []int
}{
	{"orl_56x46", "random:6", "random:5", []int{2, 3, 4, 5}},
	{"gt_50x40", "random:5", "random:4", []int{1, 2, 3, 4}},
	{"pie_32x32", "random:10", "random:8", []int{2, 4, 6, 8}},
	{"yaleb_32x32", "random:20", "random:16", []int{4, 8, 12, 16}},
	{"lfw86_32x32", "random:8", "random:6", []int{2, 3, 4, 6}},
}

func main() {
	repeats := flag.Int("repeats", 4, "`N` divisions of each database")
	flag.Parse()
	hint.Exit("fewatoms", run(context.Background(), *repeats))
}

func run(ctx context.Context, repeats int) error {
	for _, t := range tasks {
		set, err := dataset.Open(ctx, filepath.Join(os.Getenv("NRDL_DATA"), "sets", t.file+".mat"), dataset.Options{})
		if err != nil {
			return err
		}
		for _, k := range t.atoms {
			var names []string
			sums := map[string]*[4]float64{}
			for r := range uint64(repeats) {
				columns, err := split(t.train).Train(set, 1000+r)
				if err != nil {
					return err
				}
				part := set.Select(columns) // the last that is seen of set
				learn, held, err := split(t.learn).Apply(part, 1000+r)
				if err != nil {
					return err
				}
				if names, err = judge(ctx, part.Select(learn), part.Select(held), k, sums); err != nil {
					return err
				}
			}
			for _, name := range names {
				v, n := sums[name], float64(repeats)
				fmt.Printf("%s %d %-14s %5.1f  nonzeros %5.1f  sum %6.2f  condition %.1e\n", t.file, k, name, v[0]/n, v[1]/n, v[2]/n, v[3]/n)
			}
		}
	}
	return nil
}

func split(text string) dataset.Split {
	s, err := dataset.ParseSplit(text)
	if err != nil {
		panic(err) // of tasks
	}
	return s
}

// judge adds the numbers of every coder to sums, and returns their names.
func judge(ctx context.Context, learn, held *dataset.Images, k int, sums map[string]*[4]float64) (names []string, err error) {
	m := method.DefaultNRDL
	m.Atoms, m.FewL2 = k, 0
	model, err := m.Fit(ctx, &learn.Samples, classify.Run{})
	if err != nil {
		return nil, err
	}
	p := model.Parts()
	unit := p
	w := mat.DenseCopyOf(p.Rule.(classify.Linear).W)
	w.Apply(func(_, j int, v float64) float64 { return v / mat.Norm(p.D.ColView(j), 2) }, w)
	unit.D, unit.Rule = classify.Unit(p.D), classify.Linear{W: w}
	_, atoms := p.D.Dims()
	mean := math.Pow(mat.Norm(p.D, 2), 2) / float64(atoms)
	try := func(name string, p classify.Parts, c coding.NonNegative) {
		if p.Coder = c; err == nil {
			if sums[name] == nil {
				sums[name] = &[4]float64{}
			}
			err = measure(ctx, p, c.L2, held, sums[name])
			names = append(names, name)
		}
	}
	for _, v := range []float64{0, 0.001, 0.002, 0.003, 0.004, 0.005, 0.006, 0.008, 0.01, 0.03, 0.1} {
		c := coding.DefaultNonNegative
		c.L2 = v
		try(fmt.Sprintf("absolute %g", v), p, c)
		try(fmt.Sprintf("unit %g", v), unit, c)
		c.L2 = v * mean
		try(fmt.Sprintf("relative %g", v), p, c)
	}
	for _, rho := range []float64{0.03, 0.1, 0.3} {
		try(fmt.Sprintf("admm %g/20", rho), p, coding.NonNegative{Solver: coding.ADMM, Rho: rho, Passes: 20})
	}
	return names, err
}

// measure adds the rate, the non-zeros, the sum and the condition to sums.
func measure(ctx context.Context, p classify.Parts, ridge float64, held *dataset.Images, sums *[4]float64) error {
	c, err := classify.NewClassifier(p)
	if err != nil {
		return err
	}
	r, err := c.Classify(ctx, held.X)
	if err != nil {
		return err
	}
	k, n := r.Codes.Dims()
	for j, best := range classify.Best(r.Scores) {
		if best == held.Labels()[j] {
			sums[0] += 100 / float64(n)
		}
		for i := range k {
			if v := r.Codes.At(i, j); v > 0 {
				sums[1], sums[2] = sums[1]+1/float64(n), sums[2]+v/float64(n)
			}
		}
	}
	var svd mat.SVD
	svd.Factorize(p.D, mat.SVDNone)
	σ := svd.Values(nil)
	least := σ[len(σ)-1]
	sums[3] += (σ[0]*σ[0] + ridge) / (least*least + ridge)
	return nil
}
