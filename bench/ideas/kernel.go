package main

import (
	"context"
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"nrdl"
	"nrdl/internal/lin"
	"nrdl/internal/parallel"
	"nrdl/method"
)

// rbf is the kernel exp(−γ‖x − y‖²) = exp(−2γ(1 − xᵀy)) of samples of unit norm.
func rbf(linear gram, γ float64) gram {
	k := func(_, _ int, g float64) float64 { return math.Exp(-2 * γ * (1 - g)) }
	p := gram{mat.DenseCopyOf(linear.G), mat.DenseCopyOf(linear.B), linear.groups}
	p.G.Apply(k, p.G)
	p.B.Apply(k, p.B)
	return p
}

// chi2 is the additive χ² kernel Σ_i 2h_i·k_i/(h_i + k_i) of histograms, whose
// square roots samples are, xᵀy = Σ_i √(h_i·k_i): the harmonic mean in place of
// the geometric one. Features with signs have sgn(x_i·y_i) before it
// [homogeneous].
func chi2(x, y *mat.Dense, groups []int) gram { return gram{chi2Of(x, x), chi2Of(x, y), groups} }

// chi2Of returns the kernel of every column of x with every one of y.
func chi2Of(x, y *mat.Dense) *mat.Dense {
	_, n := x.Dims()
	_, m := y.Dims()
	xt, yt := mat.DenseCopyOf(x.T()), mat.DenseCopyOf(y.T())
	out := mat.NewDense(n, m, nil)
	parallel.For(n, 4, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			a := xt.RawRowView(i)
			for j := range m {
				var sum float64
				b := yt.RawRowView(j)[:len(a)]
				for l, v := range a {
					if xy := v * b[l]; xy != 0 {
						sum += 2 * xy * math.Abs(xy) / (v*v + b[l]*b[l])
					}
				}
				out.Set(i, j, sum)
			}
		}
	})
	return out
}

// coordinates returns atoms Lᵀ, K×K, with G = L·Lᵀ, and queries L⁻¹B, K×n, whose
// inner products with each other are those of p.
func (p gram) coordinates() (x, y *mat.Dense, err error) {
	k, n := p.B.Dims()
	var c mat.Cholesky
	if !c.Factorize(mat.NewSymDense(k, mat.DenseCopyOf(p.G).RawMatrix().Data)) {
		return nil, nil, errors.New("the kernel of the training samples is singular")
	}
	var u mat.TriDense
	c.UTo(&u) // Lᵀ
	x, y = mat.DenseCopyOf(&u), mat.NewDense(k, n, nil)
	return x, y, u.SolveTo(y, true, p.B)
}

// fisherNRC is NRC after the projection, fit on the coordinates of p.
func (s *split) fisherNRC(ctx context.Context, p gram) (*mat.Dense, error) {
	x, y, err := p.coordinates()
	if err != nil {
		return nil, err
	}
	z, q, err := s.fit(ctx, x, y)
	if err != nil {
		return nil, err
	}
	return newGram(z, q, s.groups).nrc(stopped)
}

// learnt returns the scores of NRDL, learnt from the coordinates of p.
func (s *split) learnt(ctx context.Context, p gram) (*mat.Dense, error) {
	x, y, err := p.coordinates()
	if err != nil {
		return nil, err
	}
	m := method.DefaultNRDL
	m.Coder, m.Passes = stopped, nrdlPasses
	model, err := m.Fit(ctx, &nrdl.Set{X: x, Classes: s.train.Classes, Groups: s.groups}, nrdl.Run{})
	if err != nil {
		return nil, err
	}
	return model.Scores(ctx, y)
}

// withoutWithin returns the inner products in the metric (I + S_w/ε)⁻¹, in which
// what images of one person differ in is short, with ε = ridge·tr(S_w)/(N−1) and
// atoms of unit length again. With W = XP, P taking the mean of their class from
// samples, S_w = WWᵀ and
//
//	xᵀ(I + WWᵀ/ε)⁻¹y = xᵀy − xᵀW(εI + WᵀW)⁻¹Wᵀy
//
// It is coding over [X W] with the ridge ε on the coefficients of W [esrc].
func (p gram) withoutWithin(ridge float64) (gram, error) {
	k, _ := p.G.Dims()
	wx := p.within(p.G)                               // WᵀX = PG
	ww := p.within(mat.DenseCopyOf(wx.T()))           // WᵀW = PGP
	wy := p.within(p.B)                               // WᵀY
	lin.AddDiag(ww, ridge*mat.Trace(ww)/float64(k-1)) // εI + WᵀW
	solved := mat.DenseCopyOf(wx)
	var f lin.SPD
	if err := f.Factor(ww); err != nil {
		return gram{}, err
	}
	f.Solve(solved) // (εI + WᵀW)⁻¹WᵀX
	q := gram{mat.DenseCopyOf(p.G), mat.DenseCopyOf(p.B), p.groups}
	lin.AddAtB(q.G, -1, solved, wx)
	lin.AddAtB(q.B, -1, solved, wy)
	length := make([]float64, k)
	for i := range length {
		length[i] = math.Sqrt(q.G.At(i, i))
	}
	q.G.Apply(func(i, j int, v float64) float64 { return v / length[i] / length[j] }, q.G)
	q.B.Apply(func(i, _ int, v float64) float64 { return v / length[i] }, q.B)
	return q, nil
}

// centred returns the inner products of samples less the mean of the atoms. With
// J = I − 11ᵀ/K it is G → JGJ, B → J(B − G·1·1ᵀ/K).
func (p gram) centred() gram {
	k, _ := p.B.Dims()
	j := gram{groups: []int{0, k}} // J is within where all are of one class
	b := mat.DenseCopyOf(p.B)
	for i := range k {
		mean := stat.Mean(p.G.RawRowView(i), nil) // (G·1/K)_i
		row := b.RawRowView(i)
		for l := range row {
			row[l] -= mean
		}
	}
	return gram{j.within(mat.DenseCopyOf(j.within(p.G).T())), j.within(b), p.groups}
}

// within returns Pa: of the rows of a, those of each class less their mean.
func (p gram) within(a *mat.Dense) *mat.Dense {
	a = mat.DenseCopyOf(a)
	_, n := a.Dims()
	for c := range len(p.groups) - 1 {
		lo, hi := p.groups[c], p.groups[c+1]
		mean := mat.NewDense(1, n, nil)
		for i := lo; i < hi; i++ {
			lin.Add(mean, 1/float64(hi-lo), lin.Block(a, i, i+1, 0, n))
		}
		for i := lo; i < hi; i++ {
			lin.Add(lin.Block(a, i, i+1, 0, n), -1, mean)
		}
	}
	return a
}
