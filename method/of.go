package method

import (
	"fmt"

	"nrdl"
)

// Of returns the method, with its parameters, that learnt m.
func Of(m *nrdl.Model) (nrdl.Method, error) {
	p := m.Parts()
	named, err := Named(p.Method)
	if err != nil {
		return nil, fmt.Errorf("the model was learnt by a method that is not known here: %w", err)
	}
	method, err := Unmarshal(named, p.Params)
	if err != nil {
		return nil, fmt.Errorf("the model was learnt by %s, whose parameters are not known here: %w", p.Method, err)
	}
	return method, nil
}

// Warms reports whether a fit of m on samples that in makes can start from an
// earlier model, nrdl.Run.Warm. A method without a method Warms cannot.
func Warms(m nrdl.Method, in nrdl.Input) bool {
	w, ok := m.(interface{ Warms() bool })
	return ok && w.Warms() && in.Projection.IsZero()
}
