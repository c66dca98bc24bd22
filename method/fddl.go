package method

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
)

// FDDL learns a dictionary of class-wise parts D_i and codes that are compact
// inside a class and far apart between classes [fddl]:
//
//	J = Σ_i (‖X_i − DS_i‖² + ‖X_i − D_iS_i^i‖² + Σ_{j≠i} ‖D_jS_i^j‖²)
//	    + λ₁‖S‖₁ + λ₂(tr(S_w(S) − S_b(S)) + η‖S‖²)   s.t. ‖d_k‖ = 1
//
// S_i are the codes of the samples of class i and S_i^j their rows for the
// atoms of class j; S_w = Σ_i Σ_{s∈S_i} (s − m_i)(s − m_i)ᵀ is their scatter
// about the class means m_i, S_b = Σ_i n_i(m_i − m)(m_i − m)ᵀ that of the means.
//
// It codes a query by min_s ‖y − Ds‖² + γ‖s‖₁ and classifies it by
// classify.Fisher, the paper's global rule, whatever the number of samples per class.
// The paper has a second rule for many samples, which codes over each D_i separately.
// doc/equations.md says how the iteration is derived.
type FDDL struct {
	Lambda1 float64 `json:"lambda1" help:"λ₁, weight of ‖S‖₁" eq:"[fddl]"`
	Lambda2 float64 `json:"lambda2" help:"λ₂, weight of the Fisher criterion" eq:"[fddl]"`
	Eta     float64 `json:"eta" help:"η ≥ 1, weight of ‖S‖² in the Fisher criterion; 1 is the least that keeps it convex" eq:"[fddl]"`
	Atoms   int     `json:"atoms" help:"K_c, atoms per class; 0 takes as many as its training images"`
	Passes  int     `json:"passes" help:"at most so many passes; 0: 1000, but 15 without a tolerance where every image is an atom, as published"`
	Tol     float64 `json:"tol" help:"converged when a pass lowers J by less than this part of it"`
	Steps   int     `json:"steps" help:"steps that the codes make in a pass" eq:"[admm]"`
	Rho     float64 `json:"rho" help:"ρ > 0, penalty of the splitting of the codes" eq:"[admm]"`
	Omega   float64 `json:"omega" help:"ω, 1 to 2, over-relaxation of the steps; 1 is none" eq:"[admm] 3.4.3"`
	Gamma   float64 `json:"gamma" help:"γ > 0, weight of ‖s‖₁ where a query is coded" eq:"[fddl]"`
	Weight  float64 `json:"weight" help:"w, weight of the distance to the mean code of a class" eq:"[fddl]"`
}

// DefaultFDDL has the values of the authors' program for faces. On Extended
// Yale B its seven steps reach the same objective as ten without
// over-relaxation.
var DefaultFDDL = registerIterative(FDDL{
	Lambda1: 0.005, Lambda2: 0.05, Eta: 1,
	Tol: 5e-5, Steps: 7, Rho: 1, Omega: 1.6,
	Gamma: 0.005, Weight: 0.5,
})

func (FDDL) Name() string { return "fddl" }

func (m FDDL) Traits() classify.Traits {
	return classify.Traits{
		Family:      "Fisher dictionaries",
		Predecessor: "dpl",
		Description: "class-wise dictionary with codes by the Fisher criterion; the class with the least residual and the nearest mean code",
		Formulation: `min_{D,S}  Σ_i (‖X_i − DS_i‖² + ‖X_i − D_iS_i^i‖² + Σ_{j≠i} ‖D_jS_i^j‖²)
           + λ₁‖S‖₁ + λ₂(tr(S_w − S_b) + η‖S‖²)   s.t. ‖d_k‖ = 1
class: min_c ‖y − D_c·s_c‖² + w‖s − m_c‖²,  s = argmin ‖y − Ds‖² + γ‖s‖₁`,
		Memory: m.holds, Start: "DS",
		// They lie around the values of the authors'
		// program; a lower γ would make queries slow.
		Ranges: []Range{
			decades("lambda1", 5e-4, 0.05),
			decades("lambda2", 5e-3, 0.5),
			decades("gamma", 1e-3, 0.1),
			decades("weight", 0.05, 5),
		},
	}
}

