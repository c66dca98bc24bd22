package projection

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
	"pgregory.net/rapid"

	"nrdl.example/nrdl/advice"
)

// What cannot be fit is an error; what can is finite.
func TestEdges(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	x, groups := people(rng, 8, 3, 4)
	alike := mat.NewDense(8, 7, nil)
	alike.Apply(func(i, _ int, _ float64) float64 { return float64(i) }, alike)
	twins := mat.NewDense(8, 7, nil) // within a class all alike
	twins.Apply(func(i, j int, _ float64) float64 {
		if j < 3 {
			return float64(i)
		}
		return float64(i * i)
	}, twins)
	centred := mat.NewDense(8, 4, nil) // the classes have one mean
	centred.Apply(func(i, j int, _ float64) float64 { return float64((i + 1) * (1 - 2*(j%2))) }, centred)
	single, one := people(rng, 8, 1, 1, 1)
	for _, c := range []struct {
		name       string
		p          Projection
		x          *mat.Dense
		groups     []int
		want, hint string
	}{
		{"no ridge", Fisher{}, x, groups, "ridge = 0 of fisher is not a number > 0 and at most 1e+06", "ridge=0.3"},
		{"a negative ridge", Fisher{Ridge: -1}, x, groups, "ridge = -1", ""},
		{"NaN", Fisher{Ridge: math.NaN()}, x, groups, "ridge = NaN", ""},
		{"infinite", Fisher{Ridge: math.Inf(1)}, x, groups, "ridge = +Inf", ""},
		{"huge", Fisher{Ridge: 1e308}, x, groups, "ridge = 1e+308 of fisher is not a number > 0 and at most 1e+06", "ridge=0.3"},
		{"negative dims", Fisher{Ridge: 1, Dims: -1}, x, groups, "dims = -1 of fisher is negative", "dims=0"},
		{"negative dims of pca", PCA{Dims: -1}, x, groups, "dims = -1 of pca is negative", "dims=0"},
		{"no classes", DefaultFisher, x, nil, "it needs two classes", ""},
		{"one class", DefaultFisher, x, []int{0, 7}, "it needs two classes", ""},
		{"as many dims as classes", Fisher{Ridge: 1, Dims: 2}, x, groups, "dims = 2, and 2 classes give at most 1", ""},
		{"classes of one", DefaultFisher, single, one, "there is one image of each person", "mirror images"},
		{"samples alike", DefaultFisher, alike, groups, "fit fisher: ", ""},
		{"classes alike", DefaultFisher, twins, groups, "the images of a person are all alike", ""},
		{"one mean", DefaultFisher, centred, []int{0, 2, 4}, "the classes have one mean", ""},
		{"samples alike for pca", DefaultPCA, alike, nil, "the training samples are all alike", ""},
		{"one sample", PCA{}, mat.DenseCopyOf(x.Slice(0, 8, 0, 1)), nil, "the training samples are all alike", ""},
		{"too many dims", PCA{Dims: 7}, x, nil, "dims = 7, and the 7 training samples vary in 6 dimensions", "dims=6"},
	} {
		f, err := c.p.Fit(t.Context(), c.x, c.groups)
		if err == nil || f != nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(advice.Text(err), c.hint) {
			t.Errorf("%s: %v (hint %q), want %s (%s)", c.name, err, advice.Text(err), c.want, c.hint)
		}
	}
	for name, c := range map[string]*mat.Dense{"huge": scaled(x, 1e140), "tiny": scaled(x, 1e-140), "far off": shifted(x, 1e5)} {
		for _, p := range []Projection{DefaultFisher, PCA{}} {
			if _, err := p.Fit(t.Context(), c, groups); err != nil {
				t.Errorf("%s, %s: %v", name, p.Name(), err)
			}
		}
	}
	expired, cancel := context.WithCancel(t.Context())
	cancel()
	for _, p := range All {
		if _, err := p.Fit(expired, x, groups); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", p.Name(), err)
		}
	}
}

func scaled(x *mat.Dense, by float64) *mat.Dense {
	var y mat.Dense
	y.Scale(by, x)
	return &y
}

func shifted(x *mat.Dense, by float64) *mat.Dense {
	y := mat.DenseCopyOf(x)
	y.Apply(func(_, _ int, v float64) float64 { return v + by }, y)
	return y
}

