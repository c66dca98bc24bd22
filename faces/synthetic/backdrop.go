package synthetic

import (
	"image"
	"math"

	"nrdl.example/nrdl/faces/internal/scatter"
)

// A picture is a photograph that is being drawn: light in three channels, 1 is
// white.
type picture struct {
	width, height int
	light         []headVec
}

// blend covers a share of the pixel (x, y) with light.
func (p *picture) blend(x, y int, light headVec, share float64) {
	at := &p.light[y*p.width+x]
	*at = at.times(1 - share).plus(light.times(share))
}

// expose returns p as an image of a camera with a noisy sensor and the white balance tint.
func (p *picture) expose(r random, tint headVec, noise float64) *image.NRGBA {
	img := image.NewNRGBA(image.Rect(0, 0, p.width, p.height))
	var curve [1025]float64 // of light 0 … 2
	for i := range curve {
		curve[i] = 255 * math.Pow(2*float64(i)/float64(len(curve)-1), 1/1.9)
	}
	value := func(v float64) byte {
		at, part := math.Modf(min(2, max(0, v)) / 2 * (float64(len(curve)) - 1.001))
		v = headLerp(curve[int(at)], curve[int(at)+1], part)
		return byte(min(255, max(0, v+noise*r.NormFloat64()+0.5)))
	}
	for i, v := range p.light {
		x, y := float64(i%p.width)/float64(p.width)-0.5, float64(i/p.width)/float64(p.height)-0.5
		v = v.times(1 - 0.5*(x*x+y*y))
		img.Pix[4*i], img.Pix[4*i+1], img.Pix[4*i+2], img.Pix[4*i+3] = value(v.x*tint.x), value(v.y*tint.y), value(v.z*tint.z), 255
	}
	return img
}

// A backdrop returns the light at (x, y). y is 0 … 1 from top to bottom, and x has the same
// unit.
type backdrop func(x, y float64) headVec

// backdrops are the kinds of background.
var backdrops = []func(random, float64) backdrop{park, room, bricks, lights, street}

// paint fills p with b, out of focus: it computes b at half the size of p and interpolates.
func (p *picture) paint(b backdrop) {
	wide, high := p.width/2+2, p.height/2+2
	small := make([]headVec, wide*high)
	for i := range small {
		small[i] = b(2*float64(i%wide)/float64(p.height), 2*float64(i/wide)/float64(p.height))
	}
	for i := range p.light {
		k := i/p.width/2*wide + i%p.width/2
		u, v := 0.25+0.5*float64(i%p.width%2), 0.25+0.5*float64(i/p.width%2)
		top := small[k].times(1 - u).plus(small[k+1].times(u))
		p.light[i] = top.times(1 - v).plus(small[k+wide].times(1 - u).plus(small[k+wide+1].times(u)).times(v))
	}
}

// cloud is smooth noise at (x, y), 0 … 1, in octaves.
func cloud(seed uint64, x, y float64, octaves int) float64 {
	var sum, all float64
	weight := 1.0
	for o := range octaves {
		fx, fy := math.Floor(x), math.Floor(y)
		value := func(dx, dy float64) float64 {
			key := uint64(uint32(int32(fx+dx)))<<32 | uint64(uint32(int32(fy+dy)))
			return float64(scatter.Bits(key^scatter.Bits(seed+uint64(o)))>>40) / (1 << 24)
		}
		u, v := headSmooth(0, 1, x-fx), headSmooth(0, 1, y-fy)
		sum += weight * headLerp(headLerp(value(0, 0), value(1, 0), u), headLerp(value(0, 1), value(1, 1), u), v)
		all += weight
		weight /= 2
		x, y = 2*x, 2*y
	}
	return sum / all
}

func mix(a, b headVec, t float64) headVec { return a.times(1 - t).plus(b.times(t)) }

