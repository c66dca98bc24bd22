// Command fewatoms finds how a query should be coded over a dictionary of NRDL with
// fewer atoms than samples, without a look at a test image:
//
//	NRDL_DATA=DIR go -C studies run ./fewatoms -repeats 3
//
// Of the training part of each database it learns a dictionary from some images of each
// person, for each number of atoms, of which the last is that of the images, and judges
// coders by the others: exact ones with a ridge, whose unit is 1, K/N², 1/N, 1/K or the mean
// diagonal of DᵀD, or 1 over atoms at norm 1; and ADMM that stops early. For the paper's
// coder and the default a row has the rate in percent, and of the codes the number of
// non-zeros, their sum, and the condition of DᵀD + ridge. The last rows are the mean
// difference of each coder to the paper's, where there are fewer atoms than images, and the
// least of them.
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/studies/internal/hint"
)

var tasks = []struct {
	file         string
	train, learn int // random images of each person: the training part, and those to learn from
	atoms        []int
}{
	{"orl_56x46", 6, 5, []int{2, 3, 4, 5}},
	{"gt_50x40", 5, 4, []int{1, 2, 3, 4}},
	{"pie_32x32", 10, 8, []int{2, 4, 6, 8}},
	{"yaleb_32x32", 20, 16, []int{4, 8, 12, 16}},
	{"lfw86_32x32", 8, 6, []int{2, 3, 4, 6}},
}

// The paper's coder, and the default for fewer atoms than images.
const plain, chosen = "none", "2 K/N²"

func main() {
	repeats := flag.Int("repeats", 3, "`N` divisions of each database")
	flag.Parse()
	hint.Exit("fewatoms", run(context.Background(), *repeats))
}

func run(ctx context.Context, repeats int) error {
	var names []string // of coders, in their order
	gains := map[string][]float64{}
	for _, t := range tasks {
		set, err := dataset.Open(ctx, filepath.Join(os.Getenv("NRDL_DATA"), "sets", t.file+".mat"), dataset.Options{})
		if err != nil {
			return err
		}
		for _, k := range t.atoms {
			sums := map[string]*[4]float64{} // rate, non-zeros, sum, condition
			for seed := range uint64(repeats) {
				columns, err := random(t.train).Train(set, 1000+seed)
				if err != nil {
					return err
				}
				part := set.Select(columns) // the last that is seen of set
				learn, held, err := random(t.learn).Apply(part, 1000+seed)
				if err != nil {
					return err
				}
				if names, err = judge(ctx, part.Select(learn), part.Select(held), k, float64(repeats), sums); err != nil {
					return err
				}
			}
			for _, name := range []string{plain, chosen} {
				v := sums[name]
				fmt.Printf("%s %d %-8s %5.1f  nonzeros %5.1f  sum %6.2f  condition %.1e\n", t.file, k, name, v[0], v[1], v[2], v[3])
			}
			for _, name := range names {
				if k < t.learn {
					gains[name] = append(gains[name], sums[name][0]-sums[plain][0])
				}
			}
		}
	}
	for _, name := range names {
		mean := 0.0
		for _, v := range gains[name] {
			mean += v / float64(len(gains[name]))
		}
		fmt.Printf("%-14s %+.1f %+.1f\n", name, mean, slices.Min(gains[name]))
	}
	return nil
}

func random(n int) dataset.Split {
	s, err := dataset.ParseSplit(fmt.Sprintf("random:%d", n))
	if err != nil {
		panic(err) // n is of tasks
	}
	return s
}

// judge adds the means over n divisions of the numbers of every coder to sums, and returns
// their names.
func judge(ctx context.Context, learn, held *dataset.Images, k int, n float64, sums map[string]*[4]float64) (names []string, err error) {
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
	var svd mat.SVD
	svd.Factorize(p.D, mat.SVDNone)
	σ := svd.Values(nil)
	try := func(name string, p classify.Parts, c coding.NonNegative) {
		if p.Coder = c; err != nil {
			return
		}
		if sums[name] == nil {
			sums[name] = &[4]float64{}
		}
		names = append(names, name)
		err = measure(ctx, p, held, n, sums[name])
		sums[name][3] += (σ[0]*σ[0] + c.L2) / (σ[len(σ)-1]*σ[len(σ)-1] + c.L2) / n
	}
	_, atoms := p.D.Dims()
	kn, nn := float64(atoms), float64(len(learn.Labels()))
	c := coding.DefaultNonNegative
	try(plain, p, c)
	for _, u := range []struct {
		name   string
		value  float64
		parts  classify.Parts
		values []float64
	}{
		{"1", 1, p, []float64{0.001, 0.002, 0.003, 0.01}},
		{"K/N²", kn / (nn * nn), p, []float64{1, 2, 3, 4}},
		{"1/N", 1 / nn, p, []float64{0.5, 1, 2}},
		{"1/K", 1 / kn, p, []float64{0.2, 0.4, 0.8}},
		{"mean", math.Pow(mat.Norm(p.D, 2), 2) / kn, p, []float64{0.003, 0.01, 0.03}},
		{"norm 1", 1, unit, []float64{0.003, 0.01, 0.03}},
	} {
		for _, v := range u.values {
			c.L2 = v * u.value
			try(fmt.Sprintf("%g %s", v, u.name), u.parts, c)
		}
	}
	for _, rho := range []float64{0.1, 0.3} {
		try(fmt.Sprintf("admm %g/20", rho), p, coding.NonNegative{Solver: coding.ADMM, Rho: rho, Passes: 20})
	}
	return names, err
}

// measure adds the rate, the non-zeros and the sum, divided by n.
func measure(ctx context.Context, p classify.Parts, held *dataset.Images, n float64, sums *[4]float64) error {
	c, err := classify.NewClassifier(p)
	if err != nil {
		return err
	}
	r, err := c.Classify(ctx, held.X)
	if err != nil {
		return err
	}
	labels := held.Labels()
	n *= float64(len(labels))
	for j, best := range classify.Best(r.Scores) {
		if best == labels[j] {
			sums[0] += 100 / n
		}
		for _, v := range mat.Col(nil, j, r.Codes) {
			if v > 0 {
				sums[1], sums[2] = sums[1]+1/n, sums[2]+v/n
			}
		}
	}
	return nil
}
