package frontend_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/frontend/feature"
	"nrdl.example/nrdl/projection"
)

// inputs draws pipelines of which Parse may know all stages.
func inputs() *rapid.Generator[frontend.Pipeline] {
	side := rapid.IntRange(8, 40)
	cell := rapid.Float64Range(2, 8)
	sigma := rapid.Float64Range(0.5, 3)
	features := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) feature.Feature {
		hog, lbp, gabor := feature.DefaultHOG, feature.DefaultLBP, feature.DefaultGabor
		hog.Cell, hog.Clip = cell.Draw(t, "cell"), rapid.Float64Range(0.01, 1).Draw(t, "clip")
		lbp.Cell, lbp.Radius = cell.Draw(t, "cell"), rapid.Float64Range(0.5, 4).Draw(t, "radius")
		gabor.Cell, gabor.Scales = cell.Draw(t, "cell"), rapid.IntRange(1, 2).Draw(t, "scales")
		return rapid.SampledFrom([]feature.Feature{feature.Pixels{}, feature.IGO{}, hog, lbp, gabor}).Draw(t, "feature")
	}), 0, 3)
	steps := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) feature.Step {
		lcn, tt := feature.DefaultLCN, feature.DefaultTanTriggs
		lcn.Sigma, lcn.Floor = sigma.Draw(t, "sigma"), math.Pow(10, rapid.Float64Range(-6, 6).Draw(t, "floor"))
		tt.Inner, tt.Tau = sigma.Draw(t, "inner"), rapid.Float64Range(0.1, 1000).Draw(t, "tau")
		return rapid.SampledFrom([]feature.Step{feature.Equalise{}, feature.Despeckle{}, lcn, tt}).Draw(t, "step")
	}), 0, 3)
	projections := rapid.Custom(func(t *rapid.T) projection.Choice {
		dims := rapid.IntRange(0, 1000).Draw(t, "dims")
		ridge := math.Pow(10, rapid.Float64Range(-300, 6).Draw(t, "ridge"))
		return projection.Choice{Projection: rapid.SampledFrom([]projection.Projection{
			nil, projection.PCA{Dims: dims}, projection.Fisher{Ridge: ridge, Dims: dims},
		}).Draw(t, "projection")}
	})
	return rapid.Custom(func(t *rapid.T) frontend.Pipeline {
		in := frontend.Pipeline{
			Frame:  dataset.Frame{Crop: rapid.SampledFrom([]float64{0, 1, 0.4, 1. / 3, 1e-9}).Draw(t, "crop")},
			Zoom:   rapid.SampledFrom([]float64{0, 0, 0.82, 1. / 3}).Draw(t, "zoom"),
			Shift:  rapid.IntRange(0, 4).Draw(t, "shift"),
			Mirror: rapid.Bool().Draw(t, "mirror"), Projection: projections.Draw(t, "projection"),
		}
		if f := features.Draw(t, "features"); len(f) > 0 {
			in.Features = f
		}
		if s := steps.Draw(t, "steps"); len(s) > 0 && feature.StepList(s).Validate() == nil {
			in.Photometric = s
		}
		if rapid.Bool().Draw(t, "sized") {
			in.Size = dataset.Size{Height: side.Draw(t, "height"), Width: side.Draw(t, "width")}
		}
		return in
	})
}

// asWritten is in with the one way that Parse has of saying the same.
func asWritten(in frontend.Pipeline) frontend.Pipeline {
	if in.Crop == 1 {
		in.Crop = 0
	}
	if in.Features.String() == "pixels" {
		in.Features = nil
	}
	return in
}

func TestInputIsReadAsWritten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := inputs().Draw(t, "input")
		text := in.String()
		got, err := frontend.Parse(text)
		if in.Projection.IsZero() && in.Shift != 0 || in.Size != (dataset.Size{}) && in.Validate() != nil {
			if err == nil {
				t.Errorf("%s is read, though %v", text, in.Validate())
			}
			return
		}
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if !reflect.DeepEqual(got, asWritten(in)) || got.String() != asWritten(in).String() {
			t.Errorf("%s is read as %+v, not %+v", text, got, asWritten(in))
		}
	})
}

// A model file and a record keep pipelines as JSON.
func TestInputIsTheSameInJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := inputs().Draw(t, "input")
		text, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		var got frontend.Pipeline
		if err := json.Unmarshal(text, &got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is read as %+v, %v", text, got, err)
		}
	})
}

