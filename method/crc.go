package method

import (
	"context"

	"nrdl/classify"
	"nrdl/coding"
)

// CRC represents a query by all training samples together, under an ℓ2 penalty,
// and returns the class with the least residual relative to the norm of its
// coefficients [crc].
type CRC struct {
	Kappa float64 `json:"kappa" help:"κ, weight of ‖s‖² for 700 samples; it grows with their number N as κ·N/700" eq:"[crc] (6)"`
}

// DefaultCRC has the weight of the authors.
var DefaultCRC = CRC{Kappa: 1e-3}

// Name implements classify.Method.
func (CRC) Name() string { return "crc" }

// Describe returns a one-line description of the method.
func (CRC) Describe() string {
	return "ridge representation by the training images; the class with the least residual for its code"
}

// Formulation gives the problem that the method solves.
func (CRC) Formulation() string {
	return "min_s ‖y − X·s‖² + κ·N/700·‖s‖²;  class: min_c ‖y − X_c·s_c‖ / ‖s_c‖"
}

// Validate implements classify.Method.
func (m CRC) Validate() error { return weights("kappa", m.Kappa) }

// Ranges implements Tunable.
func (CRC) Ranges() []Range { return []Range{decades("kappa", 1e-5, 1)} }

// Fit implements classify.Method.
func (m CRC) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return sampleDictionary(ctx, m, train, run, func(n int) coding.Coder {
		return coding.Ridge{Lambda: m.Kappa * float64(n) / 700}
	}, classify.NormedResidual{})
}
