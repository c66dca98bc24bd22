package config_test

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/config"
)

// An item is what a spec can describe: one with a group and a choice within.
type item interface{ Name() string }

type plain struct{}

type rich struct {
	Weight float64 `json:"weight"`
	Limits limits  `json:"limits"`
	Part   item    `json:"part"`
	Style  style   `json:"style" choices:"thin,thick"`
}

func (plain) Name() string { return "plain" }
func (rich) Name() string  { return "rich" }

type pair struct {
	A float64 `json:"a"`
	B int     `json:"b"`
}

func (pair) Name() string { return "pair" }

var items = config.New([]item{plain{}, pair{1, 2}, rich{0.5, limits{3, 0.25}, plain{}, "thin"}})

func TestParseSpec(t *testing.T) {
	standard := rich{0.5, limits{3, 0.25}, plain{}, "thin"}
	edit := func(f func(*rich)) rich { r := standard; f(&r); return r }
	for text, want := range map[string]item{
		"plain":                         plain{},
		"pair":                          pair{1, 2},
		"pair:3":                        pair{3, 2},
		"pair:3,b=4":                    pair{3, 4},
		"pair:b=4,a=3":                  pair{3, 4},
		"rich:style=thick":              edit(func(r *rich) { r.Style = "thick" }),
		"rich:2,limits.passes=7":        edit(func(r *rich) { r.Weight, r.Limits.Passes = 2, 7 }),
		"rich:part=pair,part.b=1e3":     edit(func(r *rich) { r.Part = pair{1, 1000} }),
		"rich:part=pair,part.a=-1.5e-7": edit(func(r *rich) { r.Part = pair{-1.5e-7, 2} }),
	} {
		got, err := items.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if diff := cmp.Diff(want, got.(item), cmp.AllowUnexported(rich{})); diff != "" {
			t.Errorf("%s: -want +got\n%s", text, diff)
		}
	}
}

func TestParseSpecErrors(t *testing.T) {
	for _, tt := range []struct{ text, message, hint string }{
		{"", `unknown item ""`, "choose one of plain, pair, rich"},
		{"pear", `unknown item "pear"`, `did you mean "pair"?`},
		{"plain:3", `plain = "3": plain has no parameters`, ""},
		{"plain:a=3", `plain = "a=3": plain has no parameters`, ""},
		{"pair:", `pair: "" is not of the form parameter=value`, "for example pair:a=1"},
		{"pair:1,2", `pair: "2" is not of the form parameter=value`, "for example pair:a=1"},
		{"pair:1,", `pair: "" is not of the form parameter=value`, "for example pair:a=1"},
		{"pair:1,a=2", `pair: "a" is there twice`, ""},
		{"pair:c=2", `unknown parameter of pair "c"`, "choose one of a, b"},
		{"pair:b=x", `pair: b = "x" is not an integer`, ""},
		{"pair:x", `pair: a = "x" is not a number`, ""},
		{"rich:part.b=1", `unknown parameter of rich "part.b"`, "it is a parameter of the item pair: set part=pair first"},
	} {
		got, err := items.Parse(tt.text)
		if err == nil || got != nil {
			t.Errorf("%s is accepted: %+v", tt.text, got)
			continue
		}
		if err.Error() != tt.message {
			t.Errorf("%s: %q, want %q", tt.text, err, tt.message)
		}
		if h := advice.Text(err); tt.hint != "" && h != tt.hint {
			t.Errorf("%s: hint %q, want %q", tt.text, h, tt.hint)
		}
	}
}

func TestSpecIsTheInverseOfParse(t *testing.T) {
	finite := rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64)
	rapid.Check(t, func(t *rapid.T) {
		want := rich{
			Weight: rapid.OneOf(finite, rapid.Just(0.5)).Draw(t, "weight"),
			Limits: limits{rapid.Int().Draw(t, "passes"), finite.Draw(t, "tol")},
			Part:   rapid.SampledFrom([]item{plain{}, pair{1, 2}, pair{1, 5}}).Draw(t, "part"),
			Style:  rapid.SampledFrom([]style{"thin", "thick"}).Draw(t, "style"),
		}
		spec := items.Spec(want)
		if strings.Contains(spec, "+") {
			t.Errorf("a plus in %s", spec)
		}
		got, err := items.Parse(spec)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(item(want), got.(item), cmp.AllowUnexported(rich{})); diff != "" {
			t.Errorf("%s: %s", spec, diff)
		}
	})
}

func TestSpecLeavesOutDefaults(t *testing.T) {
	for want, v := range map[string]item{
		"plain":                          plain{},
		"pair":                           pair{1, 2},
		"pair:b=3":                       pair{1, 3},
		"rich:part=pair,part.a=4":        rich{0.5, limits{3, 0.25}, pair{4, 2}, "thin"},
		"rich:weight=1e09,limits.tol=-1": rich{1e9, limits{3, -1}, plain{}, "thin"},
	} {
		if got := items.Spec(v); got != want {
			t.Errorf("%+v is %q, want %q", v, got, want)
		}
	}
}
