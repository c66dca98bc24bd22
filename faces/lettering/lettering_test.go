package lettering

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/clipperhouse/uax29/v2/graphemes"

	"nrdl.example/nrdl/classify"
)

// scriptNames has names in many scripts; testdata has the picture of each.
var scriptNames = map[string]string{
	"latin": "Nguyễn Thị Hường ẦẾỖỰ Þórður", "decomposed": "Nguye\u0302\u0303n Jose\u0301 \u1112\u1161\u11ab q\u0307\u0323",
	"cyrillic": "Анна Ёлкина Ґалаґан", "greek": "Ελένη Παπαδοπούλου Ἀθηνᾶ",
	"arabic": "محمد بن علی العربي لا", "hebrew": "יוסף בן־דוד שָׁלוֹם",
	"devanagari": "क्षत्रिय श्रीकृष्ण हिन्दी शक्ति", "thai": "น้ำผึ้ง ปิ่นเกล้า ที่",
	"simplified": "张伟 李娜 玥喆堃", "traditional": "張偉 龍馬 灣",
	"japanese": "さくら タナカ 龍之介 ﾀﾅｶ", "korean": "김철수 박지훈", "emoji": "😀 Ann 👨‍👩‍👧 ❤️ 🏴󠁧󠁢󠁥󠁮󠁧󠁿",
	"mixed":  "John محمد علي 97 abc (שלום 12 x)",
	"exotic": "བསྟན ኢትዮጵያ ქართული தமிழ் বাংলা",
	"number": "\u202eab\u0378 𝓜𝓪𝓻𝓴 𠮷野 \U000f0000 \u200d",
}

// picture draws a name as people see it, in both weights.
func picture(name string) *image.Gray {
	const width, height, x, room = 700, 36, 6, 340
	img := image.NewGray(image.Rect(0, 0, width, height))
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	for i, w := range []Weight{Regular, Bold} {
		w.Write(img, color.Black, name, 18, image.Pt(x+i*width/2, 25), room)
	}
	return img
}

