package method

import (
	"context"
	"errors"
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
	if _, err := classify.Learn(t.Context(), mat.NewDense(2, 2, nil), []string{"a", "b"}, nil, classify.LearnOptions{}); err == nil {
		t.Error("no method learns")
	}
}
