package index

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"sync"

	gonum "gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas32"

	"nrdl.example/nrdl/internal/blas"
	"nrdl.example/nrdl/internal/parallel"
)

// Sizes of a scan.
const (
	maxQueries  = 64               // at a time: their codes stay in the L2 cache
	chunkBlocks = 16               // whose sums stay there too
	partBlocks  = 16 * chunkBlocks // of one turn of a thread
	firstLimit  = 2048             // candidates before the least are dropped
)

// Nearest returns, for each of the queries, the k people with the nearest faces, those with the
// largest cosine first. Queries are vectors of unit norm, one after another. The result is
// exact: it equals that of products of all vectors in single precision, and does not depend on
// the number of threads or on the other queries. The error wraps ErrChanged if the file was
// changed since it was opened.
func (x *Index) Nearest(ctx context.Context, queries []float32, k int) ([][]Hit, error) {
	if len(queries)%x.dims != 0 || k < 1 {
		return nil, fmt.Errorf("search: %d numbers are no vectors of %d dimensions, or %d people are wanted", len(queries), x.dims, k)
	}
	for i, v := range queries {
		if v-v != 0 {
			return nil, fmt.Errorf("search: a number of query %d is %v", i/x.dims, v)
		}
	}
	var all [][]Hit
	for len(queries) > 0 {
		n := min(maxQueries*x.dims, len(queries))
		hits, err := x.batch(ctx, queries[:n], k)
		if err != nil {
			return nil, err
		}
		all, queries = append(all, hits...), queries[n:]
	}
	return all, nil
}

// A part is blocks of a segment.
type part struct{ segment, first, end int }

// batch is Nearest for few queries.
func (x *Index) batch(ctx context.Context, queries []float32, k int) ([][]Hit, error) {
	b := &batch{x: x, queries: queries, n: len(queries) / x.dims, k: k, paddedDims: (x.dims + 3) / 4 * 4}
	b.encodings = make([]encoding, len(x.segments))
	for i, s := range x.segments {
		b.encodings[i].prepare = sync.OnceFunc(func() { b.encode(&b.encodings[i], s) })
	}
	var parts []part
	for i, s := range x.segments {
		blocks := (s.faces + blas.CodeRows - 1) / blas.CodeRows
		for from := 0; from < blocks; from += partBlocks {
			parts = append(parts, part{i, from, min(blocks, from+partBlocks)})
		}
	}
	parallel.For(len(parts), 1, func(lo, _ int) {
		if ctx.Err() == nil {
			b.scan(parts[lo])
		}
	})
	if b.err != nil || ctx.Err() != nil {
		return nil, cmp.Or(context.Cause(ctx), b.err)
	}
	hits := make([][]Hit, b.n)
	parallel.For(b.n, 1, func(q, _ int) {
		var all candidates
		for _, w := range b.free {
			all.list = append(all.list, w.candidates[q].list...)
		}
		var err error
		if hits[q], err = b.exact(q, all); err != nil {
			b.fail(err)
		}
	})
	return hits, b.err
}

// A batch is queries that are compared together.
type batch struct {
	x       *Index
	queries []float32
	n, k    int

	paddedDims int
	encodings  []encoding // for each segment

	mu   sync.Mutex
	free []*worker
	err  error
}

// An encoding is the codes of the differences of the queries from the centre of a segment.
type encoding struct {
	prepare   func()
	codes     []int8    // n×padded
	residuals []float32 // n×dims, the differences
	scales    []float32
	zeros     []int32   // what zeroCode adds to a sum
	offsets   []float32 // inner product of the difference with the centre

	// The difference of a cosine and that of codes is at most margin and, in units of the
	// scale of the face, growth; that of a cosine and that of a code and a query is at most
	// ownMargin and ownGrowth.
	margin, growth, ownMargin, ownGrowth []float32
}

// A worker is the memory of a thread, and what it has found.
type worker struct {
	sums       []int32
	exact      []float32
	buffer     buffer
	candidates []candidates // of each query
}

