package face

import (
	_ "embed" // the cascade
	"encoding/binary"
	"image"
	"math"
	"slices"
	"sync"

	"nrdl.example/nrdl/internal/kit/packed"
)

//go:embed cascades/puploc.zst
var pupilFile []byte

var pupilCascade = sync.OnceValue(func() *cascade { return unpackPupils(packed.Bytes(pupilFile)) })

// A cascade is the regression cascade of [puploc]: stages of trees, each of
// which compares pairs of pixels and says how far the pupil is. It is walked
// here and not by pigo's RunDetector, which starts at places drawn from the
// global random source and rounds to whole pixels.
type cascade struct {
	stages, trees, depth int
	shrink               float64   // of the scale, from stage to stage
	nodes                []int8    // row, column, row, column of the two pixels, 1/256 of the scale; 4·(2^depth − 1) a tree
	leaves               []float32 // steps down and to the right, shares of the scale; 2·2^depth a tree
}

// unpackPupils reads the file: stages (uint32), shrink (float32), trees (uint32)
// and depth (uint32), little-endian, then the nodes of all trees, and the leaves
// of all trees: their first bytes, their second ones, and so on, as that packs
// better. It panics if the file is of another length.
func unpackPupils(file []byte) *cascade {
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(file[4*i:]) }
	c := &cascade{
		stages: int(word(0)), trees: int(word(2)), depth: int(word(3)),
		shrink: float64(math.Float32frombits(word(1))),
	}
	leaves := 1 << c.depth
	at, trees := 16, c.stages*c.trees
	if len(file) != at+trees*(4*(leaves-1)+8*leaves) {
		panic("face: embedded cascade of pupils: wrong length")
	}
	for _, b := range file[at : at+trees*4*(leaves-1)] {
		c.nodes = append(c.nodes, int8(b))
	}
	at += len(c.nodes)
	for i, n := at, trees*2*leaves; i < at+n; i++ {
		c.leaves = append(c.leaves, math.Float32frombits(uint32(file[i])|uint32(file[i+n])<<8|uint32(file[i+2*n])<<16|uint32(file[i+3*n])<<24))
	}
	return c
}

// A walk goes from a place to a pupil.
type walk struct {
	Point
	scale  float64 // of the next stage, pixels
	mirror float64 // −1 to walk as in the mirror image, else 1
	dx, dy float64 // the step of this stage, shares of the scale
	node   int     // of the tree at which the walk is
}

// follow takes walks through the cascade in m. They take each step together, as
// the processor works on several of them at a time.
func (c *cascade) follow(m *image.Gray, walks []walk) {
	inner := 1<<c.depth - 1
	nodes, leaves := c.nodes, c.leaves
	for range c.stages {
		for range c.trees {
			for range c.depth {
				for k := range walks {
					w := &walks[k]
					n := nodes[4*w.node : 4*w.node+4]
					unit := w.scale / 256
					across := w.mirror * unit
					one := grey(m, w.X+float64(n[1])*across, w.Y+float64(n[0])*unit)
					two := grey(m, w.X+float64(n[3])*across, w.Y+float64(n[2])*unit)
					right := 0 // without a branch, which the processor would mispredict
					if one > two {
						right = 1
					}
					w.node = 2*w.node + 1 + right
				}
			}
			for k := range walks {
				w := &walks[k]
				leaf := 2 * (w.node - inner)
				w.dy += float64(leaves[leaf])
				w.dx += float64(leaves[leaf+1])
				w.node = 0
			}
			nodes, leaves = nodes[4*inner:], leaves[2*(inner+1):]
		}
		for k := range walks {
			w := &walks[k]
			w.X += w.mirror * w.dx * w.scale
			w.Y += w.dy * w.scale
			w.scale *= c.shrink
			w.dx, w.dy = 0, 0
		}
	}
}

// grey returns the pixel of m in which (x, y) lies, or the nearest one.
func grey(m *image.Gray, x, y float64) byte {
	c := max(0, min(m.Rect.Dx()-1, int(x)))
	r := max(0, min(m.Rect.Dy()-1, int(y)))
	return m.Pix[r*m.Stride+c]
}

// PupilOptions are the parameters of the search for pupils in the square that the cascade
// of faces gives, or that follows from pupils found before. Lengths are shares of its side.
type PupilOptions struct {
	Patch  int     // pixels to which the side of the square is brought
	Starts int     // places from which a pupil is searched for; the median of the ends is the pupil
	Rounds int     // searches, each in the square that the pupils of the one before make level
	Spread float64 // largest median distance of the ends from their median, a share of the eye distance

	Aside, Above float64 // of a pupil from the middle of the square
	Size         float64 // of the first square of the cascade of pupils
	StartRange   float64 // of the starts, in sides of that square

	MinDistance, MaxDistance float64 // eye distance
	MaxTilt                  float64 // angle between the eyes and the square, radians
}

