package main

import (
	"image"
	"math"
	"math/rand/v2"
	"strings"

	"golang.org/x/image/draw"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
)

// A scene says what picture is made of a photograph of one face.
type scene struct {
	Label         string
	Width, Height int        // of the picture, pixels; 0: as wide as the photograph, and no change but the others
	Eyes          float64    // pixels between the eyes
	Position      face.Point // of the middle between the eyes, shares of the sides; zero: 0.5, 0.42
	Turn          float64    // degrees
	Yaw           float64    // share by which the half of the face at the right is narrowed, as in a head turned aside
	Light         float64    // factor of all values; 0 is 1
	Accessory     string     // cap, glasses or mask
	Blur          float64    // standard deviation of a blur, in eye distances

	Paint func(u, v float64) (grey float64, painted bool) // over the face, in eye distances from between the eyes; nil for nothing
}

// A placed is a face in a picture: its pupils.
type placed [2]face.Point

func (p placed) eyes() float64 { return math.Hypot(p[1].X-p[0].X, p[1].Y-p[0].Y) }

// box returns the square about the face, from above the brows to the chin.
func (p placed) box() face.Box {
	const half, below = 1.2, 0.5 // eye distances
	dx, dy := p[1].X-p[0].X, p[1].Y-p[0].Y
	x, y := (p[0].X+p[1].X)/2-below*dy, (p[0].Y+p[1].Y)/2+below*dx
	d := half * p.eyes()
	return face.Box{Left: x - d, Top: y - d, Right: x + d, Bottom: y + d}
}

// of draws the picture of the face p of photo, over what is in the background.
func (s scene) of(photo *image.RGBA, p placed, background *image.RGBA) (*image.RGBA, placed) {
	if s.Width == 0 {
		s.Width, s.Height, s.Eyes = photo.Rect.Dx(), photo.Rect.Dy(), p.eyes()
		s.Position = face.Point{X: (p[0].X + p[1].X) / 2 / float64(s.Width), Y: (p[0].Y + p[1].Y) / 2 / float64(s.Height)}
	}
	if s.Position == (face.Point{}) {
		s.Position = face.Point{X: 0.5, Y: 0.42}
	}
	light := s.Light
	if light == 0 {
		light = 1
	}
	if factor := s.Eyes / p.eyes(); factor < 0.8 {
		small := image.NewRGBA(image.Rect(0, 0, max(1, int(factor*float64(photo.Rect.Dx()))), max(1, int(factor*float64(photo.Rect.Dy())))))
		draw.CatmullRom.Scale(small, small.Rect, photo, photo.Rect, draw.Src, nil)
		fx, fy := float64(small.Rect.Dx())/float64(photo.Rect.Dx()), float64(small.Rect.Dy())/float64(photo.Rect.Dy())
		for i := range p {
			p[i] = face.Point{X: fx * p[i].X, Y: fy * p[i].Y}
		}
		photo = small
	}
	out := image.NewRGBA(image.Rect(0, 0, s.Width, s.Height))
	if background != nil {
		draw.BiLinear.Scale(out, out.Rect, background, background.Rect, draw.Src, nil)
	}
	dx, dy := p[1].X-p[0].X, p[1].Y-p[0].Y
	sin, cos := math.Sincos(s.Turn * math.Pi / 180)
	narrow := 1/(1-s.Yaw) - 1
	ox, oy := s.Position.X*float64(s.Width), s.Position.Y*float64(s.Height)
	for y := range s.Height {
		for x := range s.Width {
			// In eye distances from between the eyes, along the face.
			pu, pv := (float64(x)+0.5-ox)/s.Eyes, (float64(y)+0.5-oy)/s.Eyes
			u, v := cos*pu+sin*pv, cos*pv-sin*pu
			c, worn := wear(s.Accessory, u, v)
			if s.Paint != nil {
				c[0], worn = s.Paint(u, v)
				c[1], c[2] = c[0], c[0]
			}
			if !worn {
				if u > 0 && u < 2 {
					u += narrow * u * (1 - u/2)
				}
				px, py := (p[0].X+p[1].X)/2+u*dx-v*dy, (p[0].Y+p[1].Y)/2+u*dy+v*dx
				if background != nil && !(px >= 0 && py >= 0 && px < float64(photo.Rect.Dx()) && py < float64(photo.Rect.Dy())) {
					continue
				}
				c = bilinear(photo, px, py)
			}
			i := out.PixOffset(x, y)
			for k := range 3 {
				out.Pix[i+k] = byte(max(0, min(255, light*c[k]+0.5)))
			}
			out.Pix[i+3] = 255
		}
	}
	if s.Blur > 0 {
		out = blurred(out, s.Blur*s.Eyes)
	}
	right := 0.5
	if narrow > 0 {
		right = (1 + narrow - math.Sqrt((1+narrow)*(1+narrow)-narrow)) / narrow
	}
	at := func(u float64) face.Point { return face.Point{X: ox + s.Eyes*cos*u, Y: oy + s.Eyes*sin*u} }
	return out, placed{at(-0.5), at(right)}
}

