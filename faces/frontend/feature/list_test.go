package feature

import (
	"encoding/json"
	"math"
	"reflect"
	"strings"
	"testing"

	"nrdl.example/nrdl/advice"
)

func TestParseFeatures(t *testing.T) {
	hog, lbp := DefaultHOG, DefaultLBP
	hog.Cell, lbp.Cell = 4, 5.34
	for spec, want := range map[string]struct {
		list      Features
		canonical string
	}{
		"pixels":                       {Features{Pixels{}}, "pixels"},
		"igo+lbp:cell=5.34+hog:cell=4": {Features{IGO{}, lbp, hog}, "igo+lbp:cell=5.34+hog:cell=4"},
		"igo+lbp:5.34+hog:4,clip=0.2":  {Features{IGO{}, lbp, hog}, "igo+lbp:cell=5.34+hog:cell=4"},
		"hog:cell=8,bins=9+gabor":      {Features{DefaultHOG, DefaultGabor}, "hog+gabor"},
		"lbp:radius=2+lbp:radius=3":    {Features{LBP{8, 2}, LBP{8, 3}}, "lbp:radius=2+lbp:radius=3"},
	} {
		got, err := ParseFeatures(spec)
		if err != nil {
			t.Errorf("%s: %v", spec, err)
			continue
		}
		if !reflect.DeepEqual(got, want.list) || got.String() != want.canonical {
			t.Errorf("%s: %+v written %v", spec, got, got)
		}
	}
}

func TestParseSteps(t *testing.T) {
	for spec, want := range map[string]struct {
		list      StepList
		canonical string
	}{
		"": {nil, "none"}, "none": {nil, "none"},
		"despeckle+lcn:sigma=3":      {StepList{Despeckle{}, LCN{3, 16}}, "despeckle+lcn:sigma=3"},
		"equalise":                   {StepList{Equalise{}}, "equalise"},
		"tan-triggs:0.3,tau=10+lcn:": {nil, ""},
		"tan-triggs:0.3,tau=10":      {StepList{TanTriggs{0.3, 1, 2, 0.1, 10}}, "tan-triggs:gamma=0.3"},
	} {
		got, err := ParseSteps(spec)
		if want.canonical == "" {
			if err == nil {
				t.Errorf("%s is accepted", spec)
			}
			continue
		}
		if err != nil || !reflect.DeepEqual(got, want.list) || got.String() != want.canonical {
			t.Errorf("%s: %+v written %v, %v", spec, got, got, err)
		}
	}
}

