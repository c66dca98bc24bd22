package coding

import (
	"sync"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
)

// A Basis is what a coder is prepared over.
type Basis struct {
	D      *mat.Dense // d×K with one atom per column; it is kept, not copied, and must not change
	Groups []int      // the atoms of class c are Groups[c] ≤ k < Groups[c+1]; nil for coders that ignore classes

	shared *Shared
	work   float64 // limit of the operations of a code; 0 for sampleLimit
}

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

// Basis returns s with these groups. The codes over it are equal, bit for bit, to those over
// one of D alone.
func (s *Shared) Basis(groups []int) Basis { return Basis{D: s.D, Groups: groups, shared: s} }

// gram writes DᵀD into g, K×K, as lin.AtA does, for d, which is D or a copy that a coder has
// scaled.
func (b *Basis) gram(g, d *mat.Dense) {
	if b.shared != nil && d == b.D {
		lin.Set(g, 1, b.shared.gram())
	} else {
		lin.AtA(g, 1, d)
	}
}
