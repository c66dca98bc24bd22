// Package lettering writes names and sentences on pictures in the scripts of the
// world. It brings the fonts. Text is shaped, so Arabic letters join and the vowels
// of Devanagari have their order, and text from right to left goes so. A character
// that no font has is written by its number, as U+1D173, and so is one that nobody would
// see, but for joiners and the isolates U+2068 and U+2069.
package lettering

import (
	"image"
	"image/color"
	"image/draw"
	"sync"

	"github.com/clipperhouse/uax29/v2/graphemes"
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
