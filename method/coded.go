package method

import (
	"context"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
)

// The methods in this file keep the training samples as the dictionary: each is a
// coder and a rule. Representation is their general form.

// NN is the nearest neighbour: the class of the training sample with the largest cosine.
type NN struct{}

// DefaultNN has no parameter.
var DefaultNN = register(NN{})

func (NN) Name() string    { return "nn" }
func (NN) Validate() error { return nil }

func (NN) Traits() classify.Traits {
	return classify.Traits{
		Family: "nearest",
		Title:  "1-NN", After: "mean",
		Description: "the nearest training image, by the cosine",
		Formulation: "class: max_c max_k x_ckᵀy",
		Samples:     true, Coder: coding.Inner{}, Rule: classify.Cosine{},
	}
}

func (m NN) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return keepSamples(ctx, m, train, run)
}

// LLC represents a query by the training samples nearest to it, and returns the
// class with the least residual. The coder is that of [llc], which
// classifies by pooled codes; the rule is that of [src].
type LLC struct {
	Coder coding.Local `json:"coder"`
}

// DefaultLLC has the authors' weight and the number of neighbours that [nrdl]
// compares with.
var DefaultLLC = register(LLC{coding.DefaultLocal})

func (LLC) Name() string      { return "llc" }
func (m LLC) Validate() error { return m.Coder.Validate() }

func (m LLC) Traits() classify.Traits {
	return classify.Traits{
		After:       "mean",
		Description: "representation by the nearest training images, coefficients adding to 1; the class with the least residual",
		Formulation: "min_w ‖y − B·w‖² + λ·tr(C)·‖w‖²  s.t. 1ᵀw = 1,  B the k nearest samples, C = (B − y1ᵀ)ᵀ(B − y1ᵀ);  class: min_c ‖y − X_c·s_c‖",
		Samples:     true, Coder: m.Coder, Rule: classify.Residual{},
		Ranges: coderRanges(m.Coder),
	}
}

// Fit implements classify.Method. More neighbours than training samples are an error.
func (m LLC) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return keepSamples(ctx, m, train, run)
}

// LRC represents a query by the training samples of each class separately, by
// least squares, and returns the class with the least residual [lrc].
type LRC struct {
	Coder coding.PerClass `json:"coder"`
}

// DefaultLRC is the method as published, which has no parameter.
var DefaultLRC = register(LRC{coding.DefaultPerClass})

func (LRC) Name() string      { return "lrc" }
func (m LRC) Validate() error { return m.Coder.Validate() }

func (m LRC) Traits() classify.Traits {
	return classify.Traits{
		After:       "llc",
		Description: "least squares representation by the training images of each class alone; the class with the least residual",
		Formulation: "min_{s_c} ‖y − X_c·s_c‖² + λ‖s_c‖²  for every class c;  class: min_c ‖y − X_c·s_c‖",
		Samples:     true, Coder: m.Coder, Rule: classify.Residual{},
		Ranges: coderRanges(m.Coder),
	}
}

func (m LRC) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return keepSamples(ctx, m, train, run)
}

// SRC represents a query by few of all training samples, under an ℓ1 penalty,
// and returns the class with the least residual [src].
type SRC struct {
	Coder coding.Lasso `json:"coder"`
}

// DefaultSRC has a penalty between 0.05, for few images per person in constant
// light, and 0.001, for many images in changing light.
var DefaultSRC = register(SRC{coding.DefaultLasso})

func (SRC) Name() string      { return "src" }
func (m SRC) Validate() error { return m.Coder.Validate() }

func (m SRC) Traits() classify.Traits {
	return classify.Traits{
		Family:      "sparse",
		After:       "lrc",
		Description: "sparse representation by the training images; the class with the least residual",
		Formulation: "min_s ½‖y − X·s‖² + λ‖s‖₁;  class: min_c ‖y − X_c·s_c‖",
		Samples:     true, Coder: m.Coder, Rule: classify.Residual{},
		Ranges: coderRanges(m.Coder),
		Presets: map[string][]Value{
			"orl":   preset(level, "coder.lambda=0.05"),
			"gt":    preset(validated, "coder.lambda=0.1"),
			"pie":   preset(validated, "coder.lambda=0.001"),
			"yaleb": preset(validated, "coder.lambda=0.001"),
			"lfw":   preset(validated, "coder.lambda=0.0003"),
		},
	}
}

func (m SRC) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return keepSamples(ctx, m, train, run)
}

// CRC represents a query by all training samples together, under an ℓ2 penalty,
// and returns the class with the least residual relative to the norm of its
// coefficients [crc].
type CRC struct {
	Kappa float64 `json:"kappa" help:"κ, weight of ‖s‖² for 700 samples; it grows with their number N as κ·N/700" eq:"[crc] (6)"`
}

// DefaultCRC has the weight of the authors.
var DefaultCRC = register(CRC{Kappa: 1e-3})

func (CRC) Name() string      { return "crc" }
func (m CRC) Validate() error { return weights("kappa", m.Kappa) }

func (m CRC) Traits() classify.Traits {
	return classify.Traits{
		Family:      "collaborative",
		After:       "src",
		Description: "ridge representation by the training images; the class with the least residual for its code",
		Formulation: "min_s ‖y − X·s‖² + κ·N/700·‖s‖²;  class: min_c ‖y − X_c·s_c‖ / ‖s_c‖",
		Samples:     true, Coder: m.coder(700), Rule: classify.NormedResidual{},
		Ranges: []Range{decades("kappa", 1e-5, 1)},
		Presets: map[string][]Value{
			"orl":   preset(validated, "kappa=0.1"),
			"gt":    preset(level, "kappa=0.1"),
			"pie":   preset(validated, "kappa=0.01"),
			"yaleb": preset(validated, "kappa=0.01"),
			"lfw":   preset(validated, "kappa=0.01"),
		},
	}
}

