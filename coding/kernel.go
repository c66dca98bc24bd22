package coding

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/internal/parallel"
)

// Kernel codes by its inner coder in the feature space of a kernel k, where φ(a)ᵀφ(b) = k(a,
// b): it rebuilds φ(y) from the φ(d_k) [ksrc]. Inner needs inner products only. Let K be the
// matrix of all k(d_i, d_j), and K = RᵀR. Then the columns of R have the same inner products
// as the φ(d_k), and those of R with z = R⁻ᵀk(D, y) are those with φ(y):
//
//	‖φ(y) − Φ·s‖² = ‖z − R·s‖² + k(y, y) − ‖z‖²
//
// So Inner codes z over R. A zero sample has no direction: its kernel with any other sample
// counts as 0. A singular K gets a ridge as in Ridge.
type Kernel struct {
	Kernel KernelName `json:"kernel" help:"rbf: exp(−‖a − b‖²/2w²); polynomial: ((aᵀb + o)/(1 + o))^p, which is 1 for a = b of norm 1" choices:"rbf,polynomial"`
	Width  float64    `json:"width" help:"w > 0, of rbf"`
	Degree int        `json:"degree" help:"p ≥ 1, of polynomial"`
	Offset float64    `json:"offset" help:"o ≥ 0, of polynomial"`
	Inner  Coder      `json:"inner" help:"the coder: nonnegative, lasso or ridge"`
}

// A KernelName names a kernel.
type KernelName string

// The kernels.
const (
	RBF        KernelName = "rbf"
	Polynomial KernelName = "polynomial"
)

// MaxDegree is the largest degree of a polynomial.
const MaxDegree = 100

func (Kernel) Name() string { return "kernel" }

func (c Kernel) Validate() error {
	err := cmp.Or(
		oneOf(c, "kernel", c.Kernel, RBF, Polynomial), positive(c, "width", c.Width),
		between(c, "degree", c.Degree, MaxDegree), weight(c, "offset", c.Offset),
	)
	if err != nil {
		return err
	}
	switch c.Inner.(type) {
	case NonNegative, Lasso, Ridge:
		return c.Inner.Validate()
	case nil:
		return errors.New("the kernel coder has no inner coder")
	}
	return fmt.Errorf("the inner coder %s of the kernel coder does not code by inner products alone", c.Inner.Name())
}

func (c Kernel) Work(d, k int) Work {
	n, m := float64(d), float64(k)
	w := c.Inner.Work(k, k)
	w.Prepare += gramWork(n, m, 1)
	w.Sample += n*m + m*m + 10*m
	w.Memory += 3 * m * m // the matrix, its factor, and a copy of that for Inner
	return w
}

// Of sets element (i, j) of dst, m×n, to k(a_i, b_j), for the columns of a, d×m, and of b, d×n.
func (c Kernel) Of(dst, a, b *mat.Dense) {
	m, n := dst.Dims()
	norms := make([]float64, m+n)
	lin.SquaredColumnNorms(norms[:m], a)
	lin.SquaredColumnNorms(norms[m:], b)
	lin.AtB(dst, 1, a, b)
	parallel.For(m, 16, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row := dst.RawRowView(i)
			for j, v := range row {
				row[j] = c.of(v, norms[i], norms[m+j])
			}
		}
	})
}

// of is the kernel of two samples with this inner product and these squared
// norms.
func (c Kernel) of(product, a, b float64) float64 {
	switch {
	case a == 0 || b == 0:
		return 0
	case c.Kernel == RBF:
		return math.Exp(-max(0, a+b-2*product) / (2 * c.Width * c.Width))
	}
	base, v := (product+c.Offset)/(1+c.Offset), 1.0
	for range c.Degree {
		v *= base
	}
	return v
}

// Self returns k(y, y) of a sample with this squared norm.
func (c Kernel) Self(norm float64) float64 { return c.of(norm, norm, norm) }

func (c Kernel) Over(b Basis) (Coding, error) {
	d := b.D
	if err := ready(c, d); err != nil {
		return nil, err
	}
	_, k := d.Dims()
	gram := mat.NewDense(k, k, nil)
	c.Of(gram, d, d) // K
	over := &kernelCoding{kernel: c, d: d}
	if r, ok := c.Inner.(Ridge); ok {
		lin.AddDiag(gram, r.Lambda) // K + λI
		if _, err := over.spd.FactorOrRidge(gram); err != nil {
			return nil, fmt.Errorf("factor the matrix of the kernel coder: %w", err)
		}
		return over, nil
	}
	if _, err := over.spd.FactorOrRidge(gram); err != nil {
		return nil, fmt.Errorf("factor the matrix of the kernel coder: %w", err)
	}
	var err error
	if over.inner, err = c.Inner.Over(Basis{D: over.spd.R(), Groups: b.Groups, work: b.work}); err != nil {
		return nil, fmt.Errorf("inner: %w", err)
	}
	return over, nil
}

type kernelCoding struct {
	kernel Kernel
	d      *mat.Dense // D, d×K
	spd    lin.SPD    // of K, or of K + λI where the inner coder is Ridge
	inner  Coding     // over R; nil where it is Ridge
}

func (c *kernelCoding) Code(ctx context.Context, s, y *mat.Dense) error {
	d, k := c.d.Dims()
	done := 0
	return inChunks(ctx, s, y, d, k, chunk, "the kernel code of column", func(s, y *mat.Dense) error {
		_, n := y.Dims()
		if err := c.code(ctx, s, y); err != nil {
			return fmt.Errorf("kernel code of columns %d to %d: %w", done, done+n-1, err)
		}
		done += n
		return nil
	})
}

func (c *kernelCoding) code(ctx context.Context, s, y *mat.Dense) error {
	if c.inner == nil {
		c.kernel.Of(s, c.d, y) // k(D, y)
		c.spd.Solve(s)         // (K + λI)⁻¹k(D, y)
		return nil
	}
	k, n := s.Dims()
	z := mat.NewDense(k, n, nil)
	c.kernel.Of(z, c.d, y)
	c.spd.SolveRt(z) // R⁻ᵀk(D, y)
	return c.inner.Code(ctx, s, z)
}