// masks are the colours of masks.
var masks = map[string][3]float64{"mask": {150, 195, 215}, "white mask": {235, 235, 235}, "black mask": {35, 35, 40}}

// wear returns the colour of what is worn at (u, v).
func wear(worn string, u, v float64) ([3]float64, bool) {
	head := math.Hypot(u/1.5, (v-0.3)/2.1)
	switch {
	case worn == "cap" && v < -0.4+0.08*u*u && head < 1.05:
		tone := 6 * math.Sin(7*u) * math.Sin(5*v)
		return [3]float64{40 + tone, 45 + tone, 90 + tone}, true
	case worn == "pale cap" && v < -0.4+0.08*u*u && head < 1.05:
		tone := 235 + 6*math.Sin(7*u)*math.Sin(5*v)
		return [3]float64{tone, tone, tone}, true
	case worn == "sunglasses" && (math.Hypot((math.Abs(u)-0.5)/0.38, (v-0.05)/0.3) < 1 || math.Abs(v+0.1) < 0.04 && math.Abs(u) < 1):
		return [3]float64{20, 20, 24}, true
	case worn == "glasses" && (math.Abs(math.Hypot((math.Abs(u)-0.5)/0.38, (v-0.05)/0.3)-1) < 0.09 ||
		math.Abs(v+0.05) < 0.03 && (math.Abs(u) < 0.13 || math.Abs(u) > 0.88 && math.Abs(u) < 1.1)):
		return [3]float64{30, 25, 25}, true
	case strings.HasSuffix(worn, "mask") && v > 0.5+0.15*u*u && v < 1.75-0.3*u*u && math.Abs(u) < 1.15:
		c := masks[worn]
		for k := range c {
			c[k] += 5 * math.Sin(14*v)
		}
		return c, true
	}
	return [3]float64{}, false
}

// bilinear returns the colour of m at (x, y); the edge is repeated outside.
func bilinear(m *image.RGBA, x, y float64) (c [3]float64) {
	w, h := m.Rect.Dx(), m.Rect.Dy()
	x, y = max(0, min(float64(w-1), x-0.5)), max(0, min(float64(h-1), y-0.5))
	x0, y0 := min(int(x), w-2), min(int(y), h-2)
	fx, fy := x-float64(x0), y-float64(y0)
	at := m.Pix[y0*m.Stride+4*x0:]
	for k := range c {
		top := float64(at[k])*(1-fx) + float64(at[4+k])*fx
		bottom := float64(at[m.Stride+k])*(1-fx) + float64(at[m.Stride+4+k])*fx
		c[k] = top*(1-fy) + bottom*fy
	}
	return c
}

// blurred returns m after a Gaussian blur.
func blurred(m *image.RGBA, sd float64) *image.RGBA {
	reach := int(3*sd) + 1
	weights := make([]float64, 2*reach+1)
	var sum float64
	for i := range weights {
		d := float64(i-reach) / sd
		weights[i] = math.Exp(-d * d / 2)
		sum += weights[i]
	}
	pass := func(m *image.RGBA, dx, dy int) *image.RGBA {
		out := image.NewRGBA(m.Rect)
		w, h := m.Rect.Dx(), m.Rect.Dy()
		for y := range h {
			for x := range w {
				var c [3]float64
				for i, v := range weights {
					px, py := max(0, min(w-1, x+(i-reach)*dx)), max(0, min(h-1, y+(i-reach)*dy))
					at := m.PixOffset(px, py)
					for k := range c {
						c[k] += v * float64(m.Pix[at+k])
					}
				}
				at := out.PixOffset(x, y)
				for k := range c {
					out.Pix[at+k] = byte(c[k]/sum + 0.5)
				}
				out.Pix[at+3] = 255
			}
		}
		return out
	}
	return pass(pass(m, 1, 0), 0, 1)
}

