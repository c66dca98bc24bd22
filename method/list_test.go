package method

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
)

// Each setting is for the methods that have the parameter, and only for these.
func TestSeveral(t *testing.T) {
	all, notes, err := Several("nrc, crc,mean", "orl", []string{"kappa = 0.25"})
	if err != nil || len(all) != 3 || all[2] != classify.Method(Mean{}) {
		t.Fatalf("%v, %v", all, err)
	}
	if want, err := Preset(DefaultNRC, "orl"); err != nil || all[0] != want || all[1].(CRC).Kappa != 0.25 {
		t.Errorf("%v, %v", all, err)
	}
	if !slices.Equal(notes, []string{"kappa = 0.25 applies only to crc"}) {
		t.Errorf("notes %q", notes)
	}
	if _, notes, err := Several("crc", "", []string{"kappa=1"}); err != nil || notes != nil {
		t.Errorf("notes %q, %v", notes, err)
	}
}

func TestSeveralRefuses(t *testing.T) {
	for _, c := range []struct{ names, preset, set, err, hint string }{
		{"nrc,srcc", "", "", `unknown method "srcc"`, `did you mean "src"?`},
		{"nrc,,src", "", "", "a name is empty", "comma"},
		{",", "", "", "a name is empty", "comma"},
		{"", "", "", "a name is empty", "comma"},
		{"nrc,src, nrc", "", "", "nrc is there twice", "once"},
		{"nrc,src", "orll", "", "orll", ""},
		{"nrc,crc", "", "kapa=1", `none of nrc, crc has a parameter "kapa"`, "method.Params"},
		{"nrc,crc", "", "kappa", "NAME=VALUE", "method.Params"},
		{"nrc,crc", "", "kappa=many", "kappa", ""},
		{"nrc,crc", "", "kappa=-1", "crc: kappa = -1", ""},
	} {
		var set []string
		if c.set != "" {
			set = []string{c.set}
		}
		if _, _, err := Several(c.names, c.preset, set); err == nil || !strings.Contains(err.Error(), c.err) ||
			!strings.Contains(advice.Text(err), c.hint) {
			t.Errorf("%+v: %v, hint %q", c, err, advice.Text(err))
		}
	}
}

// Every source that a method or a parameter names is in the bibliography.
func TestSourcesAreInTheBibliography(t *testing.T) {
	text, err := os.ReadFile("../doc/references.bib")
	if err != nil {
		t.Fatal(err)
	}
	tag := regexp.MustCompile(`\[([a-z][\w-]+)\]`) // [i] is an index
	check := func(where, words string) {
		for _, m := range tag.FindAllStringSubmatch(words, -1) {
			if !bytes.Contains(text, []byte("{"+m[1]+",")) {
				t.Errorf("%s names [%s], which is not in doc/references.bib", where, m[1])
			}
		}
	}
	for _, m := range All() {
		if strings.HasSuffix(m.Name(), "-test") && m.Name() != "nrdl-test" { // of a test
			continue
		}
		traits := classify.TraitsOf(m)
		check(m.Name(), traits.Description+traits.Formulation)
		for _, p := range Params(m) {
			check(m.Name()+" "+p.Path, p.Equation+" "+p.Help)
		}
	}
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) == 0 {
		t.Fatal(err)
	}
	comment := regexp.MustCompile(`(?m)^\s*//.*$`)
	for _, f := range files {
		code, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(f, "_test.go") {
			continue
		}
		for _, line := range comment.FindAllString(string(code), -1) {
			check(f, line)
		}
	}
}
