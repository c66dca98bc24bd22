package method

import (
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
)

// A Range is the search range of one parameter.
type Range = classify.Range

// decades is the range of a weight, whose order of magnitude counts.
func decades(path string, low, high float64) Range {
	return Range{Path: path, Low: low, High: high, Log: true}
}

// coderRanges are those of c, the parameter "coder" of a method.
func coderRanges(c coding.Coder) []Range { return rangesOf(c, "coder.") }

// rangesOf are those of c, whose parameters have paths that begin with prefix.
func rangesOf(c coding.Coder, prefix string) []Range {
	within := func(path string, low, high float64) Range { return decades(prefix+path, low, high) }
	switch c := c.(type) {
	case coding.NonNegative:
		if c.Solver == coding.Authors {
			return nil // it has no parameter
		}
		// Around the ρ and the passes of NRC, NRDL and the presets.
		return []Range{
			{Path: prefix + "solver", Choices: []string{string(coding.Exact), string(coding.ADMM)}},
			within("rho", 1e-3, 1),
			within("passes", 2, 100),
		}
	case coding.Lasso:
		// Below, the codes have so many nonzeros that a query takes many times as long.
		return []Range{within("lambda", 3e-4, 0.1)}
	case coding.ClassLasso:
		return []Range{within("lambda", 3e-4, 0.1)}
	case coding.Ridge:
		return []Range{within("lambda", 1e-4, 1)}
	case coding.Local:
		return []Range{within("neighbours", 5, 100), within("lambda", 1e-6, 0.1)}
	case coding.PerClass:
		// 0 is the method as published.
		return []Range{{Path: prefix + "lambda", Low: 1e-5, High: 1, Log: true, Zero: true}}
	case coding.Discriminative:
		return []Range{within("tau", 1e-5, 10)}
	case coding.Probabilistic:
		return []Range{within("lambda", 1e-4, 1), within("gamma", 1e-4, 10)}
	case coding.Constrained:
		zero := func(path string) Range { return Range{Path: prefix + path, Low: 1e-5, High: 1, Log: true, Zero: true} }
		return []Range{zero("lambda"), zero("nu"), zero("tau"), within("rho", 1e-3, 1), within("passes", 2, 100)}
	case coding.Augmented:
		return []Range{within("lambda", 1e-4, 1), within("gamma", 1e-4, 10), sparsity(prefix + "sparsity")}
	case coding.Fused:
		return []Range{{Path: prefix + "weight", High: 1}, within("rho", 1e-3, 1), within("passes", 2, 100)}
	case coding.OMP:
		return []Range{sparsity(prefix + "sparsity")}
	case coding.Robust:
		return robustRanges(c, within)
	case coding.Blocks:
		return append([]Range{
			within("side", 4, 16),
			within("step", 2, 16), // at least side/8
			within("temperature", 0.02, 1),
		}, rangesOf(c.Inner, prefix+"inner.")...)
	}
	return nil
}

// robustRanges are those of the estimator that c has: the other one takes many
// times as long, or has not its weights.
func robustRanges(c coding.Robust, within func(path string, low, high float64) Range) []Range {
	switch {
	case c.Estimator == coding.Huber:
		return []Range{within("lambda", 0.03, 1), within("rounds", 5, 100), within("rho", 1e-2, 1), within("passes", 1, 20)}
	case c.Weights == coding.HuberWeights:
		return []Range{within("lambda", 0.03, 1), within("rounds", 3, 50), within("l2", 1e-5, 0.1)}
	}
	return []Range{within("rounds", 3, 50), within("quantile", 0.3, 0.9), within("steepness", 2, 20), within("l2", 1e-5, 0.1)}
}

// sparsity is the range of T₀ around the 30 of [lcksvd]. The time of a pursuit
// grows as its square.
func sparsity(path string) Range { return decades(path, 5, 50) }

// ranges are those of what the methods that learn from labels share. With every
// sample an atom, 50 passes that replace atoms can hurt (doc/equations.md), so
// that few passes and none that replace are in them.
func (l SparseLearning) ranges() []Range {
	return []Range{
		sparsity("sparsity"),
		decades("passes", 1, 50),
		{Path: "min_uses", Low: 0, High: 4},
	}
}

// ridgeRange is that of the weight of a classifier that is learned from codes.
var ridgeRange = decades("ridge", 0.01, 100)
