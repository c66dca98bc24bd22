package method

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
)

// independent is what testdata/golden/orl_first6.py computed by NumPy, SciPy
// and scikit-learn.
type independent struct {
	Lambda, Kappa   float64
	Sparsity, Every int
	Coders          map[string]struct {
		Checked     map[string]float64 // how well all codes meet what defines them
		Predictions []int              // of all probes
		Codes       []struct {
			Atoms        []int // nil: all
			Coefficients []float64
		} // of every Every-th probe
	}
}

func readIndependent(t *testing.T) (g independent) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "golden", "orl_first6.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &g); err != nil {
		t.Fatal(err)
	}
	return g
}

// Predictions and codes are those of independent programs, element by element:
// also which atoms a code uses. The codes are unique, since the 240 samples are
// independent, and so are the choices of the pursuit, of which no two tie here.
// Those of the lasso both sides solve for on the support once they know it, so
// that they agree better than a duality gap alone would promise.
func TestIndependentPrograms(t *testing.T) {
	g := readIndependent(t)
	train, probes := trainingPart(t, "orl_56x46.mat", 6)
	if lasso, omp := g.Coders["lasso"].Checked, g.Coders["omp"].Checked; !(lasso["gap"] <= 1e-10) || omp["early"] != 0 {
		t.Errorf("lasso: %v, omp: %v", lasso, omp)
	}
	for _, c := range []struct {
		name string
		m    classify.Method
	}{
		{"lrc", DefaultLRC},
		{"crc", CRC{Kappa: g.Kappa}},
		{"nnls", NRC{coding.DefaultNonNegative}},
		{"lasso", SRC{coding.Lasso{Lambda: g.Lambda, Gap: 1e-12}}},
		{"omp", pursuit{coding.OMP{Sparsity: g.Sparsity}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			model, err := c.m.Fit(t.Context(), train, classify.Run{})
			if err != nil {
				t.Fatal(err)
			}
			g.compare(t, c.name, model, probes.X)
		})
	}
}

// pursuit answers the class that rebuilds a query best by its part of the
// sparse code: what the script does with the codes of the pursuit.
type pursuit struct {
	Coder coding.OMP `json:"coder"`
}

func (pursuit) Name() string      { return "pursuit" }
func (m pursuit) Validate() error { return m.Coder.Validate() }

func (m pursuit) Traits() classify.Traits {
	return classify.Traits{Samples: true, Coder: m.Coder, Rule: classify.Residual{}}
}

func (m pursuit) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return keepSamples(ctx, m, train, run)
}

func (g independent) compare(t *testing.T, name string, model *classify.Classifier, probes *mat.Dense) {
	t.Helper()
	want, ok := g.Coders[name]
	if !ok {
		t.Fatalf("no golden data of %s", name)
	}
	named, err := model.Predict(t.Context(), probes)
	if err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(named) != fmt.Sprint(want.Predictions) {
		t.Errorf("predictions\n%v, not\n%v", named, want.Predictions)
	}
	codes, err := model.Transform(t.Context(), probes)
	if err != nil {
		t.Fatal(err)
	}
	k, n := codes.Dims()
	if len(want.Codes) != (n+g.Every-1)/g.Every {
		t.Fatalf("%d golden codes of %d probes", len(want.Codes), n)
	}
	var worst float64
	for i, code := range want.Codes {
		s := make([]float64, k)
		if code.Atoms == nil && len(code.Coefficients) != k || code.Atoms != nil && len(code.Atoms) != len(code.Coefficients) {
			t.Fatalf("golden code %d has %d coefficients", i, len(code.Coefficients))
		}
		for at, v := range code.Coefficients {
			if code.Atoms != nil {
				at = code.Atoms[at]
			}
			s[at] = v
		}
		for at, v := range s {
			got := codes.At(at, i*g.Every)
			worst = max(worst, math.Abs(got-v))
			if (got != 0) != (v != 0) {
				t.Errorf("probe %d: coefficient %d is %v, not %v", i*g.Every, at, got, v)
			}
		}
	}
	t.Logf("the codes differ by at most %.2g", worst)
	if !(worst <= 1e-8) {
		t.Errorf("a coefficient differs by %.3g", worst)
	}
}