// Records and models of pixels have had no other form, and their keys hang on it.
func TestInputOfPixelsInJSON(t *testing.T) {
	text, err := json.Marshal(frontend.Pipeline{Frame: dataset.Frame{Size: dataset.Size{Height: 4, Width: 3}}})
	if want := `{"height":4,"width":3}`; err != nil || string(text) != want {
		t.Errorf("%s, %v, want %s", text, err, want)
	}
	if !(frontend.Pipeline{}).IsZero() || (frontend.Pipeline{Mirror: true}).IsZero() {
		t.Error("the zero Pipeline is something, or another is none")
	}
}

// A Frame is written as the pipeline that takes its pixels as they are.
func TestFramesArePipelinesOfPixels(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		in := frontend.Pipeline{Frame: inputs().Draw(t, "input").Frame}
		if rapid.Bool().Draw(t, "aligned") {
			in.Eyes = dataset.Eyes{Distance: rapid.Float64Range(0.1, 0.9).Draw(t, "distance"), Height: 0.36}
		}
		if in.String() != in.Frame.String() {
			t.Errorf("%q and %q", in.String(), in.Frame.String())
		}
		a, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		if b, err := json.Marshal(in.Frame); err != nil || string(a) != string(b) {
			t.Errorf("%s and %s, %v", a, b, err)
		}
	})
}

func TestPresetInputs(t *testing.T) {
	seen := map[string]bool{}
	for _, p := range frontend.Presets {
		if err := p.Pipeline.Validate(); err != nil || p.Description == "" || seen[p.Name] {
			t.Errorf("%s, %q: %v", p.Name, p.Description, err)
		}
		seen[p.Name] = true
		if got, err := frontend.Parse(p.Name); err != nil || !reflect.DeepEqual(got, p.Pipeline) {
			t.Errorf("%s is read as %v, %v", p.Name, got, err)
		}
	}
	for side := 1; side <= dataset.MaxSide; side = side*5/4 + 1 {
		for _, size := range []dataset.Size{
			{Height: side, Width: side},
			{Height: side, Width: dataset.MaxSide},
			{Height: dataset.MaxSide, Width: side},
		} {
			if in := frontend.For(size); in.Size != size || in.Validate() != nil {
				t.Errorf("the default of %v is %v: %v", size, in, in.Validate())
			}
		}
	}
	for size, want := range map[dataset.Size]frontend.Pipeline{
		frontend.Faces96.Size: frontend.Faces96,
		frontend.Faces32.Size: frontend.Faces32, {}: {},
	} {
		if got := frontend.For(size); !reflect.DeepEqual(got, want) {
			t.Errorf("the default of %v is %v, not %v", size, got, want)
		}
	}
}

func TestParse(t *testing.T) {
	smaller := frontend.Faces96
	smaller.Size, smaller.Projection = dataset.Size{Height: 64, Width: 48}, projection.Choice{Projection: projection.Fisher{Ridge: 2}}
	for text, want := range map[string]frontend.Pipeline{
		"faces96 64x48 fisher:2":  smaller,
		"fisher:2 64x48":          {Frame: smaller.Frame, Projection: smaller.Projection},
		" pixels\tmirror ":        {Mirror: true},
		"vectors pca:7":           {Projection: projection.Choice{Projection: projection.PCA{Dims: 7}}},
		"lighting pixels":         {Frame: frontend.Lighting.Frame},
		"faces32 pixels none":     {Frame: frontend.Faces32.Frame, Mirror: true},
		"crop=0.5 despeckle+lcn ": {Frame: dataset.Frame{Crop: 0.5}, Photometric: feature.StepList{feature.Despeckle{}, feature.DefaultLCN}},
		"igo+pixels":              {Features: feature.Features{feature.IGO{}, feature.Pixels{}}},
	} {
		if got, err := frontend.Parse(text); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s is %+v, %v", text, got, err)
		}
	}
}

