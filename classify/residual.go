package classify

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/internal/parallel"
)

// Residual scores class c by 1 − ‖y − D_c·s_c‖: 1 is a perfect reconstruction
// by the class alone [src]. If the coder is a kernel's, the residual is that in its
// feature space, here and in NormedResidual.
type Residual struct{ untrained }

func (r Residual) With(Learned) Rule    { return r }
func (Residual) Name() string           { return "residual" }
func (Residual) About() string          { return "1 − class residual |y − D_c s_c|" }
func (Residual) Check(Dictionary) error { return nil }

func (Residual) Score(out, s, y *mat.Dense, over Dictionary) {
	scoreResiduals(out, s, y, over, lin.SquaredColumnNorms, func(residual, _, _ float64) float64 { return 1 - math.Sqrt(residual) })
}

// NormedResidual scores class c by ‖s_c‖² / (‖s_c‖² + ‖y − D_c·s_c‖²), an
// increasing function of CRC's ‖s_c‖/‖y − D_c·s_c‖ that stays between 0 and 1
// [crc, (10)].
type NormedResidual struct{ untrained }

func (r NormedResidual) With(Learned) Rule    { return r }
func (NormedResidual) Name() string           { return "normed-residual" }
func (NormedResidual) About() string          { return "|s_c|² / (|s_c|² + squared class residual)" }
func (NormedResidual) Check(Dictionary) error { return nil }

func (NormedResidual) Score(out, s, y *mat.Dense, over Dictionary) {
	scoreResiduals(out, s, y, over, lin.SquaredColumnNorms, func(residual, code, _ float64) float64 {
		if code == 0 {
			return 0
		}
		return code / (code + residual)
	})
}

// Collaborative scores class c by 1 − ‖D·s − D_c·s_c‖, by how near the class
// alone comes to what all atoms rebuild. This is the logarithm of its probability by
// [procrc, (11)], up to terms that are the same for all classes. A code of zeros scores 0.
type Collaborative struct{ untrained }

func (r Collaborative) With(Learned) Rule    { return r }
func (Collaborative) Name() string           { return "collaborative" }
func (Collaborative) About() string          { return "1 − |D s − D_c s_c|" }
func (Collaborative) Check(Dictionary) error { return nil }

func (Collaborative) Score(out, s, y *mat.Dense, over Dictionary) {
	d, n := y.Dims()
	u := mat.NewDense(d, n, nil)
	lin.AB(u, 1, over.D, s) // D·s
	Residual{}.Score(out, s, u, over)
}

// Cost scores class c by 1 − ‖y − D_c·s_c‖² − 2λ‖s_c‖₁: the objective of coding.ClassLasso for
// the code of the class [dlsi].
type Cost struct{ untrained }

func (r Cost) With(Learned) Rule { return r }
func (Cost) Name() string        { return "cost" }
func (Cost) About() string       { return "1 − squared class residual − 2λ|s_c|₁" }

func (r Cost) Check(over Dictionary) error {
	if _, ok := over.Coder.(coding.ClassLasso); !ok {
		return advice.Add(fmt.Errorf("rule %q needs the coder %s, not %s", r.Name(), coding.ClassLasso{}.Name(), over.Coder.Name()),
			"use the coder %s, or the rule %s", coding.ClassLasso{}.Name(), Residual{}.Name())
	}
	return nil
}

func (Cost) Score(out, s, y *mat.Dense, over Dictionary) {
	λ := over.Coder.(coding.ClassLasso).Lambda
	for c := range over.classes() {
		row := out.RawRowView(c)
		clear(row)
		for k := over.Groups[c]; k < over.Groups[c+1]; k++ {
			for j, v := range s.RawRowView(k) {
				row[j] += math.Abs(v) // ‖s_c‖₁
			}
		}
	}
	scoreResiduals(out, s, y, over, lin.SquaredColumnNorms, func(residual, _, abs float64) float64 { return 1 - residual - 2*λ*abs })
}

// Huber scores class c by 1 − √(2·Σ_i h(r_i)) with r = y − D_c·s_c and Huber's
// function h with the threshold λ of the coder, coding.Robust. Features that
// the class does not explain count little; λ = ∞ gives Residual.
type Huber struct{ untrained }

func (r Huber) With(Learned) Rule { return r }
func (Huber) Name() string        { return "huber" }

func (Huber) About() string {
	return "1 − class residual by the Huber loss, in which large errors count less"
}

