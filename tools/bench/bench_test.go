// Package bench has benchmarks of learning and recognising, for benchstat before and
// after a change.
package bench

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/tools/internal/cputime"
)

// yale returns 20 images each of 38 people, to learn from, and others of them: Extended
// Yale B, or drawn faces of its size where NRDL_DATA is not set.
func yale(b *testing.B) (train, probes *dataset.Images) {
	b.Helper()
	var set *dataset.Images
	var err error
	if root := os.Getenv("NRDL_DATA"); root != "" {
		set, err = dataset.Open(b.Context(), filepath.Join(root, "sets", "yaleb_32x32.mat"), dataset.Options{})
	} else {
		b.Log("NRDL_DATA is not set: drawn faces in the place of Extended Yale B")
		s := synthetic.Default
		s.People, s.PerPerson = 38, 64
		set, err = s.Draw(b.Context())
	}
	if err != nil {
		b.Fatal(err)
	}
	split, err := dataset.ParseSplit("first:20")
	if err != nil {
		b.Fatal(err)
	}
	learn, test, err := split.Apply(set, 1)
	if err != nil {
		b.Fatal(err)
	}
	return set.Select(learn), set.Select(test)
}

// with returns a method with parameters PATH=VALUE.
func with(b *testing.B, name string, parameters ...[2]string) classify.Method {
	b.Helper()
	m, err := method.Named(name)
	for _, p := range parameters {
		if err == nil {
			m, err = method.Set(m, p[0], p[1])
		}
	}
	if err != nil {
		b.Fatal(err)
	}
	return m
}

// BenchmarkYale learns from 760 images and recognises the others.
func BenchmarkYale(b *testing.B) {
	train, probes := yale(b)
	for _, c := range []struct {
		name       string
		parameters [][2]string
	}{
		{"nrdl", [][2]string{{"passes", "1000"}}},
		{"nrdl", [][2]string{{"coder.solver", "admm"}}},
		{"ksvd", [][2]string{{"passes", "50"}}},
		{"dksvd", [][2]string{{"passes", "50"}}},
		{"lcksvd2", [][2]string{{"passes", "50"}, {"init.passes", "20"}}},
		{"lcle", [][2]string{{"passes", "10"}}},
		{"fddl", [][2]string{{"passes", "30"}}},
		{"src", [][2]string{{"coder.gap", "1e-6"}}},
		{"nrc", nil},
		{"llc", nil},
		{"lrc", nil},
	} {
		m := with(b, c.name, c.parameters...)
		title := c.name
		for _, p := range c.parameters {
			title += "_" + p[0] + "=" + p[1]
		}
		var model *classify.Classifier
		b.Run("learn/"+title, func(b *testing.B) {
			passes, start := 0, cputime.Used()
			for b.Loop() {
				var err error
				if model, err = m.Fit(b.Context(), &train.Samples, classify.Run{Seed: 1, Watch: func(classify.Progress) { passes++ }}); err != nil {
					b.Fatal(err)
				}
			}
			if used := cputime.Used() - start; c.name == "nrdl" {
				b.ReportMetric(100*passFlops*float64(passes)/used.Seconds()/productRate(), "%product")
			}
			b.ReportMetric(float64(passes)/float64(b.N), "passes/op")
			b.ReportMetric(float64(cputime.Memory(0, "VmHWM"))/(1<<20), "MiB-peak")
		})
		b.Run("recognise/"+title, func(b *testing.B) {
			if model == nil {
				b.Skip("the benchmark learn with the same name makes the model")
			}
			for b.Loop() {
				if _, err := model.Predict(b.Context(), probes.X); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// passFlops are the operations of a pass of NRDL with 760 samples, atoms and dimensions.
const passFlops = 5.27e9

// productRate is the operations a second of processor time of A'B, 760×760×1024.
func productRate() float64 {
	a, b, c := mat.NewDense(1024, 760, nil), mat.NewDense(1024, 760, nil), mat.NewDense(760, 760, nil)
	a.Apply(func(i, j int, _ float64) float64 { return 1 / float64(1+i+j) }, a)
	b.Copy(a)
	const times = 200
	start := cputime.Used()
	for range times {
		c.Mul(a.T(), b)
	}
	return times * 2 * 760 * 760 * 1024 / (cputime.Used() - start).Seconds()
}

// errEnough ends a fit after the passes that are measured.
var errEnough = errors.New("enough passes")

// BenchmarkPass is a pass of an iterative method on N drawn vectors of norm 1 with 128
// numbers: of 38 people with 20 atoms each (K = 760), 100 with 10, or 100 with 20, and not
// more than they have vectors. The memory is that of one line where the others are left
// out: -bench 'Pass/nrdl/K=760/N=10000$'.
func BenchmarkPass(b *testing.B) {
	type size struct{ classes, atoms int }
	for _, name := range []string{"nrdl", "nrdl-online", "ksvd", "lcksvd2", "lcle", "fddl"} {
		sizes := []size{{100, 10}}
		if name == "nrdl" {
			sizes = []size{{38, 20}, {100, 10}, {100, 20}}
		}
		for _, s := range sizes {
			b.Run(fmt.Sprintf("%s/K=%d", name, s.classes*s.atoms), func(b *testing.B) { benchmarkPass(b, name, s.classes, s.atoms) })
		}
	}
}

func benchmarkPass(b *testing.B, name string, classes, atoms int) {
	for _, n := range []int{1000, 3000, 10_000, 30_000, 100_000} {
		b.Run(fmt.Sprintf("N=%d", n), func(b *testing.B) {
			m := with(b, name)
			for _, p := range [][2]string{
				{"atoms", strconv.Itoa(min(atoms, n/classes))},
				{"passes", strconv.Itoa(b.N + 1)},
				{"online.passes", strconv.Itoa(b.N + 1)},
				{"init.passes", "1"},
				{"tol", "0"},
			} {
				if edited, err := method.Set(m, p[0], p[1]); err == nil { // not every method has it
					m = edited
				}
			}
			train := drawn(b, n, 128, classes)
			ctx, cancel := context.WithCancelCause(b.Context())
			defer cancel(nil)
			passes, start := 0, cputime.Used()
			_, err := m.Fit(ctx, train, classify.Run{Seed: 1, Watch: func(classify.Progress) {
				switch passes++; passes {
				case 1: // what is made once is made
					b.ResetTimer()
					start = cputime.Used()
				case b.N + 1:
					b.StopTimer()
					b.ReportMetric(float64((cputime.Used()-start).Nanoseconds())/float64(b.N), "cpu-ns/op")
					cancel(errEnough)
				}
			}})
			if err != nil && context.Cause(ctx) != errEnough {
				b.Fatal(err)
			}
			b.ReportMetric(float64(cputime.Memory(0, "VmHWM"))/(1<<20), "MiB-peak")
		})
	}
}

// drawn returns samples of norm 1: those of a class have, on average, the cosine ½.
func drawn(b *testing.B, n, features, classes int) *classify.Samples {
	b.Helper()
	r := rand.New(rand.NewPCG(1, uint64(n)))
	centres := mat.NewDense(features, classes, nil)
	centres.Apply(func(int, int, float64) float64 { return r.NormFloat64() }, centres)
	x, labels := mat.NewDense(features, n, nil), make([]string, n)
	for j := range labels {
		labels[j] = strconv.Itoa(j * classes / n)
	}
	x.Apply(func(i, j int, _ float64) float64 { return centres.At(i, j*classes/n) + r.NormFloat64() }, x)
	train, err := classify.NewSamples(x, labels, nil, nil)
	if err != nil {
		b.Fatal(err)
	}
	return train
}
