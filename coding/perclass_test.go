package coding_test

import (
	"context"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"nrdl.example/nrdl/coding"
)

func codeByClass(t testing.TB, c coding.Coder, d *mat.Dense, groups []int, y *mat.Dense) *mat.Dense {
	t.Helper()
	over, err := c.Over(coding.Basis{D: d, Groups: groups})
	if err != nil {
		t.Fatal(err)
	}
	return codeOver(t, over, d, y)
}

// classViolation returns how far the code of one class, s over d, is from
// Dᵀ(Ds − y) + λs = 0, as a part of ‖D‖·(‖y‖ + ‖D‖·‖s‖) + λ‖s‖.
func classViolation(d, s, y *mat.Dense, lambda float64) float64 {
	norm := mat.Norm(d, 2)
	if norm == 0 {
		return mat.Norm(s, 2)
	}
	unit := norm*(mat.Norm(y, 2)+norm*mat.Norm(s, 2)) + lambda*mat.Norm(s, 2)
	return ridgeResidual(d, s, y, lambda) / unit
}

// TestPerClassNormalEquations: with unequal classes, classes of one atom and of
// more atoms than features, dependent atoms and every λ.
func TestPerClassNormalEquations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m, n := rapid.IntRange(1, 30).Draw(t, "d"), rapid.IntRange(1, 7).Draw(t, "n")
		groups := []int{0}
		for _, size := range rapid.SliceOfN(rapid.IntRange(1, 12), 1, 5).Draw(t, "sizes") {
			groups = append(groups, groups[len(groups)-1]+size)
		}
		k := groups[len(groups)-1]
		lambda := rapid.SampledFrom([]float64{0, 1e-9, 1e-3, 1}).Draw(t, "lambda")
		seed := rapid.Uint64().Draw(t, "seed")
		d, y := normal(seed, m, k), normal(seed+1, m, n)
		if rapid.Bool().Draw(t, "dependent") {
			d.SetCol(k-1, mat.Col(nil, groups[len(groups)-2], d))
		}
		over, err := coding.PerClass{Lambda: lambda}.Over(coding.Basis{D: d, Groups: groups})
		if err != nil {
			t.Fatal(err)
		}
		s := mat.NewDense(k, n, nil)
		if err := over.Code(context.Background(), s, y); err != nil {
			t.Fatal(err)
		}
		for c := range len(groups) - 1 {
			lo, hi := groups[c], groups[c+1]
			got := classViolation(d.Slice(0, m, lo, hi).(*mat.Dense), s.Slice(lo, hi, 0, n).(*mat.Dense), y, lambda)
			if !(got <= 1e-13) {
				t.Errorf("normal equations of class %d are violated by %g", c, got)
			}
		}
	})
}

// TestPerClassIllConditioned: where the normal equations have no digit left.
func TestPerClassIllConditioned(t *testing.T) {
	d := normal(1, 40, 6)
	for i := range 40 {
		d.Set(i, 4, d.At(i, 0)+1e-9*d.At(i, 4))
		d.Set(i, 5, d.At(i, 1)-d.At(i, 2)+1e-9*d.At(i, 5))
	}
	want := normal(2, 6, 3)
	var y mat.Dense
	y.Mul(d, want)
	got := codeByClass(t, coding.DefaultPerClass, d, []int{0, 6}, &y)
	if !mat.EqualApprox(got, want, 1e-5) {
		t.Errorf("condition %.1g: the coefficients are off by %g", mat.Cond(d, 2), largestDifference(got, want))
	}
}

func largestDifference(a, b *mat.Dense) float64 {
	var diff mat.Dense
	diff.Sub(a, b)
	return max(mat.Max(&diff), -mat.Min(&diff))
}

// TestPerClassIsTheShortest: of the codes that fit best, that is the one with no
// part that D_c maps to 0.
func TestPerClassIsTheShortest(t *testing.T) {
	d, y := normal(3, 7, 12), normal(4, 7, 5)
	s := codeByClass(t, coding.DefaultPerClass, d, []int{0, 12}, y)
	var rebuilt, gram, by, shortest mat.Dense
	rebuilt.Mul(d, s)
	if !mat.EqualApprox(&rebuilt, y, 1e-12) {
		t.Error("more atoms than features do not rebuild the sample")
	}
	gram.Mul(d, d.T())
	if err := by.Solve(&gram, y); err != nil {
		t.Fatal(err)
	}
	shortest.Mul(d.T(), &by) // Dᵀ(DDᵀ)⁻¹y
	if !mat.EqualApprox(s, &shortest, 1e-11) {
		t.Errorf("the code is off the shortest one by %g", largestDifference(s, &shortest))
	}
	for j := range 12 {
		d.SetCol(j, mat.Col(nil, j%3, d)) // four of each
	}
	s = codeByClass(t, coding.DefaultPerClass, d, []int{0, 12}, y)
	for i := range 12 {
		for j := range 5 {
			if math.Abs(s.At(i, j)-s.At(i%3, j)) > 1e-12 {
				t.Fatalf("equal atoms have the coefficients %v and %v", s.At(i, j), s.At(i%3, j))
			}
		}
	}
}

// TestPerClassSeesOneClassOnly: the code of a class is that over
// its atoms alone.
func TestPerClassSeesOneClassOnly(t *testing.T) {
	d, y := faces(5, 60, 4, 6, 0.02), faces(6, 60, 4, 3, 0.02)
	groups := []int{0, 6, 7, 15, 24}
	s := codeByClass(t, coding.DefaultPerClass, d, groups, y)
	for c := range 4 {
		lo, hi := groups[c], groups[c+1]
		alone := codeByClass(t, coding.DefaultPerClass, mat.DenseCopyOf(d.Slice(0, 60, lo, hi)), []int{0, hi - lo}, y)
		if !mat.EqualApprox(alone, s.Slice(lo, hi, 0, 12), 1e-9*mat.Norm(alone, 2)) {
			t.Errorf("class %d alone has another code", c)
		}
	}
}

// TestPerClassDoesNotDependOnUnits: a dictionary of other size gives codes of
// the inverse size, exactly for powers of two.
func TestPerClassDoesNotDependOnUnits(t *testing.T) {
	d, y := normal(7, 20, 9), normal(8, 20, 4)
	groups := []int{0, 5, 9}
	want := codeByClass(t, coding.DefaultPerClass, d, groups, y)
	for _, unit := range []float64{0x1p-400, 0x1p-30, 0x1p30, 0x1p400} {
		var scaled mat.Dense
		scaled.Scale(unit, d)
		got := codeByClass(t, coding.DefaultPerClass, &scaled, groups, y)
		got.Scale(unit, got)
		if !mat.EqualApprox(got, want, 1e-11) {
			t.Errorf("atoms of size %g: the codes are off by %g", unit, largestDifference(got, want))
		}
	}
}

func BenchmarkPerClassBatch(b *testing.B) {
	benchmarkCode(b, grouping{coding.DefaultPerClass, 20}, 1654, false)
}

func BenchmarkPerClassSingle(b *testing.B) {
	benchmarkCode(b, grouping{coding.DefaultPerClass, 20}, 1, false)
}

func BenchmarkPerClassOver(b *testing.B) {
	d, _ := benchmarkData(false)
	groups := groupsOf(760, 20)
	for b.Loop() {
		if _, err := coding.DefaultPerClass.Over(coding.Basis{D: d, Groups: groups}); err != nil {
			b.Fatal(err)
		}
	}
}
