package coding_test

import (
	"context"
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/internal/lin"
)

var separated = coding.Separated{Alpha: 5e-4, Beta: 1e-3, Mu: 1e-5, Growth: 1.1, Tol: 1e-6, Passes: 1000}

// A code does not depend on the other columns or on threads; that of 0 is 0.
func TestSeparatedCodesAreOfOneColumn(t *testing.T) {
	d, y := faces(1, 90, 4, 5, 0.05), faces(2, 90, 4, 6, 0.05)
	y.SetCol(3, make([]float64, 90))
	var all *mat.Dense
	withThreads(1, func() { all = code(t, separated, d, y) })
	withThreads(4, func() {
		if !sameBits(all, code(t, separated, d, y)) {
			t.Error("threads change a code")
		}
	})
	if mat.Norm(all.ColView(3), 2) != 0 {
		t.Error("the code of 0 is not 0")
	}
	if part := code(t, separated, d, lin.Cols(y, 5, 6)); !mat.EqualApprox(part, lin.Cols(all, 5, 6), 1e-12) {
		t.Error("other columns change a code")
	}
}

func TestSeparatedRefuses(t *testing.T) {
	for _, edit := range []func(*coding.Separated){
		func(c *coding.Separated) { c.Alpha = 0 },
		func(c *coding.Separated) { c.Beta = math.NaN() },
		func(c *coding.Separated) { c.Mu = math.Inf(1) },
		func(c *coding.Separated) { c.Growth = 1 },
		func(c *coding.Separated) { c.Tol = 0 },
		func(c *coding.Separated) { c.Passes = 0 },
	} {
		c := separated
		if edit(&c); c.Validate() == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
	d, y := faces(1, 40, 4, 3, 0.05), faces(2, 40, 4, 3, 0.05)
	over, err := separated.Over(coding.Basis{D: d})
	if err != nil {
		t.Fatal(err)
	}
	_, n := y.Dims()
	s := mat.NewDense(12, n, nil)
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(stop)
	if err := over.Code(ctx, s, y); !errors.Is(err, stop) {
		t.Errorf("a cancelled code returns %v", err)
	}
	for _, v := range []float64{math.NaN(), math.Inf(1)} {
		y.Set(2, 1, v)
		if err := over.Code(context.Background(), s, y); err == nil {
			t.Errorf("a sample with %v is coded", v)
		}
	}
	d.Set(0, 0, 1e200)
	if _, err := separated.Over(coding.Basis{D: d}); err == nil {
		t.Error("an atom whose square overflows is accepted")
	}
}
