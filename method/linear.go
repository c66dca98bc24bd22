package method

import (
	"cmp"
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/internal/lin"
)

// The methods in this file are linear classifiers with an intercept, w_cᵀy + b_c. They
// are what every other method should be compared with: they learn no dictionary.

// RidgeClassifier predicts the labels of the samples by ridge regression, and returns the
// class with the largest prediction [ridge]. With X̄ = X − m1ᵀ and H̄ the labels less their
// means h:
//
//	min_W ‖H̄ − WᵀX̄‖² + ε‖W‖²,   ε = Ridge·tr(X̄X̄ᵀ)/min(d, N−1),   b = h − Wᵀm
type RidgeClassifier struct {
	Ridge float64 `json:"ridge" help:"r > 0, the weight of ‖W‖² as a part of the mean eigenvalue of the scatter" eq:"[ridge]"`
}

// DefaultRidgeClassifier has the ridge of LDA.
var DefaultRidgeClassifier = register(RidgeClassifier{Ridge: 0.1})

func (RidgeClassifier) Name() string      { return "ridge" }
func (m RidgeClassifier) Validate() error { return aboveZero("ridge", m.Ridge) }

func (m RidgeClassifier) Traits() classify.Traits {
	return classify.Traits{
		Family: "linear",
		Title:  "Ridge classifier", Predecessor: "pca-lda",
		Description: "ridge regression of the labels; the class with the largest prediction",
		Formulation: "min_{W,b} ‖H − WᵀX − b1ᵀ‖² + ε‖W‖²;  class: max_c w_cᵀy + b_c",
		Memory:      scatterMemory,
		Ranges:      []Range{decades("ridge", 1e-3, 10)},
	}
}

func (m RidgeClassifier) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return fitLinear(ctx, m, train, run, func(t *classify.Samples, x *mat.Dense) (*mat.Dense, error) {
		mean, c := centred(x)
		d, n := x.Dims()
		classes := len(t.Classes)
		h := mat.NewDense(n, classes, nil) // H̄ᵀ; X̄H̄ᵀ = X̄Hᵀ
		for k := range classes {
			for j := t.Groups[k]; j < t.Groups[k+1]; j++ {
				h.Set(j, k, 1)
			}
		}
		ε := m.Ridge * lin.SquaredNorm(c) / float64(max(1, min(d, n-1)))
		w, err := ridgeSolution(c, h, max(ε, minScatter))
		if err != nil {
			return nil, err
		}
		b := make([]float64, classes)
		for k := range b {
			b[k] = float64(t.Groups[k+1]-t.Groups[k]) / float64(n) // h
		}
		return affineOf(w, b, mean), nil
	})
}

// minScatter is a ridge for samples that are all alike.
const minScatter = 1e-12

// ridgeSolution returns (X̄X̄ᵀ + εI)⁻¹X̄H, d×C, by the smaller of two systems; it changes h,
// N×C.
func ridgeSolution(c, h *mat.Dense, ε float64) (*mat.Dense, error) {
	d, n := c.Dims()
	_, classes := h.Dims()
	w, a := mat.NewDense(d, classes, nil), mat.NewDense(min(d, n), min(d, n), nil)
	var spd lin.SPD
	if d <= n {
		lin.AAt(a, 1, c)
		lin.AddDiag(a, ε) // X̄X̄ᵀ + εI
		lin.AB(w, 1, c, h)
		err := solve(&spd, a, w)
		return w, err
	}
	lin.AtA(a, 1, c)
	lin.AddDiag(a, ε) // X̄ᵀX̄ + εI
	if err := solve(&spd, a, h); err != nil {
		return nil, err
	}
	lin.AB(w, 1, c, h) // X̄(X̄ᵀX̄ + εI)⁻¹H
	return w, nil
}

// centred returns the mean m of the columns of x, and x − m1ᵀ.
func centred(x *mat.Dense) (m []float64, c *mat.Dense) {
	d, _ := x.Dims()
	m, c = make([]float64, d), mat.DenseCopyOf(x)
	for i := range m {
		row := c.RawRowView(i)
		m[i] = mean(row)
		for j := range row {
			row[j] -= m[i]
		}
	}
	return m, c
}