// The pictures in testdata are to be looked at when they change. UPDATE=1 writes them
// again.
func TestGoldenPictures(t *testing.T) {
	for script, name := range scriptNames {
		t.Run(script, func(t *testing.T) {
			path := filepath.Join("testdata", script+".png")
			got := picture(name)
			if os.Getenv("UPDATE") != "" {
				var b bytes.Buffer
				if err := png.Encode(&b, got); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			golden, err := png.Decode(bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			const rounding = 8 // of 255: floating-point numbers differ between processors
			want := golden.(*image.Gray)
			for i, v := range got.Pix {
				if d := int(v) - int(want.Pix[i]); d < -rounding || d > rounding {
					t.Fatalf("pixel %d of %s is %d, not %d", i, path, v, want.Pix[i])
				}
			}
		})
	}
}

// No glyph is that of a missing character, and each character leaves ink or is a space.
func TestNothingIsMissing(t *testing.T) {
	var names []string
	for _, name := range scriptNames {
		names = append(names, name)
	}
	for r := rune(0); r < 0x20000; r += 37 {
		names = append(names, string(r))
	}
	for r := range rune(0x600) {
		names = append(names, string(r))
	}
	for _, name := range append(names, "\xff", "\U0010ffff", "a\x00\n\tb", "\u2068") {
		for _, w := range []Weight{Regular, Bold} {
			ink := false
			for _, g := range lineOf(w, name, 16).glyphs {
				ink = ink || g.left <= g.right
				if g.id == 0 {
					t.Errorf("%q %U has a glyph of a missing character", name, []rune(name))
				}
			}
			if !ink && strings.TrimSpace(name) != "" {
				t.Errorf("%q %U leaves no ink", name, []rune(name))
			}
		}
	}
}

// The meanings of scores, which are in pictures, have no letters of the coarse font.
func TestMeaningsOfScores(t *testing.T) {
	for _, rule := range append([]classify.Rule{classify.Linear{}, classify.Fisher{}}, classify.Untrained...) {
		if rule.About() == "" {
			t.Errorf("rule %s says nothing of its scores", rule.Name())
		}
		for _, r := range rule.About() {
			if face := choose(Bold.fonts(), []rune{r}, bold); face == nil || strings.HasPrefix(face.name, "rest") {
				t.Errorf("rule %s: no %q in the fine fonts", rule.Name(), r)
			}
		}
	}
}

// Glyphs and advances are those of hb-shape 6.0.0, of Debian's libharfbuzz-bin, for the
// same fonts, from left to right.
func TestShapedAsByHarfBuzz(t *testing.T) {
	for text, want := range map[string]string{
		"محمد":      "197+266 720+289 393+319 718+263",
		"العربي لا": "667+291 3+130 1393+368 94+135 906+198 12+261 635+130 46+119",
		"क्षत्रिय":  "179+356 607+130 269+276 51+290",
		"श्रीकृष्ण": "284+354 68+130 25+381 71+0 214+161 39+362",
		"शक्ति":     "58+340 604+130 183+266 40+285",
		"น้ำผึ้ง":   "71+307 59+0 49+0 86+203 78+324 99+0 49+0 58+269",
		"ปิ่นเกล้า": "80+303 93+0 44+0 71+307 91+148 29+300 33+286 47+0 86+203",
		"שָׁלוֹם":   "23+342 46+0 124+146 55+261 79+0 100+0 96+365",
		"Nguyễn":    "47+380 72+308 86+309 90+255 793+282 79+309",
	} {
		got := ""
		letters, faces := Regular.letters(text)
		for _, run := range visual(letters) {
			for _, part := range shaped(letters, faces, run, 500) { // as many pixels as units
				for _, g := range part.Glyphs {
					got += fmt.Sprintf(" %d+%d", g.GlyphID, g.Advance.Round())
				}
			}
		}
		if got != " "+want {
			t.Errorf("%s is shaped%s, not %s", text, got, want)
		}
	}
}

// A text that is too wide is cut between clusters, as long as possible, and has room.
func TestFit(t *testing.T) {
	for script, name := range scriptNames {
		name = strings.Repeat(name+" ", 3)
		var ends []int
		for g := graphemes.FromString(name); g.Next(); {
			ends = append(ends, g.Start())
		}
		for _, room := range []int{0, 3, 20, 90, 150, 100_000} {
			got := Regular.Fit(name, 16, room)
			begin, cut := strings.CutSuffix(got, "…")
			switch {
			case room == 100_000:
				if got != name {
					t.Errorf("%s: %q is cut to %q", script, name, got)
				}
			case !cut || !strings.HasPrefix(name, begin) || !slices.Contains(ends, len(begin)):
				t.Errorf("%s: %q is cut to %q", script, name, got)
			case begin != "" && Regular.Bounds(got, 16).Dx() > room:
				t.Errorf("%s: %q has %d pixels, not %d", script, got, Regular.Bounds(got, 16).Dx(), room)
			}
		}
	}
}

// The order of the letters on the page is that of rule L2 of the Unicode Bidirectional
// Algorithm, worked out by hand.
func TestVisual(t *testing.T) {
	for text, want := range map[string]string{
		"abc 12":               "[abc 12]",
		"אבג":                  "[אבג]",
		"a אב 12 b":            "[a ][12][אב ][ b]",
		"a אב 12,3% b":         "[a ][12,3%][אב ][ b]",
		"אב a גד":              "[ גד][a][אב ]",
		"% ١٢(٣)":              "[% ][)][٣][(][١٢]",
		"אב 12":                "[12][אב ]",
		"\u2068אב\u2069 12 %":  "[\u2068][אב][\u2069 12 %]",
		"of \u2068אב\u2069, 5": "[of \u2068][אב][\u2069, 5]",
	} {
		got := ""
		for _, run := range visual([]rune(text)) {
			got += "[" + string([]rune(text)[run.Start:run.End]) + "]"
		}
		if got != want {
			t.Errorf("%q is in the order %q, not %q", text, got, want)
		}
	}
}

// A pile of accents has an end, and a long text costs no more than a line of it.
func TestOddText(t *testing.T) {
	pile := Bold.Bounds("a"+strings.Repeat("\u0302", 500), 20)
	if pile.Dy() > 61 {
		t.Errorf("a pile of accents is %d pixels high", pile.Dy())
	}
	if w := Regular.Bounds(strings.Repeat("é", 1<<20), 10).Dx(); w < 5000 {
		t.Errorf("a long text is %d pixels wide", w)
	}
	img := picture("a" + strings.Repeat("\u0302", 500))
	if img.GrayAt(0, 0).Y != 255 {
		t.Error("ink in the corner")
	}
}

// FuzzWrite wants no panic, nor ink outside of the box.
func FuzzWrite(f *testing.F) {
	for _, name := range scriptNames {
		f.Add(name, 17.)
	}
	f.Fuzz(func(t *testing.T, text string, size float64) {
		if !(size > 1 && size < 60) {
			return
		}
		const room = 100
		img := image.NewGray(image.Rect(0, 0, 160, 300))
		Bold.Write(img, color.White, text, size, image.Pt(10, 150), room)
		for y := range 300 {
			for x := range 160 {
				if x < 10 && img.GrayAt(x, y).Y > 0 || x > 10+room+int(size) && img.GrayAt(x, y).Y > 0 {
					t.Fatalf("ink at (%d, %d) of %q", x, y, text)
				}
			}
		}
	})
}

// BenchmarkWrite is what a label costs after the first one.
func BenchmarkWrite(b *testing.B) {
	for b.Loop() {
		picture("Nguyễn Thị 张伟 محمد")
	}
}
