package coding_test

import (
	"context"
	"math"
	"slices"
	"sort"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/coding"
)

// A grouping codes over atoms of which every size, in their order, are a class:
// for tests that know no classes.
type grouping struct {
	coding.Coder
	size int
}

func (g grouping) Over(b coding.Basis) (coding.Coding, error) {
	_, k := b.D.Dims()
	b.Groups = groupsOf(k, g.size)
	return g.Coder.Over(b)
}

// groupsOf groups k atoms into classes of the given size; the last may be smaller.
func groupsOf(k, size int) []int {
	groups := []int{0}
	for lo := 0; lo < k; lo += size {
		groups = append(groups, min(k, lo+size))
	}
	return groups
}

// These coders too keep what coder_test.go asks of every coder.
func init() {
	coders["local"] = coding.Local{Neighbours: 3, Lambda: 1e-4}
	coders["local-exact"] = coding.Local{Neighbours: 2, Lambda: 0}
	coders["perclass"] = grouping{coding.DefaultPerClass, 5}
	coders["perclass-ridge"] = grouping{coding.PerClass{Lambda: 0.1}, 4}
	coders["discriminative"] = grouping{coding.DefaultDiscriminative, 5}
	coders["discriminative-0"] = grouping{coding.Discriminative{Tau: 0}, 5}
}

// naiveLocal codes y by the definition: a sort, C formed, and a solution with all
// pivots.
func naiveLocal(c coding.Local, d *mat.Dense, y []float64) []float64 {
	m, k := d.Dims()
	distance, order := make([]float64, k), make([]int, k)
	for j := range order {
		order[j] = j
		for i, v := range y {
			distance[j] += (d.At(i, j) - v) * (d.At(i, j) - v)
		}
	}
	sort.SliceStable(order, func(a, b int) bool { return distance[order[a]] < distance[order[b]] })
	order = order[:c.Neighbours]
	z := fill(m, len(order), func(i, j int) float64 { return d.At(i, order[j]) - y[i] })
	var C mat.Dense
	C.Mul(z.T(), z)
	ridge := c.Lambda * mat.Trace(&C)
	for i := range order {
		C.Set(i, i, C.At(i, i)+ridge)
	}
	var w mat.Dense
	if err := w.Solve(&C, fill(len(order), 1, func(int, int) float64 { return 1 })); err != nil {
		panic(err)
	}
	s := make([]float64, k)
	for i, j := range order {
		s[j] = w.At(i, 0) / mat.Sum(&w)
	}
	return s
}

func TestLocalIsItsDefinition(t *testing.T) {
	for seed := range uint64(12) {
		m, k := 3+int(seed)*4, 12+int(seed)*3
		d, y := normal(seed, m, k), normal(seed+50, m, 9)
		for _, c := range []coding.Local{
			{Neighbours: 1, Lambda: 1e-4},
			{Neighbours: 5, Lambda: 1e-4},
			{Neighbours: k, Lambda: 1e-2},
		} {
			s := code(t, c, d, y)
			for j := range 9 {
				want := naiveLocal(c, d, mat.Col(nil, j, y))
				if got := mat.Col(nil, j, s); !near(got, want, 1e-9) {
					t.Fatalf("d = %d, K = %d, %+v: column %d is %v, want %v", m, k, c, j, got, want)
				}
			}
		}
	}
}

func near(a, b []float64, tol float64) bool {
	for i, v := range a {
		if !(math.Abs(v-b[i]) <= tol*(1+math.Abs(b[i]))) {
			return false
		}
	}
	return len(a) == len(b)
}

