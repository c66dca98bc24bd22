package significance

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// golden is what SciPy computed:
//
//	/usr/bin/python3 lab/significance/testdata/golden.py
type golden struct {
	SciPy string // version
	Pairs []struct {
		A, B, Of              []float64 // counts, and of how many
		N                     int
		Tied                  bool
		W, Exact, Approximate float64
		T, PT                 float64
	}
	McNemar []struct {
		OnlyA, OnlyB int
		P            float64
	}
	Friedman []struct {
		Rates [][]float64
		Ranks []float64
		ChiSquared, P,
		F, PF float64
	}
	Range []struct {
		K        int
		Alpha, Q float64
	}
}

func readGolden(t *testing.T) (g golden) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "golden.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &g); err != nil {
		t.Fatal(err)
	}
	if g.SciPy == "" || len(g.Pairs) == 0 || len(g.McNemar) == 0 || len(g.Friedman) == 0 || len(g.Range) == 0 {
		t.Fatal("golden.json lacks cases")
	}
	return g
}

// near is relative, so that small p-values are compared digit by digit.
func near(t *testing.T, what string, got, want, within float64) {
	t.Helper()
	if !(math.Abs(got-want) <= within*math.Abs(want)) {
		t.Errorf("%s: %.17g, SciPy has %.17g", what, got, want)
	}
}

// SciPy had whole numbers to rank and to test for zero; here they are rates.
func TestPairsAgainstSciPy(t *testing.T) {
	ties, zeros, small, large := 0, 0, 0, 0
	for i, g := range readGolden(t).Pairs {
		a, b := make([]float64, len(g.A)), make([]float64, len(g.A))
		for j := range a {
			a[j], b[j] = g.A[j]/g.Of[j], g.B[j]/g.Of[j]
		}
		exact, err := Wilcoxon(a, b, Exact)
		if err != nil {
			t.Fatal(err)
		}
		approximate, err := Wilcoxon(a, b, Approximate)
		if err != nil {
			t.Fatal(err)
		}
		if exact.N != g.N || exact.Statistic != g.W || approximate.N != g.N || approximate.Statistic != g.W {
			t.Errorf("sample %d: %+v, SciPy has W = %v of %d", i, exact, g.W, g.N)
		}
		near(t, "exact p", exact.P, g.Exact, 1e-11)
		near(t, "approximate p", approximate.P, g.Approximate, 1e-12)
		auto, err := Wilcoxon(a, b, Auto)
		if err != nil || g.N <= 50 && auto != exact || g.N > 50 && auto != approximate {
			t.Errorf("sample %d of %d pairs: %+v, %v", i, g.N, auto, err)
		}
		student, err := CorrectedT(a, b, 0)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "t", student.Statistic, g.T, 1e-9) // of differences of rates: rounded
		near(t, "p of t", student.P, g.PT, 1e-8)
		ties, zeros = ties+btoi(g.Tied), zeros+btoi(g.N < len(a))
		small, large = small+btoi(g.Exact < 1e-6), large+btoi(g.Exact > 0.5)
	}
	if min(ties, zeros, small, large) < 10 {
		t.Errorf("samples with ties %d, zeros %d, p < 1e-6 %d, p > 0.5 %d: too few", ties, zeros, small, large)
	}
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

func TestMcNemarAgainstSciPy(t *testing.T) {
	for _, g := range readGolden(t).McNemar {
		near(t, "p", SignFlips(slices.Concat(slices.Repeat([]int{1}, g.OnlyA), slices.Repeat([]int{-1}, g.OnlyB))), g.P, 1e-11)
	}
}

func TestFriedmanAgainstSciPy(t *testing.T) {
	for _, g := range readGolden(t).Friedman {
		got, err := Friedman(g.Rates)
		if err != nil {
			t.Fatal(err)
		}
		want := FriedmanTest{g.Ranks, g.ChiSquared, g.P, g.F, g.PF}
		if d := cmp.Diff(want, got, cmpopts.EquateApprox(1e-10, 0)); d != "" {
			t.Error(d)
		}
	}
}

func TestCriticalDifferenceAgainstSciPy(t *testing.T) {
	for _, g := range readGolden(t).Range {
		k := float64(g.K)
		near(t, "q", rangeQuantile(k, g.Alpha), g.Q, 1e-9)
		cd, err := CriticalDifference(g.K, 7, g.Alpha)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "critical difference", cd, g.Q/math.Sqrt2*math.Sqrt(k*(k+1)/42), 1e-9)
	}
}

// Table 5(a) of [demsar] for 2 … 10 methods, and its example of 4 over 14.
func TestCriticalDifferenceAgainstDemsar(t *testing.T) {
	for alpha, row := range map[float64][]float64{
		0.05: {1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164},
		0.10: {1.645, 2.052, 2.291, 2.459, 2.589, 2.693, 2.780, 2.855, 2.920},
	} {
		for i, want := range row {
			if q := rangeQuantile(float64(i+2), alpha) / math.Sqrt2; math.Abs(q-want) > 0.001 { // the table cuts some digits
				t.Errorf("q of %d at %v: %v, printed %v", i+2, alpha, q, want)
			}
		}
	}
	for alpha, want := range map[float64]float64{0.05: 1.25, 0.10: 1.12} {
		if cd, err := CriticalDifference(4, 14, alpha); err != nil || math.Abs(cd-want) > 0.005 {
			t.Errorf("critical difference at %v: %v, %v; printed %v", alpha, cd, err, want)
		}
	}
}
