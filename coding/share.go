package coding

import (
	"sync"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
)

// Shared is a dictionary that several coders are prepared over, such as the
// training samples. They share DᵀD, which the first that needs it makes: each
// other coder saves dK² flops. It is safe for concurrent use.
type Shared struct {
	D    *mat.Dense // d×K with one atom per column; it must not change
	gram func() *mat.Dense
}

// Share returns d, d×K, which it keeps, to be shared.
func Share(d *mat.Dense) *Shared {
	return &Shared{d, sync.OnceValue(func() *mat.Dense {
		_, k := d.Dims()
		g := mat.NewDense(k, k, nil)
		lin.AtA(g, 1, d)
		return g
	})}
}

// Over prepares c as c.Over(s.D, groups) does; the codes are equal, bit for bit.
func (s *Shared) Over(c Coder, groups []int) (Coding, error) {
	with, ok := c.(interface {
		over(d *mat.Dense, groups []int, gram gram) (Coding, error)
	})
	if !ok {
		return c.Over(s.D, groups)
	}
	return with.over(s.D, groups, func(g, d *mat.Dense) {
		if d == s.D { // not a copy that the coder has scaled
			lin.Set(g, 1, s.gram())
		} else {
			ownGram(g, d)
		}
	})
}

// A gram writes DᵀD into g, K×K, as lin.AtA does.
type gram func(g, d *mat.Dense)

// ownGram is the gram of a coder that shares nothing.
func ownGram(g, d *mat.Dense) { lin.AtA(g, 1, d) }
