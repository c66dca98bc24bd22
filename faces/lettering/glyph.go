package lettering

import (
	"image"
	"image/color"
	"image/draw"
	"math"

	"github.com/go-text/typesetting/font"
	"github.com/go-text/typesetting/font/opentype"
	"github.com/go-text/typesetting/shaping"
	"golang.org/x/image/math/fixed"
	"golang.org/x/image/vector"
)

// A glyph is the outline of a letter at its place in the line, in pixels from the top
// to the bottom.
type glyph struct {
	outline     []font.Segment
	x, y        float32 // where it begins
	scale       float32 // pixels of a unit of the font
	wider       float32 // by how many pixels the strokes are wider than in the font
	left, right float32 // of the ink
	top, bottom float32
	id          font.GID
}

func newGlyph(part shaping.Output, g shaping.Glyph, heavy bool, x fixed.Int26_6) glyph {
	const stroke = 1. / 28 // of the size
	out := glyph{x: pixels(x), y: -pixels(g.YOffset), id: g.GlyphID, scale: pixels(part.Size) / float32(part.Face.Upem())}
	if heavy && part.Face != bold.face() {
		out.wider = pixels(part.Size) * stroke
	}
	o, _ := part.Face.GlyphDataOutline(g.GlyphID)
	out.outline = o.Segments
	out.left, out.top = float32(math.Inf(1)), float32(math.Inf(1))
	out.right, out.bottom = -out.left, -out.top
	for _, s := range out.outline {
		for _, p := range s.ArgsSlice() {
			x, y := out.at(p)
			out.left, out.right = min(out.left, x), max(out.right, x+out.wider)
			out.top, out.bottom = min(out.top, y), max(out.bottom, y)
		}
	}
	return out
}

func pixels(v fixed.Int26_6) float32 { return float32(v) / 64 }

// at is the place of a point of the outline in the line.
func (g *glyph) at(p font.SegmentPoint) (x, y float32) { return g.x + g.scale*p.X, g.y - g.scale*p.Y }

// The heights of a line above and below its base line, in sizes: that of letters with
// an accent, and the most that a pile of accents gets.
const (
	ascent, descent       = 0.94, 0.24
	maxAscent, maxDescent = 2, 1
)

// boxOf is the box of glyphs in a line that ends at dot.
func boxOf(glyphs []glyph, size float64, dot fixed.Int26_6) image.Rectangle {
	left, right, top, bottom := float32(0), pixels(dot), float32(-ascent*size), float32(descent*size)
	for _, g := range glyphs {
		if g.left <= g.right {
			left, right = min(left, g.left), max(right, g.right)
			top, bottom = min(top, g.top), max(bottom, g.bottom)
		}
	}
	down, up := func(v float32) int { return int(math.Floor(float64(v))) }, func(v float32) int { return int(math.Ceil(float64(v))) }
	top, bottom = max(top, float32(-maxAscent*size)), min(bottom, float32(maxDescent*size))
	return image.Rect(0, down(top), up(right-left), up(bottom))
}

// draw draws the glyphs of l in its box, from at on.
func (l line) draw(dst draw.Image, ink color.Color, at image.Point) {
	shift := float32(0) // of ink that is left of the beginning
	for _, g := range l.glyphs {
		shift = max(shift, -g.left)
	}
	var raster vector.Rasterizer
	for _, g := range l.glyphs {
		g.x += shift
		box := image.Rect(int(g.left+shift)-1, int(math.Floor(float64(g.top)))-1, int(g.right+shift)+2, int(g.bottom)+2).Intersect(l.box)
		if g.left > g.right || box.Empty() {
			continue
		}
		raster.Reset(box.Dx(), box.Dy())
		g.trace(&raster, box.Min, 0)
		if g.wider > 0 {
			g.trace(&raster, box.Min, g.wider)
		}
		mask := image.NewAlpha(image.Rect(0, 0, box.Dx(), box.Dy()))
		raster.DrawOp = draw.Src
		raster.Draw(mask, mask.Rect, image.Opaque, image.Point{})
		draw.DrawMask(dst, box.Add(at), image.NewUniform(ink), image.Point{}, mask, image.Point{}, draw.Over)
	}
}

// trace draws the outline, so many pixels to the right, on a raster that begins at
// origin.
func (g *glyph) trace(raster *vector.Rasterizer, origin image.Point, right float32) {
	at := func(p font.SegmentPoint) (x, y float32) {
		x, y = g.at(p)
		return x + right - float32(origin.X), y - float32(origin.Y)
	}
	for i, s := range g.outline {
		x, y := at(s.Args[0])
		x1, y1 := at(s.Args[1])
		x2, y2 := at(s.Args[2])
		switch s.Op {
		case opentype.SegmentOpMoveTo:
			if i > 0 {
				raster.ClosePath()
			}
			raster.MoveTo(x, y)
		case opentype.SegmentOpLineTo:
			raster.LineTo(x, y)
		case opentype.SegmentOpQuadTo:
			raster.QuadTo(x, y, x1, y1)
		case opentype.SegmentOpCubeTo:
			raster.CubeTo(x, y, x1, y1, x2, y2)
		}
	}
	raster.ClosePath()
}
