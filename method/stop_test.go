package method_test

import (
	"os"
	"testing"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/method/methodtest"
)

// The learners that stop by their objective stop where 1000 passes would not lower it by more
// than a fiftieth, with far fewer atoms than samples.
func TestLearnersStopNearTheEnd(t *testing.T) {
	set := methodtest.Cones(2, 30, 30, 1)
	learners := []classify.Method{method.DefaultFDDL, method.DefaultDLSI}
	if os.Getenv("NRDL_LONG") != "" {
		learners = append(learners, method.DefaultD2L2R2, method.DefaultLRSDL, method.DefaultCOPAR, method.DefaultLEDL)
	}
	for _, m := range learners {
		ends := map[string]float64{}
		for _, tol := range []string{"", "0"} {
			values := map[string]string{"atoms": "4"}
			if tol != "" {
				values = map[string]string{"passes": "1000", "tol": tol}
			}
			var err error
			for path, value := range values {
				if m, err = method.Set(m, path, value); err != nil {
					t.Fatal(err)
				}
			}
			c, err := m.Fit(t.Context(), set, classify.Run{Watch: func(p classify.Progress) {
				if p.Iter == p.Limits.Passes || p.Residual < p.Limits.Tol {
					ends[tol] = classify.Total(p.Terms())
				}
			}})
			if err != nil {
				t.Fatal(err)
			}
			if out := c.Parts().Outcome; tol == "" && (out.Status != classify.Converged || !(out.Residual < 1e-3)) {
				t.Errorf("%s: %+v", m.Name(), out)
			}
		}
		if ends[""] > 1.02*ends["0"] {
			t.Errorf("%s ends at %v, 1000 passes reach %v", m.Name(), ends[""], ends["0"])
		}
	}
}

// Where every sample is an atom, the learners make the passes of the published programs.
func TestEverySampleAnAtom(t *testing.T) {
	set := methodtest.Cones(3, 4, 30, 1)
	for _, c := range []struct {
		m    classify.Method
		want int
	}{{method.DefaultFDDL, 15}, {method.DefaultD2L2R2, 15}, {method.DefaultLRSDL, 15}, {method.DefaultDLSI, 10}, {method.DefaultCOPAR, 10}} {
		learned, err := c.m.Fit(t.Context(), set, classify.Run{})
		if err != nil {
			t.Fatal(err)
		}
		if out := learned.Parts().Outcome; out.Iter != c.want || out.Status != classify.Complete {
			t.Errorf("%s: %+v, want %d passes", c.m.Name(), out, c.want)
		}
	}
}