// What is wrong names itself, and the nearest that is not.
func TestErrors(t *testing.T) {
	over := func(spec string, height, width int) error {
		f, err := ParseFeatures(spec)
		if err == nil {
			_, err = f.Over(height, width)
		}
		return err
	}
	parsed := func(spec string) error {
		_, err := ParseSteps(spec)
		return err
	}
	for _, tt := range []struct {
		err           error
		message, hint string
	}{
		{over("lpb", 32, 32), `unknown feature "lpb"`, `did you mean "lbp"?`},
		{over("", 32, 32), `unknown feature ""`, "choose one of pixels, igo, hog, lbp, gabor"},
		{over("igo+", 32, 32), `unknown feature ""`, "choose one of pixels, igo, hog, lbp, gabor"},
		{over("lbp:cel=3", 32, 32), `unknown parameter of lbp "cel"`, `did you mean "cell"?`},
		{over("igo:3", 32, 32), `igo = "3": igo has no parameters`, ""},
		{over("lbp:cell=x", 32, 32), `lbp: cell = "x" is not a number`, ""},
		{over("lbp:cell=0", 32, 32), "lbp: cell = 0 is not in 1 … 1024", "the nearest is cell=1"},
		{over("hog:bins=1000", 32, 32), "hog: bins = 1000 is not in 2 … 64", "the nearest is bins=64"},
		{over("hog:cell=40", 32, 36), "hog: cell = 40 is too large for an image of 32x36", "the largest is cell=32"},
		{over("igo+lbp:cell=40", 64, 36), "lbp: cell = 40 is too large for an image of 64x36", "the largest is cell=36"},
		{over("gabor:cell=33", 32, 32), "gabor: cell = 33 is too large for an image of 32x32", "the largest is cell=32"},
		{over("lbp:radius=20", 32, 36), "lbp: radius = 20 is too large for an image of 32x36", "the largest is radius=16"},
		{
			over("lbp:cell=1", 1024, 1024), "lbp: 61865984 numbers of an image of 1024x1024 are more than 4194304",
			"take larger cells or smaller images",
		},
		{
			over("igo+igo+igo+igo", 1024, 1024), "igo+igo+igo+igo: 8388608 numbers of an image of 1024x1024 are more than 4194304",
			"take fewer features, larger cells or smaller images",
		},
		{over("pixels", 0, 3), "pixels: an image of 0x3 has no pixels or more than 4194304", ""},
		{over("pixels", 1<<40, 1<<40), "pixels: an image of 1099511627776x1099511627776 has no pixels or more than 4194304", ""},
		{over(strings.Repeat("igo+", 8)+"igo", 8, 8), `"igo+igo+igo+igo+igo+igo+igo+igo+igo" has more than 8 parts`, ""},
		{Features{}.Validate(), "no features", "take pixels for the grey values themselves"},
		{Features{nil}.Validate(), "feature 1 is not set", ""},
		{HOG{8, 9, math.NaN()}.Validate(), "hog: clip = NaN is not in 0.01 … 1", "the nearest is clip=0.01"},
		{parsed("lnc"), `unknown step "lnc"`, `did you mean "lcn"?`},
		{parsed("none+lcn"), `unknown step "none"`, "choose one of equalise, lcn, tan-triggs, despeckle"},
		{parsed("lcn:sigma=100"), "lcn: sigma = 100 is not in 0.1 … 64", "the nearest is sigma=64"},
		{parsed("tan-triggs:inner=3"), "tan-triggs: outer = 2 is not more than inner = 3", "the usual is twice it, outer=6"},
		{parsed("lcn+despeckle"), "despeckle works on grey values, which lcn does not give", "put despeckle before lcn"},
	} {
		switch {
		case tt.err == nil:
			t.Errorf("no error where %q is wanted", tt.message)
		case tt.err.Error() != tt.message:
			t.Errorf("%q, want %q", tt.err, tt.message)
		case advice.Text(tt.err) != tt.hint && tt.hint != "":
			t.Errorf("%q: hint %q, want %q", tt.err, advice.Text(tt.err), tt.hint)
		}
	}
}

