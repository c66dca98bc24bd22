package main

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"time"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/dataset"
	fast "nrdl.example/nrdl/internal/blas"
	"nrdl.example/nrdl/synthetic"
)

// best returns the least time of f over several rounds of at least 50 ms.
func best(f func()) float64 {
	f()
	least := math.Inf(1)
	for range 7 {
		rounds, start := 0, time.Now()
		for time.Since(start) < 50*time.Millisecond {
			f()
			rounds++
		}
		least = min(least, time.Since(start).Seconds()/float64(rounds))
	}
	return least
}

func random(rows, cols int) blas64.General {
	r := rand.New(rand.NewPCG(uint64(rows), uint64(cols)))
	g := blas64.General{Rows: rows, Cols: cols, Stride: cols, Data: make([]float64, rows*cols)}
	for i := range g.Data {
		g.Data[i] = r.Float64()
	}
	return g
}

// with runs f on a back end and a number of threads; gonum's own code divides
// its products by GOMAXPROCS alone.
func with(b fast.Backend, threads int, f func() float64) float64 {
	was, old := fast.Current(), runtime.GOMAXPROCS(threads)
	defer func() {
		runtime.GOMAXPROCS(old)
		if err := fast.Use(was); err != nil {
			panic(err)
		}
	}()
	if err := fast.Use(b); err != nil {
		panic(err)
	}
	return f()
}

// products measures the linear algebra, as ratios within this run.
func (r *report) products() {
	here := fast.Current()
	product := func(m, n, k int) func() float64 {
		a, b, c := random(k, m), random(k, n), random(m, n)
		return func() float64 {
			s := best(func() { blas64.Gemm(blas.Trans, blas.NoTrans, 1, a, b, 0, c) })
			return 2 * float64(m) * float64(n) * float64(k) / s / 1e9
		}
	}
	large, small := product(760, 760, 1024), product(32, 32, 32)
	peak := fast.PeakFMA(500 * time.Millisecond)
	one, two := with(here, 1, large), with(here, 2, large)
	slow := with(fast.Gonum, 1, large)
	r.gemm2 = two
	r.head("linear algebra | measured | asked")
	r.row("FMA rate of one core", fmt.Sprintf("%.0f GFLOP/s", peak), "")
	r.row("A'B 760×760×1024, one thread", fmt.Sprintf("%.0f GFLOP/s, %.0f %% of the FMA rate", one, 100*one/peak), "≥ 80 %")
	r.row("the same against gonum", fmt.Sprintf("%.1f ×", one/slow), "≥ 9 ×")
	r.row("the same, two threads against one", fmt.Sprintf("%.0f GFLOP/s, %.2f ×", two, two/one), "≥ 1.7 ×")
	spd := random(760, 760)
	gram := random(760, 760)
	blas64.Gemm(blas.Trans, blas.NoTrans, 1, spd, spd, 0, gram)
	for i := range 760 {
		gram.Data[i*760+i] += 760
	}
	work := random(760, 760)
	cholesky := func() float64 {
		return best(func() {
			copy(work.Data, gram.Data)
			if !fast.Potrf(blas.Upper, 760, work.Data, 760) {
				panic("not positive definite")
			}
		})
	}
	c1, c2 := with(here, 1, cholesky), with(here, 2, cholesky)
	r.row("Cholesky 760, two threads against one", fmt.Sprintf("%.0f GFLOP/s, %.2f ×", 760*760*760/3/c2/1e9, c1/c2), "≥ 1.4 ×")
	rhs := random(760, 760)
	solve := func() float64 {
		return best(func() { fast.Potrs(blas.Upper, 760, 760, work.Data, 760, rhs.Data, 760) })
	}
	s1, s2 := with(here, 1, solve), with(here, 2, solve)
	r.row("two triangular solves, 760 right-hand sides, two threads against one", fmt.Sprintf("%.0f GFLOP/s, %.2f ×", 2*760*760*760/s2/1e9, s1/s2), "")
	s32, g32 := with(here, 1, small), with(fast.Gonum, 1, small)
	r.row("A'B 32×32×32 against gonum", fmt.Sprintf("%.0f GFLOP/s, %.1f ×", s32, s32/g32), "≥ 4 ×")
}

// oneFace measures from the bytes of an image to its name with a loaded model
// of the size of Extended Yale B.
func (r *report) oneFace() error {
	ctx := context.Background()
	s := synthetic.Default
	s.People, s.PerPerson = 38, 21
	set, err := s.Draw(ctx)
	if err != nil {
		return err
	}
	train := firstOf(set, 20)
	w := mat.NewDense(38, 760, nil)
	for j, c := range train.Labels() {
		w.Set(c, j, 1)
	}
	model, err := classify.NewClassifier(classify.Parts{
		D: classify.Unit(train.X), Groups: train.Groups, Classes: train.Classes,
		Coder: coding.DefaultNonNegative, Rule: classify.Linear{W: w}, Grid: train.Grid,
	})
	if err != nil {
		return err
	}
	var times []float64
	for c := range set.Classes {
		file, err := encode(set.X, set.Groups[c]+20, set.Frame.Size)
		if err != nil {
			return err
		}
		for range 5 {
			start := time.Now()
			v, err := dataset.DecodeImage(ctx, file, "face.png", train.Frame)
			if err != nil {
				return err
			}
			if _, err := model.Predict(ctx, mat.NewDense(len(v), 1, v)); err != nil {
				return err
			}
			times = append(times, time.Since(start).Seconds())
		}
	}
	r.row("one face, PNG to name, 760 atoms: median", fmt.Sprintf("%.2f ms", 1e3*median(times)), "≤ 2 ms")
	slices.Sort(times)
	r.row("the same: 95th percentile", fmt.Sprintf("%.2f ms", 1e3*times[len(times)*95/100]), "")
	return nil
}

func encode(x *mat.Dense, j int, in dataset.Size) ([]byte, error) {
	img := image.NewGray(image.Rect(0, 0, in.Width, in.Height))
	for i := range in.Len() {
		img.SetGray(i/in.Height, i%in.Height, color.Gray{Y: uint8(x.At(i, j))})
	}
	var b bytes.Buffer
	err := png.Encode(&b, img)
	return b.Bytes(), err
}
