package explain

import (
	"testing"

	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
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
		for rule, text := range meanings {
			for _, r := range text {
				if glyph, err := f.GlyphIndex(&buffer, r); err != nil || glyph == 0 {
					t.Errorf("rule %s: no %q in the font (%v)", rule, r, err)
				}
			}
		}
	}
}
