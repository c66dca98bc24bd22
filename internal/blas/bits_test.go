package blas

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/blas"
)

// sequence is n numbers between -1 and 1 that are the same on every processor.
func sequence[T float](n int) []T {
	x := make([]T, n)
	state := uint32(1)
	for i := range x {
		state = state*1664525 + 1013904223
		x[i] = T(int32(state)>>8) / (1 << 23)
	}
	return x
}

// bits are those of all numbers; of zero those of the positive one.
func bits[T float](x []T) []byte {
	var b []byte
	for _, v := range x {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(float64(v)+0))
	}
	return b
}

func productBits[T float](f routines[T]) []byte {
	const m, n, k = 37, 43, kcMax + 60
	c := sequence[T](m * n)
	f.gemm(blas.NoTrans, blas.Trans, m, n, k, 0.75, sequence[T](m*k), k, sequence[T](n*k), k, 0.5, c, n)
	f.gemm(blas.Trans, blas.NoTrans, m, n, k, -0.5, sequence[T](m*k), m, sequence[T](n*k), n, 1, c, n)
	return bits(c)
}

func solveBits[T float](f routines[T]) []byte {
	const m, n = 37, 43
	t, x := sequence[T](m*m), sequence[T](m*n)
	for i := range m {
		t[i*m+i] += 8
	}
	f.trsm(blas.Left, blas.Lower, blas.NoTrans, blas.NonUnit, m, n, 1, t, m, x, n)
	f.trsm(blas.Left, blas.Upper, blas.Trans, blas.NonUnit, m, n, 1, t, m, x, n)
	return bits(x)
}

// TestBits: the back ends with vectors give the same bits, on every processor, in
// products and convolutions, and those with tiles of four rows also in solves and
// factorizations.
func TestBits(t *testing.T) {
	const (
		products = "33529137f57e4036ed51ad3611094e7e59355874fd0d02cfdfa5f3ab9c448222"
		solves   = "7b18a7122fec3886f88ec4984457f9dbf4b2aa2d6e71c4a819f950c252bf4549"
	)
	eachBackend(t, func(t *testing.T, impl Implementation) {
		if impl.backend == Gonum || impl.backend == Go {
			t.Skip("not promised")
		}
		defer using(impl)()
		digest := func(what, want string, all []byte) {
			if got := fmt.Sprintf("%x", sha256.Sum256(all)); got != want {
				t.Errorf("%s have the digest %s, want %s", what, got, want)
			}
		}
		const n = 133
		a := sequence[float64](n * n)
		for i := range n {
			a[i*n+i] += 40
		}
		if !Potrf(blas.Upper, n, a, n) {
			t.Fatal("not positive definite")
		}
		if impl.d.mr == 4 {
			digest("solves", solves, slices.Concat(solveBits(doubles(impl)), bits(a)))
		}
		all := append(productBits(doubles(impl)), productBits(singles(impl))...)
		for _, s := range []ConvSpec{
			{In: 5, Out: 43, KernelH: 3, KernelW: 2, StrideH: 1, StrideW: 2, DilationH: 1, DilationW: 1, Top: 1, Groups: 1},
			{
				In: 16, Out: 32, KernelH: 3, KernelW: 3, StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1,
				Top: 1, Left: 1, Bottom: 1, Right: 1, Groups: 1,
			},
			{
				In: 21, Out: 21, KernelH: 3, KernelW: 3, StrideH: 1, StrideW: 1, DilationH: 1, DilationW: 1,
				Top: 1, Left: 1, Bottom: 1, Right: 1, Groups: 21,
			},
		} {
			act := Activation{Kind: PRelu, Slopes: []float32{0.3}}
			c := NewConv(s, 14, 15, sequence[float32](s.Out*s.In/s.Groups*s.KernelH*s.KernelW), sequence[float32](s.Out), act)
			src, dst := NewImage(14, 15, s.In, c.Border()), NewImage(c.outH, c.outW, s.Out, 0)
			for y := range src.H {
				copy(src.Row(y), sequence[float32](src.W * src.C)[y%2:])
			}
			c.Run([]Image{dst}, []Image{src}, []Image{dst}, make([]float32, c.Scratch()), 1)
			pooled := NewImage(7, 7, s.In, 0)
			AveragePool(pooled, src, PoolSpec{KernelH: 3, KernelW: 2, StrideH: 2, StrideW: 2, DilationH: 1, DilationW: 1, Top: 1})
			all = append(all, bits(append(dst.Data, pooled.Data...))...)
		}
		digest("products", products, all)
	})
}
