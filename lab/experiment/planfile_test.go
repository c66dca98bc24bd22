package experiment

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/method"
)

// goodPlans are accepted, by the schema too.
var goodPlans = []string{
	aPlan,
	`{"$schema": "x", "name": "n", "about": "", "seed": 18446744073709551615, "repeats": 1.0, "tune": {}, "datasets": [` + aSet +
		`], "methods": ["crc"]}`,
	onData(`"title": "T", "about": "a", "path": "x.mat", "size": "1024x7", "preset": "orl", "repeats": 3, "split": ["half",` +
		` "first:1", "authors:5"], "noise": [0, 1], "occlusion": 0.5`),
	onData(`"synthetic": {}, "split": "random:1000000", "noise": 1e-3`),
	onData(`"synthetic": {"people": 2e0, "seed": 9, "light": 2, "pose": 0, "expression": 1, "occlusion": 0.5, "noise": 10}, "split": "half"`),
	onMethod(`{"method": "nrdl", "label": "x", "params": {"coder.solver": "admm", "squared": true, "atoms": 3,` +
		` "lambda": "1e-3"}, "preset": false, "trace": true, "tune": {"budget": 1, "folds": 2}, "datasets": ["d"]}`),
	onMethod(`{"method": "crc", "vary": {"kappa": [1, 0.5, "2"]}}`),
	onMethod(`{"method": "nrdl", "vary": {"coder.solver": ["exact", "admm"], "coder.rho": [1, 2]}}`),
	onData(`"path": "x", "size": "96x96", "crop": 0.36, "split": "half"`),
	onMethod(`{"method": "crc", "label": "a", "input": "igo+lbp:cell=5.34 mirror fisher:0.3"}, {"method": "crc",` +
		` "label": "b", "input": "faces32 64x64"}, {"method": "crc", "input": "pixels"}`),
	onMethod(`"crc"`, `, "published": {"source": "s", "crc": {"d": 0}}, "notes": {"crc": {"d": "x", "*": ""}, "*": {"*": "y"}}`),
	onMethod(`"crc", {"method": "crc", "label": "again"}`, `, "published": {"crc": {"d": [100]}, "again": {"d": [99.5, 0.5]}}`),
}