// rgba returns the colours of photo.
func rgba(photo *dataset.Photo) *image.RGBA {
	m := image.NewRGBA(photo.Grey.Rect)
	at := photo.Colours()
	for y := range m.Rect.Dy() {
		for x := range m.Rect.Dx() {
			i := m.PixOffset(x, y)
			m.Pix[i], m.Pix[i+1], m.Pix[i+2] = at(x, y)
			m.Pix[i+3] = 255
		}
	}
	return m
}

// texture is a picture without a face: waves of all lengths, as cloth, stone, leaves
// and clouds have them.
func texture(w, h int, rng *rand.Rand) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	slope := 0.6 + rng.Float64()
	type wave struct{ x, y, phase, high float64 }
	var waves [3][]wave
	shared := rng.Float64()
	for k := range waves {
		for range 40 {
			length := math.Exp(math.Log(4) + rng.Float64()*math.Log(float64(w)/4))
			sin, cos := math.Sincos(2 * math.Pi * rng.Float64())
			waves[k] = append(waves[k],
				wave{2 * math.Pi * cos / length, 2 * math.Pi * sin / length, 2 * math.Pi * rng.Float64(), math.Pow(length/float64(w), slope)})
		}
	}
	for y := range h {
		for x := range w {
			i := m.PixOffset(x, y)
			var own [3]float64
			for k, list := range waves {
				for _, v := range list {
					own[k] += v.high * math.Sin(v.x*float64(x)+v.y*float64(y)+v.phase)
				}
			}
			for k := range own {
				m.Pix[i+k] = byte(max(0, min(255, 125+30*(shared*own[0]+(1-shared)*own[k])+8*rng.NormFloat64())))
			}
			m.Pix[i+3] = 255
		}
	}
	return m
}

// drawn is a picture of ellipses, boxes and lines without a face.
func drawn(w, h int, rng *rand.Rand) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	colour := func() [3]byte { return [3]byte{byte(rng.IntN(256)), byte(rng.IntN(256)), byte(rng.IntN(256))} }
	fill := func(in func(x, y float64) bool, c [3]byte) {
		for y := range h {
			for x := range w {
				if in(float64(x), float64(y)) {
					i := m.PixOffset(x, y)
					m.Pix[i], m.Pix[i+1], m.Pix[i+2], m.Pix[i+3] = c[0], c[1], c[2], 255
				}
			}
		}
	}
	fill(func(_, _ float64) bool { return true }, colour())
	for range 15 + rng.IntN(15) {
		cx, cy := rng.Float64()*float64(w), rng.Float64()*float64(h)
		rx, ry := (0.02+0.2*rng.Float64())*float64(w), (0.02+0.2*rng.Float64())*float64(h)
		sin, cos := math.Sincos(math.Pi * rng.Float64())
		kind := rng.IntN(3)
		fill(func(x, y float64) bool {
			u, v := (cos*(x-cx)+sin*(y-cy))/rx, (cos*(y-cy)-sin*(x-cx))/ry
			switch kind {
			case 0:
				return u*u+v*v < 1
			case 1:
				return math.Abs(u) < 1 && math.Abs(v) < 1
			}
			return math.Abs(u) < 1 && math.Abs(v) < 0.1
		}, colour())
	}
	return m
}

// mosaic is a picture of shuffled squares of a photograph: what photographs show, but
// no face.
func mosaic(photo *image.RGBA, rng *rand.Rand) *image.RGBA {
	const tile = 25
	out := image.NewRGBA(photo.Rect)
	across, down := photo.Rect.Dx()/tile, photo.Rect.Dy()/tile
	for i, from := range rng.Perm(across * down) {
		to := image.Pt(i%across, i/across).Mul(tile)
		draw.Draw(out, image.Rectangle{Min: to, Max: to.Add(image.Pt(tile, tile))}, photo, image.Pt(from%across, from/across).Mul(tile), draw.Src)
	}
	return out
}

// corner returns the part of photo above or beside the head of p, enlarged.
func corner(photo *image.RGBA, p placed, right bool) *image.RGBA {
	b := p.box()
	d := p.eyes()
	r := image.Rect(0, 0, int(b.Left-0.8*d), photo.Rect.Dy())
	if right {
		r = image.Rect(int(b.Right+0.8*d), 0, photo.Rect.Dx(), photo.Rect.Dy())
	}
	r.Max.Y = min(r.Max.Y, r.Min.Y+2*max(r.Dx(), 1))
	if r.Dx() < 30 {
		return nil
	}
	out := image.NewRGBA(image.Rect(0, 0, 320, 320*r.Dy()/r.Dx()))
	draw.CatmullRom.Scale(out, out.Rect, photo, r, draw.Src, nil)
	return out
}
