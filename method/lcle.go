package method

import (
	"cmp"
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
)

// LCLE learns a dictionary with two copies of the codes: S, which nearby atoms
// share, and V, which is bound to the classes of the atoms [lcle]:
//
//	min_{D,S,V} ‖X − DS‖² + ‖X − DV‖² + α tr(SᵀL_aS) + β tr(VᵀUV) + γ‖S − V‖²
//
// L_a is the Laplacian of the graph of the nearest atoms (atomGraph), computed
// anew in every pass. U is 1/K_c for two atoms of one class of K_c atoms, and 0
// elsewhere. W is learned from S.
type LCLE struct {
	Alpha      float64 `json:"alpha" help:"α, weight of the locality over the graph of the atoms"`
	Beta       float64 `json:"beta" help:"β, weight of the label embedding of the atoms"`
	Gamma      float64 `json:"gamma" help:"γ, weight of the agreement of S and V"`
	Neighbours int     `json:"neighbours" help:"k, nearest atoms that an atom is joined to; ≥ 1"`
	AlternatingLearning
}

// DefaultLCLE has weights and a number of passes that are in common use for
// several face databases.
var DefaultLCLE = LCLE{
	Alpha: 0.01, Beta: 0.01, Gamma: 0.1, Neighbours: 1,
	AlternatingLearning: defaultAlternatingLearning,
}

// Name implements classify.Method.
func (LCLE) Name() string { return "lcle" }

// Describe returns a one-line description of the method.
func (LCLE) Describe() string {
	return "dictionary whose codes respect nearby atoms and their classes, then a linear classifier"
}

// Formulation gives the problem that the method solves.
func (LCLE) Formulation() string {
	return `min_{D,S,V}  ‖X − DS‖² + ‖X − DV‖² + α tr(SᵀL_aS) + β tr(VᵀUV) + γ‖S − V‖²
min_W  ‖H − WS‖² + λ‖W‖²
class: max_c (W·s)_c`
}

// Validate implements classify.Method.
func (m LCLE) Validate() error {
	return cmp.Or(weights("alpha", m.Alpha, "beta", m.Beta, "gamma", m.Gamma),
		counts(1, "neighbours", m.Neighbours), m.AlternatingLearning.Validate())
}

// Ranges implements Tunable.
func (m LCLE) Ranges() []Range {
	return append([]Range{
		decades("alpha", 1e-4, 1),
		decades("beta", 1e-4, 1),
		decades("gamma", 1e-3, 10),
		decades("neighbours", 1, 10),
	}, coderRanges(m.Coder)...)
}

// Fit implements classify.Method. It is an error if the number of atoms is not
// larger than Neighbours, is smaller than the sparsity of Coder, or if a class
// has fewer samples than atoms. A fit that ends as Exhausted still returns a
// model.
func (m LCLE) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return learnInOrder(m, train, run, func(x *mat.Dense, t *classify.Samples) (classify.Parts, error) {
		return m.learn(ctx, x, t, run)
	})
}

// learn learns D and W from the samples x, d×N of unit norm, of the set t.
func (m LCLE) learn(ctx context.Context, x *mat.Dense, t *classify.Samples, run classify.Run) (classify.Parts, error) {
	if err := m.fits(x, len(t.Classes)); err != nil {
		return classify.Parts{}, err
	}
	s, err := newLCLEState(ctx, m, x, t)
	if err != nil {
		return classify.Parts{}, err
	}
	return m.iterate(ctx, s, &s.alternation, s.S, x, t, run)
}

// fits reports what m asks for and the samples x of so many classes cannot give.
func (m LCLE) fits(x *mat.Dense, classes int) error {
	d, n := x.Dims()
	k := m.atoms(n, classes)
	if m.Neighbours >= k {
		return advice.Add(fmt.Errorf("neighbours = %d, but an atom has only %d others", m.Neighbours, k-1),
			"set neighbours to at most %d", k-1)
	}
	return fits(m.Coder, classify.Grid{}, d, k)
}