// park is a sky over a wood and grass, with trees in front.
func park(r random, width float64) backdrop {
	seed, horizon, blue := r.Uint64(), r.between(0.45, 0.65), r.between(0.5, 0.9)
	leaf := colourOf(r.between(0.2, 0.38), r.between(0.4, 0.7), r.between(0.1, 0.3))
	type tree struct{ x, y, size float64 }
	trees := make([]tree, 1+r.IntN(4))
	for i := range trees {
		trees[i] = tree{r.between(0, width), r.between(0.15, 0.4), r.between(0.14, 0.3)}
	}
	return func(x, y float64) headVec {
		sky := mix(headVec{0.35 * blue, 0.55 * blue, blue}, headVec{0.85, 0.88, 0.9}, headSmooth(0.4, 0.75, cloud(seed, 3*x, 6*y, 4))+0.5*y)
		grain := cloud(seed+9, 40*x, 40*y, 3)
		v := sky
		if y > horizon+0.02*cloud(seed+1, 8*x, 0, 2) {
			v = mix(leaf.times(1.2), headVec{0.35, 0.33, 0.2}, 0.5*cloud(seed+2, 6*x, 25*y, 3)).times(0.6 + 0.7*grain)
		} else if y > horizon-0.25*cloud(seed+3, 5*x, 0, 3) {
			v = leaf.times(0.4 + 0.9*cloud(seed+4, 25*x, 25*y, 3))
		}
		for _, t := range trees {
			dx, dy := (x-t.x)/t.size, (y-t.y)/t.size
			switch rough := 0.7 * cloud(seed+5, 12*x, 12*y, 3); {
			case dx*dx+dy*dy < 0.4+rough:
				v = leaf.times(0.3 + 1.3*grain*(1-0.3*dy))
			case math.Abs(dx) < 0.09 && dy > 0 && y < horizon+0.15:
				v = headVec{0.16, 0.11, 0.08}.times(0.5 + cloud(seed+6, 90*x, 15*y, 2))
			}
		}
		return v
	}
}

// room is a wall with pictures, a shelf of books, and a skirting board.
func room(r random, width float64) backdrop {
	seed := r.Uint64()
	wall, floor := colourOf(r.Float64(), r.between(0.05, 0.35), r.between(0.35, 0.75)), colourOf(0.08, 0.5, r.between(0.1, 0.3))
	stripes, shelf, window := r.between(0, 0.15), r.between(0.1, 0.3), r.between(-0.3, 1.2)*width
	type frame struct {
		x, y, w, h float64
		inner      headVec
	}
	frames := make([]frame, 1+r.IntN(3))
	for i := range frames {
		frames[i] = frame{
			r.between(0, width), r.between(0.12, 0.5), r.between(0.08, 0.18), r.between(0.08, 0.15),
			colourOf(r.Float64(), 0.5, r.between(0.2, 0.6)),
		}
	}
	return func(x, y float64) headVec {
		v := wall.times((1 - stripes*headSmooth(-0.2, 0.2, math.Sin(40*x))) * (0.75 + 0.5*math.Exp(-2*(x-window)*(x-window))) *
			(0.97 + 0.06*cloud(seed, 60*x, 60*y, 2)))
		for _, f := range frames {
			switch dx, dy := math.Abs(x-f.x)/f.w, math.Abs(y-f.y)/f.h; {
			case dx < 0.8 && dy < 0.75:
				v = mix(f.inner, wall, cloud(seed+3, 15*x, 15*y, 3))
			case dx < 0.9 && dy < 0.88:
				v = headVec{0.75, 0.73, 0.7}
			case dx < 1 && dy < 1:
				v = floor
			}
		}
		if x < 0.35*width && y > shelf { // books, of many colours
			row := math.Floor((y - shelf) / 0.2)
			dy := (y - shelf) - 0.2*row
			book := math.Floor(x/0.035 + 0.3*math.Sin(7*x+row))
			tall := 0.12 + 0.05*cloud(seed+7, book+0.5, row+0.5, 1)
			if dy > 0.18 {
				v = floor.times(1.3)
			} else if v = floor.times(0.4); dy > 0.18-tall {
				v = colourOf(cloud(seed+4, 1.7*book, 3*row, 1), 0.6, 0.08+0.5*cloud(seed+5, 2.3*book, 5*row, 1))
			}
		}
		if y > 0.93 {
			v = floor.times(0.8 + 0.4*cloud(seed+6, 4*x, 80*y, 2))
		}
		return v
	}
}

