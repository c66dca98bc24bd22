package blas

import (
	"math"
	"math/rand"
	"os"
	"sync"
	"sync/atomic"
	"testing"

	"gonum.org/v1/gonum/blas"
)

// sameBits fails unless x and y are equal bit by bit.
func sameBits(t *testing.T, x, y []float64, format string, args ...any) {
	t.Helper()
	for i := range y {
		if math.Float64bits(x[i]) != math.Float64bits(y[i]) {
			t.Errorf("element %d: %v and %v", i, x[i], y[i])
			t.Fatalf(format, args...)
		}
	}
}

// TestThreads: no result depends on the number of threads.
func TestThreads(t *testing.T) {
	eachBackend(t, func(t *testing.T, impl Implementation) {
		if impl.backend == Gonum {
			t.Skip("not promised")
		}
		defer using(impl)()
		r := rand.New(rand.NewSource(1))
		sizes := [][3]int{{1, 700, 900}, {700, 1, 900}, {90, 130, 100}, {203, 150, 400}, {350, 97, 33}}
		orders := []int{50, 97, 200, 310}
		if !fullSizes(impl) {
			sizes = sizes[:3]
		}
		if raceEnabled { // which sees the loops in Go, and slows them
			sizes, orders = sizes[2:3], orders[1:2]
		}
		for _, s := range sizes {
			m, n, k := s[0], s[1], s[2]
			for _, tA := range transposes[:2] {
				for _, tB := range transposes[:2] {
					a, b, c := newOperand[float64](r, tA, m, k), newOperand[float64](r, tB, k, n), newBlock[float64](r, m, n)
					onThreads(t, fullSizes(impl), c, func(c block[float64]) {
						impl.Dgemm(tA, tB, m, n, k, 0.5, a.data, a.ld, b.data, b.ld, -1, c.data, c.ld)
					}, "gemm %v %c%c", s, tA, tB)
				}
			}
			a, c := newBlock[float64](r, m, k), newBlock[float64](r, m, m)
			onThreads(t, fullSizes(impl), c, func(c block[float64]) {
				impl.Dsyrk(blas.Upper, blas.NoTrans, m, k, 1, a.data, a.ld, 1, c.data, c.ld)
			}, "syrk %d %d", m, k)
		}
		for _, n := range orders {
			p, b := positive(r, n), newBlock[float64](r, n, 150)
			for _, ul := range uplos {
				onThreads(t, fullSizes(impl), p, func(a block[float64]) { Potrf(ul, n, a.data, a.ld) }, "potrf %d %c", n, ul)
				onThreads(t, fullSizes(impl), b, func(b block[float64]) {
					Trsm(blas.Left, ul, blas.Trans, blas.NonUnit, n, b.cols, 1, p.data, p.ld, b.data, b.ld)
				}, "trsm %d %c", n, ul)
			}
		}
	})
}

// onThreads fails unless f makes the same of c on any number of threads.
func onThreads(t *testing.T, full bool, c block[float64], f func(c block[float64]), format string, args ...any) {
	t.Helper()
	var one block[float64]
	counts := []int{1, 2, 3, 8}
	if testing.Short() || !full || os.Getenv("NRDL_LONG") == "" {
		counts = []int{1, 3}
	}
	for _, threads := range counts {
		SetThreads(threads)
		x := c.clone()
		f(x)
		if threads == 1 {
			one = x
			continue
		}
		sameBits(t, x.data, one.data, format, args...)
	}
}

// TestPlace: an element of a product does not depend on where it is, nor on
// the size of the product, nor on how the operands are stored.
func TestPlace(t *testing.T) {
	eachBackend(t, func(t *testing.T, impl Implementation) {
		if impl.backend == Gonum {
			t.Skip("not promised")
		}
		r := rand.New(rand.NewSource(2))
		for _, k := range []int{1, 40, kcMax, 2*kcMax + 5} {
			const m, n = 161, 150
			a, b, c := newBlock[float64](r, m, k), newBlock[float64](r, k, n), newBlock[float64](r, m, n)
			whole := c.clone()
			impl.Dgemm(blas.NoTrans, blas.NoTrans, m, n, k, 1.5, a.data, a.ld, b.data, b.ld, 0.5, whole.data, whole.ld)
			at, bt := flip(a), flip(b)
			for range trials(60) {
				i, j := r.Intn(m), r.Intn(n)
				rows, cols := 1+r.Intn(m-i), 1+r.Intn(n-j)
				switch r.Intn(4) {
				case 0:
					rows = 1
				case 1:
					cols = 1
				}
				x := c.clone()
				cij := x.data[i*x.ld+j:]
				tA, tB := pick(r, transposes[:2]), pick(r, transposes[:2])
				ap, lda, bp, ldb := a.data[i*a.ld:], a.ld, b.data[j:], b.ld
				if tA == blas.Trans {
					ap, lda = at.data[i:], at.ld
				}
				if tB == blas.Trans {
					bp, ldb = bt.data[j*bt.ld:], bt.ld
				}
				impl.Dgemm(tA, tB, rows, cols, k, 1.5, ap, lda, bp, ldb, 0.5, cij, x.ld)
				for p := range rows {
					sameBits(t, x.data[(i+p)*x.ld+j:][:cols], whole.data[(i+p)*x.ld+j:][:cols],
						"k=%d: row %d of %d×%d at (%d, %d) %c%c", k, p, rows, cols, i, j, tA, tB)
				}
			}
		}
	})
}

