package coding

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
)

// counted counts the multiply-adds of the products that it hands on, in the
// unit of Work.
type counted struct {
	blas.Float64
	n *atomic.Int64
}

func (c counted) add(n ...int) {
	product := 1
	for _, v := range n {
		product *= v
	}
	c.n.Add(int64(product))
}

func (c counted) Dgemm(tA, tB blas.Transpose, m, n, k int, alpha float64, a []float64, lda int,
	b []float64, ldb int, beta float64, x []float64, ldc int,
) {
	if smallest := min(m, n, k); smallest > matrixSpeed {
		c.add(m, n, k/matrixSpeed)
	} else {
		c.add(m, n, k)
	}
	c.Float64.Dgemm(tA, tB, m, n, k, alpha, a, lda, b, ldb, beta, x, ldc)
}

func (c counted) Dsyrk(ul blas.Uplo, t blas.Transpose, n, k int, alpha float64, a []float64, lda int, beta float64, x []float64, ldc int) {
	c.n.Add(int64(n) * int64(n) * int64(k) / 2 / matrixSpeed)
	c.Float64.Dsyrk(ul, t, n, k, alpha, a, lda, beta, x, ldc)
}

func (c counted) Dgemv(t blas.Transpose, m, n int, alpha float64, a []float64, lda int, x []float64,
	incX int, beta float64, y []float64, incY int,
) {
	c.add(m, n)
	c.Float64.Dgemv(t, m, n, alpha, a, lda, x, incX, beta, y, incY)
}

func (c counted) Ddot(n int, x []float64, incX int, y []float64, incY int) float64 {
	c.add(n)
	return c.Float64.Ddot(n, x, incX, y, incY)
}

func (c counted) Daxpy(n int, alpha float64, x []float64, incX int, y []float64, incY int) {
	c.add(n)
	c.Float64.Daxpy(n, alpha, x, incX, y, incY)
}

// counting runs f and adds the operations of its products to n.
func counting(n *atomic.Int64, f func()) {
	inner := blas64.Implementation()
	blas64.Use(counted{inner, n})
	defer blas64.Use(inner)
	f()
}

// asked counts how often a Coding asks whether it is to stop, which it does at
// least once in a pass, and stops it after most operations.
type asked struct {
	context.Context
	n       *atomic.Int64
	maxAdds int64
}

func (a asked) Err() error {
	if a.n.Add(1) > a.maxAdds {
		return context.Canceled
	}
	return nil
}

// A problem is what the coders of the tests below code over: similar atoms,
// two of them equal, and samples that are far from all atoms.
type codingProblem struct {
	d, y          *mat.Dense
	groups        []int
	height, width int
}

func newCodingProblem(height, width, k int) codingProblem {
	rng := rand.New(rand.NewPCG(5, 5))
	p := codingProblem{height: height, width: width, groups: []int{0, k / 2, k}}
	p.d, p.y = mat.NewDense(height*width, k, nil), mat.NewDense(height*width, 1, nil)
	for i := range height * width {
		for j := range k {
			p.d.Set(i, j, 1+rng.NormFloat64())
		}
		p.d.Set(i, k-1, p.d.At(i, 0))
		p.y.Set(i, 0, rng.NormFloat64())
	}
	return p
}

// place is c for images of p's height and width.
func (p codingProblem) place(c Coder) (Coder, error) {
	if s, ok := c.(Blocks); ok {
		return s.Place(p.height, p.width, 1)
	}
	return c, nil
}

// within reports whether c is accepted over the atoms of p, were the limit on
// the work of a sample no more than limit.
func (p codingProblem) within(c Coder, limit float64) bool {
	d, k := p.d.Dims()
	placed, err := p.place(c)
	return err == nil && Check(placed, d, k) == nil && placed.Work(d, k).Sample <= limit
}

// variants are all coders with all combinations of what is a choice in them,
// such as a solver and an inner coder.
func variants() []Coder {
	list := slices.Clone(All)
	for i := 0; i < len(list); i++ {
		c := list[i]
		for _, p := range codec().Params(c) {
			for _, choice := range p.Choices {
				v, err := codec().Set(c, p.Path, choice)
				if err != nil || v.(Coder).Validate() != nil || slices.Contains(list, v.(Coder)) {
					continue
				}
				list = append(list, v.(Coder))
			}
		}
	}
	return list
}

// set returns c with a parameter changed, nil where that is refused at once.
func set(c Coder, path, value string) Coder {
	v, err := codec().Set(c, path, value)
	if err != nil {
		return nil
	}
	return v.(Coder)
}

// raised returns c with the integer at path made as large as limit allows.
func (p codingProblem) raised(c Coder, path string, limit float64) Coder {
	lo, hi := 0, math.MaxInt32
	best := c
	for lo+1 < hi {
		mid := lo + (hi-lo)/2
		if v := set(c, path, strconv.Itoa(mid)); v != nil && p.within(v, limit) {
			lo, best = mid, v
		} else {
			hi = mid
		}
	}
	return best
}

