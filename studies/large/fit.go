package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/dictionary"
	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/studies/internal/cputime"
)

// A fit is one fit to measure.
type fit struct {
	Method                                    string
	Samples, Features, Classes, Atoms, Passes int
}

// A measurement is what a fit cost.
type measurement struct {
	Pass     float64 // seconds of a pass, the mean of all but the first
	Start    float64 // seconds before the second pass: the start and the first pass
	GFlop    float64 // operations of a pass; 0 where they are not counted
	Rate     float64 // GFLOP/s of a product of two matrices, of a second of one thread
	PeakGiB  float64
	BoundGiB float64 // what method.Memory says; 0 for none
}

func (f fit) measure(ctx context.Context) (m measurement, err error) {
	train, err := f.draw()
	if err != nil {
		return m, err
	}
	var at []float64
	start := cputime.Used().Seconds()
	run := classify.Run{Seed: 1, Watch: func(classify.Progress) {
		at = append(at, cputime.Used().Seconds())
	}}
	if err := f.learn(ctx, train, run); err != nil {
		return m, err
	}
	if len(at) < 2 {
		return m, errors.New("fewer than two passes were made")
	}
	m.Start, m.Pass = at[0]-start, (at[len(at)-1]-at[0])/float64(len(at)-1)
	m.GFlop = f.flops() / 1e9
	if m.PeakGiB, err = peakGiB(); err != nil {
		return m, err
	}
	if named, err := f.method(); err == nil {
		m.BoundGiB = method.Memory(named, method.Size{Features: f.Features, Samples: f.Samples, Classes: f.Classes}) / (1 << 30)
	}
	m.Rate = productRate()
	return m, nil
}

// productRate is the GFLOP/s of products of two matrices, by processor time.
func productRate() float64 {
	const n, rounds = 1000, 20
	r := rand.New(rand.NewPCG(1, 0))
	a, c := mat.NewDense(n, n, nil), mat.NewDense(n, n, nil)
	a.Apply(func(int, int, float64) float64 { return r.NormFloat64() }, a)
	start := cputime.Used().Seconds()
	for range rounds {
		lin.AB(c, 1, a, a)
	}
	return rounds * 2 * n * n * n / 1e9 / (cputime.Used().Seconds() - start)
}

// draw returns samples of norm 1: those of a person have, on average, the cosine ½.
func (f fit) draw() (*classify.Samples, error) {
	r := rand.New(rand.NewPCG(1, uint64(f.Samples)))
	centres := mat.NewDense(f.Features, f.Classes, nil)
	centres.Apply(func(int, int, float64) float64 { return r.NormFloat64() }, centres)
	x, labels := mat.NewDense(f.Features, f.Samples, nil), make([]string, f.Samples)
	for j := range labels {
		labels[j] = strconv.Itoa(j * f.Classes / f.Samples)
	}
	for i := range f.Features {
		row := x.RawRowView(i)
		for j := range row {
			row[j] = centres.At(i, j*f.Classes/f.Samples) + r.NormFloat64()
		}
	}
	return classify.NewSamples(x, labels, nil, nil)
}

// method returns the method with the sizes of f; few passes draw its start.
func (f fit) method() (classify.Method, error) {
	m, err := method.Named(f.Method)
	if err != nil {
		return nil, err
	}
	for _, set := range []string{"atoms=" + strconv.Itoa(f.Atoms), "passes=" + strconv.Itoa(f.Passes), "online.passes=" + strconv.Itoa(f.Passes), "init.passes=1", "tol=0"} {
		path, value, _ := strings.Cut(set, "=")
		if edited, err := method.Set(m, path, value); err == nil {
			m = edited
		}
	}
	return m, nil
}

func (f fit) learn(ctx context.Context, train *classify.Samples, run classify.Run) error {
	if f.Method == "online" {
		x := classify.Unit(train.X)
		first := make([]int, f.Classes*f.Atoms)
		for k := range first {
			first[k] = k * f.Samples / len(first)
		}
		o := dictionary.DefaultOnline
		o.Passes = f.Passes
		_, _, err := o.Learn(ctx, x, lin.Select(x, first), run)
		return err
	}
	m, err := f.method()
	if err != nil {
		return err
	}
	_, err = m.Fit(ctx, train, run)
	return err
}

// products is how many products with the graph a pass of nrdl takes in blocks, and
// stored, where the first guess is that of the last pass.
const (
	products       = 5
	storedProducts = 14
)

// flops counts the operations of a pass that grow with N, two to a multiply-add; 0
// for methods whose coder takes as many as the sample needs.
func (f fit) flops() float64 {
	d, n, c := float64(f.Features), float64(f.Samples), float64(f.Classes)
	k := c * float64(f.Atoms)
	switch f.Method {
	case "nrdl":
		graph := storedProducts * 2 * c * n * n
		switch {
		case f.Samples > 1<<14: // a product computes M, and serves both of its triangles
			graph = products * (d*n*n + 2*c*n*n + 4*256*c*n)
		case f.Samples <= 2500:
			graph = n*n*n/3 + 2*c*n*n
		}
		s := 2*k*n*(d+c) + 2*k*k*n + 2*c*k*n // (11) and WS
		w := k*k*n + 2*c*k*n + 2*c*k*k       // (12)
		p := 4 * c * c * n                   // (13)
		return s + w + p + graph + 2*d*k*n + 2*d*k*k + k*k*k
	case "ksvd", "lcksvd2":
		if f.Method == "lcksvd2" {
			d += c
		}
		const sparsity = 30
		return n * (2*coding.OMP{Sparsity: sparsity}.Work(int(d), int(k)).Sample + 10*d*sparsity)
	case "lcle":
		return 8*k*k*n + 4*d*k*n
	case "fddl":
		steps := float64(method.DefaultFDDL.Steps)
		return steps*2*k*k*n + k*k*n + 4*d*k*n
	}
	return 0
}

// peakGiB is the most memory that the process has held so far.
func peakGiB() (float64, error) {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0, fmt.Errorf("resident memory is known on Linux only: %w", err)
	}
	for line := range strings.SplitSeq(string(status), "\n") {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, err := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kib / (1 << 20), err
		}
	}
	return 0, errors.New("/proc/self/status has no VmHWM")
}
