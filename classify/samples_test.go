package classify

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// numbered returns a 2×n matrix whose column j is (j, 10j).
func numbered(n int) *mat.Dense {
	x := mat.NewDense(2, n, nil)
	for j := range n {
		x.Set(0, j, float64(j))
		x.Set(1, j, float64(10*j))
	}
	return x
}

func TestNewSamplesGroupsByClassAndKeepsOrder(t *testing.T) {
	labels := []string{"p10", "p2", "p10", "p1", "p2", "p10"}
	ids := []string{"a", "b", "c", "d", "e", "f"}
	s, err := NewSamples(numbered(6), labels, ids, nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"p1", "p2", "p10"}; !slices.Equal(s.Classes, want) {
		t.Errorf("classes %v, want natural order %v", s.Classes, want)
	}
	if want := []string{"d", "b", "e", "a", "c", "f"}; !slices.Equal(s.IDs, want) {
		t.Errorf("IDs %v, want %v", s.IDs, want)
	}
	if want := []int{0, 1, 3, 6}; !slices.Equal(s.Groups, want) {
		t.Errorf("groups %v, want %v", s.Groups, want)
	}
	for j, id := range s.IDs {
		if want := float64(id[0] - 'a'); s.X.At(0, j) != want || s.X.At(1, j) != 10*want {
			t.Errorf("column %d is not the sample of %s", j, id)
		}
	}
	for j, c := range s.Labels() {
		if s.ClassOf(j) != c || labels[s.IDs[j][0]-'a'] != s.Classes[c] {
			t.Errorf("sample %d (%s) has class %d, %s", j, s.IDs[j], c, s.Classes[c])
		}
	}
}

func TestNewSamplesRefuses(t *testing.T) {
	for name, make := range map[string]func() error{
		"labels of another length": func() error { _, err := NewSamples(numbered(3), []string{"a", "b"}, nil, nil); return err },
		"IDs of another length": func() error {
			_, err := NewSamples(numbered(2), []string{"a", "b"}, []string{"x"}, nil)
			return err
		},
		"a label that is no class": func() error {
			_, err := NewSamples(numbered(2), []string{"a", "b"}, nil, []string{"a"})
			return err
		},
		"a class without samples": func() error {
			_, err := NewSamples(numbered(2), []string{"a", "b"}, nil, []string{"a", "b", "c"})
			return err
		},
		"classes of one name": func() error {
			_, err := NewSamples(numbered(2), []string{"a", "a"}, nil, []string{"a", "a"})
			return err
		},
		"a class without a name": func() error {
			_, err := NewSamples(numbered(2), []string{"a", ""}, nil, nil)
			return err
		},
		"a grid of another length": func() error { return onGrid(Grid{3, 3, 1}) },
		"a grid of more planes":    func() error { return onGrid(Grid{2, 1, 2}) },
		"a grid of sides below 0":  func() error { return onGrid(Grid{-2, -1, 1}) },
		"NaN": func() error {
			x := numbered(2)
			x.Set(1, 1, math.NaN())
			_, err := NewSamples(x, []string{"a", "b"}, nil, nil)
			return err
		},
	} {
		if make() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

// onGrid is what Validate says of samples of two features on g.
func onGrid(g Grid) error {
	s := &Samples{X: numbered(2), Groups: []int{0, 1, 2}, Classes: []string{"a", "b"}, Grid: g}
	return s.Validate()
}

func TestSelectIsTheSamplesAsked(t *testing.T) {
	s, err := NewSamples(numbered(6), []string{"a", "a", "b", "b", "c", "c"}, []string{"0", "1", "2", "3", "4", "5"}, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.Grid, s.Projection = Grid{2, 1, 1}, "pca:2"
	u := s.Select([]int{5, 0, 4})
	if err := u.Validate(); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(u.IDs, []string{"0", "4", "5"}) || !slices.Equal(u.Classes, []string{"a", "c"}) || u.X.At(0, 2) != 5 {
		t.Errorf("selected %v of %v", u.IDs, u.Classes)
	}
	if u.Grid != s.Grid || u.Projection != s.Projection {
		t.Errorf("a selection lies on %v, projected %q", u.Grid, u.Projection)
	}
	u.X.Set(0, 0, 99)
	if s.X.At(0, 0) == 99 {
		t.Error("a selection shares its samples with the set")
	}
}

func TestUnit(t *testing.T) {
	x := mat.NewDense(3, 5, []float64{
		1, 0, 1e200, 1e-200, -3,
		2, 0, 1e200, 1e-200, 4,
		2, 0, 0, 0, 0,
	})
	before := mat.DenseCopyOf(x)
	u := Unit(x)
	if !mat.Equal(before, x) {
		t.Error("Unit changed its argument")
	}
	for j := range 5 {
		norm := mat.Norm(u.ColView(j), 2)
		if want := 1.0; j == 1 && norm != 0 || j != 1 && math.Abs(norm-want) > 1e-15 {
			t.Errorf("column %d has norm %v", j, norm)
		}
	}
}

// NonZero names the columns that have a direction, however small.
func TestNonZero(t *testing.T) {
	x := mat.NewDense(2, 5, []float64{
		0, 1, 0, 1e-300, 0,
		0, 0, 0, 0, -1e300,
	})
	if got := NonZero(x); !slices.Equal(got, []int{1, 3, 4}) {
		t.Errorf("the columns %v are not zero", got)
	}
}

// The order of pixels follows from the definition, and goes back.
func TestOrdersOfPixels(t *testing.T) {
	g := Grid{Height: 3, Width: 4, Planes: 2}
	x := mat.NewDense(g.Len(), 2, nil)
	for p := range g.Planes {
		for row := range g.Height {
			for column := range g.Width {
				x.Set((p*g.Height+row)*g.Width+column, 1, float64(100*p+10*row+column))
			}
		}
	}
	up := g.ByColumns(x)
	if got := up.At((1*g.Width+2)*g.Height+1, 1); got != 112 {
		t.Errorf("plane 1, row 1, column 2 is %v", got)
	}
	if !mat.Equal(g.ByRows(up), x) || (Grid{}).ByRows(x) != x {
		t.Error("the order does not go back, or vectors have one")
	}
}
