package report

import (
	"slices"
	"strings"
	"testing"

	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/lab/experiment"
	"nrdl.example/nrdl/lab/plans"
	"nrdl.example/nrdl/method"
)

// rated are made-up records in which each method has so many errors in each run, and
// the seconds of a run.
func rated(t *testing.T, data []experiment.Source, repeats int, errors map[string]int, seconds map[string]float64) []experiment.Record {
	t.Helper()
	var methods []string
	for m := range errors {
		methods = append(methods, m)
	}
	slices.Sort(methods)
	records := made{plan: "p", methods: methods, data: data, repeats: repeats}.records(t)
	for i := range records {
		r := &records[i]
		r.N = 200
		wrong(r, errors[r.Method]+r.Repeat%2)
		r.Cost.FitSeconds, r.Cost.CodeSeconds, r.Cost.Jobs = seconds[r.Method], 0, 1
	}
	return records
}

// A plan that looks into one method recommends none.
func TestStudiesRecommendNothing(t *testing.T) {
	records := rated(t, faces[2:3], 10, map[string]int{"crc": 40, "nrc": 10}, nil)
	for i := range records {
		records[i].Study = true
	}
	if s := arranged(t, records).Plans[0].Advice(); s != "" {
		t.Error(s)
	}
}

// The advice is one sentence with the method that is best, and how many others are worse.
func TestAdvice(t *testing.T) {
	apart := slices.DeleteFunc(rated(t, faces[2:4], 1, map[string]int{"crc": 40, "nrc": 10}, nil), func(r experiment.Record) bool {
		return (r.Method == "crc") == (r.Dataset.Name == "pie")
	})
	for _, c := range []struct {
		name    string
		records []experiment.Record
		says    string
	}{
		{
			"one setting", rated(t, faces[2:3], 10, map[string]int{"crc": 40, "nrc": 10, "nrdl": 30}, nil),
			"NRC has the highest rate of 3 methods, 94.8 %, on PIE, random:10; each of the other 2 is significantly worse " +
				"(paired tests, level 0.05).",
		},
		{
			"a tie", rated(t, faces[2:3], 3, map[string]int{"crc": 11, "nrc": 10, "nrdl": 80}, nil),
			"NRC has the highest rate of 3 methods, 94.8 %, on PIE, random:10; 1 of the other 2 is significantly worse (paired tests, level 0.05).",
		},
		{
			"nothing is worse", rated(t, faces[2:3], 2, map[string]int{"crc": 11, "nrc": 10}, nil),
			"NRC has the highest rate of 2 methods, 94.8 %, on PIE, random:10; no other method is significantly worse (paired tests, level 0.05).",
		},
		{ // the critical difference of 3 ranks over 3 settings is 1.91
			"several settings", rated(t, faces[2:5], 10, map[string]int{"crc": 40, "nrc": 10, "nrdl": 30}, nil),
			"NRC has the best average rank of 3 methods, 1.00, over these 3 settings; it has the highest rate in 3 of them; " +
				"1 of the other 2 is significantly worse (Nemenyi's test of ranks, level 0.05).",
		},
		{
			"equal ranks", rated(t, faces[2:5], 10, map[string]int{"crc": 10, "nrc": 10, "nrdl": 30}, nil),
			"CRC has the best average rank of 3 methods, 1.50, as has NRC, over these 3 settings; it has the highest rate in " +
				"3 of them; no other method is significantly worse (Nemenyi's test of ranks, level 0.05).",
		},
		{"no setting in common", apart, "No advice yet: too few methods have all their runs in the same settings."},
		{"one method", rated(t, faces[2:3], 3, map[string]int{"crc": 1}, nil), ""},
	} {
		if got := arranged(t, c.records).Plans[0].Advice(); got != c.says {
			t.Errorf("%s: %q, want %q", c.name, got, c.says)
		}
	}
}

// Where the best of a setting was not run in another one, the legend says in which table it is.
func TestLegendSaysWhereTheBestIs(t *testing.T) {
	for best, want := range map[string]bool{"crc": true, "nrc": false} {
		errors := map[string]int{"crc": 30, "nrc": 30, "nrdl": 40}
		errors[best] = 10
		records := slices.DeleteFunc(rated(t, faces[2:4], 2, errors, nil), func(r experiment.Record) bool {
			return r.Method == "crc" && r.Dataset.Name != "pie"
		})
		legend := arranged(t, records).Plans[0].legend()
		if got := strings.Contains(legend, "Where none is bold, the highest is in \"Rates in some of the settings\"."); got != want {
			t.Errorf("best is %s: %s", best, legend)
		}
	}
}

