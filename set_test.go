package nrdl

import (
	"math"
	"math/rand/v2"
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

func TestNewSetGroupsByClassAndKeepsOrder(t *testing.T) {
	labels := []string{"p10", "p2", "p10", "p1", "p2", "p10"}
	ids := []string{"a", "b", "c", "d", "e", "f"}
	s, err := NewSet(numbered(6), labels, ids, nil, Input{})
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

func TestNewSetRefuses(t *testing.T) {
	for name, make := range map[string]func() error{
		"labels of another length": func() error { _, err := NewSet(numbered(3), []string{"a", "b"}, nil, nil, Input{}); return err },
		"IDs of another length": func() error {
			_, err := NewSet(numbered(2), []string{"a", "b"}, []string{"x"}, nil, Input{})
			return err
		},
		"a label that is no class": func() error {
			_, err := NewSet(numbered(2), []string{"a", "b"}, nil, []string{"a"}, Input{})
			return err
		},
		"a class without samples": func() error {
			_, err := NewSet(numbered(2), []string{"a", "b"}, nil, []string{"a", "b", "c"}, Input{})
			return err
		},
		"an input of another length": func() error {
			_, err := NewSet(numbered(2), []string{"a", "b"}, nil, nil, Input{Size: Size{3, 3}})
			return err
		},
		"NaN": func() error {
			x := numbered(2)
			x.Set(1, 1, math.NaN())
			_, err := NewSet(x, []string{"a", "b"}, nil, nil, Input{})
			return err
		},
	} {
		if make() == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestSelectIsTheSamplesAsked(t *testing.T) {
	s, err := NewSet(numbered(6), []string{"a", "a", "b", "b", "c", "c"}, []string{"0", "1", "2", "3", "4", "5"}, nil, Input{})
	if err != nil {
		t.Fatal(err)
	}
	u := s.Select([]int{5, 0, 4})
	if err := u.Validate(); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(u.IDs, []string{"0", "4", "5"}) || !slices.Equal(u.Classes, []string{"a", "c"}) || u.X.At(0, 2) != 5 {
		t.Errorf("selected %v of %v", u.IDs, u.Classes)
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

func TestParseSize(t *testing.T) {
	for in, want := range map[string]Size{"56x46": {56, 46}, "1x1": {1, 1}, "32x32": DefaultSize} {
		if got, err := ParseSize(in); err != nil || got != want || got.String() != in {
			t.Errorf("ParseSize(%q) = %v, %v", in, got, err)
		}
	}
	for _, in := range []string{"", "32", "32x", "x32", "0x5", "-1x5", "32x32x32", "32x32 ", "9999x9999", "axb", "1e9x1"} {
		if got, err := ParseSize(in); err == nil {
			t.Errorf("ParseSize(%q) = %v", in, got)
		}
	}
}

func TestScoresDoNotDependOnTheBatch(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	m := newTestModel(t, Residual, r)
	x := mat.NewDense(20, batch+37, nil)
	x.Apply(func(int, int, float64) float64 { return r.Float64() }, x)
	all, err := m.Scores(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	for _, j := range []int{0, 1, batch - 1, batch, batch + 36} {
		one, err := m.Scores(t.Context(), mat.DenseCopyOf(x.Slice(0, 20, j, j+1)))
		if err != nil {
			t.Fatal(err)
		}
		if !mat.EqualApprox(one, all.Slice(0, 3, j, j+1), 1e-12) {
			t.Errorf("sample %d scores differently alone", j)
		}
	}
}
