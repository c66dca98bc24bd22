package coding_test

import (
	"context"
	"math"
	"strings"
	"sync"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/internal/blas"
)

// coders are the coders under test, all solvers among them.
var coders = map[string]coding.Coder{
	"exact":          coding.DefaultNonNegative,
	"elastic":        coding.NonNegative{Solver: coding.Exact, Rho: 1, Passes: 1, L1: 1e-3, L2: 1e-2},
	"admm-elastic":   coding.NonNegative{Solver: coding.ADMM, Rho: 0.05, Passes: 7, L1: 1e-3, L2: 1e-2},
	"lasso":          coding.Lasso{Lambda: 1e-3, Gap: 1e-9},
	"lasso-positive": coding.Lasso{Lambda: 1e-3, Gap: 1e-9, Positive: true},
	"admm":           coding.NonNegative{Solver: coding.ADMM, Rho: 0.05, Passes: 7},
	"omp":            coding.OMP{Sparsity: 3},
	"huber": coding.Robust{
		Estimator: coding.Huber, Lambda: 0.2, Rounds: 3, Rho: 0.1, Passes: 2,
		Weights: coding.LogisticWeights, Quantile: 0.6, Steepness: 8, L2: 1e-3,
	},
	"irls": coding.Robust{
		Estimator: coding.Reweighted, Lambda: 0.2, Rounds: 3, Rho: 1,
		Passes: 1, Weights: coding.LogisticWeights, Quantile: 0.6, Steepness: 8, L2: 1e-3,
	},
	"irls-huber": coding.Robust{
		Estimator: coding.Reweighted, Lambda: 0.2, Rounds: 3, Rho: 1,
		Passes: 1, Weights: coding.HuberWeights, Quantile: 0.6, Steepness: 8, L2: 1e-3,
	},
	"blocks":       twoWide{blocksOf(2, 16)},
	"blocks-omp":   twoWide{coding.Blocks{Side: 2, Step: 20, Temperature: 0.1, Inner: coding.OMP{Sparsity: 2}}},
	"ridge":        coding.DefaultRidge,
	"leastsq":      coding.Ridge{Lambda: 0},
	"kernel":       rbf(coding.DefaultStopped),
	"kernel-lasso": rbf(coding.Lasso{Lambda: 1e-3, Gap: 1e-9}),
	"kernel-ridge": linear(coding.DefaultRidge),
	"admm-1pass":   coding.NonNegative{Solver: coding.ADMM, Rho: 0.05, Passes: 1},
}

func eachCoder(t *testing.T, f func(t *testing.T, c coding.Coder)) {
	for name, c := range coders {
		t.Run(name, func(t *testing.T) { f(t, c) })
	}
}

func TestACodeDoesNotDependOnTheBatch(t *testing.T) {
	if blas.Current() == blas.Gonum {
		t.Skip("gonum's products depend on the shape")
	}
	d, y := faces(1, 90, 6, 4, 0.02), faces(2, 90, 6, 90, 0.02)
	eachCoder(t, func(t *testing.T, c coding.Coder) {
		over, err := c.Over(coding.Basis{D: d})
		if err != nil {
			t.Fatal(err)
		}
		all := codeOver(t, over, d, y)
		_, n := y.Dims()
		for j := 0; j < n; j += 31 {
			one := codeOver(t, over, d, mat.DenseCopyOf(y.ColView(j)))
			if !sameBits(one, mat.DenseCopyOf(all.ColView(j))) {
				t.Fatalf("column %d alone is not what it is among %d", j, n)
			}
		}
	})
}

func TestACodeDoesNotDependOnThreads(t *testing.T) {
	d, y := faces(3, 90, 6, 4, 0.02), faces(4, 90, 6, 90, 0.02)
	eachCoder(t, func(t *testing.T, c coding.Coder) {
		var one, four *mat.Dense
		withThreads(1, func() { one = code(t, c, d, y) })
		withThreads(4, func() { four = code(t, c, d, y) })
		if !sameBits(one, four) {
			t.Error("four threads give other codes than one")
		}
	})
}

func TestCodingIsSafeForConcurrentUse(t *testing.T) {
	d := faces(5, 60, 5, 6, 0.02)
	eachCoder(t, func(t *testing.T, c coding.Coder) {
		over, err := c.Over(coding.Basis{D: d})
		if err != nil {
			t.Fatal(err)
		}
		var wg sync.WaitGroup
		for seed := range uint64(4) {
			y := faces(100+seed, 60, 5, 9, 0.02)
			want := codeOver(t, over, d, y)
			for range 3 {
				wg.Go(func() {
					s := mat.NewDense(30, 45, nil)
					if err := over.Code(context.Background(), s, y); err != nil || !sameBits(s, want) {
						t.Errorf("codes differ from those made alone (%v)", err)
					}
				})
			}
		}
		wg.Wait()
	})
}

func TestZeroColumnsAndZeroAtomsHaveZeroCodes(t *testing.T) {
	d, y := faces(6, 40, 3, 4, 0.02), faces(7, 40, 3, 2, 0.02)
	for i := range 40 {
		d.Set(i, 5, 0)
		y.Set(i, 2, 0)
	}
	eachCoder(t, func(t *testing.T, c coding.Coder) {
		s := code(t, c, d, y)
		if mat.Norm(s.ColView(2), 1) != 0 {
			t.Errorf("the code of a zero column is %v", mat.Col(nil, 2, s))
		}
		if mat.Norm(s.RowView(5), 1) != 0 {
			t.Errorf("the coefficients of a zero atom are %v", mat.Row(nil, 5, s))
		}
		if mat.Norm(s, 1) == 0 {
			t.Error("all codes are zero")
		}
	})
}