func TestJSON(t *testing.T) {
	f, err := ParseFeatures("igo+lbp:cell=5.34")
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(struct {
		Features Features `json:"features"`
		Steps    StepList `json:"steps"`
	}{f, StepList{Despeckle{}, DefaultLCN}})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"features":[{"name":"igo"},{"name":"lbp","cell":5.34,"radius":1}],"steps":[{"name":"despeckle"},{"name":"lcn","sigma":2,"floor":16}]}`
	if string(raw) != want {
		t.Errorf("got  %s\nwant %s", raw, want)
	}
	if raw, err := json.Marshal(StepList(nil)); err != nil || string(raw) != "[]" {
		t.Errorf("no steps are %s, %v", raw, err)
	}
	for _, raw := range []string{
		`null`, `{}`, `[null]`, `[[]]`, `["igo"]`, `[{}]`, `[{"name":"lpb"}]`, `[{"name":"lbp"}]`, `[{"name":"lbp","cell":5}]`,
		`[{"name":"lbp","cell":5,"radius":1,"radius":1}]`, `[{"name":"lbp","cell":0,"radius":1}]`, `[{"name":"lbp","cell":"5","radius":1}]`,
		`[{"name":"igo","cell":5}]`, `[{"name":"igo"}] []`, `[` + strings.Repeat(`{"name":"igo"},`, 8) + `{"name":"igo"}]`,
	} {
		f := Features{IGO{}}
		if err := f.UnmarshalJSON([]byte(raw)); err == nil || len(f) != 1 {
			t.Errorf("%s is accepted: %v", raw, f)
		}
	}
	var s StepList
	if err := json.Unmarshal([]byte(`[{"name":"lcn","sigma":2,"floor":16},{"name":"equalise"}]`), &s); err == nil {
		t.Error("lcn before equalise is accepted")
	}
}

func TestPlanes(t *testing.T) {
	for spec, want := range map[string]int{"pixels": 1, "igo": 2, "pixels+igo": 3, "pixels+hog": 0, "lbp": 0} {
		f, err := ParseFeatures(spec)
		if err != nil {
			t.Fatal(err)
		}
		if got := f.Planes(16, 12); got != want {
			t.Errorf("%s has %d planes, want %d", spec, got, want)
		}
		if want > 0 && f.Len(16, 12) != want*16*12 {
			t.Errorf("%s has %d numbers", spec, f.Len(16, 12))
		}
	}
}

// Features side by side are those alone, by the root of how many there are,
// where every one of them is there.
func TestSideBySide(t *testing.T) {
	const height, width = 14, 17
	pix := make([]float64, height*width)
	for i := range pix {
		pix[i] = float64(i * i % 251)
	}
	list := Features{Pixels{}, HOG{5, 9, 0.2}, IGO{}}
	join := func(pix []float64) []float64 {
		e, err := list.Over(height, width)
		if err != nil {
			t.Fatal(err)
		}
		v := make([]float64, list.Len(height, width))
		e.Extract(v, pix)
		return v
	}
	var want []float64
	for _, f := range list {
		for _, x := range extract(t, f, pix, height, width) {
			want = append(want, x/math.Sqrt(3))
		}
	}
	if d := differ(t, join(pix), want); d > 1e-15 {
		t.Errorf("side by side they differ by %g", d)
	}
	for i := range pix {
		pix[i] = 7 // has pixels only
	}
	if l := length(join(pix)); math.Abs(l-1) > 1e-12 {
		t.Errorf("an even image has the length %v", l)
	}
}

// A chain of steps is one after the other, and leaves the image alone.
func TestChain(t *testing.T) {
	const height, width = 12, 9
	pix := make([]float64, height*width)
	for i := range pix {
		pix[i] = float64(i * i % 256)
	}
	before := append([]float64(nil), pix...)
	want := pix
	for n, list := 0, (StepList{Despeckle{}, Equalise{}, TanTriggs{0.2, 1, 2, 0.1, 10}, DefaultLCN}); n <= len(list); n++ {
		if n > 0 {
			want = apply(t, list[n-1], want, height, width)
		}
		f, err := list[:n].Over(height, width)
		if err != nil {
			t.Fatal(err)
		}
		got := make([]float64, len(pix))
		f.Apply(got, pix)
		if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(pix, before) {
			t.Errorf("%v differs from its steps, or the image was changed", list[:n])
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"igo+lbp:cell=5.34+hog:cell=4", "lbp:5.34", "gabor:cell=9,width=0.3", "hog:clip=1e-1,bins=1e1",
		"despeckle+lcn:sigma=2", "none", "", "tan-triggs:outer=3,inner=1.5", "lbp:", "lbp:=,", "+", "hog:cell=NaN", "equalise+lcn:floor=1e5",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if list, err := ParseFeatures(s); err == nil {
			roundTrip(t, list, ParseFeatures)
			if n := list.Len(100, 80); n < len(list) {
				t.Errorf("%d numbers of %v", n, list)
			}
		}
		if list, err := ParseSteps(s); err == nil && len(list) > 0 {
			roundTrip(t, list, ParseSteps)
		}
	})
}

// roundTrip writes a valid list in both forms and reads it again.
func roundTrip[L interface {
	String() string
	Validate() error
}](t *testing.T, list L, parse func(string) (L, error)) {
	t.Helper()
	if err := list.Validate(); err != nil {
		t.Errorf("%v was parsed but is not valid: %v", list, err)
	}
	again, err := parse(list.String())
	if err != nil || !reflect.DeepEqual(again, list) || again.String() != list.String() {
		t.Errorf("%v reads back as %v, %v", list, again, err)
	}
	raw, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	var read L
	if err := json.Unmarshal(raw, &read); err != nil || !reflect.DeepEqual(read, list) {
		t.Errorf("%s reads back as %v, %v", raw, read, err)
	}
}