// badPlans are refused with a message at a line; by the schema too, unless they
// are beyond it, which knows no names, sums and uses of values.
var badPlans = []struct {
	text   string
	line   int
	want   string
	hint   string
	beyond bool
}{
	// No JSON.
	{"", 1, "it ends too early", "", false},
	{" \n\n", 1, "it ends too early", "", false},
	{"{\n\"name\": \"x\",\n", 2, "it ends too early", "", false},
	{"{\n\"name\": \"x", 2, "it ends too early", "", false},
	{aPlan[:len(aPlan)-1], 1, "it ends too early", "", false},
	{"{\n\n\"name\": tru}", 3, "invalid character '}' in literal true", "", false},
	{"{\n\"name\": \"a\\q\"\n}", 2, "invalid character 'q' in string escape code", "", false},
	{"{\n\"name\": 1\n\"seed\": 2}", 3, "invalid character", "", false},
	{"{\n\"seed\": 01}", 2, "invalid character '1'", "", false},
	{"{\n\"seed\": NaN}", 2, "invalid character 'N'", "", false},
	{"{\n\"name\": \"x\",\n}", 3, "invalid character '}'", "", false},
	{"{\n\"name\": \"x\",\n// why\n}", 3, "invalid character '/'", "no comments", false},
	{"{\n# why\n}", 2, "invalid character '#'", "no comments", false},
	{aPlan + "\nx", 2, "text after the end", "", false},
	{aPlan + "\n{}", 2, "text after the end", "", false},
	{onMethod(`"crc"`, ",\n\"seed\": 1,\n\"seed\": 2"), 4, `"seed" is there twice`, "", true},
	{strings.Repeat("[", 40), 1, "nested too deeply", "", false},

	// Inputs and parts of images.
	{onMethod("\n" + `{"method": "crc", "input": "igo+lpb"}`), 3, `unknown feature "lpb"`, `did you mean "lbp"?`, true},
	{onMethod(`{"method": "crc", "input": "fischer"}`), 2, `unknown stage or preset of an input "fischer"`, `did you mean "fisher"?`, true},
	{onMethod(`{"method": "crc", "input": "32x32 lbp:cell=40"}`), 2, "cell = 40 is too large for an image of 32x32", "cell=32", true},
	{onMethod(`{"method": "crc", "input": "fisher:-1"}`), 2, "ridge = -1", "0.3", true},
	{onMethod(`{"method": "crc", "input": ""}`), 2, "an empty input", "", true},
	{onMethod(`{"method": "crc", "input": 32}`), 2, "a number, not text", "", false},
	{onMethod(`{"method": "crc", "inputs": "igo"}`), 2, `unknown key "inputs"`, `did you mean "input"?`, false},
	{onMethod(`{"method": "crc", "input": "igo"}, {"method": "crc", "input": "hog"}`), 2, `two methods go by "CRC"`, "label", true},
	{onData(`"path": "x", "split": "half", "crop": 1.5`), 1, `"crop": 1.5 is not a share, 0 … 1`, "0.5 keeps", false},
	{onData(`"path": "x", "split": "half", "crop": -0.1`), 1, `"crop": -0.1 is not a share`, "", false},
	{onData(`"path": "x", "split": "half", "crop": "0.5"`), 1, `"crop": "0.5" is not a share`, "", false},

	// Other types.
	{"[]", 1, "a list, not an object", "", false},
	{"\n7", 2, "a number, not an object", "", false},
	{`null`, 1, "null, not an object", "", false},
	{"{\"datasets\":\n7}", 2, `"datasets": a number, not a list`, "", false},
	{`{"datasets": [7]}`, 1, `"datasets": a number, not an object`, "", false},
	{`{"datasets": []}`, 1, `"datasets": an empty list`, "", false},
	{`{"datasets": [` + aSet + `]}`, 1, `no "methods"`, "", false},
	{`{"methods": ["crc"]}`, 1, `no "datasets"`, "", false},
	{`{"datasets": [` + aSet + `], "methods": 3}`, 1, `"methods": a number, not a list`, "", false},
	{`{"datasets": [` + aSet + `], "methods": {}}`, 1, `"methods": an object, not a list`, "", false},
	{onMethod(``), 2, `"methods": an empty list`, "", false},
	{onMethod(`null`), 2, `"methods": null, not text or an object`, "", false},
	{onMethod(`{"method": ["crc"]}`), 2, `"method": a list, not text`, "", false},
	{onMethod(`{"method": "crc", "label": 1}`), 2, `"label": a number, not text`, "", false},
	{onMethod(`{"method": "crc", "params": "kappa=1"}`), 2, `"params": text, not an object`, "", false},
	{onMethod(`{"method": "crc", "params": {"kappa": [1]}}`), 2, `"kappa": a list is not the value of a parameter`, "", false},
	{onMethod(`{"method": "crc", "trace": 1}`), 2, `"trace": a number, not true or false`, "", false},
	{onMethod(`{"method": "crc", "preset": "orl"}`), 2, `"preset": text, not true or false`, "", false},
	{onMethod(`{"method": "crc", "tune": true}`), 2, `"tune": true or false, not an object`, "", false},
	{onMethod(`{"method": "crc", "datasets": "d"}`), 2, `"datasets": text, not a list`, "", false},
	{onMethod(`{"method": "crc", "datasets": []}`), 2, `"datasets": an empty list`, "", false},
	{onMethod(`"crc"`, `, "seed": "1"`), 2, `"seed": "1" is not an integer`, "", false},
	{onMethod(`"crc"`, `, "name": null`), 2, `"name": null, not text`, "", false},
	{onMethod(`"crc"`, `, "notes": []`), 2, `"notes": a list, not an object`, "", false},
	{onMethod(`"crc"`, `, "notes": {"crc": "x"}`), 2, `"crc": text, not an object`, "", false},
	{onMethod(`"crc"`, `, "notes": {"crc": {"d": 1}}`), 2, `"d": a number, not text`, "", false},
	{onMethod(`"crc"`, `, "published": {"crc": {"d": "x"}}`), 2, `"d": "x" is not a rate in percent`, "", false},
	{onMethod(`"crc"`, `, "published": {"source": 1}`), 2, `"source": a number, not text`, "", false},

	// Unknown keys, at every level.
	{"{\n\"//\": \"why\"}", 2, `unknown key "//"`, "no comments", false},
	{"{\n\"_comment\": \"why\"}", 2, `unknown key "_comment"`, "no comments", false},
	{"{\n\"repeat\": 1}", 2, `unknown key "repeat"`, `did you mean "repeats"?`, false},
	{onData(`"pth": "x", "split": "half"`), 1, `unknown key "pth"`, `"path"`, false},
	{onData(`"synthetic": {"persons": 3}, "split": "half"`), 1, `unknown key "persons"`, "per_person", false},
	{onMethod(`{"method": "crc", "parms": {}}`), 2, `unknown key "parms"`, `"params"`, false},
	{onMethod(`{"method": "crc", "tune": {"fold": 2}}`), 2, `unknown key "fold"`, `"folds"`, false},
	{onMethod(`"crc"`, `, "tune": {"seed": 2}`), 2, `unknown key "seed"`, "budget, folds", false},

	// Values out of range.
	{onMethod(`"crc"`, `, "repeats": 0`), 2, `"repeats": 0 is not an integer, 1 … 1000000`, "", false},
	{onMethod(`"crc"`, `, "repeats": 1.5`), 2, `"repeats": 1.5 is not an integer`, "", false},
	{onMethod(`"crc"`, `, "repeats": 1e999`), 2, `"repeats": 1e999 is not a finite number`, "", false},
	{onMethod(`"crc"`, `, "seed": -1`), 2, `"seed": -1 is not an integer, 0 … 18446744073709551615`, "", false},
	{onMethod(`"crc"`, `, "seed": 18446744073709551616`), 2, `is not an integer`, "", false},
	{onMethod(`"crc"`, `, "tune": {"budget": 0}`), 2, `"budget": 0 is not`, "", false},
	{onMethod(`{"method": "crc", "tune": {"folds": 1}}`), 2, `"folds": 1 is not an integer, 2 …`, "", false},
	{onMethod(`"crc"`, `, "name": ""`), 2, `"name": "" is not a line of text`, "", false},
	{
		onMethod(`{"method": "crc", "label": "\u001b[2J"}`), 2,
		`"label": "\x1b[2J" is not a line of text, not empty and without control characters`, "", false,
	},
	{onData(`"path": "", "split": "half"`), 1, `"path": "" is not a line of text`, "", false},
	{onData(`"path": "x", "split": "half", "noise": 1.5`), 1, `"noise": 1.5 is not a share, 0 … 1`, "", false},
	{onData(`"path": "x", "split": "half", "noise": [0, -0.1]`), 1, `"noise": -0.1 is not a share`, "", false},
	{onData(`"path": "x", "split": "half", "occlusion": 1e999`), 1, `"occlusion": 1e999 is not a finite number`, "", false},
	{onData(`"path": "x", "split": "half", "noise": []`), 1, `"noise": an empty list`, "", false},
	{onData(`"path": "x", "split": "half", "noise": [0.1, 1e-1]`), 1, `"noise": 1e-1 is there twice`, "", false},
	{onData(`"path": "x", "split": "half", "repeats": 0`), 1, `"repeats": 0 is not`, "", false},
	{onData(`"path": "x", "split": "half", "preset": "orll"`), 1, `unknown preset "orll"`, `"orl"`, false},
	{onData(`"path": "x", "split": "half", "preset": ""`), 1, `unknown preset ""`, "", false},
	{onData(`"path": "x", "split": "half", "size": "32"`), 1, `"size": "32" is not a size HxW`, "", false},
	{onData(`"path": "x", "split": "half", "size": "032x32"`), 1, `"size": "032x32" is not a size HxW`, "", false},
	{onData(`"path": "x", "split": "half", "size": "0x32"`), 1, `"size": "0x32" is not a size HxW, 1x1`, "", false},
	{onData(`"path": "x", "split": "half", "size": "2000x32"`), 1, `"size": "2000x32" is not a size HxW, 1x1 … 1024x1024`, "", false},
	{onData(`"path": "x", "split": "all"`), 1, `"split": "all" is not a split: half, first:K`, "", false},
	{
		onData(`"path": "x", "split": "third"`), 1,
		`"split": "third" is not a split: half, first:K, random:K or authors:K, for example first:6`, "", false,
	},
	{onData(`"path": "x", "split": "first:0"`), 1, `"split": "first:0" is not a split`, "", false},
	{onData(`"path": "x", "split": "authors:4"`), 1, `"authors:4" is not a split`, "", false},
	{onData(`"path": "x", "split": "random:1000001"`), 1, `"random:1000001" is not a split`, "", false},
	{onData(`"path": "x", "split": "first:+6"`), 1, `"first:+6" is not a split: half, first:K`, "", false},
	{onData(`"path": "x", "split": ["half", "half"]`), 1, `"split": "half" is there twice`, "", false},
	{onData(`"path": "x", "split": []`), 1, `"split": an empty list`, "", false},
	{onData(`"path": "x"`), 1, `"datasets": no "split"`, "training images", false},
	{onData(`"split": "half"`), 1, `needs either "path" or "synthetic"`, "", false},
	{onData(`"path": "x", "synthetic": {}, "split": "half"`), 1, `needs either "path" or "synthetic"`, "", false},
	{`{"datasets": [{"path": "x", "split": "half"}], "methods": ["crc"]}`, 1, `"datasets": no "name"`, "", false},
	{onData(`"synthetic": {"people": 0}, "split": "half"`), 1, `"people": 0 is not an integer`, "", false},
	{onData(`"synthetic": {"light": 2.5}, "split": "half"`), 1, `"light": 2.5 is not a strength, 0 … 2`, "", false},
	{onData(`"synthetic": {"people": 999999, "per_person": 999999}, "split": "half"`), 1, "more than the", "fewer people", true},
	{onMethod(`{"label": "x"}`), 2, `"methods": no "method"`, "", false},
	{onMethod(`{"method": "crc", "vary": {}}`), 2, `"vary": an object is not one parameter and the list of its values`, "", false},
	{onMethod(`{"method": "crc", "vary": {"kappa": []}}`), 2, `"kappa": an empty list`, "", false},
	{
		onMethod(`{"method": "crc", "vary": {"kappa": [1], "x": [2], "y": [3]}}`), 2,
		`"vary": an object is not one parameter and the list of its values`, "", false,
	},
	{onMethod(`{"method": "crc", "vary": {"kappa": [null]}}`), 2, `"kappa": null is not the value of a parameter`, "", false},
	{onMethod(`{"method": "crc", "vary": {"kappa": [1, 1]}}`), 2, `"kappa": 1 is there twice`, "", false},
	{onMethod(`"crc"`, `, "published": {"crc": {"d": []}}`), 2, `"d": an empty list`, "", false},
	{onMethod(`"crc"`, `, "published": {"crc": {"d": [90, 1, 2]}}`), 2, `is not a rate`, "", false},
	{onMethod(`"crc"`, `, "published": {"crc": {"d": 101}}`), 2, `is not a rate`, "", false},
	{onMethod(`"crc"`, `, "published": {"*": {"d": 90}}`), 2, `unknown method of this plan "*"`, "choose one of crc", true},

	// Names.
	{onMethod(`"crx"`), 2, `unknown method "crx"`, `"crc"`, true},
	{onMethod(`""`), 2, `unknown method ""`, "choose one of", true},
	{onMethod(`{"method": "crc", "params": {"kapa": 1}}`), 2, `"kapa"`, `"kappa"`, true},
	{onMethod("{\"method\": \"crc\", \"params\": {\n\"kappa\": -1}}"), 3, `kappa = -1 is not a weight ≥ 0`, "", true},
	{onMethod(`{"method": "crc", "params": {"kappa": 1e999}}`), 2, `1e999 is not a finite number`, "", true},
	{onMethod(`{"method": "nrdl", "params": {"atoms": 2.5}}`), 2, `"2.5" is not an integer`, "", true},
	{onMethod(`{"method": "nrdl", "params": {"coder.solver": "foo"}}`), 2, `"foo" is none of exact, admm`, "", true},
	{
		onMethod(`{"method": "nrdl", "params": {"coder.rho": 1}}`), 2,
		`coder.rho changes nothing: it has an effect with coder.solver=admm only`, "", true,
	},
	{onMethod(`{"method": "nrdl", "vary": {"coder.rho": [1, 2]}}`), 2, `coder.rho changes nothing`, "", true},
	{onMethod("{\"method\": \"crc\", \"vary\": {\"kappa\": [1,\n-1]}}"), 3, `kappa = -1`, "", true},
	{onMethod(`{"method": "crc", "datasets": ["e"]}`), 2, `unknown data set "e"`, "choose one of d", true},
	{onMethod(`"crc"`, `, "published": {"crc": {"dd": 90}}`), 2, `unknown data set "dd"`, `"d"`, true},
	{onMethod(`"crc"`, `, "published": {"crx": {"d": 90}}`), 2, `unknown method of this plan "crx"`, `"crc"`, true},
	{onMethod(`"crc"`, `, "notes": {"crc": {"dd": "x"}}`), 2, `unknown data set "dd"`, "", true},
	{onMethod("\"crc\",\n\"crc\""), 3, `two methods go by "CRC"`, "label", true},
	{onMethod("\"crc\",\n{\"method\": \"nrc\", \"label\": \"CRC\"}"), 3, `two methods go by "CRC"`, "label", true},
	{"{\"datasets\": [" + aSet + ",\n" + aSet + `], "methods": ["crc"]}`, 2, `two data sets are named "d"`, "", true},
	{onMethod(`"crc", "nrc"`, `, "repeats": 500001`), 1, "more than 1000000 runs", "", true},
}

