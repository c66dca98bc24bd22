package method

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
)

var errOwn = errors.New("the method of the program")

// ownCRC is a method of another program with the name of one of this package.
type ownCRC struct{ CRC }

func (ownCRC) Fit(context.Context, *classify.Samples, classify.Run) (*classify.Classifier, error) {
	return nil, errOwn
}

// A method that a program gives goes before one of this package of the same name.
func TestNamedPrefersOthers(t *testing.T) {
	m, err := Named("crc", ownCRC{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Fit(t.Context(), nil, classify.Run{}); !errors.Is(err, errOwn) {
		t.Errorf("%T is returned: %v", m, err)
	}
	if m, err = Named("crc"); err != nil || m.Name() != "crc" {
		t.Errorf("%T, %v", m, err)
	}
}

func TestLearnWithoutSamplesOrMethod(t *testing.T) {
	if _, err := classify.Learn(t.Context(), nil, nil, DefaultCRC, classify.LearnOptions{}); err == nil {
		t.Error("no samples are learned from")
	}
	x, y := mat.NewDense(2, 2, []float64{1, 2, 3, 1}), []string{"a", "b"}
	mean, err := classify.Learn(t.Context(), x, y, Mean{}, classify.LearnOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := classify.Learn(t.Context(), x, y, DefaultNRDL, classify.LearnOptions{Warm: mean.Classifier}); err == nil || !strings.Contains(err.Error(), `"mean"`) {
		t.Errorf("a start from the classifier of another method: %v", err)
	}
	if _, err := classify.Learn(t.Context(), mat.NewDense(2, 2, nil), []string{"a", "b"}, nil, classify.LearnOptions{}); err == nil {
		t.Error("no method learns")
	}
}

// Samples that point to all sides, and codes that are not negative, are named; nothing else is.
func TestDoubt(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	made := func(mean float64) *classify.Samples {
		x := mat.NewDense(20, 60, nil)
		x.Apply(func(_, j int, _ float64) float64 { return mean*float64(1-2*(j/20%2)) + rng.NormFloat64() }, x)
		return &classify.Samples{X: x, Classes: []string{"a", "b", "c"}, Groups: []int{0, 20, 40, 60}}
	}
	sides, apart := made(0), made(3)
	for _, m := range []classify.Method{DefaultNRDL, DefaultNRC} {
		if Doubt(m, sides) == nil || Doubt(m, apart) != nil {
			t.Errorf("%s: %v, %v", m.Name(), Doubt(m, sides), Doubt(m, apart))
		}
	}
	for _, m := range []classify.Method{DefaultCRC, DefaultSRC, DefaultFDDL} {
		if err := Doubt(m, sides); err != nil {
			t.Errorf("%s: %v", m.Name(), err)
		}
	}
}
