package method

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/dictionary"
)

// SparseLearning has the common parts of K-SVD, D-KSVD and LC-KSVD. Training
// samples and queries are coded by orthogonal matching pursuit. Atoms are
// learned by K-SVD, which starts from a K-SVD of each class.
//
// The groups of the dictionary in a model of these methods are those of D₀: the
// class of an atom is that of the samples from which it started. K-SVD may move
// or replace an atom regardless of its class; the rule does not use the class.
// The column of W shows what an atom stands for in the end.
type SparseLearning struct {
	dictionary.KSVD
	Atoms int             `json:"atoms" help:"K_c, atoms per class; 0 starts from every training sample as an atom"`
	Init  dictionary.KSVD `json:"init" help:"K-SVD of each class that draws D₀ where atoms > 0"`
	Ridge float64         `json:"ridge" help:"λ of the ridge regression of labels onto codes" eq:"[lcksvd]"`
}

// defaultSparseLearning has the values of the authors of LC-KSVD: T₀ = 30, 20
// passes for D₀ and 50 for D.
var defaultSparseLearning = func() SparseLearning {
	l := SparseLearning{KSVD: dictionary.DefaultKSVD, Init: dictionary.DefaultKSVD, Ridge: 1}
	l.Passes, l.Init.Passes = 50, 20
	return l
}()

// Validate reports the first parameter that is outside its range.
func (l SparseLearning) Validate() error {
	return cmp.Or(l.KSVD.Validate(), codesSomething(l.Error), counts(0, "atoms", l.Atoms),
		within("init", l.Init.Validate()), weights("ridge", l.Ridge))
}

// codesSomething reports a length of the residual with which no sample, all
// having norm 1, would get an atom.
func codesSomething(ε float64) error {
	if ε >= 1 {
		return fmt.Errorf("error = %v is not < 1: samples have norm 1, and their codes would be empty", ε)
	}
	return nil
}

// coder codes samples over D₀, and queries over D.
func (l SparseLearning) coder() coding.OMP {
	return coding.OMP{Sparsity: l.Sparsity, Error: l.Error}
}

// KSVD learns a dictionary without labels [ksvd], then a linear classifier of
// the codes.
type KSVD struct{ SparseLearning }

// DefaultKSVD has the passes and the sparsity of LC-KSVD.
var DefaultKSVD = registerIterative(KSVD{defaultSparseLearning})

func (KSVD) Name() string { return "ksvd" }

func (m KSVD) Traits() classify.Traits {
	return classify.Traits{
		Family: "K-SVD",
		Title:  "K-SVD", Predecessor: "blocks",
		Description: "dictionary for sparse codes; then a linear classifier of the codes",
		Formulation: "min_{D,S}  ‖X − DS‖²   s.t. ‖s_j‖₀ ≤ T₀;  then  min_W  ‖H − WS‖² + λ‖W‖²\nclass: max_c (W·s)_c",
		Memory:      m.holds, Start: "D",
		Ranges: m.ranges(),
		Presets: map[string][]Value{
			"pie":   preset(atRest, "passes=1"),
			"yaleb": preset(atRest, "passes=1"),
			"lfw":   preset(atRest, "passes=1"),
		},
	}
}

// ranges are those of the parameters. If every sample is an atom, the dictionary does
// not change, and the number of passes does not matter.
func (m KSVD) ranges() []Range {
	if m.Atoms == 0 {
		return []Range{sparsity("sparsity"), ridgeRange}
	}
	return append(m.SparseLearning.ranges(), ridgeRange)
}

func (m KSVD) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return classify.Train(ctx, m, train, run)
}

func (m KSVD) Start(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Learning, error) {
	return m.begin(ctx, m, train, run, consistency{regress: true})
}

// DKSVD learns a dictionary and a linear classifier of its sparse codes
// together [dksvd].
type DKSVD struct {
	SparseLearning
	Gamma float64 `json:"gamma" help:"γ, weight of the classification error; > 0" eq:"[dksvd]"`
}

// DefaultDKSVD gives labels and samples, both of norm 1, the same weight.
var DefaultDKSVD = registerIterative(DKSVD{SparseLearning: defaultSparseLearning, Gamma: 1})

func (DKSVD) Name() string { return "dksvd" }

func (m DKSVD) Traits() classify.Traits {
	return classify.Traits{
		Family: "K-SVD",
		Title:  "D-KSVD", Predecessor: "ksvd",
		Description: "dictionary for sparse codes and linear classifier learned together",
		Formulation: "min_{D,S,W}  ‖X − DS‖² + γ‖H − WS‖²   s.t. ‖s_j‖₀ ≤ T₀\nclass: max_c (W·s)_c",
		Memory:      m.holds, Start: "DW",
		Ranges: append([]Range{decades("gamma", 1e-3, 10)}, m.ranges()...),
		Presets: map[string][]Value{
			"gt":    preset(validated, "gamma=4"),
			"pie":   preset(validated, "gamma=0.04", "passes=5"),
			"yaleb": preset(validated, "gamma=0.01", "passes=5"),
			"lfw":   preset(validated, "gamma=0.01", "passes=5", "min_uses=0"),
		},
	}
}