// What is wrong names itself, and what is near it.
func TestParseSaysWhatIsWrong(t *testing.T) {
	for _, c := range []struct{ text, want, hint string }{
		{"", "an empty input", ""},
		{" \t", "an empty input", ""},
		{"lpb", `unknown stage or preset of an input "lpb"`, `did you mean "lbp"?`},
		{"faces95", `"faces95"`, `did you mean "faces96"?`},
		{"Mirror", `"Mirror"`, `did you mean "mirror"?`},
		{"igo+lpb", `unknown feature "lpb"`, `did you mean "lbp"?`},
		{"igo+", `unknown feature ""`, "choose one of"},
		{"+igo", `of an input ""`, "choose one of embedding"},
		{"lbp:cel=4", `unknown parameter of lbp "cel"`, `did you mean "cell"?`},
		{"lbp:cell=0", "lbp: cell = 0 is not in 1 … 1024", "cell=1"},
		{"hog:cell=4,cell=5", `"cell" is there twice`, ""},
		{"32x32 lbp:cell=500", "lbp: cell = 500 is too large for an image of 32x32", "the largest is cell=32"},
		{"hog:cell=40 32x32", "hog: cell = 40 is too large for an image of 32x32", "the largest is cell=32"},
		{"faces32 40x2", "is too large for an image of 40x2", "the largest is cell=2"},
		{"lcn+lcm", `"lcm"`, `did you mean "lcn"?`},
		{"lcn+equalise", "equalise works on grey values, which lcn does not give", "put equalise before lcn"},
		{"lcn+igo", `"igo"`, ""},
		{"igo+lcn", `unknown feature "lcn"`, ""},
		{"fischer", `"fischer"`, `did you mean "fisher"?`},
		{"fisher:-1", "ridge = -1 of fisher is not a number > 0", "ridge=0.3"},
		{"fisher:NaN", "NaN", ""},
		{"fisher+pca", "fisher", ""},
		{"pca:-3", "dims = -3 of pca is negative", "dims=0"},
		{"crop=2", "crop = 2 is not a share between 0 and 1", "0.5 keeps"},
		{"crop=NaN", "crop = NaN is not a share between 0 and 1", "0.5 keeps"},
		{"igo zoom=1", "zoom = 1 is not a share from 0.2 to less than 1", "0.8 adds"},
		{"igo zoom=0.1", "zoom = 0.1 is not a share", "0.8 adds"},
		{"igo zoom=NaN", "zoom = NaN is not a share", "0.8 adds"},
		{"32x32 zoom=0.8", "zoom = 0.8 without features", "name features"},
		{"32x32 pixels zoom=0.8", "zoom = 0.8 without features", "name features"},
		{"igo zoom=big", `zoom = "big" is not a number`, ""},
		{"igo shift=2", "shift = 2 without a projection", "fisher"},
		{"fisher shift=-1", "shift = -1 is not a number of pixels", ""},
		{"fisher shift=1.5", `shift = "1.5" is not a number`, ""},
		{"fisher 32x9 shift=3", "shift = 3 is too far for images of 32x9", "the largest is shift=2"},
		{"fisher shift=1 shift=2", `"shift=2" is another word for the shift`, ""},
		{"zom=0.8", `"zom=0.8"`, ""},
		{"crop=half", `crop = "half" is not a number`, ""},
		{"32", `size "32" is not of the form HxW`, ""},
		{"5000x2", "size 5000x2 is outside 1x1 … 1024x1024", ""},
		{"igo hog", `"hog" is another word for the features of an input`, "igo+hog"},
		{"pixels igo", `"igo" is another word for the features`, "igo+hog"},
		{"lcn despeckle", `"despeckle" is another word for the photometric steps`, "by +"},
		{"32x32 64x64", `"64x64" is another word for the size`, ""},
		{"mirror faces96", `preset "faces96" of an input after other words`, "put it first"},
		{"faces32 faces96", `preset "faces96" of an input after other words`, "put it first"},
		{strings.Repeat("igo+", 9) + "igo", "more than 8 parts", ""},
	} {
		in, err := frontend.Parse(c.text)
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(advice.Text(err), c.hint) ||
			!reflect.DeepEqual(in, frontend.Pipeline{}) {
			t.Errorf("%q is %v: %v (hint %q), want %s (%s)", c.text, in, err, advice.Text(err), c.want, c.hint)
		}
	}
}

