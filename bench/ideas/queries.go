package main

import (
	"cmp"
	"context"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"nrdl"
	"nrdl/coding"
	"nrdl/internal/lin"
	"nrdl/internal/parallel"
)

// seen returns the scores of the base with another Input.
func (s *split) seen(ctx context.Context, in nrdl.Input) (*mat.Dense, error) {
	train, err := s.train.Training(ctx, in)
	if err != nil {
		return nil, err
	}
	test, err := s.test.Samples(in)
	if err != nil {
		return nil, err
	}
	q := train.Projection.Apply(nrdl.Unit(test.X))
	return newGram(nrdl.Unit(train.X), nrdl.Unit(q), train.Groups).nrc(stopped)
}

// fused returns the scores of the base plus so much of those without the
// projection.
func (s *split) fused(weight float64) (*mat.Dense, error) {
	raw, err := s.raw()
	if err != nil {
		return nil, err
	}
	projected, err := s.projected()
	if err != nil {
		return nil, err
	}
	sum := mat.DenseCopyOf(projected)
	lin.Add(sum, weight, raw)
	return sum, nil
}

// twoPhases scores the best classes of each query by a code over them alone;
// the others stay behind.
func (s *split) twoPhases(classes int) (*mat.Dense, error) {
	first, err := s.projected()
	if err != nil {
		return nil, err
	}
	p := newGram(s.Z, s.Q, s.groups)
	c, n := first.Dims()
	out := mat.NewDense(c, n, slices.Repeat([]float64{math.Inf(-1)}, c*n))
	var failed error
	var mu sync.Mutex
	parallel.For(n, 8, func(lo, hi int) {
		for j := lo; j < hi; j++ {
			best := order(first, j)[:min(classes, c)]
			slices.Sort(best)
			again, err := p.of(best, j).nrc(stopped)
			if err != nil {
				mu.Lock()
				failed = err
				mu.Unlock()
				return
			}
			for i, b := range best {
				out.Set(b, j, again.At(i, 0))
			}
		}
	})
	return out, failed
}

// order returns the classes by falling score of query j.
func order(scores *mat.Dense, j int) []int {
	c, _ := scores.Dims()
	at := make([]int, c)
	for i := range at {
		at[i] = i
	}
	slices.SortStableFunc(at, func(a, b int) int { return cmp.Compare(scores.At(b, j), scores.At(a, j)) })
	return at
}

// priced scores the code with a price λ·w_c on the coefficients of class c,
//
//	min_s ‖y − Ds‖² + λ Σ_c w_c·1ᵀs_c  s.t. s ≥ 0,   w_c = ‖y − D_c·ŝ_c‖² − min_k ‖y − D_k·ŝ_k‖²
//
// of the first code ŝ: Dᵀy gives way to Dᵀy − λ/2·w.
func (s *split) priced(λ float64) (*mat.Dense, error) {
	first, err := s.projected()
	if err != nil {
		return nil, err
	}
	p := newGram(s.Z, s.Q, s.groups)
	f := mat.DenseCopyOf(p.B)
	_, n := f.Dims()
	for j := range n {
		best := math.Inf(-1)
		for c := range len(p.groups) - 1 {
			best = max(best, first.At(c, j))
		}
		for c := range len(p.groups) - 1 {
			for k := p.groups[c]; k < p.groups[c+1]; k++ {
				f.Set(k, j, f.At(k, j)-λ/2*(best-first.At(c, j)))
			}
		}
	}
	codes, err := p.code(stopped, f)
	if err != nil {
		return nil, err
	}
	return p.scores(codes), nil
}

// A block is the rows lo ≤ i < hi of a sample: one of its features.
type block struct{ lo, hi int }

// features returns the rows of each feature.
func (s *split) features() (all []block) {
	lo := 0
	for _, f := range s.in.Features {
		hi := lo + f.Len(s.in.Height, s.in.Width)
		all = append(all, block{lo, hi})
		lo = hi
	}
	return all
}

// fitBlock projects the rows of b alone, by their own projection.
func (s *split) fitBlock(ctx context.Context, b block) (z, q *mat.Dense, err error) {
	rows := func(a *mat.Dense) *mat.Dense {
		_, n := a.Dims()
		return nrdl.Unit(lin.Block(a, b.lo, b.hi, 0, n))
	}
	return s.fit(ctx, rows(s.X), rows(s.Y))
}

// byFeature sums the scores of NRC on each block after its own projection.
func (s *split) byFeature(ctx context.Context, blocks []block) (*mat.Dense, error) {
	sum := mat.NewDense(len(s.train.Classes), len(s.labels), nil)
	for _, b := range blocks {
		z, q, err := s.fitBlock(ctx, b)
		if err != nil {
			return nil, err
		}
		one, err := newGram(z, q, s.groups).nrc(stopped)
		if err != nil {
			return nil, err
		}
		lin.Add(sum, 1, one)
	}
	return sum, nil
}

// sideBySide returns the scores of NRC on all blocks, each after its own
// projection: the mean of their inner products.
func (s *split) sideBySide(ctx context.Context, blocks []block, c coding.NonNegative) (*mat.Dense, error) {
	_, k := s.X.Dims()
	n := len(s.labels)
	all := gram{mat.NewDense(k, k, nil), mat.NewDense(k, n, nil), s.groups}
	for _, b := range blocks {
		z, q, err := s.fitBlock(ctx, b)
		if err != nil {
			return nil, err
		}
		one := newGram(z, q, s.groups)
		lin.Add(all.G, 1/float64(len(blocks)), one.G)
		lin.Add(all.B, 1/float64(len(blocks)), one.B)
	}
	return all.nrc(c)
}

// A move is so many pixels down and to the right.
type move struct{ down, right int }

// diagonals are no move and those along both diagonals, either way.
func diagonals(pixels int) []move {
	return []move{{}, {pixels, pixels}, {pixels, -pixels}, {-pixels, pixels}, {-pixels, -pixels}}
}

// voted returns the mean scores of the queries moved.
func (s *split) voted(moves []move) (*mat.Dense, error) {
	mean := mat.NewDense(len(s.train.Classes), len(s.labels), nil)
	for _, m := range moves {
		test, err := moved(s.test, m).Samples(s.in)
		if err != nil {
			return nil, err
		}
		q := nrdl.Unit(s.fitted.Apply(nrdl.Unit(test.X)))
		one, err := newGram(s.Z, q, s.groups).nrc(stopped)
		if err != nil {
			return nil, err
		}
		lin.Add(mean, 1/float64(len(moves)), one)
	}
	return mean, nil
}

// moved returns the images of set moved; the nearest pixel comes in at the edges.
func moved(set *nrdl.Set, m move) *nrdl.Set {
	t := *set
	d, n := set.X.Dims()
	t.X = mat.NewDense(d, n, nil)
	h, w := set.Input.Height, set.Input.Width
	for i := range d {
		row, col := i%h-m.down, i/h-m.right
		copy(t.X.RawRowView(i), set.X.RawRowView(min(max(col, 0), w-1)*h+min(max(row, 0), h-1)))
	}
	return &t
}
