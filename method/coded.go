package method

import (
	"context"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
)

// Kept is a method that keeps the training samples as the dictionary: it is a coder, whose
// parameters are its own, and what A tells of it, the rule among it. Representation is the
// general form.
type Kept[C coding.Coder, A described] struct {
	Coder C `json:"coder"`
}

// described tells of a Kept what does not follow from its coder.
type described interface {
	about() (name string, t classify.Traits)
}

func (Kept[C, A]) Name() string {
	var of A
	name, _ := of.about()
	return name
}

func (m Kept[C, A]) Validate() error { return m.Coder.Validate() }

func (m Kept[C, A]) Traits() classify.Traits {
	var of A
	_, t := of.about()
	t.Samples, t.Coder = true, m.Coder
	if t.Ranges == nil {
		t.Ranges = coderRanges(m.Coder)
	}
	return t
}

// Fit implements classify.Method. It is an error if the coder would take too much work or memory.
func (m Kept[C, A]) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return keepSamples(ctx, m, train, run)
}

// NN is the nearest neighbour: the class of the training sample with the largest cosine.
type NN struct{}

// DefaultNN has no parameter.
var DefaultNN = register(NN{})

func (NN) Name() string    { return "nn" }
func (NN) Validate() error { return nil }

func (NN) Traits() classify.Traits {
	return classify.Traits{
		Family: "nearest",
		Title:  "1-NN", Predecessor: "mean",
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
type LLC = Kept[coding.Local, llc]

// DefaultLLC has the authors' weight and the number of neighbours that [nrdl]
// compares with.
var DefaultLLC = register(LLC{coding.DefaultLocal})

type llc struct{}

func (llc) about() (name string, t classify.Traits) {
	return "llc", classify.Traits{
		Predecessor: "mean",
		Description: "representation by the nearest training images, coefficients adding to 1; the class with the least residual",
		Formulation: "min_w ‖y − B·w‖² + λ·tr(C)·‖w‖²  s.t. 1ᵀw = 1,  B the k nearest samples, C = (B − y1ᵀ)ᵀ(B − y1ᵀ);  " +
			"class: min_c ‖y − X_c·s_c‖",
		Rule: classify.Residual{},
	}
}

// LRC represents a query by the training samples of each class separately, by
// least squares, and returns the class with the least residual [lrc].
type LRC = Kept[coding.PerClass, lrc]

// DefaultLRC is the method as published, which has no parameter.
var DefaultLRC = register(LRC{coding.DefaultPerClass})

type lrc struct{}

func (lrc) about() (name string, t classify.Traits) {
	return "lrc", classify.Traits{
		Predecessor: "llc",
		Description: "least squares representation by the training images of each class alone; the class with the least residual",
		Formulation: "min_{s_c} ‖y − X_c·s_c‖² + λ‖s_c‖²  for every class c;  class: min_c ‖y − X_c·s_c‖",
		Rule:        classify.Residual{},
	}
}

// SRC represents a query by few of all training samples, under an ℓ1 penalty,
// and returns the class with the least residual [src].
type SRC = Kept[coding.Lasso, src]

// DefaultSRC has a penalty between 0.05, for few images per person in constant
// light, and 0.001, for many images in changing light.
var DefaultSRC = register(SRC{coding.DefaultLasso})

type src struct{}

func (src) about() (name string, t classify.Traits) {
	return "src", classify.Traits{
		Family:      "sparse",
		Predecessor: "lrc",
		Description: "sparse representation by the training images; the class with the least residual",
		Formulation: "min_s ½‖y − X·s‖² + λ‖s‖₁;  class: min_c ‖y − X_c·s_c‖",
		Rule:        classify.Residual{},
		Presets: map[string][]Value{
			"orl":   preset(level, "coder.lambda=0.05"),
			"gt":    preset(validated, "coder.lambda=0.1"),
			"pie":   preset(validated, "coder.lambda=0.001"),
			"yaleb": preset(validated, "coder.lambda=0.001"),
			"lfw":   preset(validated, "coder.lambda=0.0003"),
		},
	}
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
		Predecessor: "src",
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
type NRC = Kept[coding.NonNegative, nrc]

// DefaultNRC stops ADMM early.
var DefaultNRC = register(NRC{coding.DefaultStopped})

type nrc struct{}

func (nrc) about() (name string, t classify.Traits) {
	return "nrc", classify.Traits{
		Family:      "non-negative",
		Predecessor: "crc",
		Description: "non-negative representation by the training images; the class with the least residual",
		Formulation: "min_s ‖y − X·s‖²  s.t. s ≥ 0,  by a fixed number of ADMM passes;  class: min_c ‖y − X_c·s_c‖",
		Rule:        classify.Residual{},
		Presets: map[string][]Value{
			"orl": preset(validated, "coder.rho=0.1", "coder.passes=50"),
			"gt":  preset(validated, "coder.rho=0.1", "coder.passes=50"),
		},
	}
}

// DSRC represents a query by all training samples together, with little
// correlation between the reconstructions of the classes, and returns the class
// with the least residual [dsrc].
type DSRC = Kept[coding.Discriminative, dsrc]

// DefaultDSRC has the weight of coding.DefaultDiscriminative.
var DefaultDSRC = register(DSRC{coding.DefaultDiscriminative})

type dsrc struct{}

func (dsrc) about() (name string, t classify.Traits) {
	return "dsrc", classify.Traits{
		Family:      "collaborative",
		Predecessor: "ksrc",
		Description: "representation by the training images with little correlation between classes; the class with the least residual",
		Formulation: "min_s ‖y − X·s‖² + τ·Σ_i Σ_j ‖X_i·s_i + X_j·s_j‖²;  class: min_c ‖y − X_c·s_c‖",
		Rule:        classify.Residual{},
		Presets: map[string][]Value{
			"orl": preset(validated, "coder.tau=0.01"),
			"gt":  preset(validated, "coder.tau=1"),
		},
	}
}

// Robust represents a query by all training samples together and a sparse
// error, which models occlusion and corrupted pixels, and returns the class
// with the smallest Huber loss [huber].
type Robust = Kept[coding.Robust, robust]

// DefaultRobust has the values of coding.DefaultRobust.
var DefaultRobust = register(Robust{coding.DefaultRobust})

type robust struct{}

func (robust) about() (name string, t classify.Traits) {
	return "robust", classify.Traits{
		Family: "non-negative",
		Title:  "Robust", Predecessor: "representation",
		Description: "non-negative representation by the training images with a sparse error; the class with the least Huber loss",
		Formulation: "min_{s,e} ½‖y − X·s − e‖² + λ‖e‖₁  s.t. s ≥ 0,  by a fixed number of rounds;  class: min_c Σ_i h(y " +
			"− X_c·s_c)_i,  h Huber's function of λ",
		Rule: classify.Huber{},
	}
}

// Blocks represents every block of a query by the same blocks of all training
// samples, and returns the class with most votes of blocks. So an occlusion
// affects only the votes of the blocks that it covers.
type Blocks = Kept[coding.Blocks, blockVotes]

// DefaultBlocks has the values of coding.DefaultBlocks.
var DefaultBlocks = register(Blocks{coding.DefaultBlocks})

type blockVotes struct{}

func (blockVotes) about() (name string, t classify.Traits) {
	return "blocks", classify.Traits{
		Title: "Blocks", Predecessor: "robust",
		Description: "representation of blocks of the image by those of the training images; the class with most votes",
		Formulation: "for every block b:  s_b: the code of y_b over X_b,  R_c = ‖y_b − X_bc·s_bc‖;  class: max_c Σ_b " +
			"exp(−R_c/(T·R̄)) / Σ_j exp(−R_j/(T·R̄))",
		Rule: classify.Votes{},
	}
}
