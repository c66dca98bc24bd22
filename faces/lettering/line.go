package lettering

import (
	"fmt"
	"image"
	"slices"
	"strings"
	"unicode"

	"github.com/clipperhouse/uax29/v2/graphemes"
	"github.com/go-text/typesetting/bidi"
	"github.com/go-text/typesetting/di"
	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/language"
	"github.com/go-text/typesetting/shaping"
	"golang.org/x/image/math/fixed"
	"golang.org/x/text/unicode/norm"

	"nrdl.example/nrdl/internal/legible"
)

// A line is text that is shaped.
type line struct {
	text   string
	glyphs []glyph // from left to right
	box    image.Rectangle
}

// longest is the length of a line in bytes. No picture has room for more.
const longest = 1 << 12

var (
	shaper    shaping.HarfbuzzShaper
	segmenter shaping.Segmenter
)

// lineOf shapes text.
func lineOf(w Weight, text string, size float64) line {
	l := line{text: text}
	text = text[:min(len(text), longest)]
	if strings.Trim(text, isolates) == "" { // a name that nobody would see
		text = numbers(text)
	}
	letters, faces := w.letters(norm.NFC.String(text))
	dot := fixed.Int26_6(0)
	for _, run := range visual(letters) {
		for _, part := range shaped(letters, faces, run, size) {
			l.glyphs, dot = appendGlyphs(l.glyphs, part, w == Bold, dot)
		}
	}
	l.box = boxOf(l.glyphs, size, dot)
	return l
}

// letters returns the characters that are drawn, each with its font.
func (w Weight) letters(text string) (letters []rune, faces []*typeface) {
	last := w.fonts()[0]
	add := func(cluster []rune) bool {
		face := choose(w.fonts(), cluster, last)
		if face == nil {
			return false
		}
		last = face
		for _, r := range cluster {
			letters, faces = append(letters, r), append(faces, face)
		}
		return true
	}
	for g := graphemes.FromString(text); g.Next(); {
		cluster := visible(g.Value())
		if add(cluster) {
			continue
		}
		for _, r := range cluster { // no font has all of it: letters that r is a variant of, or its number
			_ = add([]rune{r}) || add([]rune(norm.NFKC.String(string(r)))) || add([]rune(number(r)))
		}
	}
	return letters, faces
}

// number is what is written for r where it has no picture.
func number(r rune) string { return fmt.Sprintf("U+%04X", r) }

func numbers(text string) (out string) {
	for _, r := range text {
		out += number(r)
	}
	return out
}

// visible returns a cluster with the numbers of the characters that nobody would
// see. Joiners between letters, variants of letters and isolates have an effect that
// people see.
func visible(cluster string) []rune {
	if legible.Is(cluster) {
		return []rune(cluster)
	}
	var out []rune
	all := []rune(cluster)
	for i, r := range all {
		joins := (r == zwnj || r == zwj) && i > 0 && !unicode.IsSpace(all[i-1])
		flag := unicode.Is(tags, r) && all[0] == blackFlag
		if !legible.Hidden(r) || joins || flag || r == fsi || r == pdi {
			out = append(out, r)
		} else {
			out = append(out, []rune(number(r))...)
		}
	}
	return out
}

const (
	zwnj, zwj = '\u200c', '\u200d'
	fsi, pdi  = '\u2068', '\u2069'
	isolates  = string(fsi) + string(pdi)
	blackFlag = '\U0001f3f4' // which tags make the flag of a region
)

var tags = &unicode.RangeTable{R32: []unicode.Range32{{Lo: 0xe0020, Hi: 0xe007f, Stride: 1}}}

// shaped returns the parts of a run that have one script and one font, from left to
// right.
func shaped(letters []rune, faces []*typeface, run bidi.Run, size float64) []shaping.Output {
	in := shaping.Input{
		Text: letters, RunStart: run.Start, RunEnd: run.End, Direction: di.DirectionLTR,
		Size: fixed.Int26_6(size * 64), Language: language.NewLanguage("en"),
	}
	if !run.IsLeftToRight() {
		in.Direction = di.DirectionRTL
	}
	var parts []shaping.Output
	for _, one := range segmenter.Split(in, oneFace{}) { // of one script each
		for start := one.RunStart; start < one.RunEnd; {
			end := start + 1
			for end < one.RunEnd && faces[end] == faces[start] {
				end++
			}
			part := one
			part.RunStart, part.RunEnd, part.Face = start, end, faces[start].face()
			parts = append(parts, shaper.Shape(part))
			start = end
		}
	}
	if !run.IsLeftToRight() {
		slices.Reverse(parts)
	}
	return parts
}

// oneFace is a Fontmap that chooses nothing.
type oneFace struct{}

func (oneFace) ResolveFace(rune) *font.Face { return Regular.fonts()[0].face() }

// appendGlyphs adds those of a part that begins at dot, and returns where it ends.
func appendGlyphs(glyphs []glyph, part shaping.Output, bold bool, dot fixed.Int26_6) ([]glyph, fixed.Int26_6) {
	for _, g := range part.Glyphs {
		glyphs = append(glyphs, newGlyph(part, g, bold, dot+g.XOffset))
		dot += g.Advance
	}
	return glyphs, dot
}
