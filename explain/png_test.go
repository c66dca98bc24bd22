package explain

import (
	"testing"

	"golang.org/x/image/font/sfnt"

	"nrdl/classify"
)

// The fonts of a picture have every character of the meanings of scores: one that
// they lack is drawn as an empty box.
func TestFontsHaveTheMeaningsOfScores(t *testing.T) {
	all, err := fonts()
	if err != nil {
		t.Fatal(err)
	}
	var buffer sfnt.Buffer
	for _, f := range all {
		for _, rule := range append([]classify.Rule{classify.Linear{}, classify.Fisher{}}, classify.Untrained...) {
			if rule.About() == "" {
				t.Errorf("rule %s says nothing of its scores", rule.Name())
			}
			for _, r := range rule.About() {
				if glyph, err := f.GlyphIndex(&buffer, r); err != nil || glyph == 0 {
					t.Errorf("rule %s: no %q in the font (%v)", rule.Name(), r, err)
				}
			}
		}
	}
}
