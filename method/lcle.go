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
var DefaultLCLE = registerIterative(LCLE{
	Alpha: 0.01, Beta: 0.01, Gamma: 0.1, Neighbours: 1,
	AlternatingLearning: defaultAlternatingLearning,
})

func (LCLE) Name() string { return "lcle" }

func (m LCLE) Traits() classify.Traits {
	return classify.Traits{
		After:       "sdrerdl-reconstruction",
		Description: "dictionary whose codes respect nearby atoms and their classes, then a linear classifier",
		Formulation: `min_{D,S,V}  ‖X − DS‖² + ‖X − DV‖² + α tr(SᵀL_aS) + β tr(VᵀUV) + γ‖S − V‖²
min_W  ‖H − WS‖² + λ‖W‖²
class: max_c (W·s)_c`,
		Memory: m.holds, Start: "DS",
		Ranges: append([]Range{
			decades("alpha", 1e-4, 1),
			decades("beta", 1e-4, 1),
			decades("gamma", 1e-3, 10),
			decades("neighbours", 1, 10),
		}, coderRanges(m.Coder)...),
	}
}

func (m LCLE) Validate() error {
	return cmp.Or(weights("alpha", m.Alpha, "beta", m.Beta, "gamma", m.Gamma),
		counts(1, "neighbours", m.Neighbours), m.AlternatingLearning.Validate())
}

// Fit implements classify.Method. It is an error if the number of atoms is not
// larger than Neighbours, is smaller than the sparsity of Coder, or if a class
// has fewer samples than atoms. A fit that ends as Exhausted still returns a
// model.
func (m LCLE) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return classify.Train(ctx, m, train, run)
}

func (m LCLE) Start(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Learning, error) {
	return begin(ctx, m, train, run, m.plan(), func(t *task) (learner, error) {
		if err := m.fits(t.x, len(t.Classes)); err != nil {
			return nil, err
		}
		return newLCLEState(m, t)
	})
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