func (m FDDL) Validate() error {
	switch {
	case !(m.Eta >= 1) || math.IsInf(m.Eta, 1):
		return fmt.Errorf("eta = %v is not ≥ 1: the problem of the codes is not convex below", m.Eta)
	case !(m.Omega >= 1 && m.Omega < 2):
		return fmt.Errorf("omega = %v is not ≥ 1 and < 2", m.Omega)
	}
	return cmp.Or(weights("lambda1", m.Lambda1, "lambda2", m.Lambda2, "tol", m.Tol, "weight", m.Weight), aboveZero("rho", m.Rho),
		counts(0, "atoms", m.Atoms, "passes", m.Passes), counts(1, "steps", m.Steps),
		within(fmt.Sprintf("gamma = %v", m.Gamma), m.coder().Validate()))
}

// coder codes queries: γ weighs against ‖y − Ds‖², λ against half of it.
func (m FDDL) coder() coding.Lasso {
	return coding.Lasso{Lambda: m.Gamma / 2, Gap: coding.DefaultLasso.Gap}
}

// Fit implements classify.Method. A fit that ends as Exhausted still returns a
// model.
func (m FDDL) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return classify.Train(ctx, m, train, run)
}

func (m FDDL) Start(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Learning, error) {
	return begin(ctx, m, train, run, m.plan(), func(t *task) (learner, error) {
		return newFDDLState(m, t.span(), t.Groups, t.groups)
	})
}

func (m FDDL) plan() plan {
	return plan{Limits: classify.Limits{Passes: m.Passes, Tol: m.Tol}, whole: 15, atoms: m.Atoms}
}

var errEigenfaces = errors.New("the eigenfaces cannot be computed")

// minVariance is the variance of n unit samples, as a part of n, that rounding
// may leave of none.
const minVariance = 1e-12

// eigenfaces writes the first atoms of a class whose samples are the columns of
// x into d: the mean, which is what the centred samples lack, the eigenvectors
// of their scatter by falling variance, and samples where that is not enough,
// as with equal ones. All have unit norm. d has no more columns than x: the
// mean and n − 1 eigenfaces span the same space as n independent samples.
func eigenfaces(d, x *mat.Dense) error {
	features, n := x.Dims()
	_, k := d.Dims()
	mean, centred := mat.NewVecDense(features, nil), mat.DenseCopyOf(x)
	for i := range features {
		row := centred.RawRowView(i)
		var sum float64
		for _, v := range row {
			sum += v
		}
		mean.SetVec(i, sum/float64(n))
		for j := range row {
			row[j] -= sum / float64(n)
		}
	}
	at := 0
	add := func(v mat.Vector) {
		if norm := mat.Norm(v, 2); at < k && norm*norm > minVariance {
			for i := range features {
				d.Set(i, at, v.AtVec(i)/norm)
			}
			at++
		}
	}
	add(mean)
	if k > 1 {
		scatter := mat.NewSymDense(n, nil)
		scatter.SymOuterK(1, centred.T())
		var eigen mat.EigenSym
		if !eigen.Factorize(scatter, true) {
			return errEigenfaces
		}
		var v mat.Dense
		eigen.VectorsTo(&v)
		for j := n - 1; j >= 0 && eigen.RawValues()[j] > minVariance*float64(n); j-- {
			var face mat.VecDense
			face.MulVec(centred, v.ColView(j))
			face.ScaleVec(1/math.Sqrt(eigen.RawValues()[j]), &face)
			add(&face)
		}
	}
	for j := range n {
		add(x.ColView(j))
	}
	return nil
}

// holds bounds the numbers that a fit holds beside the samples.
func (m FDDL) holds(s Size) float64 {
	n, c, k := float64(s.Samples), float64(s.Classes), atomsOf(m.Atoms, s)
	return 5*k*n + 4*k*k + 3*n/c*n/c // S, Z, U, V and B; eigenfaces
}
