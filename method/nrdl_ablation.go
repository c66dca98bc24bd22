package method

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
)

// NRDLAblation learns as NRDL does and then keeps only a part of the result. It
// shows how much the learned dictionary and the learned classifier contribute.
// With the samples instead of D and the residual rule instead of W, it is NRC
// with the coder of NRDL.
type NRDLAblation struct {
	NRDL
	Samples  bool `json:"samples" help:"a query is coded over the training samples X in place of D; needs atoms = 0"`
	Residual bool `json:"residual" help:"the class with the least residual in place of the classifier W"`
}

// DefaultNRDLAblation keeps the dictionary that NRDL learns, not its classifier.
var DefaultNRDLAblation = NRDLAblation{NRDL: DefaultNRDL, Residual: true}

// Name implements classify.Method.
func (NRDLAblation) Name() string { return "nrdl-ablation" }

// Describe returns a one-line description of the method.
func (NRDLAblation) Describe() string {
	return "NRDL with the training samples instead of its dictionary, or the least residual instead of its classifier"
}

// Formulation gives the problem that the method solves.
func (m NRDLAblation) Formulation() string {
	return m.NRDL.Formulation() + "\nsamples: s is the code of y over X;  residual: max_c 1 − ‖y − D_c s_c‖"
}

// Validate implements classify.Method.
func (m NRDLAblation) Validate() error {
	if m.Samples && m.Atoms != 0 {
		return fmt.Errorf("samples = true with atoms = %d: the classifier is learned for as many atoms as samples; set atoms to 0", m.Atoms)
	}
	return m.NRDL.Validate()
}

// Warms returns false: Fit cannot start from an earlier model.
func (NRDLAblation) Warms() bool { return false }

// Fit implements classify.Method.
func (m NRDLAblation) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	run.Warm = nil
	return learnInOrder(m, train, run, func(x *mat.Dense, t *classify.Samples) (classify.Parts, error) {
		p, err := m.learn(ctx, x, t, run)
		if err != nil {
			return p, err
		}
		if m.Samples {
			p.D = mat.DenseCopyOf(x)
		}
		if m.Residual {
			p.Rule = classify.Residual{}
		}
		return p, nil
	})
}