// encode makes the codes of the queries for s. With the differences x' and y' of a face and
// a query from the centre m, and what their codes stand for, x̂ and ŷ, the cosine is x'ᵀy' +
// xᵀm + y'ᵀm, and |x'ᵀy' − x̂ᵀŷ| ≤ ‖x' − x̂‖(‖y'‖ + ‖y' − ŷ‖) + ‖x'‖‖y' − ŷ‖, and
// |x'ᵀy' − x̂ᵀy'| ≤ ‖x' − x̂‖‖y'‖.
func (b *batch) encode(e *encoding, s *segment) {
	e.codes, e.residuals = make([]int8, b.n*b.paddedDims), make([]float32, b.n*b.x.dims)
	e.scales, e.zeros = make([]float32, b.n), make([]int32, b.n)
	for _, v := range []*[]float32{&e.offsets, &e.margin, &e.growth, &e.ownMargin, &e.ownGrowth} {
		*v = make([]float32, b.n)
	}
	for q := range b.n {
		code, rest := e.codes[q*b.paddedDims:(q+1)*b.paddedDims], e.residuals[q*b.x.dims:(q+1)*b.x.dims]
		_, length := s.centred(rest, b.query(q))
		var distance float32
		e.scales[q], distance = quantise(code, rest)
		for i, v := range rest {
			e.offsets[q] += v * s.centre[i]
		}
		for _, c := range code {
			e.zeros[q] += zeroCode * int32(c)
		}
		e.margin[q], e.ownMargin[q] = s.radius*distance+b.slack(), b.slack()
		if s.codeRatio > 0 {
			e.growth[q], e.ownGrowth[q] = s.codeRatio*(length+distance), s.codeRatio*length
		} else {
			e.margin[q] += s.codeError * (length + distance)
			e.ownMargin[q] += s.codeError * length
		}
	}
}

func (b *batch) query(q int) []float32 { return b.queries[q*b.x.dims : (q+1)*b.x.dims] }

func (b *batch) fail(err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.err = cmp.Or(b.err, err)
}

// take returns the memory of a thread that has none at work.
func (b *batch) take() *worker {
	b.mu.Lock()
	defer b.mu.Unlock()
	if n := len(b.free); n > 0 {
		w := b.free[n-1]
		b.free = b.free[:n-1]
		return w
	}
	w := &worker{sums: make([]int32, b.n*chunkBlocks*blas.CodeRows), candidates: make([]candidates, b.n)}
	for q := range w.candidates {
		w.candidates[q] = candidates{bound: float32(math.Inf(-1)), limit: firstLimit}
	}
	return w
}

func (b *batch) put(w *worker) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.free = append(b.free, w)
}

// scan compares the queries with the faces of p.
func (b *batch) scan(p part) {
	w := b.take()
	defer b.put(w)
	s := b.x.segments[p.segment]
	defer runtime.KeepAlive(s.memory)
	e := &b.encodings[p.segment]
	e.prepare()
	const rows = chunkBlocks * blas.CodeRows
	for from := p.first; from < p.end; from += chunkBlocks {
		to := min(p.end, from+chunkBlocks)
		lo, hi := from*blas.CodeRows, min(to*blas.CodeRows, s.faces)
		if !blas.FastCodes() {
			if err := b.byVectors(w, p.segment, lo, hi); err != nil {
				b.fail(err)
				return
			}
			continue
		}
		size := blas.CodeBytes(b.paddedDims)
		blas.DotCodes(w.sums, rows, s.codes[from*size:to*size], e.codes, b.paddedDims)
		for q := range b.n {
			of, found := w.sums[q*rows:q*rows+hi-lo], &w.candidates[q]
			scale, zero, offset, margin, growth := e.scales[q], e.zeros[q], e.offsets[q], e.margin[q], e.growth[q]
			scales, offsets := s.scales[lo:hi], s.offsets[lo:hi]
			for r, sum := range of {
				about := float32(sum-zero)*(scales[r]*scale) + (offsets[r] + offset)
				if within := margin + growth*scales[r]; about+within >= found.bound {
					b.admit(found, p.segment, lo+r, about, within)
				}
			}
		}
	}
}

// byVectors is scan of faces lo to hi without codes.
func (b *batch) byVectors(w *worker, segment, lo, hi int) error {
	s := b.x.segments[segment]
	vectors, err := s.span(lo, hi, &w.buffer)
	if err != nil {
		return err
	}
	w.exact = slices.Grow(w.exact[:0], b.n*(hi-lo))[:b.n*(hi-lo)]
	product(b.queries, vectors, s.dims, w.exact)
	for q := range b.n {
		for r, cosine := range w.exact[q*(hi-lo) : (q+1)*(hi-lo)] {
			if found := &w.candidates[q]; cosine+b.slack() >= found.bound {
				b.admit(found, segment, lo+r, cosine, b.slack())
			}
		}
	}
	return nil
}

