package method

import (
	"context"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
)

// The methods in this file keep the training samples as the dictionary: each is a
// coder and a rule. Representation is their general form.

// LLC represents a query by the training samples nearest to it, and returns the
// class with the least residual. The coder is that of [llc], which
// classifies by pooled codes; the rule is that of [src].
type LLC struct {
	Coder coding.Local `json:"coder"`
}

// DefaultLLC has the authors' weight and the number of neighbours that [nrdl]
// compares with.
var DefaultLLC = LLC{coding.DefaultLocal}

// Name implements classify.Method.
func (LLC) Name() string { return "llc" }

// Describe returns a one-line description of the method.
func (LLC) Describe() string {
	return "representation by the nearest training images, coefficients adding to 1; the class with the least residual"
}

// Formulation gives the problem that the method solves.
func (LLC) Formulation() string {
	return "min_w ‖y − B·w‖² + λ·tr(C)·‖w‖²  s.t. 1ᵀw = 1,  B the k nearest samples, C = (B − y1ᵀ)ᵀ(B − y1ᵀ);  class: min_c ‖y − X_c·s_c‖"
}

// Validate implements classify.Method.
func (m LLC) Validate() error { return m.Coder.Validate() }

// Ranges implements Tunable.
func (m LLC) Ranges() []Range { return coderRanges(m.Coder) }

func (m LLC) over(int) coding.Coder { return m.Coder }

// Fit implements classify.Method. More neighbours than training samples are an error.
func (m LLC) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return sampleDictionary(ctx, m, train, run, m.over, classify.Residual{})
}

// LRC represents a query by the training samples of each class separately, by
// least squares, and returns the class with the least residual [lrc].
type LRC struct {
	Coder coding.PerClass `json:"coder"`
}

// DefaultLRC is the method as published, which has no parameter.
var DefaultLRC = LRC{coding.DefaultPerClass}

// Name implements classify.Method.
func (LRC) Name() string { return "lrc" }

// Describe returns a one-line description of the method.
func (LRC) Describe() string {
	return "least squares representation by the training images of each class alone; the class with the least residual"
}

// Formulation gives the problem that the method solves.
func (LRC) Formulation() string {
	return "min_{s_c} ‖y − X_c·s_c‖² + λ‖s_c‖²  for every class c;  class: min_c ‖y − X_c·s_c‖"
}

// Validate implements classify.Method.
func (m LRC) Validate() error { return m.Coder.Validate() }

// Ranges implements Tunable.
func (m LRC) Ranges() []Range { return coderRanges(m.Coder) }

func (m LRC) over(int) coding.Coder { return m.Coder }

// Fit implements classify.Method.
func (m LRC) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return sampleDictionary(ctx, m, train, run, m.over, classify.Residual{})
}

// SRC represents a query by few of all training samples, under an ℓ1 penalty,
// and returns the class with the least residual [src].
type SRC struct {
	Coder coding.Lasso `json:"coder"`
}

// DefaultSRC has a penalty between 0.05, for few images per person in constant
// light, and 0.001, for many images in changing light.
var DefaultSRC = SRC{coding.DefaultLasso}

// Name implements classify.Method.
func (SRC) Name() string { return "src" }

// Describe returns a one-line description of the method.
func (SRC) Describe() string {
	return "sparse representation by the training images; the class with the least residual"
}

// Formulation gives the problem that the method solves.
func (SRC) Formulation() string {
	return "min_s ½‖y − X·s‖² + λ‖s‖₁;  class: min_c ‖y − X_c·s_c‖"
}

// Validate implements classify.Method.
func (m SRC) Validate() error { return m.Coder.Validate() }

// Ranges implements Tunable.
func (m SRC) Ranges() []Range { return coderRanges(m.Coder) }

func (m SRC) over(int) coding.Coder { return m.Coder }

// Fit implements classify.Method.
func (m SRC) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return sampleDictionary(ctx, m, train, run, m.over, classify.Residual{})
}

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

func (m CRC) over(n int) coding.Coder {
	return coding.Ridge{Lambda: m.Kappa * float64(n) / 700}
}

// Fit implements classify.Method.
func (m CRC) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return sampleDictionary(ctx, m, train, run, m.over, classify.NormedResidual{})
}

// NRC represents a query by all training samples together with non-negative
// coefficients, and returns the class with the least residual [nrc].
type NRC struct {
	Coder coding.NonNegative `json:"coder"`
}

// DefaultNRC stops ADMM early.
var DefaultNRC = NRC{coding.DefaultStopped}

// Name implements classify.Method.
func (NRC) Name() string { return "nrc" }

// Describe returns a one-line description of the method.
func (NRC) Describe() string {
	return "non-negative representation by the training images; the class with the least residual"
}