// bricks is a wall of bricks in oblique light.
func bricks(r random, _ float64) backdrop {
	seed, high := r.Uint64(), r.between(0.04, 0.07)
	brick, mortar := colourOf(r.between(0.98, 1.06), r.between(0.3, 0.65), r.between(0.2, 0.5)), r.between(0.25, 0.6)
	return func(x, y float64) headVec {
		row := math.Floor(y / high)
		along := x/(2.6*high) + 0.5*math.Mod(row, 2)
		column := math.Floor(along)
		dx, dy := along-column, y/high-row
		v := brick.times((0.6 + 0.7*cloud(seed, 1.3*column, 1.7*row, 1)) * (0.8 + 0.4*cloud(seed+1, 50*x, 50*y, 3)))
		edge := headSmooth(0, 0.05, min(dx, 1-dx)) * headSmooth(0, 0.12, min(dy, 1-dy))
		return mix(headVec{mortar, 0.97 * mortar, 0.92 * mortar}, v, edge).times(1.15 - 0.3*x)
	}
}

// lights is an evening far out of focus.
func lights(r random, width float64) backdrop {
	seed, dusk := r.Uint64(), colourOf(r.Float64(), 0.6, r.between(0.08, 0.25))
	type disc struct {
		x, y, size float64
		colour     headVec
	}
	discs := make([]disc, 12+r.IntN(20))
	for i := range discs {
		discs[i] = disc{
			r.between(0, width), r.between(0, 0.8), r.between(0.02, 0.07),
			colourOf(r.between(0, 0.6), r.between(0.3, 0.7), r.between(0.2, 0.7)),
		}
	}
	return func(x, y float64) headVec {
		v := dusk.times(0.5 + cloud(seed, 2*x, 2*y, 2))
		for _, d := range discs {
			if e := math.Hypot(x-d.x, y-d.y) / d.size; e < 1 {
				v = v.plus(d.colour.times(0.6 * headSmooth(1, 0.9, e)))
			}
		}
		return v
	}
}

// street is a row of houses under the sky, with a pavement.
func street(r random, width float64) backdrop {
	seed, ground := r.Uint64(), r.between(0.7, 0.85)
	broad, floor := r.between(0.25, 0.45), r.between(0.1, 0.16)
	sky := mix(headVec{0.4, 0.6, 0.9}, headVec{0.8, 0.8, 0.8}, r.Float64())
	return func(x, y float64) headVec {
		house := math.Floor(x / broad)
		pick := func(k uint64) float64 { return cloud(seed+k, 1.9*house, 0, 1) }
		if roof := 0.05 + 0.3*pick(0); y < roof {
			return sky.times(0.85 + 0.3*cloud(seed+8, 3*x, 5*y, 3))
		}
		if y > ground {
			return headVec{0.3, 0.3, 0.31}.times(0.8 + 0.4*cloud(seed+9, 30*x, 90*y, 3))
		}
		v := colourOf(pick(1), 0.4*pick(2), 0.25+0.5*pick(3)).times(0.9 + 0.2*cloud(seed+4, 20*x, 20*y, 3))
		dx, dy := math.Mod(x, broad/3)/(broad/3), math.Mod(y, floor)/floor
		if dx > 0.28 && dx < 0.72 && dy > 0.25 && dy < 0.8 {
			v = headVec{0.12, 0.15, 0.2}.plus(sky.times(0.3 * headSmooth(0.8, 0.25, dy)))
			if math.Abs(dx-0.5) < 0.02 || math.Abs(dy-0.5) < 0.03 {
				v = headVec{0.6, 0.6, 0.58}
			}
		}
		return v
	}
}
