package coding

import (
	"sync"

	"gonum.org/v1/gonum/mat"

	"nrdl/internal/lin"
)

// shared has the DᵀD of the dictionaries that Share was called for.
var shared sync.Map // *mat.Dense → func() *mat.Dense

// Share lets codings over d, d×K, that are prepared until release is called
// share DᵀD, which is made at the first need of it. Until then d must not
// change. Who compares coders over one dictionary, as the training samples,
// saves 2dK² flops a coder so.
func Share(d *mat.Dense) (release func()) {
	shared.Store(d, sync.OnceValue(func() *mat.Dense {
		_, k := d.Dims()
		g := mat.NewDense(k, k, nil)
		lin.AtA(g, 1, d)
		return g
	}))
	return func() { shared.Delete(d) }
}

// gram writes DᵀD, as lin.AtA does, into g, K×K.
func gram(g, d *mat.Dense) {
	if make, ok := shared.Load(d); ok {
		lin.Set(g, 1, make.(func() *mat.Dense)())
		return
	}
	lin.AtA(g, 1, d)
}