// product sets c to A·Bᵀ, where a and b are rows of k numbers.
func product(a, b []float32, k int, c []float32) {
	m, n := len(a)/k, len(b)/k
	blas32.Implementation().Sgemm(gonum.NoTrans, gonum.Trans, m, n, k, 1, a, k, b, k, 0, c, n)
}

// slack bounds the rounding errors of a cosine.
func (b *batch) slack() float32 { return 4 * float32(b.x.dims) / (1 << 24) }

// A candidate is a face that may be among the nearest.
type candidate struct {
	Ref
	face         int
	lower, upper float32 // bounds of the cosine
}

// candidates are those of a query.
type candidates struct {
	list  []candidate
	bound float32 // no face below can be among the nearest
	limit int
}

// admit adds a face to c.
func (b *batch) admit(c *candidates, segment, face int, about, within float32) {
	r := Ref{segment, b.x.segments[segment].owner(face)}
	if !b.x.has(r) {
		return
	}
	c.list = append(c.list, candidate{r, face, about - within, about + within})
	if len(c.list) >= c.limit {
		c.drop(b.k)
		c.limit = max(firstLimit, 2*len(c.list))
	}
}

// drop drops the faces that cannot be among those of the k nearest people: these have
// larger cosines for sure.
func (c *candidates) drop(k int) {
	slices.SortFunc(c.list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.segment, b.segment), cmp.Compare(a.person, b.person), cmp.Compare(b.lower, a.lower))
	})
	var people []float32
	for i, one := range c.list {
		if i == 0 || one.Ref != c.list[i-1].Ref {
			people = append(people, one.lower)
		}
	}
	if len(people) < k {
		return
	}
	slices.Sort(people)
	c.bound = max(c.bound, people[len(people)-k])
	c.list = slices.DeleteFunc(c.list, func(one candidate) bool { return one.upper < c.bound })
}

// refine bounds the cosines of the candidates of a query more closely, by their codes and the
// query itself, and drops those that cannot be among the nearest.
func (b *batch) refine(q int, c *candidates) {
	size := blas.CodeBytes(b.paddedDims)
	for i := range c.list {
		one := &c.list[i]
		s, e := b.x.segments[one.segment], &b.encodings[one.segment]
		block := s.codes[one.face/blas.CodeRows*size:][:size]
		var sum float32
		for i, v := range e.residuals[q*b.x.dims : (q+1)*b.x.dims] {
			sum += v * float32(int(block[blas.CodeAt(one.face%blas.CodeRows, i)])-zeroCode)
		}
		scale := s.scales[one.face]
		about, within := sum*scale+(s.offsets[one.face]+e.offsets[q]), e.ownMargin[q]+e.ownGrowth[q]*scale
		one.lower, one.upper = max(one.lower, about-within), min(one.upper, about+within)
		runtime.KeepAlive(s.memory)
	}
	c.drop(b.k)
}

// exact returns the k nearest people of the candidates of a query, by their vectors.
func (b *batch) exact(q int, c candidates) ([]Hit, error) {
	c.bound = float32(math.Inf(-1))
	c.drop(b.k)
	if blas.FastCodes() {
		b.refine(q, &c)
	}
	slices.SortFunc(c.list, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.segment, b.segment), cmp.Compare(a.face, b.face))
	})
	const together = 256
	rows, cosines := make([]float32, 0, together*b.x.dims), make([]float32, together)
	one := buffers.Get().(*buffer)
	defer buffers.Put(one)
	var hits []Hit
	for len(c.list) > 0 {
		some := c.list[:min(together, len(c.list))]
		c.list, rows = c.list[len(some):], rows[:0]
		for _, c := range some {
			row, err := b.x.segments[c.segment].span(c.face, c.face+1, one)
			if err != nil {
				return nil, err
			}
			rows = append(rows, row...)
		}
		product(b.query(q), rows, b.x.dims, cosines[:len(some)])
		for i, one := range some {
			switch n := len(hits); {
			case n > 0 && hits[n-1].Ref == one.Ref: // faces of a person lie side by side
				hits[n-1].Cosine = max(hits[n-1].Cosine, cosines[i])
			default:
				hits = append(hits, Hit{one.Ref, cosines[i]})
			}
		}
	}
	b.x.order(hits)
	return slices.Clip(hits[:min(b.k, len(hits))]), nil
}
