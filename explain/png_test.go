package explain

import (
	"testing"

	"golang.org/x/image/font/sfnt"
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
		for rule, text := range meanings {
			for _, r := range text {
				if glyph, err := f.GlyphIndex(&buffer, r); err != nil || glyph == 0 {
					t.Errorf("rule %s: no %q in the font (%v)", rule, r, err)
				}
			}
		}
	}
}