// TestLocalIsOptimal: 1ᵀw = 1, and the gradient (C + λ·tr(C)·I)w is the same at
// every neighbour, however near to the atoms the sample is.
func TestLocalIsOptimal(t *testing.T) {
	d := faces(30, 50, 4, 6, 0.02)
	for _, distance := range []float64{1, 1e-3, 1e-6, 1e-9, 1e-12} {
		y := normal(31, 50, 1)
		for i := range 50 {
			y.Set(i, 0, d.At(i, 7)+distance*y.At(i, 0))
		}
		c := coding.Local{Neighbours: 6, Lambda: 1e-4}
		s := code(t, c, d, y)
		var neighbours []int
		var sum float64
		for k := range 24 {
			if v := s.At(k, 0); v != 0 {
				neighbours = append(neighbours, k)
				sum += v
			}
		}
		if len(neighbours) != 6 || math.Abs(sum-1) > 1e-14 {
			t.Fatalf("%d coefficients that add to %v", len(neighbours), sum)
		}
		z := fill(50, 6, func(i, j int) float64 { return d.At(i, neighbours[j]) - y.At(i, 0) })
		w := fill(6, 1, func(i, _ int) float64 { return s.At(neighbours[i], 0) })
		var rest, gradient mat.Dense
		rest.Mul(z, w)
		gradient.Mul(z.T(), &rest)
		ridge := c.Lambda * mat.Norm(z, 2) * mat.Norm(z, 2)
		unit := 0.0 // Σ_j |C_ij w_j| + ridge·|w_i|, what rounding is a part of
		for i := range 6 {
			gradient.Set(i, 0, gradient.At(i, 0)+ridge*w.At(i, 0))
			unit = max(unit, ridge*math.Abs(w.At(i, 0))+mat.Norm(z.ColView(i), 2)*mat.Norm(z, 2)*mat.Norm(w, 2))
		}
		if spread := mat.Max(&gradient) - mat.Min(&gradient); !(spread <= 1e-12*unit) {
			t.Errorf("%g from an atom: the gradients differ by %g of %g", distance, spread, unit)
		}
	}
}

func TestLocalTakesTheFirstOfEqualAtoms(t *testing.T) {
	d := normal(32, 20, 8)
	for _, k := range []int{3, 4, 6} {
		d.SetCol(k, mat.Col(nil, 1, d))
	}
	y := mat.DenseCopyOf(d.ColView(1))
	y.Set(0, 0, y.At(0, 0)+0.1)
	for n, want := range [][]int{1: {1}, 2: {1, 3}, 3: {1, 3, 4}, 4: {1, 3, 4, 6}} {
		if n == 0 {
			continue
		}
		for lambda, tol := range map[float64]float64{0: 1e-5, 1e-4: 1e-12} {
			s := mat.Col(nil, 0, code(t, coding.Local{Neighbours: n, Lambda: lambda}, d, y))
			for k, v := range s {
				share := 0.0
				if slices.Contains(want, k) {
					share = 1 / float64(n)
				}
				if math.Abs(v-share) > tol {
					t.Errorf("%d neighbours, λ = %g: %v", n, lambda, s)
					break
				}
			}
		}
	}
}

// TestLocalOfAnAtom: a sample that is an atom is coded by that atom, or evenly
// by all neighbours that equal it.
func TestLocalOfAnAtom(t *testing.T) {
	d := normal(33, 20, 8)
	s := mat.Col(nil, 0, code(t, coding.Local{Neighbours: 5, Lambda: 0}, d, mat.DenseCopyOf(d.ColView(6))))
	if math.Abs(s[6]-1) > 1e-8 {
		t.Errorf("an atom is coded as %v", s)
	}
	s = mat.Col(nil, 0, code(t, coding.Local{Neighbours: 5, Lambda: 1e-4}, d, mat.DenseCopyOf(d.ColView(6))))
	if !(s[6] > 0.99) {
		t.Errorf("with the default λ an atom is coded as %v", s)
	}
	for k := range 8 {
		d.SetCol(k, mat.Col(nil, 0, d))
	}
	for _, lambda := range []float64{0, 1e-4} {
		s = mat.Col(nil, 0, code(t, coding.Local{Neighbours: 4, Lambda: lambda}, d, mat.DenseCopyOf(d.ColView(0))))
		if !slices.Equal(s, []float64{0.25, 0.25, 0.25, 0.25, 0, 0, 0, 0}) {
			t.Errorf("all atoms equal to the sample: %v", s)
		}
	}
}

