package synthetic

import "math"

// A headLayer maps a canvas to a plane of the head, as if the head were not turned:
// x = x0 + xu·u + xv·v, and y likewise.
type headLayer struct{ x0, xu, xv, y0, yu, yv float64 }

// layer is the plane at z of the head in the scene s.
func (c *canvas) layer(s *scene, z float64) headLayer {
	f := 1 / (s.scale * c.unit)
	n := 1 / math.Hypot(s.turn[0].x, s.turn[1].x)
	cos, sin := f*n*s.turn[0].x, f*n*s.turn[1].x
	midX, midY := c.middle(s)
	midX += (z-headPivot)*s.turn[0].z/f - 0.5
	midY += (z-headPivot)*s.turn[1].z/f - 0.5
	return headLayer{-midX*cos - midY*sin, cos, sin, midX*sin - midY*cos, -sin, cos}
}

func (l headLayer) at(j, i int) (x, y float64) {
	u, v := float64(j), float64(i)
	return l.x0 + l.xu*u + l.xv*v, l.y0 + l.yu*u + l.yv*v
}

// drawBehind draws pixels without a point of the head: hair, ears and neck as flat layers,
// and the wall.
func (c *canvas) drawBehind(p *person, s *scene) {
	back := c.layer(s, -0.1)
	for i := range c.rows {
		for j := range c.cols {
			at := i*c.cols + j
			if !math.IsInf(c.depth[at], -1) {
				continue
			}
			x, y := back.at(j, i)
			if a, n, _ := p.behind(x, y); a > 0 {
				c.ink[at] = a * (0.8*s.ambient + 0.75*max(0, n.unit().dot(s.light)))
				continue
			}
			wall := s.wall * max(0, 1+s.fall*(s.wallX*x+s.wallY*y))
			c.ink[at] = 0.8 * wall
		}
	}
}

// behind returns the albedo and the normal at a position (x, y) outside the head, and
// whether there is hair. The albedo 0 stands for the wall.
func (p *person) behind(x, y float64) (albedo float64, n headVec, hair bool) {
	ax := math.Abs(x)
	if e := math.Hypot((ax-p.width)/p.ears, y/0.2); e < 1 && p.hairLong < 0.3 {
		return p.skin * (0.6 + 0.4*e), headVec{0.5 * x, 0, 1}, false
	}
	if p.hairBehind(ax, y) {
		strand := 1 + 0.2*p.strands(24*ax) + 0.1*p.strands(60*ax+9*y)
		return p.hairTone * strand, headVec{1.1 * x, 0.2 * y, 0.6}, true
	}
	if ax < 0.46+0.5*headSmooth(0.95, 1.25, y) && y > 0.3 {
		return p.skin * 0.55, headVec{1.6 * x, 0.8, 1}, false
	}
	return 0, headVec{}, false
}

// hairBehind reports whether there is hair outside the head at (±ax, y).
func (p *person) hairBehind(ax, y float64) bool {
	if p.hairline < -1 { // bald
		return false
	}
	w := p.width + p.hairBulk
	if p.hairLong > 0.5 {
		w += 0.06 * headSmooth(-0.2, 0.8, y)
		return y < p.hairLong+0.12*p.strands(18*ax) && (y > -0.2 || math.Hypot(ax/w, (y+0.2)/(p.crown-0.2+p.hairBulk)) < 1) && ax < w
	}
	w -= 1.2 * p.hairBulk * headSmooth(-0.35, p.hairLong, y)
	return y < p.hairLong && (y > -0.2 || math.Hypot(ax/w, (y+0.2)/(p.crown-0.2+p.hairBulk)) < 1) && ax < w
}

// strands is smooth noise between −2 and 2.
func (p *person) strands(u float64) float64 {
	u += 500 + 10*p.streaks
	k := int(u)
	return headLerp(p.grain[k%len(p.grain)], p.grain[(k+1)%len(p.grain)], headSmooth(0, 1, u-float64(k)))
}

// drawCover draws the scarf, the dark glasses or the hand of the scene over
// the face.
func (c *canvas) drawCover(p *person, s *scene) {
	if s.cover.kind == coverNone {
		return
	}
	front := c.layer(s, 0.65)
	for i := range c.rows {
		for j := range c.cols {
			x, y := front.at(j, i)
			if a, n, ok := s.cover.albedo(p, x, y); ok {
				c.ink[i*c.cols+j] = a * (s.ambient + max(0, n.unit().dot(s.light)))
			}
		}
	}
}

// albedo returns the albedo and the normal of the cover at (x, y) of the head, and whether
// it covers this position.
func (o *cover) albedo(p *person, x, y float64) (a float64, n headVec, ok bool) {
	sin, cos := math.Sincos(o.tilt)
	switch o.kind {
	case coverScarf:
		d := y + o.tilt*x - o.y
		fold := math.Sin(9*d + 2*x + o.weave)
		ok = d > 0 && math.Abs(x) < p.width+0.12-0.1*d
		return o.tone * (0.85 + 0.15*math.Sin(30*(x+d)+o.weave)), headVec{x, 0.35 * fold, 0.8}, ok
	case coverGlasses:
		dx, dy := (math.Abs(x)-p.eyeX)/o.w, (y-p.eyeY)/o.h
		lens := dx*dx*dx*dx+dy*dy*dy*dy < 1
		bridge := math.Abs(y-p.eyeY+0.04) < 0.025 && math.Abs(x) < p.width
		return o.tone, headVec{0.3 * dx, 0.3 * dy, 1}, lens || bridge
	}
	dx, dy := (x-o.x)*cos+(y-o.y)*sin, (y-o.y)*cos-(x-o.x)*sin
	// Four fingers side by side over a palm.
	finger := math.Sin(4 * math.Pi * (dx/o.w + 1) / 2)
	reach := o.h * (1 + 0.35*math.Sqrt(math.Abs(finger)))
	ok = math.Abs(dx) < o.w && dy > -reach && dy < 1.4*o.h
	gap := 1 - 0.5*headSmooth(0.25, 0, math.Abs(finger))*headSmooth(0.6*o.h, 0, dy)
	return 0.8 * p.skin * gap, headVec{dx / o.w, 0.4 + 0.2*dy/o.h, 0.8}, ok
}
