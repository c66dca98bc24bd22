package synthetic

import "math"

// A look has the colours and the clothes of a person.
type look struct {
	tone                   float64 // albedo of the skin
	skin, hair, lips, iris headVec // multiply the albedo: x red, y green, z blue
	cloth, trim            headVec // albedo of the clothes
	pattern                int
	patternSize, neckline  float64
	shoulder               float64 // half width
}

func newLook(r random) look {
	var l look
	tan := r.Float64()
	l.tone = headLerp(0.75, 0.2, tan)
	l.skin = headVec{headLerp(1.24, 1.40, tan), headLerp(0.95, 0.92, tan), headLerp(0.80, 0.60, tan)}
	warm := r.Float64()
	l.hair = headVec{1 + 0.5*warm, 1, 1 - 0.35*warm}
	l.lips = headVec{l.skin.x * 1.15, l.skin.y * 0.78, l.skin.z * 0.9}
	l.iris = [...]headVec{{1.3, 0.95, 0.6}, {0.75, 1, 1.5}, {0.85, 1.15, 0.8}}[r.IntN(3)]
	l.cloth, l.trim = colourOf(r.Float64(), r.between(0.2, 0.8), r.between(0.05, 0.6)),
		colourOf(r.Float64(), r.between(0, 0.7), r.between(0.1, 0.8))
	l.pattern, l.patternSize = r.IntN(4), r.between(0.10, 0.3)
	l.neckline, l.shoulder = r.between(0.05, 0.5), r.between(1.45, 1.75)
	return l
}

// colourOf is the colour of a hue, a saturation and a brightness, 0 … 1.
func colourOf(hue, saturation, brightness float64) headVec {
	channel := func(at float64) float64 {
		_, turn := math.Modf(hue + at)
		return brightness * (1 - saturation*(1-headSmooth(1.0/6, 1.0/3, math.Abs(turn-0.5))))
	}
	return headVec{channel(0), channel(2.0 / 3), channel(1.0 / 3)}
}

func (a headVec) times(f float64) headVec { return headVec{a.x * f, a.y * f, a.z * f} }

func (a headVec) plus(b headVec) headVec { return headVec{a.x + b.x, a.y + b.y, a.z + b.z} }

// hues returns, for every point of m, the factors of its light in the three channels.
func (l look) hues(m *headMesh) []headVec {
	tinted := func(channel func(headVec) float64) headSkin {
		p := *m.person
		p.hairTone *= channel(l.hair)
		p.skin *= channel(l.skin)
		p.irisTone *= channel(l.iris)
		p.lipTone *= channel(l.lips) / channel(l.skin)
		return newHeadSkin(&p)
	}
	red := tinted(func(v headVec) float64 { return v.x })
	green := tinted(func(v headVec) float64 { return v.y })
	blue := tinted(func(v headVec) float64 { return v.z })
	hues := make([]headVec, len(m.restPose))
	for k, at := range m.restPose {
		hues[k] = headVec{red.albedo(at), green.albedo(at), blue.albedo(at)}.times(1 / m.albedo[k])
	}
	return hues
}

// Where a figure is cut, in the lengths of a person.
const (
	figureTop  = 1.75 // above the origin of the head
	figureSide = 2
)

// A figure is a person in a photograph: the head and the visible part of the body.
type figure struct {
	who   random // random numbers of the person
	dress random // random numbers of the look
	scene scene
	x, y  float64 // of the origin of the head, pixels of the photograph
	unit  float64 // pixels for the length 1
}

// draw draws f on img, down to the lower edge, and returns the pupils and the box of the
// face.
func (f *figure) draw(img *picture) DrawnFace {
	const fine = 2
	left, top := int(f.x-figureSide*f.unit), int(f.y-figureTop*f.unit)
	wide, high := int(2*figureSide*f.unit), img.height-top
	c := &canvas{fine: fine, cols: wide * fine, rows: high * fine, unit: f.unit * fine}
	c.allocate()
	c.point = make([]int32, c.cols*c.rows)
	s := &f.scene
	s.shiftX = (f.x-float64(left))/f.unit - float64(c.cols)/2/c.unit
	s.shiftY = (f.y-float64(top))/f.unit - float64(c.rows)/2/c.unit + midY
	p := newPerson(f.who)
	p.crown, p.crownEnd, p.crownPower = 1.08, -0.99, p.crownPower+0.5 // a whole head is seen, not a crop of the face
	l := newLook(f.dress)
	p.glasses, p.glassesTint = 0.5*p.glasses, 0.3*p.glassesTint
	p.skin, p.hairTone = l.tone, min(p.hairTone, l.tone)
	m := newHeadMesh(p, c.meshCols, c.meshRows)
	hues := l.hues(m)
	c.drawHead(m, s)

	back := c.layer(s, -0.1)
	for i := range high {
		if top+i < 0 {
			continue
		}
		for j := max(0, -left); j < wide && left+j < img.width; j++ {
			var light headVec
			var seen float64
			for sub := range fine * fine {
				row, col := i*fine+sub/fine, j*fine+sub%fine
				at := row*c.cols + col
				var v headVec
				if !math.IsInf(c.depth[at], -1) {
					v = hues[c.point[at]].times(c.ink[at])
				} else {
					u, w := (float64(col)+0.5)/c.unit-(f.x-float64(left))/f.unit, (float64(row)+0.5)/c.unit-(f.y-float64(top))/f.unit
					x, y := back.at(col, row)
					var ok bool
					if v, ok = l.body(p, s, u, w, x, y); !ok {
						continue
					}
				}
				light = light.plus(v)
				seen++
			}
			if seen > 0 {
				img.blend(left+j, top+i, light.times(s.exposure/seen), seen/(fine*fine))
			}
		}
	}
	return f.face(c, p)
}

