package method_test

import (
	"math"
	"testing"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/method/methodtest"
)

// The defaults of every method learn from the smallest sets: what limits a number from above,
// such as the atoms of a code, asks for no more than there is.
func TestDefaultsLearnFromFew(t *testing.T) {
	for _, m := range method.All() {
		t.Run(m.Name(), func(t *testing.T) {
			for _, size := range []struct{ classes, samples, features int }{
				{2, 1, 16}, {2, 2, 16}, {3, 1, 4}, {2, 5, 4}, {4, 7, 2},
			} {
				train := methodtest.Cones(size.classes, size.samples, size.features, 1)
				model, err := m.Fit(t.Context(), train, classify.Run{Seed: 1})
				if err != nil {
					t.Errorf("%+v: %v", size, err)
					continue
				}
				scores, err := model.Scores(t.Context(), train.X)
				if err != nil {
					t.Errorf("%+v: %v", size, err)
					continue
				}
				for _, v := range scores.RawMatrix().Data {
					if math.IsNaN(v) || math.IsInf(v, 0) {
						t.Fatalf("%+v: a score is %v", size, v)
					}
				}
			}
		})
	}
}
