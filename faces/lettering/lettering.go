// Package lettering writes names and sentences on pictures in the scripts of the
// world. It brings the fonts. Text is shaped, so Arabic letters join and the vowels
// of Devanagari have their order, and text from right to left goes so. A character
// that no font has is written by its number, as U+1D173, and so is one that nobody would
// see, but for joiners and the isolates U+2068 and U+2069.
//
// Experimental: this package may change in any version.
package lettering

import (
	"bytes"
	"embed"
	"image"
	"image/color"
	"image/draw"
	"slices"
	"sync"
	"unicode"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"github.com/go-text/typesetting/font"

	"nrdl.example/nrdl/internal/kit/packed"
	"nrdl.example/nrdl/internal/legible"
)

// A Weight writes text. It is safe for concurrent use.
type Weight uint8

// The weights.
const (
	Regular Weight = iota
	Bold
)

// writing protects the fonts and the shaper, which are not safe for concurrent use.
var writing sync.Mutex

// Bounds returns the box of a line of text of size pixels that begins at (0, 0); y is 0
// on the base line. The box is high enough for all Latin letters, so that most lines have
// the same height.
func (w Weight) Bounds(text string, size float64) image.Rectangle {
	writing.Lock()
	defer writing.Unlock()
	return lineOf(w, text, size).box
}

// Write writes a line of text whose base line begins at at. A text that is wider than room
// pixels is cut between grapheme clusters, and ends with "…".
func (w Weight) Write(dst draw.Image, ink color.Color, text string, size float64, at image.Point, room int) {
	writing.Lock()
	defer writing.Unlock()
	fit(w, text, size, room).draw(dst, ink, at)
}

// Fit returns the part of text that Write writes, with its "…".
func (w Weight) Fit(text string, size float64, room int) string {
	writing.Lock()
	defer writing.Unlock()
	return fit(w, text, size, room).text
}

// fit returns the line of the text, or of the longest beginning that has room with
// "…" after it; of "…" alone if nothing has room.
func fit(w Weight, text string, size float64, room int) line {
	whole := lineOf(w, text, size)
	if whole.box.Dx() <= room {
		return whole
	}
	var ends []int // of the beginnings
	for g := graphemes.FromString(text); g.Next(); {
		ends = append(ends, g.Start())
	}
	short := func(n int) line { return lineOf(w, text[:ends[n]]+"…", size) }
	// A longer beginning can be narrower, where letters join. So this finds a beginning
	// that has room, and the next one has not.
	has, over := 0, len(ends)
	for has+1 < over {
		if n := (has + over) / 2; short(n).box.Dx() <= room {
			has = n
		} else {
			over = n
		}
	}
	return short(has)
}

//go:embed fonts/*.zst
var files embed.FS

// A typeface is a font that is unpacked when a text needs it.
type typeface struct {
	name  string
	first []rune // the first code points of the ranges that it is asked for
	last  []rune
	face  func() *font.Face
}

// The fonts, in the order in which they are asked.
var (
	latin   = newTypeface("latin.ttf", 0, 0x2bff)
	bold    = newTypeface("latin-bold.ttf", 0, 0x2bff)
	scripts = []*typeface{
		newTypeface("math.ttf", 0x2190, 0x22ff),
		newTypeface("hebrew.ttf", 0x590, 0x5ff, 0xfb1d, 0xfb4f),
		newTypeface("arabic.ttf", 0x600, 0x6ff, 0x750, 0x77f, 0x8a0, 0x8ff, 0xfb50, 0xfdff, 0xfe70, 0xfeff),
		newTypeface("devanagari.ttf", 0x900, 0x97f, 0x1cd0, 0x1cff, 0xa8e0, 0xa8ff),
		newTypeface("thai.ttf", 0xe00, 0xe7f),
		newTypeface("hangul.ttf", 0x1100, 0x11ff, 0x3130, 0x318f, 0xac00, 0xd7ff),
		newTypeface("han.ttf", 0x2e80, 0x312f, 0x3190, 0x9fff, 0xf900, 0xfaff, 0xfe30, 0xfe4f, 0xff00, 0xffef),
		newTypeface("rest.otf", 0, 0xffff),
		newTypeface("emoji.otf", 0x1f000, 0x1faff),
	}
	ofWeight = [...][]*typeface{
		Regular: slices.Concat([]*typeface{latin}, scripts),
		Bold:    slices.Concat([]*typeface{bold, latin}, scripts),
	}
)

// fonts are those of a weight. Only Latin, Greek and Cyrillic have a bold one.
func (w Weight) fonts() []*typeface { return ofWeight[min(w, Bold)] }

func newTypeface(name string, ranges ...rune) *typeface {
	t := &typeface{name: name, face: sync.OnceValue(func() *font.Face { return unpacked(name) })}
	for pair := range slices.Chunk(ranges, 2) {
		t.first, t.last = append(t.first, pair[0]), append(t.last, pair[1])
	}
	return t
}

func unpacked(name string) *font.Face {
	data, err := files.ReadFile("fonts/" + name + ".zst")
	if err != nil {
		panic("lettering: embedded font: " + err.Error())
	}
	f, err := font.ParseTTF(bytes.NewReader(packed.Bytes(data)))
	if err != nil {
		panic("lettering: embedded font " + name + ": " + err.Error())
	}
	return f
}

// has reports whether t draws r, and unpacks it only if it may.
func (t *typeface) has(r rune) bool {
	for i := range t.first {
		if t.first[i] <= r && r <= t.last[i] {
			return t.draws(r)
		}
	}
	return false
}

func (t *typeface) draws(r rune) bool {
	_, ok := t.face().NominalGlyph(r)
	return ok
}

// choose returns the first font that has all characters of a cluster, and for a space
// the one before it; nil if no font has all.
func choose(fonts []*typeface, cluster []rune, before *typeface) *typeface {
	var seen []rune // those that need a glyph
	for _, r := range cluster {
		if !unicode.In(r, unicode.Variation_Selector) && !legible.Hidden(r) {
			seen = append(seen, r)
		}
	}
	if len(seen) == 0 || len(seen) == 1 && unicode.IsSpace(seen[0]) && before.draws(seen[0]) {
		return before
	}
	for _, t := range fonts {
		if !slices.ContainsFunc(seen, func(r rune) bool { return !t.has(r) }) {
			return t
		}
	}
	return nil
}