func TestBadPlansAreRefused(t *testing.T) {
	schema := referenceSchema(t)
	for _, c := range badPlans {
		_, err := ParsePlan([]byte(c.text), "plan.json")
		if err == nil {
			t.Errorf("%.200q is accepted", c.text)
			continue
		}
		presentable(t, c.text, err)
		at := fmt.Sprintf("plan.json:%d: ", c.line)
		if m := err.Error(); !strings.HasPrefix(m, at) || !strings.Contains(m, c.want) {
			t.Errorf("%.200q: %q, want %q", c.text, m, at+c.want)
		}
		if h := advice.Text(err); !strings.Contains(h, c.hint) || c.hint == "no comments" && h == "" {
			t.Errorf("%.200q: the hint %q, want %q", c.text, h, c.hint)
		}
		if refused := accepts(schema, []byte(c.text)) != nil; refused == c.beyond {
			t.Errorf("%.200q: refused by the schema: %v", c.text, refused)
		}
	}
}

// Plans in which words are exchanged at random are refused by the schema exactly where another program
// that knows JSON Schema refuses them.
func TestSchemaIsChecked(t *testing.T) {
	schema, rng := referenceSchema(t), rand.New(rand.NewPCG(1, 2))
	word := regexp.MustCompile(`"[^"]*"|[-\w.]+|\[\]|\{\}`)
	words := strings.Fields(`null 0 -1 2 1.5 1e3 1.0 18446744073709551616 true "" "x" "half" "random:3" "\u0000" [] {} [1,1.0]
		["half","half"] [0.1,5] {"a":1} {"method":"crc"} {"command":["x"]} {"command":[]} {"a":[1],"b":[2],"c":[3]}
		"name" "path" "x" "size" "noise" "8x8" "repeats" "tune" "synthetic" "method" "vary" "ranges" "folds"`)
	refused := 0
	for range 200 {
		for _, text := range goodPlans {
			for range 1 + rng.IntN(2) {
				at := word.FindAllStringIndex(text, -1)
				i := at[rng.IntN(len(at))]
				text = text[:i[0]] + words[rng.IntN(len(words))] + text[i[1]:]
			}
			v, err := parseJSON([]byte(text), "plan.json", nil)
			if err != nil {
				continue // not JSON
			}
			err = v.validate()
			if other := accepts(schema, []byte(text)); (err != nil) != (other != nil) {
				t.Errorf("%s: %v, and %v", text, err, other)
			}
			if err != nil {
				refused++
			}
		}
	}
	if refused < 1000 {
		t.Errorf("only %d are refused", refused)
	}
}

