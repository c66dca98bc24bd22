package explain

import (
	"testing"

	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"

	"nrdl/classify"
)

// The fonts of a picture have every character of the meanings of scores: one that
// they lack is drawn as an empty box.
func TestFontsHaveTheMeaningsOfScores(t *testing.T) {
	var buffer sfnt.Buffer
	for _, ttf := range [][]byte{goregular.TTF, gobold.TTF} {
		f, err := sfnt.Parse(ttf)
		if err != nil {
			t.Fatal(err)
		}
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
