package method

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/internal/lin"
)

// KernelLearning has what the kernel forms of NRC, CRC and SRC share. They are
// these methods in the feature space of a kernel: their equations have the samples
// in inner products alone.
type KernelLearning struct {
	Kernel coding.KernelName `json:"kernel" help:"rbf: exp(−‖a − b‖²/2w²); polynomial: ((aᵀb + o)/(1 + o))^p" eq:"[ksrc]" choices:"rbf,polynomial"`
	Scale  float64           `json:"scale" if:"kernel=rbf" help:"width w of rbf, as a multiple of the median distance of two training images"`
	Degree int               `json:"degree" if:"kernel=polynomial" help:"p ≥ 1, degree of polynomial"`
	Offset float64           `json:"offset" if:"kernel=polynomial" help:"o ≥ 0, offset of polynomial"`
}

// defaultKernelLearning has the median distance as the width.
var defaultKernelLearning = KernelLearning{Kernel: coding.RBF, Scale: 1, Degree: 2, Offset: 1}

// over returns inner in the feature space.
func (k KernelLearning) over(inner coding.Coder, median float64) coding.Kernel {
	return coding.Kernel{Kernel: k.Kernel, Width: k.Scale * median, Degree: k.Degree, Offset: k.Offset, Inner: inner}
}

// kernelRanges are those of the kernel.
func kernelRanges() []Range {
	return []Range{
		{Path: "kernel", Choices: []string{string(coding.RBF), string(coding.Polynomial)}},
		{Path: "scale", Low: 0.2, High: 5, Log: true},
		{Path: "degree", Low: 1, High: 8},
	}
}

// validate reports the first parameter of the kernel, or of inner, that is outside
// its range.
func (k KernelLearning) validate(inner coding.Coder) error {
	if !(k.Scale > 0) || math.IsInf(k.Scale, 1) {
		return fmt.Errorf("scale = %v is not a number > 0", k.Scale)
	}
	return k.over(inner, 1).Validate()
}

// fit makes the classifier of m, which codes by inner(N) in the feature space.
func (k KernelLearning) fit(ctx context.Context, m classify.Described, train *classify.Samples,
	run classify.Run, inner func(n int) coding.Coder,
) (*classify.Classifier, error) {
	median := 1.0
	if seen, err := samples(m, train); err == nil && k.Kernel == coding.RBF { // sampleDictionary tells of the error
		d, n := seen.X.Dims()
		if err := fits(k.over(inner(n), median), train.Grid, d, n); err != nil {
			return nil, tooLarge(m, fmt.Errorf("%s: %w", m.Name(), err))
		}
		median = medianDistance(classify.Unit(seen.X))
	}
	return sampleDictionary(ctx, m, train, run, func(n int) coding.Coder { return k.over(inner(n), median) })
}

// medianDistance returns the median of the distances of two columns of x that
// differ, 1 where none do.
func medianDistance(x *mat.Dense) float64 {
	_, n := x.Dims()
	g := mat.NewDense(n, n, nil)
	lin.AtA(g, 1, x)
	var squares []float64
	for i := range n {
		for j := i + 1; j < n; j++ {
			if v := g.At(i, i) + g.At(j, j) - 2*g.At(i, j); v > equalSamples {
				squares = append(squares, v)
			}
		}
	}
	if len(squares) == 0 {
		return 1
	}
	slices.Sort(squares)
	m := len(squares)
	return (math.Sqrt(squares[(m-1)/2]) + math.Sqrt(squares[m/2])) / 2
}

// equalSamples is a squared distance of samples of norm 1 that rounding may leave
// of none.
const equalSamples = 1e-14

// KNRC is the kernel form of NRC.
type KNRC struct {
	KernelLearning
	Coder coding.NonNegative `json:"coder"`
}

// DefaultKNRC has NRC's coder with the ρ of NRDL's: a kernel matrix has full rank, and with
// NRC's ρ ten passes end far from the solution where the classes are alike.
var DefaultKNRC = register(KNRC{defaultKernelLearning, stoppedForKernels()})

func stoppedForKernels() coding.NonNegative {
	c := coding.DefaultStopped
	c.Rho = 0.1
	return c
}

func (KNRC) Name() string             { return "knrc" }
func (m KNRC) Validate() error        { return m.validate(m.Coder) }
func (m KNRC) inner(int) coding.Coder { return m.Coder }

func (m KNRC) Traits() classify.Traits {
	return classify.Traits{
		Family:      "non-negative",
		Predecessor: "nrc",
		Description: "NRC in the feature space of a kernel; the class with the least residual there",
		Formulation: "min_s ‖φ(y) − φ(X)·s‖²  s.t. s ≥ 0,  by a fixed number of ADMM passes;  class: min_c ‖φ(y) − φ(X_c)·s_c‖",
		Samples:     true, Coder: m.over(m.Coder, 1), Rule: classify.Residual{},
		Ranges: append(kernelRanges(), coderRanges(m.Coder)...),
	}
}

func (m KNRC) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return m.fit(ctx, m, train, run, m.inner)
}

// KCRC is the kernel form of CRC [kcrc].
type KCRC struct {
	KernelLearning
	Kappa float64 `json:"kappa" help:"κ, weight of ‖s‖² for 700 samples; it grows with their number N as κ·N/700" eq:"[crc] (6)"`
}

// DefaultKCRC has the weight of CRC.
var DefaultKCRC = register(KCRC{defaultKernelLearning, DefaultCRC.Kappa})

func (KCRC) Name() string { return "kcrc" }

func (m KCRC) Traits() classify.Traits {
	return classify.Traits{
		Family:      "collaborative",
		Predecessor: "knrc",
		Description: "CRC in the feature space of a kernel; the class with the least residual there for its code",
		Formulation: "min_s ‖φ(y) − φ(X)·s‖² + κ·N/700·‖s‖²;  class: min_c ‖φ(y) − φ(X_c)·s_c‖ / ‖s_c‖",
		Samples:     true, Coder: m.over(m.inner(700), 1), Rule: classify.NormedResidual{},
		Ranges: append(kernelRanges(), decades("kappa", 1e-5, 1)),
	}
}

func (m KCRC) Validate() error {
	return cmp.Or(weights("kappa", m.Kappa), m.validate(coding.DefaultRidge))
}

func (m KCRC) inner(n int) coding.Coder {
	return coding.Ridge{Lambda: m.Kappa * float64(n) / 700}
}

func (m KCRC) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return m.fit(ctx, m, train, run, m.inner)
}

// KSRC is the kernel form of SRC [ksrc].
type KSRC struct {
	KernelLearning
	Coder coding.Lasso `json:"coder"`
}

// DefaultKSRC has SRC's coder.
var DefaultKSRC = register(KSRC{defaultKernelLearning, coding.DefaultLasso})

func (KSRC) Name() string             { return "ksrc" }
func (m KSRC) Validate() error        { return m.validate(m.Coder) }
func (m KSRC) inner(int) coding.Coder { return m.Coder }

func (m KSRC) Traits() classify.Traits {
	return classify.Traits{
		Family:      "sparse",
		Predecessor: "kcrc",
		Description: "SRC in the feature space of a kernel; the class with the least residual there",
		Formulation: "min_s ½‖φ(y) − φ(X)·s‖² + λ‖s‖₁;  class: min_c ‖φ(y) − φ(X_c)·s_c‖",
		Samples:     true, Coder: m.over(m.Coder, 1), Rule: classify.Residual{},
		Ranges: append(kernelRanges(), coderRanges(m.Coder)...),
	}
}

func (m KSRC) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return m.fit(ctx, m, train, run, m.inner)
}
