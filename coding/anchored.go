package coding

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
)

// Anchored codes under an ℓ1 penalty, with the coefficients s₀ of the atoms that are
// common to all classes near to their means m₀ [lrsdl, (29)]:
//
//	min_s ½‖y − D·s‖² + λ‖s‖₁ + ½μ‖s₀ − m₀‖²
//
// which is Lasso over the atoms with √μ·I below the common ones, for y with √μ·m₀
// below it. The code of a zero sample is zero.
type Anchored struct {
	Lambda float64    `json:"lambda" help:"λ > 0, weight of ‖s‖₁"`
	Mu     float64    `json:"mu" help:"μ ≥ 0, weight of the distance from the means"`
	Gap    float64    `json:"gap" help:"duality gap > 0 that a code may have, as in the coder lasso"`
	Mean   *mat.Dense `json:"-"` // 1×K, m₀ after zeros for the atoms of classes
}

func (c Anchored) lasso() Lasso                  { return Lasso{Lambda: c.Lambda, Gap: c.Gap} }
func (Anchored) Name() string                    { return "anchored" }
func (c Anchored) Learned() (string, *mat.Dense) { return "c", c.Mean }

func (c Anchored) Validate() error {
	if c.Mean == nil {
		return errors.New("the anchored coder has no means")
	}
	if err := weight(c, "mu", c.Mu); err != nil {
		return err
	}
	return c.lasso().Validate()
}

// Work implements Coder. All atoms may be common; there is a mean for each.
func (c Anchored) Work(d, k int) Work {
	w := c.lasso().Work(d+k, k)
	if m, n := c.Mean.Dims(); m != 1 || n != k {
		w.Err = fmt.Errorf("the mean code is %d×%d for %d atoms", m, n, k)
	}
	return w
}

func (c Anchored) With(m *mat.Dense) TrainedCoder {
	c.Mean = m
	return c
}

// Over implements Coder. Without groups no atom is common.
func (c Anchored) Over(b Basis) (Coding, error) {
	d, groups := b.D, b.Groups
	if err := ready(c, d); err != nil {
		return nil, err
	}
	if err := lin.Finite("the mean code of atom", c.Mean); err != nil {
		return nil, err
	}
	m, k := d.Dims()
	first := k
	if len(groups) > 0 {
		first = groups[len(groups)-1]
	}
	below, root := k-first, math.Sqrt(c.Mu)
	tall := mat.NewDense(m+below, k, nil)
	lin.Set(lin.Block(tall, 0, m, 0, k), 1, d)
	a := &anchored{below: make([]float64, below), d: m}
	for i := range below {
		tall.Set(m+i, first+i, root)
		a.below[i] = root * c.Mean.At(0, first+i)
	}
	var err error
	a.lasso, err = c.lasso().Over(Basis{D: tall})
	return a, err
}

type anchored struct {
	lasso Coding    // over the tall atoms
	below []float64 // √μ·m₀
	d     int
}

func (a *anchored) Code(ctx context.Context, s, y *mat.Dense) error {
	d, n := y.Dims()
	k, _ := s.Dims()
	mustFit(s, y, a.d, k)
	tall := mat.NewDense(d+len(a.below), n, nil)
	lin.Set(lin.Block(tall, 0, d, 0, n), 1, y)
	norms := make([]float64, n)
	lin.SquaredColumnNorms(norms, y)
	for i, v := range a.below {
		row := tall.RawRowView(d + i)
		for j, norm := range norms {
			if norm != 0 {
				row[j] = v
			}
		}
	}
	return a.lasso.Code(ctx, s, tall)
}