// coder is that for n samples.
func (m CRC) coder(n int) coding.Coder {
	return coding.Ridge{Lambda: m.Kappa * float64(n) / 700}
}

func (m CRC) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return sampleDictionary(ctx, m, train, run, m.coder)
}

// NRC represents a query by all training samples together with non-negative
// coefficients, and returns the class with the least residual [nrc].
type NRC struct {
	Coder coding.NonNegative `json:"coder"`
}

// DefaultNRC stops ADMM early.
var DefaultNRC = register(NRC{coding.DefaultStopped})

func (NRC) Name() string      { return "nrc" }
func (m NRC) Validate() error { return m.Coder.Validate() }

func (m NRC) Traits() classify.Traits {
	return classify.Traits{
		Family:      "non-negative",
		After:       "crc",
		Description: "non-negative representation by the training images; the class with the least residual",
		Formulation: "min_s ‖y − X·s‖²  s.t. s ≥ 0,  by a fixed number of ADMM passes;  class: min_c ‖y − X_c·s_c‖",
		Samples:     true, Coder: m.Coder, Rule: classify.Residual{},
		Ranges: coderRanges(m.Coder),
		Presets: map[string][]Value{
			"orl": preset(validated, "coder.rho=0.1", "coder.passes=50"),
			"gt":  preset(validated, "coder.rho=0.1", "coder.passes=50"),
		},
	}
}

func (m NRC) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return keepSamples(ctx, m, train, run)
}

// DSRC represents a query by all training samples together, with little
// correlation between the reconstructions of the classes, and returns the class
// with the least residual [dsrc].
type DSRC struct {
	Coder coding.Discriminative `json:"coder"`
}

// DefaultDSRC has the weight of coding.DefaultDiscriminative.
var DefaultDSRC = register(DSRC{coding.DefaultDiscriminative})

func (DSRC) Name() string      { return "dsrc" }
func (m DSRC) Validate() error { return m.Coder.Validate() }

func (m DSRC) Traits() classify.Traits {
	return classify.Traits{
		Family:      "collaborative",
		After:       "ksrc",
		Description: "representation by the training images with little correlation between classes; the class with the least residual",
		Formulation: "min_s ‖y − X·s‖² + τ·Σ_i Σ_j ‖X_i·s_i + X_j·s_j‖²;  class: min_c ‖y − X_c·s_c‖",
		Samples:     true, Coder: m.Coder, Rule: classify.Residual{},
		Ranges: coderRanges(m.Coder),
		Presets: map[string][]Value{
			"orl": preset(validated, "coder.tau=0.01"),
			"gt":  preset(validated, "coder.tau=1"),
		},
	}
}

func (m DSRC) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return keepSamples(ctx, m, train, run)
}

// Robust represents a query by all training samples together and a sparse
// error, which models occlusion and corrupted pixels, and returns the class
// with the smallest Huber loss [huber].
type Robust struct {
	Coder coding.Robust `json:"coder"`
}

// DefaultRobust has the values of coding.DefaultRobust.
var DefaultRobust = register(Robust{coding.DefaultRobust})

func (Robust) Name() string      { return "robust" }
func (m Robust) Validate() error { return m.Coder.Validate() }

func (m Robust) Traits() classify.Traits {
	return classify.Traits{
		Family: "non-negative",
		Title:  "Robust", After: "representation",
		Description: "non-negative representation by the training images with a sparse error; the class with the least Huber loss",
		Formulation: "min_{s,e} ½‖y − X·s − e‖² + λ‖e‖₁  s.t. s ≥ 0,  by a fixed number of rounds;  class: min_c Σ_i h(y − X_c·s_c)_i,  h Huber's function of λ",
		Samples:     true, Coder: m.Coder, Rule: classify.Huber{},
		Ranges: coderRanges(m.Coder),
	}
}

func (m Robust) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return keepSamples(ctx, m, train, run)
}

// Blocks represents every block of a query by the same blocks of all training
// samples, and returns the class with most votes of blocks. So an occlusion
// affects only the votes of the blocks that it covers.
type Blocks struct {
	Coder coding.Blocks `json:"coder"`
}

// DefaultBlocks has the values of coding.DefaultBlocks.
var DefaultBlocks = register(Blocks{coding.DefaultBlocks})

func (Blocks) Name() string      { return "blocks" }
func (m Blocks) Validate() error { return m.Coder.Validate() }

func (m Blocks) Traits() classify.Traits {
	return classify.Traits{
		Title: "Blocks", After: "robust",
		Description: "representation of blocks of the image by those of the training images; the class with most votes",
		Formulation: "for every block b:  s_b: the code of y_b over X_b,  R_c = ‖y_b − X_bc·s_bc‖;  class: max_c Σ_b exp(−R_c/(T·R̄)) / Σ_j exp(−R_j/(T·R̄))",
		Samples:     true, Coder: m.Coder, Rule: classify.Votes{},
		Ranges: coderRanges(m.Coder),
	}
}

func (m Blocks) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return keepSamples(ctx, m, train, run)
}
