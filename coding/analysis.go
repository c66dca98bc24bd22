package coding

import (
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"
)

// Analysis codes by a learned matrix, s = Pᵀy [dpl]: that of a dictionary pair,
// whose other half, D, rebuilds the sample from the code.
type Analysis struct {
	P *mat.Dense `json:"-"` // d×K, an analysis atom per column
}

func (Analysis) Name() string                    { return "analysis" }
func (c Analysis) Learned() (string, *mat.Dense) { return "A", c.P }

func (c Analysis) Validate() error {
	if c.P == nil {
		return errors.New("the analysis coder has no matrix")
	}
	return nil
}

// Work implements Coder. The matrix has the size of the dictionary.
func (c Analysis) Work(d, k int) Work {
	w := Inner{}.Work(d, k)
	if m, n := c.P.Dims(); m != d || n != k {
		w.Err = fmt.Errorf("the analysis atoms are %d×%d for %d atoms of %d features", m, n, k, d)
	}
	return w
}

func (c Analysis) Over(b Basis) (Coding, error) {
	if err := ready(c, b.D); err != nil {
		return nil, err
	}
	return Inner{}.Over(Basis{D: c.P})
}

func (Analysis) With(m *mat.Dense) TrainedCoder { return Analysis{m} }