func (m DKSVD) Validate() error {
	return cmp.Or(m.SparseLearning.Validate(), classifies("gamma", m.Gamma))
}

func (m DKSVD) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return classify.Train(ctx, m, train, run)
}

func (m DKSVD) Start(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Learning, error) {
	return m.begin(ctx, m, train, run, consistency{β: m.Gamma})
}

// LCKSVD1 learns a dictionary whose sparse codes use atoms of a sample's own
// class, then a linear classifier of the codes [lcksvd].
type LCKSVD1 struct {
	SparseLearning
	Alpha float64 `json:"alpha" help:"α, weight of the label consistency" eq:"[lcksvd]"`
}

// DefaultLCKSVD1 has an α that gives labels about the weight of samples if a
// class has ten atoms; the effective weight is α·K_c.
var DefaultLCKSVD1 = registerIterative(LCKSVD1{SparseLearning: defaultSparseLearning, Alpha: 0.1})

func (LCKSVD1) Name() string { return "lcksvd1" }

func (m LCKSVD1) Traits() classify.Traits {
	return classify.Traits{
		Family: "K-SVD",
		Title:  "LC-KSVD1", Predecessor: "dksvd",
		Description: "dictionary for label-consistent sparse codes; then a linear classifier of the codes",
		Formulation: "min_{D,S,A}  ‖X − DS‖² + α‖Q − AS‖²   s.t. ‖s_j‖₀ ≤ T₀;  then  min_W  ‖H − WS‖² + λ‖W‖²\nclass: max_c (W·s)_c",
		Memory:      m.holds, Start: "DW",
		// The effective weight is α·K_c, so α lies a decade
		// below DKSVD's γ.
		Ranges: append([]Range{decades("alpha", 1e-4, 1), ridgeRange}, m.ranges()...),
		Presets: map[string][]Value{
			"gt":    preset(validated, "min_uses=0"),
			"pie":   preset(validated, "alpha=0.005", "passes=5"),
			"yaleb": preset(validated, "alpha=0.001", "passes=5", "min_uses=0"),
			"lfw":   preset(validated, "alpha=0.001", "passes=5"),
		},
	}
}

func (m LCKSVD1) Validate() error {
	return cmp.Or(m.SparseLearning.Validate(), weights("alpha", m.Alpha))
}

func (m LCKSVD1) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return classify.Train(ctx, m, train, run)
}

func (m LCKSVD1) Start(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Learning, error) {
	return m.begin(ctx, m, train, run, consistency{α: m.Alpha, regress: true})
}

// LCKSVD2 learns a dictionary whose sparse codes use atoms of a sample's own
// class and a linear classifier of the codes together [lcksvd]. With α = 0 it
// is DKSVD, and with equal classes it is DKSVD with γ = β + α·K_c [equiv].
type LCKSVD2 struct {
	SparseLearning
	Alpha float64 `json:"alpha" help:"α, weight of the label consistency" eq:"[lcksvd]"`
	Beta  float64 `json:"beta" help:"β, weight of the classification error; > 0" eq:"[lcksvd]"`
}

// DefaultLCKSVD2 has weights that are about equivalent to DefaultDKSVD's if a
// class has ten atoms. The authors' α = 16, β = 4 are far too large for samples
// of norm 1: see doc/equations.md.
var DefaultLCKSVD2 = registerIterative(LCKSVD2{SparseLearning: defaultSparseLearning, Alpha: 0.05, Beta: 0.5})

func (LCKSVD2) Name() string { return "lcksvd2" }

func (m LCKSVD2) Traits() classify.Traits {
	return classify.Traits{
		Family: "K-SVD",
		Title:  "LC-KSVD2", Predecessor: "lcksvd1",
		Description: "dictionary for label-consistent sparse codes and linear classifier learned together",
		Formulation: "min_{D,S,A,W}  ‖X − DS‖² + α‖Q − AS‖² + β‖H − WS‖²   s.t. ‖s_j‖₀ ≤ T₀\nclass: max_c (W·s)_c",
		Memory:      m.holds, Start: "DW",
		Ranges: append([]Range{decades("alpha", 1e-4, 1), decades("beta", 1e-3, 10)}, m.ranges()...),
		Presets: map[string][]Value{
			"pie":   preset(twin, "alpha=0.002", "beta=0.02", "passes=5"),
			"yaleb": preset(twin, "alpha=0.00025", "beta=0.005", "passes=5"),
			"lfw":   preset(twin, "alpha=0.000625", "beta=0.005", "passes=5", "min_uses=0"),
		},
	}
}

func (m LCKSVD2) Validate() error {
	return cmp.Or(m.SparseLearning.Validate(), weights("alpha", m.Alpha), classifies("beta", m.Beta))
}

func (m LCKSVD2) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return classify.Train(ctx, m, train, run)
}

func (m LCKSVD2) Start(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Learning, error) {
	return m.begin(ctx, m, train, run, consistency{α: m.Alpha, β: m.Beta})
}

// classifies reports a weight of the classification error that is not > 0.
func classifies(name string, weight float64) error {
	if weight == 0 {
		return errors.New(name + " = 0 leaves the classifier without labels")
	}
	return weights(name, weight)
}
