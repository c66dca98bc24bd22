package main

import (
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"nrdl.example/nrdl/internal/blas"
)

func median(v []float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	v = slices.Sorted(slices.Values(v))
	return stat.Quantile(0.5, stat.Empirical, v, nil)
}

// a report prints rows of a Markdown table and remembers the rates that later
// rows are compared with.
type report struct {
	w     io.Writer
	gemm2 float64 // GFLOP/s of the two-thread product
}

func (r *report) head(columns string) {
	rule := strings.Repeat(" --- |", strings.Count(columns, "|")+1)
	fmt.Fprintf(r.w, "\n| %s |\n|%s\n", columns, rule)
}

func (r *report) row(what string, measured, asked string) {
	fmt.Fprintf(r.w, "| %s | %s | %s |\n", what, measured, asked)
}

func table(w io.Writer, quick bool) error {
	r := &report{w: w}
	data := "Extended Yale B and PIE"
	if os.Getenv("NRDL_DATA") == "" {
		data = "drawn faces of the sizes of Extended Yale B and PIE"
	}
	fmt.Fprintf(w, "%s, %s/%s, %d threads, back end %v; %s.\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.GOMAXPROCS(0), blas.Current(), data)
	r.products()
	if err := r.fits(); err != nil {
		return err
	}
	if err := r.learners(); err != nil {
		return err
	}
	if quick {
		return nil
	}
	return r.growth()
}

// fits measures learning and recognising at the size of the paper's Extended
// Yale B: 38 people, 20 training images each.
func (r *report) fits() error {
	best, err := fit{Data: "yaleb_32x32.mat", People: 38, Images: 20, Passes: 1000, Probes: true}.least()
	if err != nil {
		return err
	}
	work := passFlops(best) * float64(best.Passes)
	rate := work / best.FitSeconds / 1e9
	r.head("learning and recognising | measured | asked")
	r.row(fmt.Sprintf("NRDL, N = K = %d, d = %d, %d passes: wall", best.Samples, best.Features, best.Passes), fmt.Sprintf("%.2f s", best.FitSeconds), "≤ 6 s")
	r.row(fmt.Sprintf("the same: %.3g GFLOP a pass by `passFlops`", passFlops(best)/1e9), fmt.Sprintf("%.0f GFLOP/s, %.0f %% of the two-thread product", rate, 100*rate/r.gemm2), "≥ 60 %")
	r.row("the same: peak resident memory, with the whole set loaded", fmt.Sprintf("%.0f MiB", best.PeakMiB), "≤ 250 MB")
	r.row(fmt.Sprintf("coding %d test images exactly", best.Probes), fmt.Sprintf("%.2f s", best.CodeSeconds), "≤ 0.6 s")
	return r.oneFace()
}

// passFlops counts the floating-point operations of a pass of NRDL, a
// multiplication and an addition as two; d is the smaller of the features and
// the samples, since longer samples are compressed.
func passFlops(m measurement) float64 {
	d, n, k, c := float64(min(m.Features, m.Samples)), float64(m.Samples), float64(m.Atoms), float64(m.Classes)
	nc, kc := n/c, k/c
	s := 2*d*kc*n + 2*d*k*n + 2*c*k*n + d*k*k + c*k*k + k*k*k/3 + 2*k*k*n // (11)
	w := k*k*n + k*k*k/3 + 2*c*k*n + 2*c*k*k + 2*c*k*n                    // (12)
	p := c*c*n + 2*c*c*n + c*c*c*c/3 + 2*c*c*n                            // (13)
	j := n*n*n/3 + 2*c*n*n                                                // (14), factored
	if n > 2500 {
		j = 15 * 2 * c * n * n // (14), about 15 conjugate gradients
	}
	dd := 2*k*k*nc + k*k*k/3 + 2*d*k*n + 2*d*k*k // (15)
	return s + w + p + j + dd
}

// growth measures how the cost of a pass grows.
func (r *report) growth() error {
	curve := func(name string, fits []fit) error {
		r.head(name + " | seconds a pass | peak MiB | GFLOP/s")
		var n, seconds, memory []float64
		for _, f := range fits {
			m, err := f.apart()
			if err != nil {
				return err
			}
			fmt.Fprintf(r.w, "| N = %d, K = %d | %.3f | %.0f | %.0f |\n", m.Samples, m.Atoms, m.PassSeconds, m.PeakMiB, passFlops(m)/m.PassSeconds/1e9)
			n, seconds, memory = append(n, math.Log(float64(m.Samples))), append(seconds, math.Log(m.PassSeconds)), append(memory, math.Log(m.PeakMiB))
		}
		_, time := stat.LinearRegression(n, seconds, nil, false)
		_, space := stat.LinearRegression(n, memory, nil, false)
		fmt.Fprintf(r.w, "| fitted exponent of N | %.2f | %.2f | |\n", time, space)
		return nil
	}
	var square, fixed []fit
	for _, people := range []int{25, 50, 75, 100, 150, 200} {
		square = append(square, fit{People: people, Images: 20, Passes: 5})
	}
	for _, images := range []int{10, 20, 40, 80, 120, 170} {
		fixed = append(fixed, fit{Data: "pie_32x32.mat", People: 68, Images: images, Atoms: 10, Passes: 5})
	}
	if err := curve("N = K, d = 1024, 20 samples a class", square); err != nil {
		return err
	}
	return curve("K = 680, 68 classes, d = 1024", fixed)
}