// lowered returns c with the integer at path made as small as is accepted: as
// the step of blocks, it may be the smaller one that takes more work.
func (p codingProblem) lowered(c Coder, path string, limit float64) Coder {
	for v := 1; v <= 64; v++ {
		if changed := set(c, path, strconv.Itoa(v)); changed != nil && p.within(changed, limit) {
			return changed
		}
	}
	return c
}

// largest are the coders like c whose parameters are as large, or small, as
// limit allows: each alone, and all in two orders.
func (p codingProblem) largest(c Coder, limit float64) []Coder {
	var integers, numbers []string
	for _, param := range codec().Params(c) {
		switch param.Type {
		case "integer":
			integers = append(integers, param.Path)
		case "number":
			numbers = append(numbers, param.Path)
		}
	}
	list := []Coder{c}
	for _, path := range integers {
		list = append(list, p.raised(c, path, limit), p.lowered(c, path, limit))
	}
	up, down := c, c
	for i, path := range integers {
		up = p.raised(up, path, limit)
		down = p.raised(p.lowered(down, integers[len(integers)-1-i], limit), integers[len(integers)-1-i], limit)
	}
	list = append(list, up, down)
	for _, path := range numbers {
		for _, value := range []string{"0", "5e-324", "1e-9", "1e9", "1.7e308"} {
			for _, base := range []Coder{c, up} {
				if v := set(base, path, value); v != nil && p.within(v, limit) {
					list = append(list, v)
				}
			}
		}
	}
	return list
}

// operations codes the sample of p by c and counts what that takes.
func (p codingProblem) operations(t *testing.T, c Coder, limit float64) float64 {
	placed, err := p.place(c)
	if err != nil {
		t.Fatal(err)
	}
	over, err := placed.Over(Basis{D: p.d, Groups: p.groups, work: limit})
	if err != nil {
		return 0 // as with atoms that cannot be factored
	}
	_, k := p.d.Dims()
	ctx := asked{context.Background(), new(atomic.Int64), int64(3 * limit)}
	counting(ctx.n, func() {
		_ = over.Code(ctx, mat.NewDense(k, 1, nil), p.y)
		if v, ok := over.(Detailed); ok && CanVote(c) {
			_ = v.CodeWith(ctx, Details{Votes: mat.NewDense(len(p.groups)-1, 1, nil)}, p.y)
		}
	})
	return float64(ctx.n.Load())
}

// TestWorkBoundsOperations walks all coders: with whatever parameters they are
// accepted, what coding takes is within Work and within the limit. The limit of the
// test is small, so that the operations can be counted.
func TestWorkBoundsOperations(t *testing.T) {
	const limit = 2e5
	for _, p := range []codingProblem{newCodingProblem(8, 8, 60), newCodingProblem(3, 2, 40)} {
		d, k := p.d.Dims()
		for _, c := range variants() {
			for _, c := range p.largest(c, limit) {
				if !p.within(c, limit) {
					continue // a default that needs more atoms or pixels
				}
				placed, _ := p.place(c)
				bound := placed.Work(d, k).Sample
				if dependsOnData(c) {
					bound = 2*limit + bound // twice: the fall-backs of Lasso
				}
				if _, ok := c.(Blocks); ok {
					bound *= 2 // Code, then Votes
				}
				if n := p.operations(t, c, limit); n > bound {
					t.Errorf("%d×%d: %+v takes %.3g operations, more than %.3g", d, k, c, n, bound)
				}
			}
		}
	}
}

// dependsOnData reports whether the work on a sample is bounded while it is
// done.
func dependsOnData(c Coder) bool {
	if b, ok := c.(Blocks); ok {
		return dependsOnData(b.Inner)
	}
	n, ok := c.(NonNegative)
	_, lasso := c.(Lasso)
	return lasso || ok && n.Solver == Exact
}