// A label with tuned runs is tuned, whatever its plan says of it, and the others are named, a
// varied parameter once.
func TestUntunedAreNamed(t *testing.T) {
	var records []experiment.Record
	for _, r := range rated(t, faces[2:3], 2, map[string]int{"crc": 40, "nrc": 10}, nil) {
		if r.Method == "nrc" {
			r.Tuning, r.Explanation = &experiment.Tuning{Trials: []experiment.Trial{{N: 1}}}, "mine"
			records = append(records, r)
			continue
		}
		for _, value := range []string{"1", "2"} {
			r.Label, r.Variation = "CRC, kappa="+value, &experiment.Variation{Path: "kappa", Value: value}
			records = append(records, r)
		}
	}
	p := arranged(t, records).Plans[0]
	if s := p.overview(); !strings.HasSuffix(s, " Not tuned: CRC.") {
		t.Error(s)
	}
	if s := p.contestants()[1].Text; s != "Mine"+tunedWords+"." {
		t.Error(s)
	}
	all := arranged(t, slices.DeleteFunc(records, func(r experiment.Record) bool { return r.Variation != nil })).Plans[0]
	if s := all.contestants()[0].Text; !all.allTuned() || s != "Mine." {
		t.Error(s)
	}
}

// Every contestant of every built-in plan is explained: in the plan, if it has a
// label of its own, or else by its method.
func TestContestantsAreExplained(t *testing.T) {
	titles := map[string]bool{}
	for _, m := range method.All() {
		titles[method.Title(m)] = true
		if about := method.Describe(m); about == m.Name() || len(about) < 20 {
			t.Errorf("%s is described by %q", m.Name(), about)
		}
	}
	for _, name := range plans.Names() {
		p := builtin[name]()
		if p.Name != name {
			t.Errorf("the plan %s is called %s", name, p.Name)
		}
		about := p.Explain()
		for _, line := range p.List() {
			label, _, _ := strings.Cut(line, "  ")
			base, _, varied := strings.Cut(label, ", atoms=")
			if about[label] == "" && !titles[label] && !(varied && titles[base]) {
				t.Errorf("plan %s does not say what %q is", name, label)
			}
		}
	}
}

// A record says what its contestant is, also of a plan that nobody knows.
func TestRecordsExplain(t *testing.T) {
	r := experiment.Record{
		Plan: "mine", Method: "nrc", Label: "mine", Explanation: "NRC, on my features",
		Variation: &experiment.Variation{Path: "coder.rho", Value: "2"},
	}
	if got := about(&r); !strings.HasPrefix(got, "NRC, on my features; with coder.rho = 2 (") {
		t.Error(got)
	}
	r = experiment.Record{Plan: "quick", About: builtin["quick"]().Description, Method: "nrdl", Label: "NRDL, stopped coder"}
	if got := about(&r); !strings.Contains(got, "stopped after 5 passes") {
		t.Error(got)
	}
	r = experiment.Record{Plan: "mine", Method: "nrc", Label: "X", Tuning: &experiment.Tuning{}}
	if got := about(&r); !strings.HasPrefix(got, "NRC: non-negative representation") || !strings.Contains(got, "cross-validation") {
		t.Error(got)
	}
}

// Beside contestants with features, the text of one without says that it takes the data as they are.
func TestPlainContestantsAreExplained(t *testing.T) {
	features, err := frontend.Parse("faces32")
	if err != nil {
		t.Fatal(err)
	}
	plain, shaped := experiment.Record{Plan: "mine", Method: "nrc", Label: "NRC"},
		experiment.Record{Plan: "mine", Method: "nrc", Label: "shaped", Input: &features}
	const grey = "; the data as they are, of images the grey values."
	alone, both := Plan{Labels: []*Label{newLabel(&plain)}}, Plan{Labels: []*Label{newLabel(&plain), newLabel(&shaped)}}
	if s := alone.contestants()[0].Text; strings.Contains(s, grey) {
		t.Error(s)
	}
	if items := both.contestants(); !strings.HasSuffix(items[0].Text, "residual"+grey) || strings.Contains(items[1].Text, grey) {
		t.Error(items)
	}
}

// The page explains its terms and its contestants; the glossary has all of them.
func TestPageExplains(t *testing.T) {
	page := written(t, realistic(t), Options{Format: "html"})
	for _, want := range []string{
		"<dt>Which method to take</dt><dd>", "What is compared", "<dt>~</dt>",
		`<abbr title="Not significantly`, `title="the methods of each setting are ranked`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %s", want)
		}
	}
	if _, err := define("no such term"); err == nil {
		t.Error("an unknown term is defined")
	}
}