// The schema has every preset.
func TestPresetsArePlanned(t *testing.T) {
	for _, name := range method.PresetNames() {
		parse(t, onData(fmt.Sprintf(`"path": "x", "split": "half", "preset": %q`, name)))
	}
}

func TestGoodPlansAreAccepted(t *testing.T) {
	schema := referenceSchema(t)
	for _, text := range goodPlans {
		jobs(t, parse(t, text))
		if err := accepts(schema, []byte(text)); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Long lists end before they take long.
func TestListsAreBounded(t *testing.T) {
	var noise, names strings.Builder
	for i := range maxItems + 1 {
		fmt.Fprintf(&noise, "%s%g", []string{"", ","}[min(i, 1)], float64(i)/(2*maxItems))
		fmt.Fprintf(&names, `%s{"method": "crc", "label": "%d"}`, []string{"", ","}[min(i, 1)], i)
	}
	for _, text := range []string{
		onData(`"path": "x", "split": "half", "noise": [` + noise.String() + `]`),
		onMethod(names.String()),
		onMethod(`{"method": "crc", "vary": {"kappa": [` + noise.String() + `]}}`),
	} {
		if _, err := ParsePlan([]byte(text), "plan.json"); err == nil {
			t.Errorf("%.100s is accepted", text)
		}
	}
	if _, err := ParsePlan([]byte(`[`+strings.Repeat(`[0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0],`, 9000)+`0]`),
		"plan.json"); err == nil || !strings.Contains(err.Error(), "more than 200000 values") {
		t.Error(err)
	}
	var runs strings.Builder // 1001 · 1000 of them
	for i := range 1001 {
		fmt.Fprintf(&runs, "%s%g", []string{"", ","}[min(i, 1)], float64(i)/1001)
	}
	text := `{"repeats": 1000, ` + onData(`"path": "x", "split": "half", "noise": [` + runs.String() + `]`)[1:]
	if _, err := ParsePlan([]byte(text), "plan.json"); err == nil || !strings.Contains(err.Error(), "more than 1000000 runs") {
		t.Errorf("%d repeats of %d densities: %v", 1000, 1001, err)
	}
}
