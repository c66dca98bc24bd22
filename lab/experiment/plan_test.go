package experiment

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"nrdl.example/nrdl/advice"
)

// Parts of plans.
const (
	aSet  = `{"name": "d", "synthetic": {"people": 4, "per_person": 6, "size": "8x8"}, "split": "random:3"}`
	aPlan = `{"datasets": [` + aSet + `], "methods": ["crc"]}`
)

// onData and onMethod are plans with one data set or method, and what follows.
func onData(members string) string {
	return `{"datasets": [{"name": "d", ` + members + `}], "methods": ["crc"]}`
}

func onMethod(m string, more ...string) string {
	return "{\"datasets\": [" + aSet + "],\n\"methods\": [" + m + "]" + strings.Join(more, "") + "}"
}

func parse(t testing.TB, text string) *Plan {
	t.Helper()
	p, err := ParsePlan([]byte(text), "plan.json")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// jobs returns the jobs of p by key, and fails where two have the same.
func jobs(t testing.TB, p *Plan) map[string]*job {
	t.Helper()
	settings, err := p.settings()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]*job{}
	for _, s := range settings {
		for _, j := range s.jobs {
			if o := all[j.key]; o != nil {
				t.Fatalf("%s on %s and %s on %s have one key", j.contestant.label, j.data.name, o.contestant.label, o.data.name)
			}
			all[j.key] = j
		}
	}
	return all
}