// DefaultPupils starts where pigo does.
var DefaultPupils = PupilOptions{
	Patch: 160, Starts: 31, Rounds: 3, Spread: 0.14,
	Aside: 0.18, Above: 0.075, Size: 0.35, StartRange: 0.3,
	MinDistance: 0.2, MaxDistance: 0.6, MaxTilt: 40 * math.Pi / 180,
}

// pupils returns the pupils of the face in w. They are looked for in an upright
// square about it, and then in those about the eyes that were found. Not ok:
// they are not where those of a face can be, the starts do not agree, or they
// are outside of the photograph.
func (o PupilOptions) pupils(img *image.Gray, w window) (p [2]Point, ok bool) {
	const sides = 2 // of the window, are looked at
	around := window{Point: w.Point, side: sides * w.side}.box(img.Rect)
	if around.Empty() {
		return p, false
	}
	level := reduced(img, around, w.side/float64(o.Patch))
	now, spread := w, 0.0
	for range o.Rounds {
		upright := level.square(sides*o.Patch, now.side/float64(o.Patch), now.angle, now.Point)
		p, spread = o.pair(upright)
		now = o.windowOf(p)
		apart := p[0].to(p[1])
		if !(apart >= o.MinDistance*w.side && apart <= o.MaxDistance*w.side) ||
			math.Abs(math.Remainder(now.angle-w.angle, 2*math.Pi)) > o.MaxTilt {
			return p, false
		}
	}
	agree := spread <= o.Spread*p[0].to(p[1])
	return p, agree && inside(p[0], img.Rect) && inside(p[1], img.Rect)
}

// pair returns the pupils of the upright face in the middle of v, in the
// photograph, and the larger spread of the two.
func (o PupilOptions) pair(v view) (p [2]Point, spread float64) {
	middle, side := float64(v.Rect.Dx())/2, float64(o.Patch)
	for i, aside := range [2]float64{-o.Aside, o.Aside} {
		at, away := o.pupil(v.Gray, Point{middle + aside*side, middle - o.Above*side}, o.Size*side)
		p[i] = v.back.at(at.X, at.Y)
		spread = max(spread, away*v.back.scale())
	}
	return p, spread
}

// windowOf returns the window in which pupils are expected at p.
func (o PupilOptions) windowOf(p [2]Point) window {
	w := window{side: p[0].to(p[1]) / (2 * o.Aside), angle: math.Atan2(p[1].Y-p[0].Y, p[1].X-p[0].X)}
	w.Point = about(0, 0, w.side, w.angle, middle(p)).at(0, o.Above)
	return w
}

func inside(p Point, r image.Rectangle) bool {
	return p.X >= float64(r.Min.X) && p.X < float64(r.Max.X) && p.Y >= float64(r.Min.Y) && p.Y < float64(r.Max.Y)
}

// pupil returns the median of where the cascade and its mirror image arrive
// from places about at, and the median distance from it. The places are the
// points of the additive recurrence of Roberts in three dimensions, which fill
// the cube evenly.
func (o PupilOptions) pupil(m *image.Gray, at Point, scale float64) (Point, float64) {
	const plastic = 1.2207440846057596 // the root of x⁴ = x + 1
	walks := make([]walk, 0, 2*o.Starts)
	for i := range o.Starts {
		share := func(power float64) float64 {
			_, part := math.Modf(0.5 + float64(i)/math.Pow(plastic, power))
			return (part - 0.5) * o.StartRange
		}
		s := scale * (1 + share(3))
		for _, mirror := range [2]float64{-1, 1} {
			walks = append(walks, walk{Point: Point{at.X + mirror*share(1)*scale, at.Y + share(2)*scale}, scale: s, mirror: mirror})
		}
	}
	pupilCascade().follow(m, walks)
	xs, ys := make([]float64, len(walks)), make([]float64, len(walks))
	for i, w := range walks {
		xs[i], ys[i] = w.X, w.Y
	}
	mid := Point{median(slices.Clone(xs)), median(slices.Clone(ys))}
	away := make([]float64, len(xs))
	for i := range xs {
		away[i] = mid.to(Point{xs[i], ys[i]})
	}
	return mid, median(away)
}

// median sorts v.
func median(v []float64) float64 {
	slices.Sort(v)
	n := len(v)
	return (v[(n-1)/2] + v[n/2]) / 2
}
