package method_test

import (
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/blas"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/method/methodtest"
)

// Models that were trained with different back ends for linear algebra differ by rounding
// errors and give the same guesses. It prints the largest difference of an atom or a
// score, as a part of the largest value.
func TestBackEndsDifferByRounding(t *testing.T) {
	set := methodtest.Cones(8, 6, 120, 1)
	var train, test []int
	for j := range set.Len() {
		if j%2 == 0 {
			train = append(train, j)
		} else {
			test = append(test, j)
		}
	}
	defer func(b blas.Backend) { _ = blas.Use(b) }(blas.Current())
	worst := 0.0
	for _, m := range []classify.Method{method.DefaultNRDL, method.DefaultNRC, method.DefaultCRC} {
		var first [2]*mat.Dense
		var guesses []int
		for _, b := range blas.Available() {
			if err := blas.Use(b); err != nil {
				t.Fatal(err)
			}
			s := set.Select(train)
			c, err := m.Fit(t.Context(), &classify.Samples{X: s.X, Groups: s.Groups, Classes: s.Classes}, classify.Run{Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			scores, err := c.Scores(t.Context(), set.Select(test).X)
			if err != nil {
				t.Fatal(err)
			}
			var answers []int
			for j := range test {
				column := mat.Col(nil, j, scores)
				answers = append(answers, slices.Index(column, slices.Max(column)))
			}
			if first[0] == nil {
				first, guesses = [2]*mat.Dense{c.Parts().D, scores}, answers
				continue
			}
			if !slices.Equal(answers, guesses) {
				t.Errorf("%s: other guesses with %v", m.Name(), b)
			}
			for i, a := range []*mat.Dense{c.Parts().D, scores} {
				var d mat.Dense
				d.Sub(a, first[i])
				r := math.Max(mat.Max(&d), -mat.Min(&d)) / math.Max(mat.Max(a), -mat.Min(a))
				t.Logf("%s with %v: %.2g of the largest %s", m.Name(), b, r, []string{"element of an atom", "score"}[i])
				worst = max(worst, r)
			}
		}
	}
	t.Logf("the largest difference is %.2g", worst)
	if worst > 1e-6 {
		t.Errorf("a difference of %g", worst)
	}
}