// body returns the light of clothes, neck, ears or hair; false if there is nothing. The
// position is (u, w) relative to the upright body, and (x, y) relative to the head.
func (l *look) body(p *person, s *scene, u, w, x, y float64) (headVec, bool) {
	shade := func(n headVec) float64 { return 0.8*s.ambient + 0.75*max(0, n.unit().dot(s.light)) }
	au := math.Abs(u)
	neck := p.chin + 0.18
	edge := neck + 0.42*headSmooth(0.35, 1.3, au) + 0.10*au
	if au > l.shoulder-0.35 {
		d := (au - l.shoulder + 0.35) / 0.35
		edge += 0.5 * (1 - math.Sqrt(max(0, 1-d*d)))
	}
	collar := neck + 0.12 + l.neckline*(1-(au/0.45)*(au/0.45))
	if w > edge && au < l.shoulder+0.12*(w-edge) && (au > 0.45 || w > collar) {
		cloth := l.cloth
		switch n := u / l.patternSize; {
		case l.pattern == 1 && math.Sin(2*math.Pi*w/l.patternSize) > 0.2:
			cloth = l.trim
		case l.pattern == 2 && math.Sin(2*math.Pi*n) > 0 != (math.Sin(2*math.Pi*w/l.patternSize) > 0):
			cloth = cloth.times(0.65).plus(l.trim.times(0.25))
		}
		if w < collar+0.07 && au < 0.5 {
			cloth = l.trim
		}
		if seam := l.shoulder - 0.42; w > edge+0.6 { // between arm and chest
			cloth = cloth.times(1 - 0.45*headHill(au-seam-0.03*w, 0.09)*headSmooth(edge+0.6, edge+1, w))
		}
		fold := 0.25 * p.strands(3*u+1.3*w)
		return cloth.times(shade(headVec{0.75*u + fold, -0.5 * headSmooth(edge+0.4, edge, w), 1})), true
	}
	if w > 0.3 && au < 0.40+0.12*headSmooth(p.chin, neck+0.2, w) && w < collar+0.1 {
		shadow := 0.55 + 0.3*headSmooth(p.chin, neck+0.3, w)
		return l.skin.times(p.skin * shadow * shade(headVec{1.6 * u, 0.5, 1})), true
	}
	if y > 0.3 && math.Abs(x) < p.width && p.hairLong < 0.5 {
		return headVec{}, false // the neck of behind is not that of a body
	}
	a, n, hair := p.behind(x, y)
	switch {
	case hair:
		return l.hair.times(a * shade(n)), true
	case a > 0 && y < 0.3:
		return l.skin.times(a * shade(n)), true
	}
	return headVec{}, false
}

// face returns the position of the face of p in the photograph.
func (f *figure) face(c *canvas, p *person) DrawnFace {
	seen := func(x, y float64) (u, v float64) {
		z, _ := p.surface(x, y)
		at := headVec{x, y, z - headPivot}
		return f.x + f.unit*f.scene.turn[0].dot(at), f.y + f.unit*f.scene.turn[1].dot(at)
	}
	var d DrawnFace
	for i, side := range []float64{-1, 1} {
		x := side * p.eyeX
		u, v := seen(x, p.eyeLine(x)-0.1*p.eyeH)
		d.Pupils[i].X, d.Pupils[i].Y = tenth(u), tenth(v)
	}
	u, v := seen(0, 0.5*(p.chin+p.browY-0.3))
	half := 0.5 * (p.chin - p.browY + 0.3) * f.unit
	d.Box = DrawnBox{int(u - half), int(v - half), int(2 * half), int(2 * half)}
	return d
}

func tenth(v float64) float64 { return math.Round(10*v) / 10 }