// flip is the transpose of b.
func flip(b block[float64]) block[float64] {
	x := block[float64]{rows: b.cols, cols: b.rows, ld: b.rows, data: make([]float64, b.rows*b.cols)}
	for i := range b.rows {
		for j := range b.cols {
			x.data[j*x.ld+i] = b.at(i, j)
		}
	}
	return x
}

// TestConcurrent: calls from many goroutines at once, on the same operands.
func TestConcurrent(t *testing.T) {
	eachBackend(t, func(t *testing.T, impl Implementation) {
		defer using(impl)()
		SetThreads(3)
		r := rand.New(rand.NewSource(3))
		const n = 130
		a, b, p := newBlock[float64](r, n, n), newBlock[float64](r, n, n), positive(r, n)
		work := func() (c, l block[float64]) {
			c, l = b.clone(), p.clone()
			impl.Dgemm(blas.Trans, blas.NoTrans, n, n, n, 1, a.data, a.ld, b.data, b.ld, 0, c.data, c.ld)
			Potrf(blas.Upper, n, l.data, l.ld)
			return c, l
		}
		c, l := work()
		var wg sync.WaitGroup
		var wrong atomic.Int64
		for range 8 {
			wg.Go(func() {
				for range trials(20) {
					x, y := work()
					for i := range c.data {
						if x.data[i] != c.data[i] {
							wrong.Add(1)
						}
					}
					for i := range l.data {
						if y.data[i] != l.data[i] {
							wrong.Add(1)
						}
					}
				}
			})
		}
		wg.Wait()
		if n := wrong.Load(); n > 0 {
			t.Errorf("%d elements differ", n)
		}
	})
}

// nest is a task whose parts are tasks, down to a depth.
type nest struct {
	depth int
	count *atomic.Int64
}

func (n nest) part(int) {
	n.count.Add(1)
	if n.depth > 0 {
		parallel(4, 5, nest{n.depth - 1, n.count})
	}
}

func TestParallelNested(t *testing.T) {
	var count atomic.Int64
	var wg sync.WaitGroup
	for range 10 {
		wg.Go(func() { parallel(4, 5, nest{3, &count}) })
	}
	wg.Wait()
	if got, want := count.Load(), int64(10*(5+25+125+625)); got != want {
		t.Errorf("%d parts ran, want %d", got, want)
	}
}

// TestNoAllocation: a call of a kind that ran before allocates nothing.
func TestNoAllocation(t *testing.T) {
	if raceEnabled {
		t.Skip("the race detector makes sync.Pool forget")
	}
	eachBackend(t, func(t *testing.T, impl Implementation) {
		if impl.backend == Gonum {
			t.Skip("not promised")
		}
		defer using(impl)()
		r := rand.New(rand.NewSource(4))
		sizes := []int{1, 20, 150}
		if testing.Short() || !fullSizes(impl) {
			sizes[2] = 100
		}
		for _, n := range sizes {
			a, b, c, p := newBlock[float64](r, n, n), newBlock[float64](r, n, n), newBlock[float64](r, n, n), positive(r, n)
			l, q := p.clone(), p.clone()
			Potrf(blas.Upper, n, l.data, l.ld)
			calls := map[string]func(){
				"gemm":  func() { impl.Dgemm(blas.NoTrans, blas.Trans, n, n, n, 1, a.data, a.ld, b.data, b.ld, 0, c.data, c.ld) },
				"syrk":  func() { impl.Dsyrk(blas.Upper, blas.Trans, n, n, 1, a.data, a.ld, 0, c.data, c.ld) },
				"potrf": func() { copy(q.data, p.data); Potrf(blas.Upper, n, q.data, q.ld) },
				"potrs": func() { Potrs(blas.Upper, n, n, l.data, l.ld, b.data, b.ld) },
				"right": func() {
					Trsm(blas.Right, blas.Upper, blas.Trans, blas.NonUnit, n, n, 1, l.data, l.ld, b.data, b.ld)
				},
			}
			for name, call := range calls {
				for range trials(100) { // stock the pools
					call()
				}
				// A collection of garbage empties the pools, and its own allocations
				// count too: a call that allocates does so in every series.
				got := math.Inf(1)
				for range 5 {
					got = min(got, testing.AllocsPerRun(trials(20), call))
				}
				if got > 0 {
					t.Errorf("%s n=%d: %v allocations a call", name, n, got)
				}
			}
		}
	})
}

// counts counts how often each part is done.
type counts []atomic.Int32

func (c counts) part(i int) { c[i].Add(1) }

// TestParts: each part is done once, whatever the number of threads and of their shares.
func TestParts(t *testing.T) {
	for _, threads := range []int{1, 2, 3, maxShares, maxShares + 3} {
		for _, n := range []int{1, 2, 7, 100} {
			c := make(counts, n)
			parallel(threads, n, c)
			for i := range c {
				if done := c[i].Load(); done != 1 {
					t.Errorf("%d threads, %d parts: part %d is done %d times", threads, n, i, done)
				}
			}
		}
	}
}
