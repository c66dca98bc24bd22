package method

import (
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
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
	if _, err := classify.Learn(t.Context(), x, y, DefaultNRDL, classify.LearnOptions{Warm: mean.Classifier}); err == nil ||
		!strings.Contains(err.Error(), `"mean"`) {
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

// Where Doubt says that stopped codes are too large, NRC names most samples wrongly, and by exact
// codes rightly; where it is silent, NRC is right.
func TestDoubtOfStoppedCodes(t *testing.T) {
	for _, c := range []struct {
		classes, each int
		doubt         bool
	}{{2, 10, false}, {2, 100, true}, {8, 100, false}} {
		rng := rand.New(rand.NewPCG(1, 2))
		made := func(each int) *classify.Samples {
			x := mat.NewDense(60, c.classes*each, nil)
			s := &classify.Samples{X: x, Groups: []int{0}}
			x.Apply(func(i, j int, _ float64) float64 {
				return max(0, 3+float64((i*(3*(j/each)+5))%11)/11+0.5*rng.NormFloat64())
			}, x)
			for k := range c.classes {
				s.Classes, s.Groups = append(s.Classes, string(rune('a'+k))), append(s.Groups, each*(k+1))
			}
			return s
		}
		train, test := made(c.each), made(10)
		right := func(m classify.Method) float64 {
			right := 0
			for j, k := range classify.Best(scoresOf(t, m, train, test.X)) {
				if k == j/10 {
					right++
				}
			}
			return float64(right) / float64(test.Len())
		}
		exact := DefaultNRC
		exact.Coder.Solver = coding.Exact
		stopped := right(DefaultNRC)
		if err := Doubt(DefaultNRC, train); (err != nil) != c.doubt || c.doubt != (stopped < 0.5) || right(exact) < 0.8 {
			t.Errorf("%d classes of %d: %v; NRC names %v rightly, by exact codes %v", c.classes, c.each, err, stopped, right(exact))
		}
		if Doubt(exact, train) != nil || Doubt(DefaultCRC, train) != nil {
			t.Errorf("%d classes of %d: other codes are doubted", c.classes, c.each)
		}
	}
}