func TestAllZeroDictionary(t *testing.T) {
	d, y := mat.NewDense(4, 3, nil), normal(1, 4, 2)
	eachCoder(t, func(t *testing.T, c coding.Coder) {
		if s := code(t, c, d, y); mat.Norm(s, 1) != 0 {
			t.Errorf("codes over zero atoms: %v", mat.Formatted(s))
		}
	})
}

func TestCodeWritesIntoViews(t *testing.T) {
	d, y := faces(8, 40, 3, 4, 0.02), faces(9, 40, 3, 2, 0.02)
	wide := fill(50, 20, func(i, j int) float64 {
		if i < 40 && j >= 3 && j < 9 {
			return y.At(i, j-3)
		}
		return math.NaN()
	})
	eachCoder(t, func(t *testing.T, c coding.Coder) {
		over, err := c.Over(coding.Basis{D: d})
		if err != nil {
			t.Fatal(err)
		}
		out := mat.NewDense(20, 11, nil)
		s := out.Slice(2, 14, 4, 10).(*mat.Dense)
		if err := over.Code(context.Background(), s, wide.Slice(0, 40, 3, 9).(*mat.Dense)); err != nil {
			t.Fatal(err)
		}
		if !sameBits(s, codeOver(t, over, d, y)) {
			t.Error("codes of views differ from those of matrices")
		}
		s.Zero()
		if mat.Norm(out, 1) != 0 {
			t.Error("Code wrote outside its view")
		}
	})
}

func TestNotFinite(t *testing.T) {
	eachCoder(t, func(t *testing.T, c coding.Coder) {
		for _, bad := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
			d, y := normal(1, 6, 3), normal(2, 6, 4)
			y.Set(2, 1, bad)
			over, err := c.Over(coding.Basis{D: d})
			if err != nil {
				t.Fatal(err)
			}
			if err := over.Code(context.Background(), mat.NewDense(3, 4, nil), y); err == nil || !strings.Contains(err.Error(), "column 1") {
				t.Errorf("%v in column 1: %v", bad, err)
			}
			d.Set(0, 0, bad)
			if _, err := c.Over(coding.Basis{D: d}); err == nil {
				t.Errorf("a dictionary with %v was accepted", bad)
			}
		}
	})
}

func TestShapeMismatchIsAnError(t *testing.T) {
	eachCoder(t, func(t *testing.T, c coding.Coder) {
		over, err := c.Over(coding.Basis{D: normal(1, 6, 3)})
		if err != nil {
			t.Fatal(err)
		}
		for _, dims := range [][4]int{{3, 2, 5, 2}, {2, 2, 6, 2}, {3, 1, 6, 2}} {
			if over.Code(t.Context(), mat.NewDense(dims[0], dims[1], nil), mat.NewDense(dims[2], dims[3], nil)) == nil {
				t.Errorf("no error for S %d×%d, Y %d×%d", dims[0], dims[1], dims[2], dims[3])
			}
		}
	})
}

func TestValidate(t *testing.T) {
	for _, c := range coding.All {
		if err := c.Validate(); err != nil {
			t.Errorf("the default of %s is not valid: %v", c.Name(), err)
		}
		if _, err := c.Over(coding.Basis{}); err == nil {
			t.Errorf("%s is prepared over nothing", c.Name())
		}
	}
	for _, c := range []coding.Coder{
		coding.Ridge{Lambda: -1},
		coding.Ridge{Lambda: math.NaN()},
		coding.Ridge{Lambda: math.Inf(1)},
		coding.NonNegative{},
		coding.NonNegative{Solver: "fast", Rho: 1, Passes: 1},
		coding.NonNegative{Solver: coding.ADMM, Rho: 0, Passes: 1},
		coding.NonNegative{Solver: coding.ADMM, Rho: math.NaN(), Passes: 1},
		coding.NonNegative{Solver: coding.ADMM, Rho: 1, Passes: 0},
		coding.NonNegative{Solver: coding.ADMM, Rho: 1, Passes: 1_000_001},
		coding.NonNegative{Solver: coding.Exact, Rho: 1, Passes: 1, L1: -1},
		coding.NonNegative{Solver: coding.Exact, Rho: 1, Passes: 1, L2: math.Inf(1)},
		coding.NonNegative{Solver: coding.ADMM, Rho: 1, Passes: 1, L2: math.NaN()},
		coding.Lasso{Lambda: 0, Gap: 1e-6},
		coding.Lasso{Lambda: math.Inf(1), Gap: 1e-6},
		coding.Lasso{Lambda: 1, Gap: 0},
		coding.Lasso{Lambda: 1, Gap: math.NaN()},
	} {
		if c.Validate() == nil {
			t.Errorf("%+v is valid", c)
		}
		if _, err := c.Over(coding.Basis{D: normal(1, 3, 2)}); err == nil {
			t.Errorf("%+v prepares", c)
		}
	}
}

// raced is whether the race detector is on, under which sync.Pool forgets.
var raced bool

func TestCodeAllocatesLittle(t *testing.T) {
	if raced {
		t.Skip("the race detector allocates")
	}
	d, y := faces(10, 60, 5, 6, 0.02), faces(11, 60, 5, 20, 0.02)
	eachCoder(t, func(t *testing.T, c coding.Coder) {
		over, err := c.Over(coding.Basis{D: d})
		if err != nil {
			t.Fatal(err)
		}
		s := codeOver(t, over, d, y)
		got := testing.AllocsPerRun(20, func() {
			if err := over.Code(context.Background(), s, y); err != nil {
				t.Fatal(err)
			}
		})
		if got > 150 { // views and goroutines; nothing grows with n or K
			t.Errorf("%v allocations for 100 columns", got)
		}
	})
}