// TestLocalIgnoresTheOrigin: the code depends on differences from the sample only.
func TestLocalIgnoresTheOrigin(t *testing.T) {
	d, y := normal(34, 15, 20), normal(35, 15, 6)
	c := coding.Local{Neighbours: 7, Lambda: 1e-4}
	want := code(t, c, d, y)
	d.Apply(func(i, _ int, v float64) float64 { return v + float64(i%5) }, d)
	y.Apply(func(i, _ int, v float64) float64 { return v + float64(i%5) }, y)
	if got := code(t, c, d, y); !mat.EqualApprox(got, want, 1e-9) {
		t.Error("moving atoms and samples together changes the codes")
	}
}

// More neighbours than there are atoms are all atoms.
func TestLocalOfFewAtoms(t *testing.T) {
	d, y := normal(1, 10, 20), normal(2, 10, 4)
	all := coding.DefaultLocal
	all.Neighbours = 20
	if !mat.Equal(code(t, coding.DefaultLocal, d, y), code(t, all, d, y)) {
		t.Error("30 neighbours of 20 atoms are not 20")
	}
}

// TestNeighboursThatAreZero: fewer atoms that are not zero than neighbours.
func TestNeighboursThatAreZero(t *testing.T) {
	d, y := normal(36, 9, 6), normal(37, 9, 2)
	for _, k := range []int{0, 3, 4} {
		d.SetCol(k, make([]float64, 9))
	}
	want := code(t, coding.Local{Neighbours: 3, Lambda: 1e-4}, d, y)
	if got := code(t, coding.Local{Neighbours: 5, Lambda: 1e-4}, d, y); !sameBits(got, want) {
		t.Error("zero atoms change the code")
	}
}

func TestNewCodersRefuse(t *testing.T) {
	for _, c := range []coding.Coder{
		coding.Local{},
		coding.Local{Neighbours: 1, Lambda: -1},
		coding.Local{Neighbours: 1, Lambda: math.NaN()},
		coding.PerClass{Lambda: -1},
		coding.PerClass{Lambda: math.Inf(1)},
		coding.Discriminative{Tau: -1},
		coding.Discriminative{Tau: math.NaN()},
	} {
		if c.Validate() == nil {
			t.Errorf("%+v is valid", c)
		}
		if _, err := c.Over(coding.Basis{D: normal(1, 3, 2), Groups: []int{0, 1, 2}}); err == nil {
			t.Errorf("%+v prepares", c)
		}
	}
	for _, c := range []coding.Coder{coding.DefaultPerClass, coding.DefaultDiscriminative} {
		if _, err := c.Over(coding.Basis{D: normal(1, 3, 2)}); err == nil || !strings.Contains(err.Error(), "needs the classes of the atoms") {
			t.Errorf("%s without classes: %v", c.Name(), err)
		}
		for _, groups := range [][]int{{}, {0}, {1, 2}, {0, 1}, {0, 3}, {0, 2, 1, 2}} {
			if _, err := c.Over(coding.Basis{D: normal(1, 3, 2), Groups: groups}); err == nil {
				t.Errorf("%s: the groups %v of two atoms are no error", c.Name(), groups)
			}
		}
	}
}

func TestLocalRefusesWhatItCannotSquare(t *testing.T) {
	d, y := normal(38, 5, 4), normal(39, 5, 3)
	over, err := coding.Local{Neighbours: 2}.Over(coding.Basis{D: d})
	if err != nil {
		t.Fatal(err)
	}
	y.Set(0, 1, 1e200)
	if err := over.Code(context.Background(), mat.NewDense(4, 3, nil), y); err == nil || !strings.Contains(err.Error(), "column 1") {
		t.Errorf("a sample of 1e200: %v", err)
	}
	d.Set(0, 0, 1e200)
	if _, err := (coding.Local{Neighbours: 2}).Over(coding.Basis{D: d}); err == nil {
		t.Error("an atom of 1e200")
	}
}

func BenchmarkLocalBatch(b *testing.B) { benchmarkCode(b, coding.DefaultLocal, 1654, false) }

func BenchmarkLocalSingle(b *testing.B) { benchmarkCode(b, coding.DefaultLocal, 1, false) }
