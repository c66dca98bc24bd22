package synthetic

import "math"

// A scene has the parameters that differ between images of a person, except for sensor
// noise.
type scene struct {
	light    headVec // unit, towards the light, in the frame of the camera
	ambient  float64 // light from everywhere
	exposure float64

	turn         [3]headVec // rows of the rotation from the head's frame to the camera's
	scale        float64
	shiftX       float64
	shiftY       float64
	mix          [headExpressions]float64
	wall, fall   float64 // background: grey, slope
	wallX, wallY float64

	cover cover
}

// The kinds of cover.
const (
	coverNone = iota
	coverScarf
	coverGlasses
	coverHand
	coverKinds
)

// A cover hides a part of the face.
type cover struct {
	kind       int
	x, y, w, h float64 // centre and half size, in the frame of the head
	tilt       float64
	tone       float64
	weave      float64 // stripes of a scarf, phase and frequency
}

// newScene draws the scene of one image. The random numbers do not depend on the
// strengths, which scale them, so that a strength only changes its own variation.
func newScene(r random, s Faces) scene {
	var c scene
	c.drawLight(r, s.Light)
	c.drawPose(r, s.Pose)
	c.drawExpression(r, s.Expression)
	c.drawCover(r, s.Occlusion)
	return c
}

func (c *scene) drawLight(r random, strength float64) {
	// Evenly over an ellipse, wider than high, a little above the face.
	const side, up, middle = 75, 44, 14 // degrees
	far, way := strength*math.Sqrt(r.Float64()), r.between(0, 2*math.Pi)
	azimuth := side * far * math.Cos(way)
	elevation := middle + up*far*math.Sin(way)
	c.light = lightDirection(min(100, max(-100, azimuth)), min(80, max(-60, elevation)))
	c.ambient = 0.19 * math.Pow(2, strength*r.between(-1.3, 1))
	c.exposure = math.Pow(2, strength*r.between(-0.4, 0.25))
	c.wall = 0.28 * math.Pow(2, strength*r.between(-0.5, 0.5))
	c.fall = 0.3 * strength * r.Float64()
	c.wallY, c.wallX = math.Sincos(r.between(0, 2*math.Pi))
}

// lightDirection is the unit vector at the given degrees to the right and up.
func lightDirection(azimuth, elevation float64) headVec {
	sa, ca := math.Sincos(azimuth * math.Pi / 180)
	se, ce := math.Sincos(elevation * math.Pi / 180)
	return headVec{sa * ce, -se, ca * ce}
}

func (c *scene) drawPose(r random, strength float64) {
	const degree = math.Pi / 180
	yaw := strength * r.around(0, 5) * degree
	pitch := strength * r.around(0, 3) * degree
	roll := strength * r.around(0, 1.2) * degree
	c.scale = 1 + strength*r.around(0, 0.010)
	c.shiftX = strength * r.around(0, 0.008)
	c.shiftY = strength * r.around(0, 0.008)
	c.turn = headRotation(yaw, pitch, roll)
}

// headRotation turns by yaw to the right, then nods by pitch, then tilts by roll.
func headRotation(yaw, pitch, roll float64) [3]headVec {
	sy, cy := math.Sincos(yaw)
	sp, cp := math.Sincos(pitch)
	sr, cr := math.Sincos(roll)
	x := headVec{cy, 0, sy}
	y := headVec{sp * sy, cp, -sp * cy}
	z := headVec{-cp * sy, sp, cp * cy}
	return [3]headVec{
		{cr*x.x - sr*y.x, cr*x.y - sr*y.y, cr*x.z - sr*y.z},
		{sr*x.x + cr*y.x, sr*x.y + cr*y.y, sr*x.z + cr*y.z},
		z,
	}
}

// back turns v from the frame of the camera to that of the head.
func (c *scene) back(v headVec) headVec {
	t := &c.turn
	return headVec{
		t[0].x*v.x + t[1].x*v.y + t[2].x*v.z,
		t[0].y*v.x + t[1].y*v.y + t[2].y*v.z,
		t[0].z*v.x + t[1].z*v.y + t[2].z*v.z,
	}
}

func (c *scene) drawExpression(r random, strength float64) {
	open, smile := r.between(0.15, 1), r.between(0.2, 1)
	rise, frown := r.between(0.2, 0.8), r.between(0.2, 0.9)
	if !r.chance(0.3) {
		open = 0
	}
	if !r.chance(0.4) {
		smile *= -0.15
	}
	if r.chance(0.6) {
		rise = 0
	}
	if rise > 0 || r.chance(0.6) {
		frown = 0
	}
	lids := r.between(-0.15, 0.35)
	if r.chance(0.08) {
		lids = 0.92
	}
	c.mix = [headExpressions]float64{
		mouthOpens: min(1.2, strength*open), smiles: strength * smile,
		browsRise: strength * rise, browsFrown: strength * frown, lidsClose: min(0.95, strength*lids),
	}
}

func (c *scene) drawCover(r random, strength float64) {
	kind := coverScarf + int(r.Float64()*(coverKinds-coverScarf))
	x, y := r.between(-0.5, 0.5), r.between(-0.4, 0.7)
	w, h := r.between(0.13, 0.26), r.between(0.13, 0.26)
	tilt, tone, weave := r.between(-0.7, 0.7), r.between(0.05, 0.6), r.between(0, 6)
	if !r.chance(min(0.5, 0.1*strength)) {
		return
	}
	c.cover = cover{kind: kind, x: x, y: y, w: w, h: h, tilt: tilt, tone: tone, weave: weave}
	switch kind {
	case coverScarf:
		c.cover.y, c.cover.h, c.cover.tilt = 0.62+0.12*y, 0.5, 0.2*tilt
	case coverGlasses:
		c.cover.w, c.cover.h, c.cover.tone = 0.20+0.2*(w-0.13), 0.14+0.2*(h-0.13), 0.04
	}
}