// Whatever is fit is finite, blank and equal samples and classes of one among them.
func TestFitIsFinite(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		counts := rapid.SliceOfN(rapid.IntRange(1, 4), 2, 4).Draw(t, "counts")
		x, groups := people(rng, rapid.IntRange(1, 12).Draw(t, "d"), counts...)
		_, n := x.Dims()
		for j := range n {
			switch rapid.IntRange(0, 3).Draw(t, "kind") {
			case 0:
				x.SetCol(j, make([]float64, x.RawMatrix().Rows))
			case 1:
				x.SetCol(j, mat.Col(nil, rapid.IntRange(0, n-1).Draw(t, "like"), x))
			}
		}
		for _, p := range []Projection{Fisher{Ridge: math.Pow(10, rapid.Float64Range(-9, 9).Draw(t, "ridge"))}, PCA{}} {
			f, err := p.Fit(context.Background(), x, groups)
			if err != nil {
				continue
			}
			if err := f.Validate(); err != nil {
				t.Errorf("%s: %v", p.Name(), err)
			}
			if v := mat.Norm(f.Apply(x), 1); math.IsNaN(v) || math.IsInf(v, 0) {
				t.Errorf("%s: samples are mapped to %v", p.Name(), v)
			}
		}
	})
}

func TestFittedValidate(t *testing.T) {
	for want, f := range map[string]Fitted{
		"has no matrix":                      {},
		"2×1 and its mean has 3 features":    {P: mat.NewDense(2, 1, nil), M: make([]float64, 3)},
		"row 1 of the projection holds NaN":  {P: mat.NewDense(2, 1, []float64{1, math.NaN()}), M: make([]float64, 2)},
		"row 0 of the projection holds -Inf": {P: mat.NewDense(2, 1, nil), M: []float64{math.Inf(-1), 0}},
	} {
		if err := f.Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
}

// Choices are read as they are written, on the command line and in files.
func TestChoices(t *testing.T) {
	for text, want := range map[string]struct {
		p       Projection
		written string
	}{
		"":                         {nil, "none"},
		"none":                     {nil, "none"},
		"pca":                      {DefaultPCA, "pca"},
		"pca:7":                    {PCA{Dims: 7}, "pca:dims=7"},
		"fisher":                   {DefaultFisher, "fisher"},
		"fisher:0.3":               {DefaultFisher, "fisher"},
		"fisher:2":                 {Fisher{Ridge: 2}, "fisher:ridge=2"},
		"fisher:dims=3,ridge=1e-3": {Fisher{Ridge: 1e-3, Dims: 3}, "fisher:ridge=0.001,dims=3"},
	} {
		c, err := Parse(text)
		if err != nil || !reflect.DeepEqual(c, Choice{want.p}) || c.String() != want.written || c.IsZero() != (want.p == nil) {
			t.Errorf("%q is %+v, written %v, %v", text, c, c, err)
		}
		raw, err := json.Marshal(c)
		if err != nil {
			t.Fatal(err)
		}
		back := Choice{DefaultPCA}
		if err := json.Unmarshal(raw, &back); err != nil || !reflect.DeepEqual(back, c) {
			t.Errorf("%s is read as %v, %v", raw, back, err)
		}
		if want.p == nil {
			if f, err := c.Fit(t.Context(), nil, nil); f != nil || err != nil {
				t.Errorf("none is fit: %v, %v", f, err)
			}
		}
	}
	for _, c := range []struct{ text, want, hint string }{
		{"fischer", `"fischer"`, `did you mean "fisher"?`},
		{"fisher:rigde=1", `"rigde"`, `did you mean "ridge"?`},
		{"fisher:0", "ridge = 0", "0.3"},
		{"pca:1.5", "dims", ""},
		{"none:1", `"none"`, ""},
	} {
		if _, err := Parse(c.text); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(advice.Text(err), c.hint) {
			t.Errorf("%s: %v (hint %q)", c.text, err, advice.Text(err))
		}
	}
	for _, raw := range []string{
		`{}`, `{"name":"fisher"}`, `{"name":"pca","dims":-1}`,
		`{"name":"pca","dims":1,"dims":1}`, `{"name":"pca","dims":1,"x":1}`, `[]`, `"pca"`,
	} {
		var c Choice
		if err := json.Unmarshal([]byte(raw), &c); err == nil {
			t.Errorf("%s is read as %v", raw, c)
		}
	}
	for _, p := range All {
		if p.Validate() != nil || Describe(p) == p.Name() || len(Params(p)) == 0 {
			t.Errorf("%s: %s, %d parameters, %v", p.Name(), Describe(p), len(Params(p)), p.Validate())
		}
	}
}