// Formulation gives the problem that the method solves.
func (NRC) Formulation() string {
	return "min_s ‖y − X·s‖²  s.t. s ≥ 0,  by a fixed number of ADMM passes;  class: min_c ‖y − X_c·s_c‖"
}

// Validate implements classify.Method.
func (m NRC) Validate() error { return m.Coder.Validate() }

// Ranges implements Tunable.
func (m NRC) Ranges() []Range { return coderRanges(m.Coder) }

func (m NRC) over(int) coding.Coder { return m.Coder }

// Fit implements classify.Method.
func (m NRC) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return sampleDictionary(ctx, m, train, run, m.over, classify.Residual{})
}

// DSRC represents a query by all training samples together, with little
// correlation between the reconstructions of the classes, and returns the class
// with the least residual [dsrc].
type DSRC struct {
	Coder coding.Discriminative `json:"coder"`
}

// DefaultDSRC has the weight of coding.DefaultDiscriminative.
var DefaultDSRC = DSRC{coding.DefaultDiscriminative}

// Name implements classify.Method.
func (DSRC) Name() string { return "dsrc" }

// Describe returns a one-line description of the method.
func (DSRC) Describe() string {
	return "representation by the training images with little correlation between classes; the class with the least residual"
}

// Formulation gives the problem that the method solves.
func (DSRC) Formulation() string {
	return "min_s ‖y − X·s‖² + τ·Σ_i Σ_j ‖X_i·s_i + X_j·s_j‖²;  class: min_c ‖y − X_c·s_c‖"
}

// Validate implements classify.Method.
func (m DSRC) Validate() error { return m.Coder.Validate() }

// Ranges implements Tunable.
func (m DSRC) Ranges() []Range { return coderRanges(m.Coder) }

func (m DSRC) over(int) coding.Coder { return m.Coder }

// Fit implements classify.Method.
func (m DSRC) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return sampleDictionary(ctx, m, train, run, m.over, classify.Residual{})
}

// Robust represents a query by all training samples together and a sparse
// error, which models occlusion and corrupted pixels, and returns the class
// with the smallest Huber loss [huber].
type Robust struct {
	Coder coding.Robust `json:"coder"`
}

// DefaultRobust has the values of coding.DefaultRobust.
var DefaultRobust = Robust{coding.DefaultRobust}

// Name implements classify.Method.
func (Robust) Name() string { return "robust" }

// Describe returns a one-line description of the method.
func (Robust) Describe() string {
	return "non-negative representation by the training images with a sparse error; the class with the least Huber loss"
}

// Formulation gives the problem that the method solves.
func (Robust) Formulation() string {
	return "min_{s,e} ½‖y − X·s − e‖² + λ‖e‖₁  s.t. s ≥ 0,  by a fixed number of rounds;  class: min_c Σ_i h(y − X_c·s_c)_i,  h Huber's function of λ"
}

// Validate implements classify.Method.
func (m Robust) Validate() error { return m.Coder.Validate() }

// Ranges implements Tunable.
func (m Robust) Ranges() []Range { return coderRanges(m.Coder) }

func (m Robust) over(int) coding.Coder { return m.Coder }

// Fit implements classify.Method.
func (m Robust) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return sampleDictionary(ctx, m, train, run, m.over, classify.Huber{})
}

// Blocks represents every block of a query by the same blocks of all training
// samples, and returns the class with most votes of blocks. So an occlusion
// affects only the votes of the blocks that it covers.
type Blocks struct {
	Coder coding.Blocks `json:"coder"`
}

// DefaultBlocks has the values of coding.DefaultBlocks.
var DefaultBlocks = Blocks{coding.DefaultBlocks}

// Name implements classify.Method.
func (Blocks) Name() string { return "blocks" }

// Describe returns a one-line description of the method.
func (Blocks) Describe() string {
	return "representation of blocks of the image by those of the training images; the class with most votes"
}

// Formulation gives the problem that the method solves.
func (Blocks) Formulation() string {
	return "for every block b:  s_b: the code of y_b over X_b,  R_c = ‖y_b − X_bc·s_bc‖;  class: max_c Σ_b exp(−R_c/(T·R̄)) / Σ_j exp(−R_j/(T·R̄))"
}

// Validate implements classify.Method.
func (m Blocks) Validate() error { return m.Coder.Validate() }

// Ranges implements Tunable.
func (m Blocks) Ranges() []Range { return coderRanges(m.Coder) }

// Suits reports a coder that cannot code samples on this grid (see the function
// Suits).
func (m Blocks) Suits(g classify.Grid) error { return coderSuits(m.Coder, g) }

func (m Blocks) over(int) coding.Coder { return m.Coder }

// Fit implements classify.Method.
func (m Blocks) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return sampleDictionary(ctx, m, train, run, m.over, classify.Votes{})
}
