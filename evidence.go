package nrdl

import (
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"nrdl/internal/lin"
)

// Evidence is what speaks for a face being of the person whom it resembles most,
// and not of a stranger. In each the larger is the surer; they are 0 for a
// sample of zeros.
type Evidence struct {
	// Margin is by how much the largest class score exceeds the second.
	Margin float64 `json:"margin"`
	// Concentration is the sparsity concentration index [src],
	// (C·max_c ‖s_c‖₁/‖s‖₁ − 1)/(C − 1): 1 where all coefficients are of one
	// class, 0 where all classes have as much.
	Concentration float64 `json:"concentration"`
	// Share is that of the best class in the positive class scores: of the sums
	// of the coefficients of each class, or of W·s where the rule is linear.
	Share float64 `json:"share"`
	// Residual is 1 − min_c ‖y − D_c s_c‖, y of unit norm.
	Residual float64 `json:"residual"`
}

// References:
//
//	[src] Wright, Yang, Ganesh, Sastry, Ma: Robust face recognition via sparse
//	      representation. IEEE PAMI 31, 2009.

// margin is by how much the largest of scores exceeds the second.
func margin(scores mat.Vector) float64 {
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

// spread is the standard deviation of scores.
func spread(scores []float64) float64 { return stat.StdDev(scores, nil) }

// evidence fills in the Evidence of what a pass gave.
func (p *Parts) evidence(all []Recognition, r *Result) {
	s, y := r.Codes, r.Samples
	_, n := y.Dims()
	classes := len(p.Classes)
	weight, sum := mat.NewDense(classes, n, nil), mat.NewDense(classes, n, nil) // ‖s_c‖₁, 1ᵀs_c
	for c := range classes {
		lo, hi := p.Groups[c], p.Groups[c+1]
		w, t := weight.RawRowView(c), sum.RawRowView(c)
		for k := lo; k < hi; k++ {
			for j, v := range s.RawRowView(k) {
				w[j] += math.Abs(v)
				t[j] += v
			}
		}
	}
	least := p.leastResiduals(r)
	share := sum
	if p.Rule == Linear {
		share = r.Scores
	}
	seen := make([]float64, n)
	lin.SquaredColumnNorms(seen, y)
	for j := range n {
		all[j].Margin = margin(r.Scores.ColView(j))
		if seen[j] == 0 {
			continue
		}
		all[j].Residual = 1 - least[j]
		if largest, total := largestAndTotal(weight.ColView(j)); total > 0 {
			all[j].Concentration = (float64(classes)*largest/total - 1) / float64(classes-1)
		}
		if largest, total := largestAndTotal(share.ColView(j)); total > 0 {
			all[j].Share = largest / total
		}
	}
}

// leastResiduals returns min_c ‖y − D_c s_c‖ of each sample, len n. By the rule
// Residual the scores say it.
func (p *Parts) leastResiduals(r *Result) []float64 {
	d, n := r.Samples.Dims()
	least := make([]float64, n)
	for j := range least {
		least[j] = math.Inf(1)
	}
	for c := range p.Classes {
		if p.Rule == Residual {
			for j, v := range r.Scores.RawRowView(c) {
				least[j] = min(least[j], 1-v)
			}
			continue
		}
		lo, hi := p.Groups[c], p.Groups[c+1]
		e, norm := mat.NewDense(d, n, nil), make([]float64, n)
		lin.Set(e, 1, r.Samples)
		lin.AddAB(e, -1, lin.Cols(p.D, lo, hi), lin.Block(r.Codes, lo, hi, 0, n))
		lin.SquaredColumnNorms(norm, e)
		for j, v := range norm {
			least[j] = min(least[j], math.Sqrt(v))
		}
	}
	return least
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
