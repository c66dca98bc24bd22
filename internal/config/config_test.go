package config_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/config"
)

type shape interface{ Name() string }

type disc struct {
	Radius float64 `json:"radius" help:"distance from the centre to the rim" eq:"(2)"`
}

type box struct {
	Width  float32 `json:"width"`
	Height float32 `json:"height"`
	Sides  uint8   `json:"sides"`
}

func (disc) Name() string { return "disc" }
func (box) Name() string  { return "box" }

type style string

type limits struct {
	Passes int     `json:"passes" help:"at most so many"`
	Tol    float64 `json:"tol"`
}

type drawing struct {
	limits
	Lambda float64 `json:"lambda" help:"weight" eq:"(7)"`
	Shape  shape   `json:"shape"`
	Disc   disc    `json:"disc"`
	Style  style   `json:"style" choices:"thin,thick"`
	Title  string  `json:"title"`
	Fill   bool    `json:"fill"`
	Seed   uint64  `json:"seed"`
	Level  int8    `json:"level"`
	Hidden int     `json:"-"`
}

func (drawing) Name() string { return "drawing" }

var (
	codec    = config.New([]shape{disc{1}, box{2, 3, 4}})
	standard = drawing{
		limits: limits{Passes: 30, Tol: 1e-4}, Lambda: 0.01, Shape: box{2, 3, 4}, Disc: disc{5},
		Style: "thin", Title: "a <b> & \"c\"\n", Seed: math.MaxUint64, Hidden: 7,
	}
)

func exporter() cmp.Option { return cmp.AllowUnexported(drawing{}) }
func TestSet(t *testing.T) {
	for _, tt := range []struct {
		path, value string
		edit        func(*drawing)
	}{
		{"lambda", "1e-3", func(d *drawing) { d.Lambda = 1e-3 }},
		{"passes", "1e3", func(d *drawing) { d.Passes = 1000 }},
		{"passes", "-2", func(d *drawing) { d.Passes = -2 }},
		{"shape", "disc", func(d *drawing) { d.Shape = disc{1} }},
		{"shape", "box", func(*drawing) {}},
		{"shape.width", "0.1", func(d *drawing) { d.Shape = box{0.1, 3, 4} }},
		{"disc.radius", "6", func(d *drawing) { d.Disc.Radius = 6 }},
		{"style", "thick", func(d *drawing) { d.Style = "thick" }},
		{"title", "", func(d *drawing) { d.Title = "" }},
		{"fill", "true", func(d *drawing) { d.Fill = true }},
		{"seed", "18446744073709551614", func(d *drawing) { d.Seed-- }},
	} {
		want := standard
		tt.edit(&want)
		got, err := codec.Set(standard, tt.path, tt.value)
		if err != nil {
			t.Errorf("%s=%s: %v", tt.path, tt.value, err)
		} else if diff := cmp.Diff(want, got, exporter()); diff != "" {
			t.Errorf("%s=%s: -want +got\n%s", tt.path, tt.value, diff)
		}
	}
}

func TestSetErrors(t *testing.T) {
	for _, tt := range []struct{ path, value, message, hint string }{
		{"lamda", "1", `unknown parameter of drawing "lamda"`, `did you mean "lambda"?`},
		{"lambda", "abc", `lambda = "abc" is not a number`, ""},
		{"lambda", "", `lambda = "" is not a number`, ""},
		{"lambda", "NaN", `lambda = "NaN" is not a finite number`, ""},
		{"lambda", "-inf", `lambda = "-inf" is not a finite number`, ""},
		{"lambda", "1e999", `lambda = "1e999" is not a finite number`, ""},
		{"shape.width", "1e39", `shape.width = "1e39" is not a finite number`, ""},
		{"passes", "1.5", `passes = "1.5" is not an integer`, ""},
		{"passes", "1e-3", `passes = "1e-3" is not an integer`, ""},
		{"passes", "1e19", `passes = "1e19" is out of range`, ""},
		{"level", "128", `level = "128" is out of range`, ""},
		{"seed", "-1", `seed = "-1" is not an integer ≥ 0`, ""},
		{"fill", "yes", `fill = "yes" is neither true nor false`, ""},
		{"style", "thicc", `style = "thicc" is none of thin, thick`, `did you mean "thick"?`},
		{"title", "\xff", `title = "\xff" is not valid UTF-8`, ""},
		{"shape", "bux", `unknown shape "bux"`, `did you mean "box"?`},
		{"shape.widht", "1", `unknown parameter of drawing "shape.widht"`, `did you mean "shape.width"?`},
		{"shape.radius", "1", `unknown parameter of drawing "shape.radius"`, `it is a parameter of the shape disc: set shape=disc first`},
		{"disc", "1", `disc is a group of parameters`, `set one of them, for example disc.radius`},
		{"lambda.x", "1", `unknown parameter of drawing "lambda.x"`, `did you mean "lambda"?`},
		{"shape.", "1", `unknown parameter of drawing "shape."`, `did you mean "shape"?`},
		{"Hidden", "1", `unknown parameter of drawing "Hidden"`, ""},
		{"limits", "1", `unknown parameter of drawing "limits"`, ""},
	} {
		got, err := codec.Set(standard, tt.path, tt.value)
		if err == nil || got != nil {
			t.Errorf("%s=%s is accepted: %+v", tt.path, tt.value, got)
			continue
		}
		if err.Error() != tt.message {
			t.Errorf("%s=%s: %q, want %q", tt.path, tt.value, err, tt.message)
		}
		if h := advice.Text(err); tt.hint != "" && h != tt.hint {
			t.Errorf("%s=%s: hint %q, want %q", tt.path, tt.value, h, tt.hint)
		}
	}
}

