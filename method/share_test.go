package method

import (
	"runtime"
	"testing"
	"weak"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
)

// Models that keep the training samples share them, and DᵀD, if their runs do, and
// are the same as without, bit for bit. They do not keep DᵀD.
func TestFitsShareTheirSamples(t *testing.T) {
	train, probe := people(t, 4, 5, 30, 0.3, 1), people(t, 4, 3, 30, 0.3, 2)
	codes := func(run classify.Run) (*classify.Classifier, *mat.Dense) {
		c, err := DefaultCRC.Fit(t.Context(), train, run)
		if err != nil {
			t.Fatal(err)
		}
		s, err := c.Transform(t.Context(), probe.X)
		if err != nil {
			t.Fatal(err)
		}
		return c, s
	}
	unit := coding.Share(classify.Unit(train.X))
	alive := weak.Make(unit)
	_, alone := codes(classify.Run{})
	first, together := codes(classify.Run{Unit: unit})
	if !mat.Equal(alone, together) || first.Parts().D != unit.D {
		t.Error("another model if its samples are shared, or they are not")
	}
	unit.D.Scale(1.1, unit.D)
	second, stale := codes(classify.Run{Unit: unit})
	over, err := second.Parts().Coder.Over(coding.Basis{D: unit.D, Groups: second.Parts().Groups})
	if err != nil {
		t.Fatal(err)
	}
	fresh := mat.NewDense(20, 12, nil)
	if err := over.Code(t.Context(), fresh, classify.Unit(probe.X)); err != nil {
		t.Fatal(err)
	}
	if mat.Equal(stale, fresh) {
		t.Error("the second model made DᵀD again")
	}
	unit = nil
	if runtime.GC(); alive.Value() != nil {
		t.Error("the models keep DᵀD")
	}
	runtime.KeepAlive(first)
	runtime.KeepAlive(second)
}