// affineOf returns F, (d+1)×C, of the functions w_cᵀ(y − m) + b_c.
func affineOf(w *mat.Dense, b, m []float64) *mat.Dense {
	d, classes := w.Dims()
	f := mat.NewDense(d+1, classes, nil)
	lin.Set(lin.Block(f, 0, d, 0, classes), 1, w)
	last := f.RawRowView(d)
	copy(last, b)
	for i, v := range m {
		for k, w := range w.RawRowView(i) {
			last[k] -= v * w
		}
	}
	return f
}

// fitLinear makes the classifier of m, whose functions F, (d+1)×C, learn returns for the
// samples of t at unit norm, x.
func fitLinear(ctx context.Context, m classify.Described, train *classify.Samples, run classify.Run,
	learn func(t *classify.Samples, x *mat.Dense) (*mat.Dense, error),
) (*classify.Classifier, error) {
	seen, err := samples(m, train)
	if err == nil {
		err = cmp.Or(fitsMemory(m, sizeOf(seen)), context.Cause(ctx))
	}
	if err != nil {
		return nil, err
	}
	t, _ := ordered(seen) // the order of the samples does not matter
	f, err := learn(t, classify.Unit(t.X))
	if err = cmp.Or(err, context.Cause(ctx)); err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name(), err)
	}
	rows, classes := f.Dims()
	groups, one := make([]int, classes+1), mat.NewDense(classes, classes, nil)
	for c := range groups {
		groups[c] = c
	}
	lin.AddDiag(one, 1)
	p := classify.Parts{
		D: mat.DenseCopyOf(lin.Block(f, 0, rows-1, 0, classes)), Groups: groups,
		Coder: coding.Affine{F: f}, Rule: classify.Linear{W: one}, Outcome: classify.Outcome{Status: classify.ClosedForm},
	}
	return model(m, seen, run, reordered(p, t.Classes, seen.Classes))
}

// scatterMemory bounds the numbers that a fit holds beside the samples: the centred
// samples, and the smaller of two systems.
func scatterMemory(s Size) float64 {
	d, n := float64(s.Features), float64(s.Samples)
	return 3*d*n + 3*min(d, n)*min(d, n) + 4*d*float64(s.Classes)
}

// classifier returns the C×K linear classifier W = HSᵀ(SSᵀ + λI)⁻¹ of the codes
// s, K×N, of samples with these groups: ridge regression onto the labels [lcksvd].
func classifier(s *mat.Dense, groups []int, λ float64) (*mat.Dense, error) {
	k, _ := s.Dims()
	r := regression{mat.NewDense(len(groups)-1, k, nil), mat.NewDense(k, k, nil)}
	r.add(s, groups, 0)
	return r.classifier(λ)
}

// regressed is how many codes of a regression are held at once.
const regressed = 1 << 14

// A regression collects what a linear classifier needs of codes.
type regression struct {
	w    *mat.Dense // HSᵀ, C×K
	gram *mat.Dense // SSᵀ, K×K, its upper triangle
}

// add adds the codes s, K×n, of the samples from on of a set with these groups. H
// is not formed: HSᵀ sums the codes of a class.
func (r *regression) add(s *mat.Dense, groups []int, from int) {
	k, n := s.Dims()
	for i := range k {
		row := s.RawRowView(i)
		for c := range len(groups) - 1 {
			lo, hi := max(groups[c], from)-from, min(groups[c+1], from+n)-from
			if lo >= hi {
				continue
			}
			var sum float64
			for _, v := range row[lo:hi] {
				sum += v
			}
			r.w.Set(c, i, r.w.At(c, i)+sum) // HSᵀ
		}
	}
	lin.AddAAt(r.gram, 1, s) // SSᵀ
}

// classifier returns W = HSᵀ(SSᵀ + λI)⁻¹, in the place of HSᵀ.
func (r *regression) classifier(λ float64) (*mat.Dense, error) {
	lin.AddDiag(r.gram, λ) // SSᵀ + λI
	var factor lin.SPD
	if _, err := factor.FactorOrRidge(r.gram); err != nil {
		return nil, err
	}
	factor.SolveRight(r.w) // HSᵀ(SSᵀ + λI)⁻¹
	return r.w, nil
}