func TestParams(t *testing.T) {
	want := []config.Param{
		{Path: "passes", Type: "integer", Value: "30", Help: "at most so many"},
		{Path: "tol", Type: "number", Value: "0.0001"},
		{Path: "lambda", Type: "number", Value: "0.01", Help: "weight", Equation: "(7)"},
		{Path: "shape", Type: "choice", Value: "box", Choices: []string{"disc", "box"}},
		{Path: "shape.width", Type: "number", Value: "2"},
		{Path: "shape.height", Type: "number", Value: "3"},
		{Path: "shape.sides", Type: "integer", Value: "4"},
		{Path: "disc.radius", Type: "number", Value: "5", Help: "distance from the centre to the rim", Equation: "(2)"},
		{Path: "style", Type: "choice", Value: "thin", Choices: []string{"thin", "thick"}},
		{Path: "title", Type: "text", Value: standard.Title},
		{Path: "fill", Type: "true|false", Value: "false"},
		{Path: "seed", Type: "integer", Value: "18446744073709551615"},
		{Path: "level", Type: "integer", Value: "0"},
	}
	if diff := cmp.Diff(want, codec.Params(standard)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// A parameter has no effect where its condition, or that of the parameter in it, is not met.
func TestUnmet(t *testing.T) {
	type hatched struct {
		drawing
		Angle   float64 `json:"angle" help:"of the lines" if:"style=thick"`
		Colours int     `json:"colours" if:"angle=45"`
	}
	thin, thick := hatched{drawing: standard, Angle: 45}, hatched{drawing: standard, Angle: 30}
	thick.Style = "thick"
	for _, c := range []struct {
		v          hatched
		path, want string
	}{
		{thin, "angle", "style=thick"},
		{thin, "colours", "style=thick"},
		{thick, "angle", ""},
		{thick, "colours", "angle=45"},
		{thin, "style", ""},
		{thin, "nothing", ""},
	} {
		if got := codec.Unmet(c.v, c.path); got != c.want {
			t.Errorf("%s of %+v: %q", c.path, c.v, got)
		}
	}
	params := codec.Params(struct {
		Part hatched `json:"part"`
	}{thin})
	if p := params[len(params)-2]; p.If != "part.style=thick" || p.Help != "with part.style=thick: of the lines" {
		t.Errorf("%+v", p)
	}
}

func drawings(t *rapid.T) drawing {
	finite := rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64)
	d := drawing{
		limits: limits{rapid.Int().Draw(t, "passes"), finite.Draw(t, "tol")},
		Lambda: finite.Draw(t, "lambda"),
		Shape:  disc{finite.Draw(t, "radius")},
		Disc:   disc{finite.Draw(t, "disc")},
		Style:  rapid.SampledFrom([]style{"thin", "thick"}).Draw(t, "style"),
		Title:  rapid.String().Draw(t, "title"),
		Fill:   rapid.Bool().Draw(t, "fill"),
		Seed:   rapid.Uint64().Draw(t, "seed"),
		Level:  rapid.Int8().Draw(t, "level"),
	}
	if rapid.Bool().Draw(t, "box") {
		f := rapid.Float32Range(-math.MaxFloat32, math.MaxFloat32)
		d.Shape = box{f.Draw(t, "width"), f.Draw(t, "height"), rapid.Uint8().Draw(t, "sides")}
	}
	return d
}

// The values that Params shows, set one after the other on any other value,
// give the value that they were read from.
func TestParamsCanBeSetAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want, from := drawings(t), drawings(t)
		var got any = from
		for _, p := range codec.Params(want) {
			var err error
			if got, err = codec.Set(got, p.Path, p.Value); err != nil {
				t.Fatal(err)
			}
		}
		if diff := cmp.Diff(want, got, exporter()); diff != "" {
			t.Error(diff)
		}
	})
}

