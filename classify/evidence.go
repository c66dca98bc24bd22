package classify

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/internal/lin"
)

// Evidence has several confidence scores that a face belongs to its best class
// and not to a stranger. Higher means more confident; all are 0 for a sample of
// zeros.
type Evidence struct {
	// Margin is the difference between the largest and the second largest class
	// score; 0 with one class.
	Margin float64 `json:"margin"`
	// Largest is the largest class score.
	Largest float64 `json:"largest"`
	// Concentration is the sparsity concentration index [src], (C·max_c
	// ‖s_c‖₁/‖s‖₁ − 1)/(C − 1): 1 if all coefficients belong to one class, 0 if
	// all classes have equal weight, and with one class.
	Concentration float64 `json:"concentration"`
	// Share is the share of the best class in the sum of the positive class
	// scores: the sums of the coefficients of each class, or W·s if the rule is
	// linear.
	Share float64 `json:"share"`
	// Residual is 1 − min_c ‖y − D_c s_c‖, y of unit norm.
	Residual float64 `json:"residual"`
}

// Margin returns the difference between the largest and the second largest of
// scores; 0 for a single score, which is ahead of nobody's.
func Margin(scores mat.Vector) float64 {
	if scores.Len() < MinClasses {
		return 0
	}
	best, second := math.Inf(-1), math.Inf(-1)
	for c := range scores.Len() {
		switch v := scores.AtVec(c); {
		case v > best:
			best, second = v, best
		case v > second:
			second = v
		}
	}
	return best - second
}

// Evidence returns the Evidence of each of the n samples of r, a result of c.
func (c *Classifier) Evidence(r *Result) []Evidence {
	s, y := r.Codes, r.Samples
	_, n := y.Dims()
	classes := len(c.p.Classes)
	weight, sum := mat.NewDense(classes, n, nil), mat.NewDense(classes, n, nil) // ‖s_c‖₁, 1ᵀs_c
	for i, lo := range c.p.Groups[:classes] {
		hi := c.p.Groups[i+1]
		w, t := weight.RawRowView(i), sum.RawRowView(i)
		for k := lo; k < hi; k++ {
			for j, v := range s.RawRowView(k) {
				w[j] += math.Abs(v)
				t[j] += v
			}
		}
	}
	smallest := c.minResiduals(r)
	share := sum
	if _, ok := c.p.Rule.(Linear); ok {
		share = r.Scores
	}
	seen := make([]float64, n)
	lin.SquaredColumnNorms(seen, y)
	all := make([]Evidence, n)
	for j := range n {
		all[j].Margin, all[j].Largest = Margin(r.Scores.ColView(j)), mat.Max(r.Scores.ColView(j))
		if seen[j] == 0 {
			continue
		}
		all[j].Residual = 1 - smallest[j]
		if largest, total := largestAndTotal(weight.ColView(j)); total > 0 && classes > 1 {
			all[j].Concentration = (float64(classes)*largest/total - 1) / float64(classes-1)
		}
		if largest, total := largestAndTotal(share.ColView(j)); total > 0 {
			all[j].Share = largest / total
		}
	}
	return all
}

// minResiduals returns min_c ‖y − D_c s_c‖ of each sample, len n. By the rule
// Residual the scores say it.
func (c *Classifier) minResiduals(r *Result) []float64 {
	d, n := r.Samples.Dims()
	smallest := make([]float64, n)
	for j := range smallest {
		smallest[j] = math.Inf(1)
	}
	_, scored := c.p.Rule.(Residual)
	scores := r.Scores
	if _, kernel := c.p.Coder.(coding.Kernel); kernel && !scored {
		scores, scored = mat.NewDense(len(c.p.Classes), n, nil), true
		Residual{}.Score(scores, r.Codes, r.Samples, c.p.dictionary())
	}
	rest := c.p.dictionary().withoutCommon(r.Codes, r.Samples)
	near := c.nearest(r)
	for i := range c.p.Classes {
		if near != nil && !near[i] {
			continue
		}
		if scored {
			for j, v := range scores.RawRowView(i) {
				smallest[j] = min(smallest[j], 1-v)
			}
			continue
		}
		lo, hi := c.p.Groups[i], c.p.Groups[i+1]
		e, norm := mat.NewDense(d, n, nil), make([]float64, n)
		lin.Set(e, 1, rest)
		lin.AddAB(e, -1, lin.Cols(c.p.D, lo, hi), lin.Block(r.Codes, lo, hi, 0, n))
		lin.SquaredColumnNorms(norm, e)
		for j, v := range norm {
			smallest[j] = min(smallest[j], math.Sqrt(v))
		}
	}
	return smallest
}

// nearest returns which classes may have the least residual of a sample; nil where only
// the residuals tell. With one atom per class and its inner product s with the sample y as
// the code, ‖y − ds‖² = ‖y‖² + s²(‖d‖² − 2).
func (c *Classifier) nearest(r *Result) []bool {
	if _, inner := c.p.Coder.(coding.Inner); !inner || c.p.Groups[len(c.p.Classes)] != len(c.p.Classes) {
		return nil
	}
	const rounding = 1e-9 // far above that of the residuals
	_, n := r.Codes.Dims()
	norms, smallest, scale := c.norms(), slices.Repeat([]float64{math.Inf(1)}, n), make([]float64, n)
	for i, norm := range norms {
		for j, s := range r.Codes.RawRowView(i) {
			smallest[j] = min(smallest[j], s*s*(norm-2))
			scale[j] = max(scale[j], s*s*(norm+2))
		}
	}
	near := make([]bool, len(norms))
	for i, norm := range norms {
		for j, s := range r.Codes.RawRowView(i) {
			near[i] = near[i] || !(s*s*(norm-2) > smallest[j]+rounding*(1+scale[j]))
		}
	}
	return near
}

// largestAndTotal returns the largest and the sum of the positive elements.
func largestAndTotal(v mat.Vector) (largest, total float64) {
	for c := range v.Len() {
		if e := v.AtVec(c); e > 0 {
			largest = max(largest, e)
			total += e
		}
	}
	return largest, total
}
