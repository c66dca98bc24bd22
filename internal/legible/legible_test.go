package legible

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"
)

// samples are names that files and people may have, and worse.
var samples = []string{
	"", "ann", "Zoë Straße", "李", "❤️", "葛\U000e0100", "-x", "=1+1", "'=1", "''@x", "'t Hooft", " -1", "\t=1", "\r", "＝1", `"a"`, `C:\x`,
	"a\x1b[31mb", "a\nb", "a\x00", "a\x7f", "a\u009bb", "a\u202eb", "a\u200bb", "a\u200db", "\ufeffa",
	"a\u2028b", "a\u2066b", "\xff\xfe", "a\u00adb", "\u3164",
	"علی\u200cرضا", "क्\u200dष", "ക്\u200c", "👨\u200d👩\u200d👧", "👩🏽\u200d❤️\u200d👨", "\u200cعلی",
	"علی\u200c\u200cرضا", "علی\u200ca", "عَ\u200cل",
	"a\U000e0041b", "\u034f", "\u061c", "\u2060",
}

// FuzzLegible wants what is shown to be legible, and to say exactly what it was
// made of.
func FuzzLegible(f *testing.F) {
	for _, s := range samples {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if e := Escaped(s); !Is(e) || Is(s) && e != s {
			t.Errorf("%q is escaped %q", s, e)
		}
		q := Quoted(s)
		back := q
		if strings.HasPrefix(q, `"`) {
			var err error
			if back, err = strconv.Unquote(q); err != nil {
				t.Errorf("%q is quoted %s: %v", s, q, err)
			}
		}
		if back != s || !Is(q) {
			t.Errorf("%q is quoted %q", s, q)
		}
		c := Cell(s)
		if FromCell(c) != s || c != "" && strings.ContainsRune("=+-@\t\r\n", rune(c[0])) {
			t.Errorf("%q becomes the cell %q, which becomes %q", s, c, FromCell(c))
		}
		if field := Field(s); FromField(field) != s || !Is(field) {
			t.Errorf("%q becomes the field %q, which becomes %q", s, field, FromField(field))
		}
		wantJSON(t, s)
	})
}

func wantJSON(t *testing.T, s string) {
	t.Helper()
	text, err := json.MarshalIndent(map[string]string{"name": s}, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	var want, got map[string]string
	safe := JSON(text)
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(safe, &got); err != nil || got["name"] != want["name"] ||
		!Is(strings.NewReplacer("\n", "", "\t", "").Replace(string(safe))) {
		t.Errorf("%s becomes %q: %v", text, safe, err)
	}
}

// Accents, emoji and the variants of letters are no hidden characters; what a
// person cannot see is one.
func TestHidden(t *testing.T) {
	for _, s := range []string{"ann", "José", "Jose\u0301", "😀", "❤️", "李", "葛\U000e0100", "علی", "a b"} {
		if !Is(s) {
			t.Errorf("%q is not legible", s)
		}
	}
	for _, r := range "\x00\t\n\r\x1b\x7f\u0080\u009b\u00ad\u034f\u061c\u200b\u200c\u200d\u200e\u200f\u2028\u2029\u202a\u202e\u2060\u2066\u2069\u3164\ufeff\U000e0041" {
		if !Hidden(r) {
			t.Errorf("%U is not hidden", r)
		}
	}
}

// What is no formula stays as it is: numbers are not texts, and names may begin
// with an apostrophe.
func TestCell(t *testing.T) {
	for s, want := range map[string]string{"'t Hooft": "'t Hooft", "ann": "ann", "=1": "'=1", "'=1": "''=1", "-x": "'-x", "@": "'@", "": ""} {
		if got := Cell(s); got != want {
			t.Errorf("%q becomes the cell %q, not %q", s, got, want)
		}
	}
}

func TestShellWord(t *testing.T) {
	for path, want := range map[string]string{
		"nrdl-demo/people.nrdl": "nrdl-demo/people.nrdl",
		"a b":                   "'a b'",
		"it's":                  `'it'\''s'`,
		"Gesichter/Jürgen":      "Gesichter/Jürgen",
	} {
		if got := ShellWord(path); got != want {
			t.Errorf("%q is quoted %s, not %s", path, got, want)
		}
	}
}