func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want, prototype := drawings(t), drawings(t)
		raw, err := codec.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		got, err := codec.Unmarshal(raw, prototype)
		if err != nil {
			t.Fatalf("%v in %s", err, raw)
		}
		if diff := cmp.Diff(want, got, exporter()); diff != "" {
			t.Error(diff)
		}
	})
}

// encoding/json is the independent reader and writer of structs that hold no
// interface.
func TestAgreesWithEncodingJSON(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := drawings(t)
		want := struct {
			limits
			Disc  disc   `json:"disc"`
			Title string `json:"title"`
			Fill  bool   `json:"fill"`
			Seed  uint64 `json:"seed"`
		}{d.limits, d.Disc, d.Title, d.Fill, d.Seed}
		raw, err := codec.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		got := want
		got.Title, got.Disc, got.limits = "", disc{}, limits{}
		if err := json.Unmarshal(raw, &got); err != nil || got != want {
			t.Errorf("%v: json reads %+v in %s, want %+v", err, got, raw, want)
		}
	})
}

func TestMarshal(t *testing.T) {
	raw, err := codec.Marshal(standard)
	if err != nil {
		t.Fatal(err)
	}
	want := `{"passes":30,"tol":0.0001,"lambda":0.01,"shape":{"name":"box","width":2,"height":3,"sides":4},` +
		`"disc":{"radius":5},"style":"thin","title":"a <b> & \"c\"\n","fill":false,"seed":18446744073709551615,"level":0}`
	if string(raw) != want {
		t.Errorf("got  %s\nwant %s", raw, want)
	}
	raw, err = codec.MarshalNamed(disc{0.5})
	if err != nil || string(raw) != `{"name":"disc","radius":0.5}` {
		t.Errorf("named: %s, %v", raw, err)
	}
}

type triangle struct{}

func (triangle) Name() string { return "disc" }

func TestMarshalErrors(t *testing.T) {
	edit := func(f func(*drawing)) drawing { d := standard; f(&d); return d }
	for want, d := range map[string]drawing{
		"shape is not set":                                 edit(func(d *drawing) { d.Shape = nil }),
		"lambda = NaN is not a finite number":              edit(func(d *drawing) { d.Lambda = math.NaN() }),
		"shape.radius = +Inf is not a finite number":       edit(func(d *drawing) { d.Shape = disc{math.Inf(1)} }),
		"shape: config_test.triangle is not a known shape": edit(func(d *drawing) { d.Shape = triangle{} }),
		"title = \"\\xff\" is not valid UTF-8":             edit(func(d *drawing) { d.Title = "\xff" }),
	} {
		if raw, err := codec.Marshal(d); err == nil || err.Error() != want {
			t.Errorf("%s, %v; want %s", raw, err, want)
		}
	}
}

