package method

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/internal/lin"
)

// Doubt returns why m may recognise train badly, or nil: samples that point to all sides are
// hardly sums of others of their class with weights ≥ 0, and stopped codes of few large classes
// rebuild a query several times over.
func Doubt(m classify.Method, train *classify.Samples) error {
	traits := classify.TraitsOf(m)
	coder, nonNegative := traits.Coder.(coding.NonNegative)
	if _, n := train.X.Dims(); !nonNegative || n == 0 {
		return nil
	}
	if _, residual := traits.Rule.(classify.Residual); residual && traits.Samples && coder.Solver == coding.ADMM {
		if err := doubtStopped(m, coder, train); err != nil {
			return err
		}
	}
	return doubtSides(m, train)
}

// doubtStopped tries the coder, stopped early, on a sample of each class. Its codes D·s are t times
// the query, where t grows with the size of the classes. With t above the number of classes each
// class alone rebuilds more than the query, and the wrong one, which has less, the least residual.
func doubtStopped(m classify.Method, c coding.NonNegative, train *classify.Samples) error {
	if len(train.Classes) > 12 { // no stopped code is so large
		return nil
	}
	var probes, others []int
	for class, hi := range train.Groups[1:] {
		for j := train.Groups[class]; j < hi-1; j++ {
			others = append(others, j)
		}
		probes = append(probes, hi-1)
	}
	if len(others) == 0 {
		return nil
	}
	unit := classify.Unit(train.X)
	d, y, s := lin.Select(unit, others), lin.Select(unit, probes), mat.NewDense(len(others), len(probes), nil)
	over, err := c.Over(coding.Basis{D: d})
	if err == nil {
		err = over.Code(context.Background(), s, y)
	}
	var products mat.Dense // whose columns add up to yᵀD·s
	products.Mul(d, s)
	products.MulElem(&products, y)
	times := mat.Sum(&products) / float64(len(probes))
	if err != nil || times <= float64(len(train.Classes)) {
		return nil // the fit tells of an error
	}
	err = fmt.Errorf(
		"with %d classes of about %d samples, the codes of %s, which stop early, rebuild a sample %.1f times over: the "+
			"wrong class may have the least residual",
		len(train.Classes), train.Len()/len(train.Classes), Title(m), times)
	return advice.Add(err, "set coder.solver=exact, or compare with methods such as src, crc and lda (%v)",
		advice.Method.To(DefaultCRC.Name()))
}

// minCosine is the mean cosine of two samples of a class below which codes that are not
// negative may not suffice. It is half way between one direction, 1, and all sides, 0: it
// decides a warning only.
const minCosine = 0.5

// doubtSides looks for samples that point to all sides.
func doubtSides(m classify.Method, train *classify.Samples) error {
	d, n := train.X.Dims()
	if mat.Min(train.X) >= 0 {
		return nil
	}
	unit, mean := classify.Unit(train.X), 0.0
	for c := range train.Classes {
		lo, hi := train.Groups[c], train.Groups[c+1]
		for i := range d {
			sum := floats.Sum(unit.RawRowView(i)[lo:hi])
			mean += sum * sum / float64(hi-lo) / float64(n)
		}
	}
	if mean >= minCosine {
		return nil
	}
	err := fmt.Errorf(
		"two samples of a class have a mean cosine of %.2g, as after a mean was subtracted: codes ≥ 0, as those of %s, "+
			"may recognise badly there", mean, Title(m))
	return advice.Add(err, "compare with methods whose codes have both signs, such as src, crc and fddl (%v), or keep the mean",
		advice.Method.To(DefaultCRC.Name()))
}
