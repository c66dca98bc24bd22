package method

import (
	"context"
	"slices"
	"strings"
	"testing"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
)

// nearest is a method as its author writes it: this file is all there is of it. It is
// registered in the tests of this package, so that TestContract runs for it too.
type nearest struct {
	Power int `json:"power" help:"p ≥ 1, by which the penalty is divided" eq:"[nearest]"`
}

func init() { register(nearest{Power: 1}) }

func (nearest) Name() string      { return "nearest-test" }
func (m nearest) Validate() error { return counts(1, "power", m.Power) }

func (m nearest) Traits() classify.Traits {
	return classify.Traits{
		Title: "Nearest", Predecessor: "mean", Description: "representation by the training images, little penalised",
		Samples: true, Coder: coding.Ridge{Lambda: 0.01 / float64(m.Power)}, Rule: classify.Residual{},
		Ranges:  []Range{{Path: "power", Low: 1, High: 9}},
		Presets: map[string][]Value{"orl": preset(validated, "power=3")},
	}
}

func (m nearest) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return keepSamples(ctx, m, train, run)
}

// A registered method is listed, found, described, set, preset and restored without a word
// about it anywhere else.
func TestRegisteredMethodIsEverywhere(t *testing.T) {
	if names := Names(); slices.Index(names, "nearest-test") <= slices.Index(names, "mean") {
		t.Errorf("names %q", names)
	}
	all, _, err := Several("nrc,nearest-test", "orl", []string{"power=5"})
	if err != nil || all[1] != classify.Method(nearest{5}) {
		t.Fatal(all, err)
	}
	m, err := Named("nearest-test")
	if err != nil || Title(m) != "Nearest" || !strings.Contains(Describe(m), "penalised") ||
		Memory(m, Size{Features: 8, Samples: 8, Classes: 2}) == 0 {
		t.Error(m, err)
	}
	if p := Params(m); len(p) != 1 || p[0].Path != "power" || p[0].Value != "1" || p[0].Equation != "[nearest]" {
		t.Errorf("parameters %+v", p)
	}
	if m, err := Preset(m, "orl"); err != nil || m != classify.Method(nearest{3}) {
		t.Error(m, err)
	}
	params, err := Marshal(all[1])
	if err != nil {
		t.Fatal(err)
	}
	if m, err := Restore("nearest-test", params); err != nil || m != all[1] {
		t.Error(m, err)
	}
}
