package method

import (
	"context"

	"nrdl"
	"nrdl/coding"
)

// NRC represents a query by all training samples together with non-negative
// coefficients, and answers the class whose samples rebuild it best [nrc].
type NRC struct {
	Coder coding.NonNegative `json:"coder"`
}

// DefaultNRC stops ADMM early, which regularises: on raw pixels it recognises
// better than the exact solution.
var DefaultNRC = NRC{coding.NonNegative{Solver: coding.ADMM, Rho: 0.01, Passes: 10}}

// Name implements nrdl.Method.
func (NRC) Name() string { return "nrc" }

// Validate implements nrdl.Method.
func (m NRC) Validate() error { return m.Coder.Validate() }

// Fit implements nrdl.Method.
func (m NRC) Fit(ctx context.Context, train *nrdl.Set, run nrdl.Run) (*nrdl.Model, error) {
	return keep(ctx, m, train, run, func(int) coding.Coder { return m.Coder }, nrdl.Residual)
}
