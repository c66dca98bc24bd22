package method

import (
	"cmp"
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/internal/parallel"
)

// SVM is a linear support vector machine for each class against all others [svm]:
//
//	min_{w,b} ½‖w‖² + C Σ_j max(0, 1 − t_j(wᵀx_j + b)),   t_j = ±1
//
// by its dual, two multipliers at a time [smo], with Q_ij = t_it_jx_iᵀx_j:
//
//	min_a ½aᵀQa − Σ_j a_j   s.t. 0 ≤ a_j ≤ C, tᵀa = 0
//
// With e_j = t_j − Σ_i t_ia_ix_iᵀx_j, a is optimal where no e_i of a multiplier t_ia_i that
// can grow is above an e_j of one that can fall; Fit ends where none is by more than Tol.
// The class has the largest wᵀy + b.
type SVM struct {
	C   float64 `json:"c" help:"C > 0, weight of the samples that are within the margin" eq:"[svm]"`
	Tol float64 `json:"tol" help:"no condition of optimality is violated by more" eq:"[smo] (6)"`
}

// DefaultSVM has a C that is large enough for images at unit norm, whose differences are
// small: the best of 1, 10, 100 and 1000, or within its error, in folds of the training part
// of each of the paper's five databases (tools/validate).
var DefaultSVM = register(SVM{C: 100, Tol: 1e-4})

// maxSVMSteps bounds the steps for each class, in units of its samples: more is an error.
const maxSVMSteps = 10_000

func (SVM) Name() string      { return "svm" }
func (m SVM) Validate() error { return aboveZero("c", m.C, "tol", m.Tol) }

func (m SVM) Traits() classify.Traits {
	return classify.Traits{
		Family: "linear",
		Title:  "Linear SVM", Predecessor: "ridge",
		Description: "a linear support vector machine for each class against all others; the class with the largest output",
		Formulation: "min_{w,b} ½‖w‖² + C·Σ_j max(0, 1 − t_j(wᵀx_j + b))  for every class;  class: max_c w_cᵀy + b_c",
		Memory: func(s Size) float64 {
			return float64(s.Samples)*float64(s.Samples+s.Classes) + 2*float64(s.Features)*float64(s.Classes)
		},
		Ranges: []Range{decades("c", 0.1, 100)},
	}
}

func (m SVM) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return fitLinear(ctx, m, train, run, func(t *classify.Samples, x *mat.Dense) (*mat.Dense, error) {
		d, n := x.Dims()
		classes := len(t.Classes)
		k := mat.NewDense(n, n, nil)
		symmetricOf(k, x)
		a, b := mat.NewDense(classes, n, nil), make([]float64, classes) // t_ja_j
		errs := make([]error, classes)
		parallel.For(classes, 1, func(c, _ int) {
			s := newSVMDual(m, k, a.RawRowView(c), t.Groups[c], t.Groups[c+1])
			b[c], errs[c] = s.solve(ctx)
		})
		if err := cmp.Or(errs...); err != nil {
			return nil, err
		}
		w := mat.NewDense(d, classes, nil)
		lin.ABt(w, 1, x, a) // w = Σ_j t_ja_jx_j
		return affineOf(w, b, make([]float64, d)), nil
	})
}

// svmDual is the dual problem of one class. Its multipliers have the signs of the labels:
// t_ja_j is between low_j and high_j, 0 and C or −C and 0.
type svmDual struct {
	SVM
	k            *mat.Dense // N×N: x_iᵀx_j
	ta           []float64  // t_ja_j
	low, high, e []float64
}

// newSVMDual starts from a = 0, in ta; the samples of the class are from ≤ j < to.
func newSVMDual(m SVM, k *mat.Dense, ta []float64, from, to int) *svmDual {
	n := len(ta)
	s := &svmDual{m, k, ta, make([]float64, n), make([]float64, n), make([]float64, n)}
	for j := range s.e {
		if s.e[j] = -1; from <= j && j < to {
			s.e[j], s.high[j] = 1, m.C
		} else {
			s.low[j] = -m.C
		}
	}
	return s
}

// solve makes ta optimal and returns b.
func (s *svmDual) solve(ctx context.Context) (float64, error) {
	n := len(s.e)
	for range maxSVMSteps * n {
		i, violation := s.worst()
		if violation <= s.Tol {
			return s.e[i] - violation/2, nil
		}
		if err := context.Cause(ctx); err != nil {
			return 0, err
		}
		ki := s.k.RawRowView(i)
		j, step := s.partner(i, ki)
		kj := s.k.RawRowView(j)
		step = min(step, s.high[i]-s.ta[i], s.ta[j]-s.low[j])
		s.ta[i] = min(s.high[i], s.ta[i]+step)
		s.ta[j] = max(s.low[j], s.ta[j]-step)
		for l := range s.e {
			s.e[l] -= step * (ki[l] - kj[l])
		}
	}
	_, violation := s.worst()
	err := fmt.Errorf("a condition of optimality is violated by %.2g after %d steps, %.2g is allowed", violation, maxSVMSteps*n, s.Tol)
	return 0, advice.Add(err, "lower c, or raise tol")
}

// worst returns the multiplier that can grow with the largest e, and by how much that is
// above the least e of one that can fall.
func (s *svmDual) worst() (i int, violation float64) {
	largest, smallest := math.Inf(-1), math.Inf(1)
	for j, e := range s.e {
		if e > largest && s.ta[j] < s.high[j] {
			i, largest = j, e
		}
		if e < smallest && s.ta[j] > s.low[j] {
			smallest = e
		}
	}
	return i, largest - smallest
}

// partner returns the multiplier whose fall, while that of i grows as much, lowers the
// objective most, and by how much to change both if there were no bounds [smo, (12)].
func (s *svmDual) partner(i int, ki []float64) (best int, step float64) {
	largest := -1.0
	for j, e := range s.e {
		if δ := s.e[i] - e; δ > 0 && s.ta[j] > s.low[j] {
			curvature := max(ki[i]+s.k.At(j, j)-2*ki[j], minScatter)
			if v := δ * δ / curvature; v > largest {
				best, step, largest = j, δ/curvature, v
			}
		}
	}
	return best, step
}