func (r Huber) Check(over Dictionary) error {
	if _, ok := over.Coder.(coding.Robust); !ok {
		return advice.Add(fmt.Errorf("rule %q needs the threshold of a robust coder, %s has none", r.Name(), over.Coder.Name()),
			"use the coder %s, or the rule %s", coding.DefaultRobust.Name(), Residual{}.Name())
	}
	return nil
}

func (Huber) Score(out, s, y *mat.Dense, over Dictionary) {
	d, _ := y.Dims()
	λ := over.Coder.(coding.Robust).Threshold(d)
	squares := func(dst []float64, r *mat.Dense) {
		clear(dst)
		for i := range d {
			for j, v := range r.RawRowView(i) {
				near := min(math.Abs(v), λ)
				dst[j] += near * (2*math.Abs(v) - near) // v² or 2λ|v| − λ²
			}
		}
	}
	scoreResiduals(out, s, y, over, squares, func(residual, _, _ float64) float64 { return 1 - math.Sqrt(residual) })
}

// together is how many samples are scored together: their residuals stay in the
// cache from class to class.
const together = 128

// scoreResiduals writes of(squared residual, ‖s_c‖², out_c) of every class into
// out, C×n; squares writes the squared norms of the columns of y − D_c·s_c. What
// atoms that are common to all classes rebuild is taken off y before.
func scoreResiduals(out, s, y *mat.Dense, over Dictionary, squares func([]float64, *mat.Dense),
	of func(residual, code, before float64) float64,
) {
	d, n := y.Dims()
	if k, ok := over.Coder.(coding.Kernel); ok {
		scoreKernelResiduals(out, s, y, over, k, of)
		return
	}
	parallel.For(n, together, func(first, last int) {
		m := last - first
		r, y := mat.NewDense(d, m, nil), lin.Cols(y, first, last)
		rest := over.withoutCommon(lin.Cols(s, first, last), y)
		res, code := make([]float64, m), make([]float64, m)
		for c := range over.classes() {
			lo, hi := over.Groups[c], over.Groups[c+1]
			sc := lin.Block(s, lo, hi, first, last)
			lin.Set(r, 1, rest)
			lin.AddAB(r, -1, lin.Cols(over.D, lo, hi), sc) // y − D_c·s_c
			squares(res, r)
			lin.SquaredColumnNorms(code, sc)
			row := out.RawRowView(c)[first:last]
			for j := range row {
				row[j] = of(res[j], code[j], row[j])
			}
		}
		lin.SquaredColumnNorms(res, y)
		for j, v := range res {
			if v == 0 {
				for c := range over.classes() {
					out.Set(c, first+j, 0)
				}
			}
		}
	})
}

// scoreKernelResiduals is scoreResiduals in the feature space of a kernel:
//
//	‖φ(y) − Φ_c·s_c‖² = k(y, y) − 2s_cᵀk(D_c, y) + s_cᵀK_cc·s_c
func scoreKernelResiduals(out, s, y *mat.Dense, over Dictionary, kernel coding.Kernel, of func(residual, code, before float64) float64) {
	_, n := y.Dims()
	grams := make([]*mat.Dense, over.classes())
	for c := range grams {
		lo, hi := over.Groups[c], over.Groups[c+1]
		grams[c] = mat.NewDense(hi-lo, hi-lo, nil)
		own := lin.Cols(over.D, lo, hi)
		kernel.Of(grams[c], own, own) // K_cc
	}
	norms := make([]float64, n)
	lin.SquaredColumnNorms(norms, y)
	parallel.For(n, together, func(first, last int) {
		m := last - first
		y, code, res := lin.Cols(y, first, last), make([]float64, m), make([]float64, m)
		products := mat.NewDense(over.Groups[over.classes()], m, nil)
		kernel.Of(products, over.D, y) // k(D, y)
		for c, gram := range grams {
			lo, hi := over.Groups[c], over.Groups[c+1]
			sc := lin.Block(s, lo, hi, first, last)
			q := mat.NewDense(hi-lo, m, nil)
			lin.AB(q, 1, gram, sc) // K_cc·s_c
			for j := range res {
				res[j] = kernel.Self(norms[first+j])
			}
			for i := range hi - lo {
				k, q := products.RawRowView(lo+i), q.RawRowView(i)
				for j, v := range sc.RawRowView(i) {
					res[j] += v * (q[j] - 2*k[j])
				}
			}
			lin.SquaredColumnNorms(code, sc)
			row := out.RawRowView(c)[first:last]
			for j := range row {
				if row[j] = of(max(0, res[j]), code[j], row[j]); norms[first+j] == 0 {
					row[j] = 0
				}
			}
		}
	})
}
