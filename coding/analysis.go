package coding

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// Analysis codes by a learnt matrix, s = Pᵀy [dpl]: that of a dictionary pair,
// whose other half, D, rebuilds the sample from the code.
type Analysis struct {
	P *mat.Dense `json:"-"` // d×K, an analysis atom per column
}

// Name implements Coder.
func (Analysis) Name() string { return "analysis" }

// Validate implements Coder.
func (c Analysis) Validate() error {
	if c.P == nil {
		return errors.New("the analysis coder has no matrix")
	}
	return nil
}

// Fits reports a matrix of another size than the dictionary.
func (c Analysis) Fits(d, k int) error {
	if m, n := c.P.Dims(); m != d || n != k {
		return fmt.Errorf("the analysis atoms are %d×%d for %d atoms of %d features", m, n, k, d)
	}
	return nil
}

// Work implements Coder.
func (Analysis) Work(d, k int) Work { return Inner{}.Work(d, k) }

// Over implements Coder.
func (c Analysis) Over(d *mat.Dense, groups []int) (Coding, error) {
	if err := ready(c, d); err != nil {
		return nil, err
	}
	return Inner{}.Over(c.P, groups)
}

// Learnt implements TrainedCoder.
func (c Analysis) Learnt() (string, *mat.Dense) { return "A", c.P }

// With implements TrainedCoder.
func (Analysis) With(m *mat.Dense) TrainedCoder { return Analysis{m} }
