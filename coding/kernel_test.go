package coding_test

import (
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/coding"
)

// linear is the kernel aᵀb.
func linear(inner coding.Coder) coding.Kernel {
	return coding.Kernel{Kernel: coding.Polynomial, Width: 1, Degree: 1, Inner: inner}
}

func rbf(inner coding.Coder) coding.Kernel {
	return coding.Kernel{Kernel: coding.RBF, Width: 0.7, Degree: 1, Inner: inner}
}

var inners = []coding.Coder{
	coding.Ridge{Lambda: 0.01},
	coding.DefaultNonNegative,
	coding.DefaultStopped,
	coding.Lasso{Lambda: 1e-3, Gap: 1e-12},
}

// With the kernel aᵀb a code is that of the inner coder over the atoms.
func TestLinearKernelIsTheInnerCoder(t *testing.T) {
	d, y := faces(1, 60, 4, 5, 0.1), faces(2, 60, 4, 3, 0.1)
	for _, inner := range inners {
		if got, want := code(t, linear(inner), d, y), code(t, inner, d, y); !mat.EqualApprox(got, want, 1e-7) {
			t.Errorf("%+v: another code", inner)
		}
	}
}

// kernelProducts are k(d_i, d_j) and k(d_i, y), each by its definition.
func kernelProducts(d *mat.Dense, y mat.Vector, width float64) (gram *mat.Dense, f []float64) {
	_, n := d.Dims()
	of := func(a, b mat.Vector) float64 {
		var rest mat.VecDense
		rest.SubVec(a, b)
		return math.Exp(-mat.Dot(&rest, &rest) / (2 * width * width))
	}
	gram, f = mat.NewDense(n, n, nil), make([]float64, n)
	for i := range n {
		f[i] = of(d.ColView(i), y)
		for j := range n {
			gram.Set(i, j, of(d.ColView(i), d.ColView(j)))
		}
	}
	return gram, f
}

// Codes of an RBF kernel meet the optimality conditions of their problem in Gram
// form, with the gradient Ks − k(D, y).
func TestKernelCodesAreOptimal(t *testing.T) {
	d, y := faces(3, 30, 4, 6, 0.1), faces(4, 30, 4, 3, 0.1)
	for _, inner := range inners {
		if inner == coding.Coder(coding.DefaultStopped) {
			continue // which stops before the optimum
		}
		s := code(t, rbf(inner), d, y)
		_, n := y.Dims()
		for j := range n {
			gram, f := kernelProducts(d, y.ColView(j), 0.7)
			var g mat.VecDense
			g.MulVec(gram, s.ColView(j))
			for k, v := range f {
				at, slope := s.At(k, j), g.AtVec(k)-v
				bad := 0.0
				switch c := inner.(type) {
				case coding.Ridge:
					bad = math.Abs(slope + c.Lambda*at)
				case coding.NonNegative:
					bad = max(-slope, math.Abs(slope)*math.Min(1, at*1e9))
				case coding.Lasso:
					bad = math.Abs(slope) - c.Lambda
					if at != 0 {
						bad = math.Abs(slope + math.Copysign(c.Lambda, at))
					}
				}
				if bad > 1e-6 {
					t.Errorf("%s, column %d: coefficient %v with the slope %v", inner.Name(), j, at, slope)
				}
			}
		}
	}
}

// Values are those of the definition, 1 for samples of norm 1 with themselves,
// and 0 for a sample of zeros.
func TestKernelValues(t *testing.T) {
	a, b := faces(5, 20, 2, 3, 0.1), faces(6, 20, 2, 2, 0.1)
	for i := range 20 {
		b.Set(i, 1, 0)
	}
	of := mat.NewDense(6, 4, nil)
	poly := coding.Kernel{Kernel: coding.Polynomial, Width: 1, Degree: 3, Offset: 0.5, Inner: coding.DefaultRidge}
	poly.Of(of, a, b)
	for i := range 6 {
		for j := range 4 {
			want := math.Pow((mat.Dot(a.ColView(i), b.ColView(j))+0.5)/1.5, 3)
			if j == 1 {
				want = 0
			}
			if math.Abs(of.At(i, j)-want) > 1e-12 {
				t.Errorf("k(%d, %d) = %v, want %v", i, j, of.At(i, j), want)
			}
		}
	}
	for _, c := range []coding.Kernel{poly, rbf(coding.DefaultRidge)} {
		if v := c.Self(1); v != 1 {
			t.Errorf("%s: k(y, y) = %v", c.Kernel, v)
		}
	}
}

func TestKernelRefuses(t *testing.T) {
	for want, c := range map[string]coding.Kernel{
		"width":    {Kernel: coding.RBF, Degree: 1, Inner: coding.DefaultRidge},
		"degree":   {Kernel: coding.RBF, Width: 1, Inner: coding.DefaultRidge},
		"offset":   {Kernel: coding.RBF, Width: 1, Degree: 1, Offset: -1, Inner: coding.DefaultRidge},
		"kernel":   {Width: 1, Degree: 1, Inner: coding.DefaultRidge},
		"no inner": {Kernel: coding.RBF, Width: 1, Degree: 1},
		"omp":      rbf(coding.DefaultOMP),
		"lambda":   rbf(coding.Lasso{}),
	} {
		if err := c.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
}