func referenceSchema(t testing.TB) *jsonschema.Schema {
	t.Helper()
	s, err := schemaOnce()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var schemaOnce = sync.OnceValues(func() (*jsonschema.Schema, error) {
	return jsonschema.NewCompiler().Compile(filepath.Join("..", "plans", "plan.schema.json"))
})

func accepts(s *jsonschema.Schema, text []byte) error {
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err == nil {
		err = s.Validate(v)
	}
	return err
}

func TestPlansOfTheRepository(t *testing.T) {
	paths, err := filepath.Glob("../plans/*.json")
	if err != nil || len(paths) < 6 {
		t.Fatal(paths, err)
	}
	schema := referenceSchema(t)
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".json")
		if name == "plan.schema" {
			continue
		}
		p, err := ReadPlan(path)
		if err != nil {
			t.Error(err)
			continue
		}
		if runs := len(jobs(t, p)); len(p.List()) != runs || runs == 0 || p.Name != name {
			t.Errorf("%s: plan %q of %d runs, %d in its list", path, p.Name, runs, len(p.List()))
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := accepts(schema, text); err != nil {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// Records are found again by their keys: these must stay.
func TestKeysStay(t *testing.T) {
	p := parse(t, `{"seed": 7, "repeats": 2, "datasets": [
		{"name": "d", "synthetic": {"people": 4, "per_person": 6, "size": "8x8"}, "split": "random:3", "noise": [0, 0.1]},
		{"name": "e", "path": "e.mat", "split": "first:2"}], "methods": ["lrc"]}`)
	var got []string
	for key, j := range jobs(t, p) {
		got = append(got, fmt.Sprintf("%s %s %v %d %d", key, j.data.name, j.noise, j.fit(), j.corruption().seed))
	}
	slices.Sort(got)
	want := []string{
		"0670b52d62eac5118dc5f12a e 0 581041217214669 0",
		"2d38233a8e30fb6bc95cc989 d 0.1 1826026170540028 5017734057250542",
		"3850241856afff280c9a19b9 d 0 1826026170540028 0",
		"68be8509391ab0abb8cb7043 d 0 6665153249546078 0",
		"6aaab5ab42ffa3bbc09f821e d 0.1 6665153249546078 3672500283368425",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Work that differs has another key, since its record would be taken for the
// other's; its descriptions and the number of its repeats are not in it.
func TestKeysAreOfTheWork(t *testing.T) {
	const base = `{"name": "p", "about": "", "seed": 7, "repeats": 1, "datasets": [
		{"name": "d", "path": "d.mat", "size": "8x8", "split": "random:3", "noise": 0.1, "occlusion": 0.1}],
		"methods": [{"method": "crc", "label": "l, kappa=2", "params": {"kappa": 2}, "tune": {"budget": 16, "folds": 4}}]}`
	variant := func(old, by string) map[string]*job {
		if !strings.Contains(base, old) {
			t.Fatalf("no %s in the plan", old)
		}
		return jobs(t, parse(t, strings.Replace(base, old, by, 1)))
	}
	var key string
	of := map[string]string{}
	for key = range variant("{", "{") {
		of[key] = "the plan as it is"
	}
	for _, c := range [][2]string{
		{`"seed": 7`, `"seed": 8`},
		{`"name": "d"`, `"name": "e"`},
		{`"d.mat"`, `"e.mat"`},
		{`"path": "d.mat", "size": "8x8"`, `"synthetic": {"people": 4, "per_person": 6}`},
		{`"path": "d.mat", "size": "8x8"`, `"synthetic": {"people": 4, "per_person": 7}`},
		{`"8x8"`, `"8x8", "crop": 0.5`},
		{`"params"`, `"input": "igo", "params"`},
		{`"params"`, `"input": "igo mirror", "params"`},
		{`"params"`, `"input": "igo fisher:0.2", "params"`},
		{`"params"`, `"input": "lcn", "params"`},
		{`"params"`, `"input": "8x8", "params"`},
		{`"8x8"`, `"8x9"`},
		{`random:3`, `random:4`},
		{`random:3`, `first:3`},
		{`"noise": 0.1`, `"noise": 0.2`},
		{`"noise": 0.1`, `"noise": 0`},
		{`"occlusion": 0.1`, `"occlusion": 0.2`},
		{`"crc", "label": "l, kappa=2", "params": {"kappa": 2}`, `"lrc", "label": "l, kappa=2"`},
		{`"l, kappa=2"`, `"m, kappa=2"`},
		{`{"kappa": 2}`, `{"kappa": 3}`},
		{`"label": "l, kappa=2", "params": {"kappa": 2}`, `"label": "l", "vary": {"kappa": [2]}`},
		{`"budget": 16`, `"budget": 30`},
		{`"folds": 4`, `"folds": 5`},
		{`, "tune": {"budget": 16, "folds": 4}`, ``},
		{`"tune"`, `"trace": true, "tune"`},
	} {
		for key := range variant(c[0], c[1]) {
			if is, ok := of[key]; ok {
				t.Errorf("%s has the key of %s", c[1], is)
			}
			of[key] = c[1]
		}
	}
	for _, c := range [][2]string{
		{`"name": "p"`, `"name": "q"`},
		{`"about": ""`, `"about": "another"`},
		{`"repeats": 1`, `"repeats": 3`},
		{`"name": "d"`, `"name": "d", "title": "D", "about": "faces", "repeats": 2`},
		{`"methods"`, `"published": {"l, kappa=2": {"d": 90}, "source": "[x]"}, "notes": {"*": {"*": "any"}}, "methods"`},
		{`"tune"`, `"datasets": ["d"], "tune"`},
		{`"params"`, `"input": "pixels", "params"`},
		{`"methods": [`, `"methods": ["lrc", `},
	} {
		if variant(c[0], c[1])[key] == nil {
			t.Errorf("with %s the work has another key", c[1])
		}
	}
}

// The faces that a run meets depend neither on the method nor on the order of
// methods and data sets, nor on how much noise there is.
func TestSeedsAreOfTheData(t *testing.T) {
	const d, e = `{"name": "d", "path": "d.mat", "split": ["random:3", "half"], "noise": [0, 0.1]}`,
		`{"name": "e", "path": "d.mat", "split": "random:3", "occlusion": [0.2, 0.1]}`
	const format = `{"seed": 3, "repeats": 3, "datasets": [%s, %s], "methods": [%s, %s]}`
	p := jobs(t, parse(t, fmt.Sprintf(format, d, e, `"crc"`, `{"method": "nrc", "tune": {}}`)))
	q := jobs(t, parse(t, fmt.Sprintf(format, e, d, `{"method": "nrc", "tune": {}}`, `"crc"`)))
	if len(p) != len(q) || len(p) != 2*(2*2*3+2*3) {
		t.Fatalf("%d and %d runs", len(p), len(q))
	}
	seeds := map[string]uint64{}
	for key, j := range p {
		if o := q[key]; o == nil || o.fit() != j.fit() || o.corruption() != j.corruption() {
			t.Errorf("%s on %s depends on the order", j.contestant.label, j.data.name)
		}
		at := fmt.Sprintf("%s %d", j.data.name, j.repeat)
		if was, ok := seeds[at]; ok && was != j.fit() {
			t.Errorf("%s: two seeds", at)
		}
		if seeds[at] = j.fit(); j.fit()>>53 != 0 {
			t.Errorf("seed %d is longer than 53 bits", j.fit())
		}
		if spoilt := j.noise+j.occlusion > 0; spoilt != (j.corruption().seed != 0) || j.corruption().seed == j.fit() {
			t.Errorf("%s: seeds %d and %d", at, j.fit(), j.corruption().seed)
		}
	}
	distinct := map[uint64]bool{}
	for _, s := range seeds {
		distinct[s] = true
	}
	if len(distinct) != 6 {
		t.Errorf("%d seeds of 2 data sets and 3 repeats", len(distinct))
	}
}

// What is not random is not repeated; presets, parameters and labels arrive.
func TestPlanIsMeant(t *testing.T) {
	p := parse(t, `{"repeats": 5, "datasets": [
		{"name": "d", "path": "d.mat", "split": ["first:3", "half"], "noise": [0, 0.1], "preset": "pie", "repeats": 2},
		{"name": "e", "path": "e.mat", "split": "first:3"}],
		"methods": ["dksvd", {"method": "dksvd", "label": "plain", "preset": false}, {"method": "crc", "vary": {"kappa": [1, 2]}, "datasets": ["e"]}],
		"published": {"dksvd": {"d": [90, 1.5]}, "source": "[x]"},
		"notes": {"*": {"e": "all", "*": "any"}, "plain": {"*": "own"}}}`)
	count, params := map[string]int{}, map[string]string{}
	set := &loadedSet{set: drawn(t)}
	for _, j := range jobs(t, p) {
		r := j.record(set, set.set.Frame)
		count[r.Dataset.Name+" "+r.Label]++
		params[r.Dataset.Name+" "+r.Label] = string(r.Params)
		want := map[string]string{"d D-KSVD": "any", "d plain": "own", "e D-KSVD": "all", "e plain": "own"}
		if w, ok := want[r.Dataset.Name+" "+r.Label]; ok && r.Note != w {
			t.Errorf("%s on %s has the note %q", r.Label, r.Dataset.Name, r.Note)
		}
		switch {
		case r.Label != "D-KSVD" || r.Dataset.Name != "d":
			if r.Published != nil {
				t.Errorf("%s on %s: %+v", r.Label, r.Dataset.Name, *r.Published)
			}
		default:
			if diff := cmp.Diff(&Published{90, 1.5, "[x]"}, r.Published); diff != "" {
				t.Error(diff)
			}
		}
	}
	if params["d D-KSVD"] == params["e D-KSVD"] || params["d plain"] != params["e plain"] {
		t.Error("the preset is not where it is wanted")
	}
	want := map[string]int{ // first: clean once, noisy twice; half: all twice
		"d D-KSVD": 1 + 2 + 2 + 2, "d plain": 1 + 2 + 2 + 2, "e D-KSVD": 1, "e plain": 1, "e CRC, kappa=1": 1, "e CRC, kappa=2": 1,
	}
	if diff := cmp.Diff(want, count); diff != "" {
		t.Error(diff)
	}
}

func TestReadPlanRefuses(t *testing.T) {
	dir := t.TempDir()
	for name, c := range map[string]struct{ text, want string }{
		"empty.json":  {"", "empty.json:1: it ends too early"},
		"large.json":  {strings.Repeat(" ", 5<<20), "longer than 4 MiB"},
		"latin1.json": {"{\"name\": \"Andr\xe9\"}", "latin1.json: not UTF-8 text"},
		"nested.json": {strings.Repeat("[", 1<<20), "nested.json:1: nested too deeply"},
		"object.json": {strings.Repeat(`{"a":`, 1<<19), "object.json:1: nested too deeply"},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadPlan(path); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, path := range []string{dir, filepath.Join(dir, "missing.json")} {
		if _, err := ReadPlan(path); err == nil || !strings.HasPrefix(err.Error(), "read plan: ") {
			t.Errorf("%s: %v", path, err)
		}
	}
	path := filepath.Join(dir, "marked.json")
	if err := os.WriteFile(path, []byte("\ufeff"+aPlan), 0o600); err != nil {
		t.Fatal(err)
	}
	if p, err := ReadPlan(path); err != nil || p.Name != "marked" {
		t.Errorf("%+v, %v", p, err)
	}
}

// ugly is what no message for a person should have.
var ugly = regexp.MustCompile(`\n|%!|Go (struct|value|type)|(^|[^.])json:|experiment\.|nil\b`)

// presentable fails where err, of a plan, is not one line about one place.
func presentable(t testing.TB, text string, err error) {
	t.Helper()
	if m := err.Error(); ugly.MatchString(m) || strings.Count(m, "plan.json") != 1 || ugly.MatchString(advice.Text(err)) {
		t.Errorf("%.200q: an ugly message, %q (hint %q)", text, m, advice.Text(err))
	}
}

// FuzzParsePlan: what is refused is refused in one line; what is accepted is
// JSON, agrees with the schema, and has no run twice.
func FuzzParsePlan(f *testing.F) {
	for _, c := range badPlans {
		f.Add([]byte(c.text))
	}
	for _, text := range goodPlans {
		f.Add([]byte(text))
	}
	if quick, err := os.ReadFile("../plans/quick.json"); err != nil {
		f.Error(err)
	} else {
		f.Add(quick)
	}
	schema := referenceSchema(f)
	long := regexp.MustCompile(`[eE][+-]?[0-9]{4}`) // an exponent that the schema's library would write out
	f.Fuzz(func(t *testing.T, text []byte) {
		p, err := ParsePlan(text, "plan.json")
		if err != nil {
			if bytes.IndexFunc(text, func(r rune) bool { return r < ' ' || r == '%' }) < 0 {
				presentable(t, string(text), err)
			}
			return
		}
		text = bytes.TrimPrefix(text, []byte("\ufeff"))
		if !json.Valid(text) {
			t.Error("accepted, but not JSON")
		}
		if err := accepts(schema, text); err != nil && !long.Match(text) {
			t.Errorf("the schema refuses it: %v", err)
		}
		if runs := len(jobs(t, p)); runs != len(p.List()) {
			t.Errorf("%d runs, %d in the list", runs, len(p.List()))
		}
	})
}

// Two varied parameters make a contestant for each pair of values, whose record has both.
func TestTwoParametersAreVaried(t *testing.T) {
	p := parse(t, `{"datasets": [{"name": "d", "path": "d.mat", "split": "first:3"}],
		"methods": [{"method": "procrc", "vary": {"coder.lambda": [1, 2], "coder.gamma": [3, 4, 5]}}]}`)
	set := &loadedSet{set: drawn(t)}
	labels := map[string]bool{}
	for _, j := range jobs(t, p) {
		r := j.record(set, set.set.Frame)
		v := r.Variation
		if v.Path != "coder.lambda" || v.Second == nil || v.Second.Path != "coder.gamma" || v.Second.Second != nil {
			t.Fatalf("%s: %+v", r.Label, v)
		}
		want := "ProCRC, coder.lambda=" + v.Value + ", coder.gamma=" + v.Second.Value
		params := `{"coder":{"lambda":` + v.Value + `,"gamma":` + v.Second.Value + `}}`
		if r.Label != want || string(r.Params) != params {
			t.Errorf("%s with %s, want %s with %s", r.Label, r.Params, want, params)
		}
		labels[r.Label] = true
	}
	if len(labels) != 6 {
		t.Errorf("%d labels", len(labels))
	}
}