func TestUnmarshalErrors(t *testing.T) {
	whole, err := codec.Marshal(standard)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ old, new, message, hint string }{
		{`"lambda"`, `"lamda"`, `unknown parameter of drawing "lamda"`, `did you mean "lambda"?`},
		{`"lambda"`, `"Lambda"`, `unknown parameter of drawing "Lambda"`, `did you mean "lambda"?`},
		{`"lambda":0.01,`, ``, `parameter "lambda" of drawing is missing`, ""},
		{`"width":2,`, ``, `parameter "shape.width" of drawing is missing`, ""},
		{`"lambda":0.01`, `"lambda":"0.01"`, `lambda = "\"0.01\"" is not a number`, ""},
		{`"lambda":0.01`, `"lambda":null`, `lambda = "null" is not a number`, ""},
		{`"lambda":0.01`, `"lambda":1e999`, `lambda = "1e999" is not a finite number`, ""},
		{`"lambda":0.01`, `"lambda":1,"lambda":1`, `parameters of drawing: "lambda" is there twice`, ""},
		{`"passes":30`, `"passes":30.5`, `passes = "30.5" is not an integer`, ""},
		{`"name":"box"`, `"name":"bax"`, `unknown shape "bax"`, `did you mean "box"?`},
		{`"name":"box"`, `"name":5`, `the name of a shape is not text`, ""},
		{`"name":"box",`, ``, `a shape without a name`, ""},
		{`"style":"thin"`, `"style":"think"`, `style = "think" is none of thin, thick`, ""},
		{`"style":"thin"`, `"style":null`, `style = "null" is not text`, ""},
		{`{"radius":5}`, `5`, `disc: not a JSON object`, ""},
		{`"level":0}`, `"level":0`, `parameters of drawing: not valid JSON`, ""},
		{`"level":0}`, `"level":0}{}`, `parameters of drawing: not valid JSON`, ""},
		{`"a <b>`, "\"\xff", `parameters of drawing: not valid JSON`, ""},
		{string(whole), `[]`, `parameters of drawing: not a JSON object`, ""},
		{string(whole), ``, `parameters of drawing: not valid JSON`, ""},
	} {
		raw := strings.Replace(string(whole), tt.old, tt.new, 1)
		got, err := codec.Unmarshal([]byte(raw), standard)
		if err == nil || err.Error() != tt.message {
			t.Errorf("%s → %s: %+v, %v; want %s", tt.old, tt.new, got, err, tt.message)
		}
		if tt.hint != "" && advice.Text(err) != tt.hint {
			t.Errorf("%s → %s: hint %q, want %q", tt.old, tt.new, advice.Text(err), tt.hint)
		}
	}
}

func TestMistakesOfTheProgramPanic(t *testing.T) {
	type untagged struct{ Lambda float64 }
	type slice struct {
		L []float64 `json:"l"`
	}
	for name, f := range map[string]func(){
		"two of a name": func() { config.New([]shape{disc{}, triangle{}}) },
		"no tag":        func() { codec.Params(untagged{}) },
		"a slice":       func() { codec.Params(slice{}) },
		"a pointer":     func() { codec.Params(&standard) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			f()
		}()
	}
}

func FuzzUnmarshal(f *testing.F) {
	whole, err := codec.Marshal(standard)
	if err != nil {
		f.Fatal(err)
	}
	f.Add([]byte(whole))
	f.Fuzz(func(t *testing.T, raw []byte) {
		v, err := codec.Unmarshal(raw, drawing{})
		if err != nil {
			return
		}
		again, err := codec.Marshal(v)
		if err != nil {
			t.Fatalf("%+v cannot be written: %v", v, err)
		}
		w, err := codec.Unmarshal(again, drawing{})
		if err != nil || !cmp.Equal(v, w, exporter()) {
			t.Fatalf("%s reads as %+v, then as %+v (%v)", raw, v, w, err)
		}
	})
}

func FuzzSet(f *testing.F) {
	f.Add("shape.width", "0.5")
	f.Fuzz(func(t *testing.T, path, value string) {
		v, err := codec.Set(standard, path, value)
		if err != nil {
			return
		}
		for _, p := range codec.Params(v) {
			if p.Path != path {
				continue
			}
			if w, err := codec.Set(standard, path, p.Value); err != nil || !cmp.Equal(v, w, exporter()) {
				t.Fatalf("%s = %q shows as %q, which gives %+v (%v)", path, value, p.Value, w, err)
			}
			return
		}
		t.Fatalf("%s can be set but is not a parameter", path)
	})
}

func TestCorpusIsThere(t *testing.T) {
	for _, name := range []string{"FuzzUnmarshal", "FuzzSet"} {
		if entries, err := os.ReadDir(filepath.Join("testdata", "fuzz", name)); err != nil || len(entries) == 0 {
			t.Errorf("%s has no corpus: %v", name, err)
		}
	}
}

// A parameter that was added later leaves what was written before it as it was.
func TestAddedParameter(t *testing.T) {
	type grown struct {
		drawing
		Added float64 `json:"added" omitted:"0"`
	}
	old, err := codec.Marshal(standard)
	if err != nil {
		t.Fatal(err)
	}
	if b, err := codec.Marshal(grown{standard, 0}); err != nil || string(b) != string(old) {
		t.Errorf("with zero: %s (%v), without the field: %s", b, err, old)
	}
	if v, err := codec.Unmarshal(old, grown{standard, 3}); err != nil || v.(grown).Added != 0 {
		t.Errorf("read from what was written before: %v, %v", v, err)
	}
	b, err := codec.Marshal(grown{standard, 3})
	if v, err2 := codec.Unmarshal(b, grown{}); err != nil || err2 != nil || v.(grown).Added != 3 {
		t.Errorf("3 is read as %v (%v, %v)", v, err, err2)
	}
}
