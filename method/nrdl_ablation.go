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
var DefaultNRDLAblation = registerIterative(NRDLAblation{NRDL: DefaultNRDL, Residual: true})

func (NRDLAblation) Name() string { return "nrdl-ablation" }

func (m NRDLAblation) Traits() classify.Traits {
	t := m.NRDL.Traits()
	t.Title, t.After, t.Presets, t.Warm = "", "nrdl-online", nil, false
	t.Description = "NRDL with the training samples instead of its dictionary, or the least residual instead of its classifier"
	t.Formulation += "\nsamples: s is the code of y over X;  residual: max_c 1 − ‖y − D_c s_c‖"
	return t
}

func (m NRDLAblation) Validate() error {
	if m.Samples && m.Atoms != 0 {
		return fmt.Errorf("samples = true with atoms = %d: the classifier is learned for as many atoms as samples; set atoms to 0", m.Atoms)
	}
	return m.NRDL.Validate()
}

func (m NRDLAblation) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return classify.Train(ctx, m, train, run)
}

func (m NRDLAblation) Start(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Learning, error) {
	run.Warm = nil
	return m.begin(ctx, m, train, run, func(t *task, s *nrdlState) learner { return &ablationState{s, m, t.x} })
}

// ablationState is the iterate of NRDL.
type ablationState struct {
	*nrdlState
	m NRDLAblation
	x *mat.Dense // d×N, the samples at their own coordinates
}

func (s *ablationState) parts(out classify.Outcome) (classify.Parts, error) {
	p, err := s.nrdlState.parts(out)
	if s.m.Samples {
		p.D = s.x
	}
	if s.m.Residual {
		p.Rule = classify.Residual{}
	}
	return p, err
}

// codes are none where D is not learned.
func (s *ablationState) codes() (*mat.Dense, error) {
	if s.m.Samples {
		return nil, nil
	}
	return s.nrdlState.codes()
}