func TestInputValidate(t *testing.T) {
	size := dataset.Size{Height: 9, Width: 7}
	for _, c := range []struct {
		in   frontend.Pipeline
		want string
	}{
		{frontend.Pipeline{Frame: dataset.Frame{Size: dataset.Size{Height: -1, Width: 3}}}, "size -1x3"},
		{frontend.Pipeline{Frame: dataset.Frame{Size: size, Crop: math.Inf(1)}}, "crop = +Inf"},
		{frontend.Pipeline{Frame: dataset.Frame{Size: size, Crop: -0.1}}, "crop = -0.1"},
		{frontend.Pipeline{Features: feature.Features{feature.IGO{}}}, "input igo without a size"},
		{frontend.Pipeline{Photometric: feature.StepList{feature.DefaultLCN}}, "input lcn vectors without a size"},
		{frontend.Pipeline{Mirror: true}, "input vectors mirror without a size"},
		{
			frontend.Pipeline{Frame: dataset.Frame{Size: size}, Features: feature.Features{feature.LBP{Cell: 8, Radius: 1}}},
			"too large for an image of 9x7",
		},
		{frontend.Pipeline{Frame: dataset.Frame{Size: size}, Features: feature.Features{nil}}, "feature 1 is not set"},
		{frontend.Pipeline{Frame: dataset.Frame{Size: size}, Photometric: feature.StepList{feature.LCN{Sigma: -1}}}, "sigma"},
		{frontend.Pipeline{Projection: projection.Choice{Projection: projection.Fisher{Ridge: math.Inf(1)}}}, "ridge = +Inf"},
	} {
		if err := c.in.Validate(); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %s", c.in, err, c.want)
		}
	}
}

// Length and planes of what is made of images.
func TestInputGeometry(t *testing.T) {
	for text, want := range map[string]struct {
		length, planes int
		shown          bool
	}{
		"9x7":                   {63, 1, true},
		"9x7 crop=0.5 mirror":   {63, 1, true},
		"9x7 igo":               {126, 2, false},
		"9x7 igo+pixels mirror": {189, 3, false},
		"9x7 lcn":               {63, 1, false},
		"9x7 pca:5":             {63, 0, false},
		"9x7 igo fisher":        {126, 0, false},
		"12x9 hog:cell=3":       {3 * 2 * 4 * 9, 0, false}, // blocks of 2×2 cells, 9 bins
		"vectors":               {0, 0, false},
		"vectors fisher":        {0, 0, false},
		"16x16 igo+lbp:cell=8":  {512 + 4*59, 0, false},
	} {
		in, err := frontend.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		if g := in.Grid(); want.planes == 0 && g != (classify.Grid{}) ||
			want.planes > 0 && g != (classify.Grid{Height: in.Height, Width: in.Width, Planes: want.planes}) {
			t.Errorf("%s: the grid is %+v", text, g)
		}
		if in.Len() != want.length || in.Planes() != want.planes || in.ArePixels() != want.shown {
			t.Errorf("%s: %d features, %d planes, pixels %v", text, in.Len(), in.Planes(), in.ArePixels())
		}
	}
}

// FuzzParse: what is read is valid, and written as it is read again.
func FuzzParse(f *testing.F) {
	for _, p := range frontend.Presets {
		f.Add(p.Name)
		f.Add(p.Pipeline.String())
	}
	f.Add("faces96 64x64 crop=0.5 despeckle+lcn:3 hog:4+igo fisher:0.3,dims=2")
	f.Fuzz(func(t *testing.T, text string) {
		in, err := frontend.Parse(text)
		if err != nil {
			if err.Error() == "" || !reflect.DeepEqual(in, frontend.Pipeline{}) {
				t.Errorf("%v, %v", in, err)
			}
			return
		}
		if err := in.Validate(); err != nil && in.Size != (dataset.Size{}) {
			t.Errorf("it is not valid: %v", err)
		}
		again, err := frontend.Parse(in.String())
		if err != nil || !reflect.DeepEqual(again, asWritten(in)) {
			t.Errorf("%v is read as %v, %v", in, again, err)
		}
		raw, err := json.Marshal(in)
		if err != nil {
			t.Fatal(err)
		}
		var kept frontend.Pipeline
		if err := json.Unmarshal(raw, &kept); err != nil || !reflect.DeepEqual(kept.ForImages(in.Frame), in) {
			t.Errorf("%s is read as %+v, %v", raw, kept, err)
		}
	})
}

func TestFuzzParseHasACorpus(t *testing.T) {
	if entries, err := os.ReadDir(filepath.Join("testdata", "fuzz", "FuzzParse")); err != nil || len(entries) == 0 {
		t.Errorf("it has no corpus: %v", err)
	}
}

// The settings of a network may be before and after its name.
func TestParsePresetOfANetwork(t *testing.T) {
	want, err := frontend.Parse("preset=dlib embedding")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := frontend.Parse("embedding preset=dlib"); err != nil || got.String() != want.String() {
		t.Errorf("%v and %v, %v", got, want, err)
	}
}
