package dataset

import (
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
)

func TestCheckName(t *testing.T) {
	for _, name := range []string{
		"ann", "Ann Smith", "José", "Jose\u0301", "😀", "-x", "李", "a.b", "#1", "1", "40", "CON", "x.", "'t Hooft",
		"=1", "❤️", "葛\U000e0100城", "علی", "علی\u200cرضا", "نَ\u200cا", "क\u094d\u200dष", "\U0001f468\u200d\U0001f469\u200d\U0001f467",
		"\U0001f469\U0001f3fd\u200d❤\ufe0f\u200d\U0001f468", "\U0001f642\u200d↔\ufe0f", "ශ්\u200dරී", strings.Repeat("x", maxPersonName),
	} {
		if err := CheckName(name); err != nil {
			t.Errorf("%q: %v", name, err)
		}
	}
	for name, want := range map[string]string{
		"": "is empty", "  ": "is empty", "a/b": "slash", `a\b`: "slash", ".": "dot", "..": "dot",
		".ann": "dot", "unknown": "strangers", "Unknown": "strangers",
		"a\nb": "seen", "a\x00": "seen", "a\u2028b": "seen", "\xff": "UTF-8", " a": "space", "a ": "space",
		"UNKNOWN": "strangers", "ｕｎｋｎｏｗｎ": "strangers", "un\u212anown": "strangers",
		"../../x": "slash", "a\tb": "seen", "a\x1b[31m": "seen", "a\u009b": "seen", "a\u202eb": "seen", "a\u2066b": "seen", "a\u200bb": "seen",
		"a\u200db": "seen", "a\u200c": "seen", "علی\u200c": "seen", "\u200cعلی": "seen", "علی\u200c\u200cرضا": "seen", "ل\u200ca": "seen",
		"😀\u200da": "seen", "e\u0301\u200df": "seen", "+\u200d+": "seen", "א\u200dב": "seen", "\ufeffa": "seen",
		"a\u00adb": "seen", "\u3164": "seen", "ann\ufe0f": "seen", "a\u034fb": "seen",
		strings.Repeat("é", maxPersonName/2+1): "bytes",
	} {
		if err := CheckName(name); err == nil || !strings.Contains(err.Error(), want) || advice.Text(err) == "" {
			t.Errorf("%q: %v, hint %q", name, err, advice.Text(err))
		}
	}
}

// badNames are those that no way into Images takes.
var badNames = []string{"", "unknown", "Unknown", "..", "../../x", "a/b", "a\nb", "a\tb", "a\x1b[31m", "a\u202eb", "a\u200bb", "\xff"}

// Images of every origin have names that CheckName takes.
func TestNamesAreChecked(t *testing.T) {
	for _, name := range append(badNames, "bob") {
		set, err := NewImages(mat.NewDense(1, 3, []float64{1, 2, 3}), []string{"ann", "bob", "bob"}, nil, nil, Frame{})
		if err != nil {
			t.Fatal(err)
		}
		set.Classes = []string{name, "bob"}
		for way, try := range map[string]func() error{
			"NewImages": func() error {
				_, err := NewImages(mat.NewDense(1, 3, []float64{1, 2, 3}), []string{name, "bob", "bob"}, nil, []string{name, "bob"}, Frame{})
				return err
			},
			"Validate":   set.Validate,
			"CheckNames": func() error { return CheckNames(set.Classes) },
		} {
			if err := try(); err == nil || name != "" && name != "bob" && !strings.Contains(err.Error(), CheckName(name).Error()) {
				t.Errorf("%s of %q: %v", way, name, err)
			}
		}
	}
	if err := CheckNames([]string{"José", "Jose\u0301"}); err == nil {
		t.Error("a name in two forms is two people")
	}
}