// TestParametersAreBounded: whatever the size of the dictionary, no combination
// of parameters that Check accepts takes more than the limits, and one that it
// refuses is refused with the names of the parameters and what to do.
func TestParametersAreBounded(t *testing.T) {
	for _, p := range []codingProblem{newCodingProblem(4, 4, 12), newCodingProblem(40, 40, 300), newCodingProblem(64, 2, 700)} {
		d, k := p.d.Dims()
		for _, c := range variants() {
			for _, c := range p.largest(c, math.Inf(1)) {
				placed, err := p.place(c)
				if err != nil || Check(placed, d, k) != nil {
					continue
				}
				w := placed.Work(d, k)
				if w.Sample > sampleLimit(d, k) || 8*w.Memory > MemoryLimit() {
					t.Errorf("%d×%d: %+v is accepted and takes %+v", d, k, c, w)
				}
			}
		}
	}
	p := newCodingProblem(40, 40, 300)
	robust, admm, irls := DefaultRobust, NonNegative{Solver: ADMM, Rho: 1, Passes: 1_000_000}, DefaultRobust
	robust.Passes = 1_000_000
	irls.Estimator, irls.Rounds = Reweighted, 1_000_000
	blocks := DefaultBlocks
	blocks.Step, blocks.Inner = 1, robust
	for _, tt := range []struct {
		c    Coder
		want []string
		hint string
	}{
		{
			robust,
			[]string{"robust", "rounds = 20 and passes = 1000000", "300 atoms of 1600 features", "operations for one sample"},
			"lower rounds or passes",
		},
		{admm, []string{"nonnegative", "passes = 1000000"}, "lower passes"},
		{irls, []string{"robust", "rounds = 1000000"}, "lower rounds"},
		{blocks, []string{"inner: ", "rounds = 20 and passes = 1000000"}, "lower rounds or passes"},
		{
			Blocks{Side: 8, Step: 1, Temperature: 1, Inner: NonNegative{Solver: ADMM, Rho: 1, Passes: 2000}},
			[]string{"blocks", "side = 8 and step = 1, which are 1089 blocks", "passes = 2000"},
			"raise step",
		},
	} {
		placed, err := p.place(tt.c)
		if err != nil {
			t.Fatal(err)
		}
		err = Check(placed, 1600, 300)
		if err == nil {
			t.Errorf("%+v is accepted: %+v", tt.c, placed.Work(1600, 300))
			continue
		}
		for _, want := range tt.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%v lacks %q", err, want)
			}
		}
		if !strings.Contains(advice.Text(err), tt.hint) {
			t.Errorf("%v: hint %q, want %q", err, advice.Text(err), tt.hint)
		}
		if _, over := placed.Over(Basis{D: p.d, Groups: p.groups}); over == nil {
			t.Errorf("%+v is refused by Check and prepared by Over", tt.c)
		}
	}
}

// What can be prepared for one dictionary may be too much for every block.
func TestBlocksAreBounded(t *testing.T) {
	c, err := (Blocks{Side: 8, Step: 1, Temperature: 1, Inner: DefaultRidge}).Place(256, 256, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := Check(c, 256*256, 1000); err == nil || !strings.Contains(err.Error(), "GiB of memory") {
		t.Error(err)
	}
	c, err = (Blocks{Side: 32, Step: 4, Temperature: 1, Inner: DefaultPerClass}).Place(100, 100, 1)
	if err != nil {
		t.Fatal(err)
	}
	if err := Check(c, 100*100, 1000); err == nil || !strings.Contains(err.Error(), "operations to prepare") {
		t.Error(err)
	}
}

// The defaults of all coders, and the largest passes and rounds that are worth
// a trial, are within the limits for dictionaries of up to 30000 atoms, for those that are two in one of
// up to 10000.
func TestUsualParametersAreWithinTheLimits(t *testing.T) {
	busy := DefaultRobust
	busy.Rounds, busy.Passes = 100, 20
	admm := NonNegative{Solver: ADMM, Rho: 1, Passes: 100}
	for _, size := range [][2]int{{1, 100}, {100, 100}, {2576, 240}, {1024, 1216}, {1024, 5780}, {300, 30000}, {10000, 1000}, {10000, 30000}} {
		d, k := size[0], size[1]
		list := append(slices.Clone(All), admm)
		if d*k < 3e8 {
			list = append(list, busy)
		}
		for _, c := range list {
			if c.Work(d, k).Err != nil {
				continue
			}
			switch c.(type) {
			case Augmented, Fused: // two coders in one
				if k > 10000 {
					continue
				}
			}
			if err := Check(c, d, k); err != nil {
				t.Error(err)
			}
		}
	}
	for _, side := range []int{4, 16} {
		blocks := DefaultBlocks
		blocks.Side, blocks.Step = side, 2
		for _, inner := range []Coder{DefaultNonNegative, admm, DefaultRidge, DefaultPerClass} {
			blocks.Inner = inner
			c, err := blocks.Place(32, 32, 2)
			if err != nil {
				t.Fatal(err)
			}
			if err := Check(c, 2048, 1216); err != nil {
				t.Error(err)
			}
		}
	}
}

// A sample that takes more than it may is an error and not a wrong code.
func TestTooLongACodeIsAnError(t *testing.T) {
	p := newCodingProblem(6, 8, 40)
	for _, c := range []Coder{DefaultNonNegative, Lasso{Lambda: 1e-6, Gap: 1e-12}} {
		over, err := c.Over(Basis{D: p.d, work: 1})
		if err != nil {
			t.Fatal(err)
		}
		if err := over.Code(context.Background(), mat.NewDense(40, 1, nil), p.y); err == nil {
			t.Errorf("%s: no error", c.Name())
		} else if n := fmt.Sprint(err); !strings.Contains(n, "bound on the work") && !strings.Contains(n, "duality gap") {
			t.Error(err)
		}
	}
}
