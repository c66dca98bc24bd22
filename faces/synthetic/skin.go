package synthetic

import "math"

// A headSkin paints a person's head.
type headSkin struct {
	*person
	soft float64 // width of an edge
}

func newHeadSkin(p *person) headSkin { return headSkin{p, 0.02} }

// albedo is the share of light that the point of the surface reflects.
func (s headSkin) albedo(at headVec) float64 {
	a := s.bare(at)
	if at.z > 0 { // the front: features
		a *= 1 - s.beardAt(at.x, at.y)*(1-0.35*s.hairTone)
		a = s.mouth(a, at.x, at.y)
		a = s.eye(a, at.x, at.y)
		a = s.brow(a, at.x, at.y)
	}
	a = headLerp(a, s.strand(at), s.hairAt(at))
	if at.z > 0 && s.glasses > 0 {
		a = s.wornGlasses(a, at.x, at.y)
	}
	return min(0.95, max(0.02, a))
}

// bare is the skin without features: its grain, blush, moles and wrinkles.
func (s headSkin) bare(at headVec) float64 {
	a := s.skin * (1 + s.grainDepth*s.grainAt(at.x, at.y))
	ax := math.Abs(at.x)
	a *= 1 - s.blush*headBump(ax-0.40, 0.35, at.y-0.22, 0.30)
	a *= 1 - 1.5*s.fold*s.foldNear(ax, at.y)
	a *= 1 - s.bags*0.5*headBump(ax-s.eyeX, 0.17, at.y-s.eyeY-0.12, 0.07)
	for _, m := range s.moles {
		a *= 1 - m.depth*headBump(at.x-m.x, m.radius, at.y-m.y, m.radius)
	}
	if s.wrinkles > 0 && at.y < s.browY-0.06 {
		a *= 1 - s.wrinkles*max(0, math.Cos((at.y-s.browY)*55+2*at.x*at.x))
	}
	return a
}

// grainAt is the uneven tone of the skin: smooth noise on a coarse grid.
func (s headSkin) grainAt(x, y float64) float64 {
	u := min(headGrainCols-1.001, max(0, (x+0.8)/1.6*(headGrainCols-1)))
	v := min(headGrainRows-1.001, max(0, (y+0.9)/1.9*(headGrainRows-1)))
	j, i := int(u), int(v)
	fu, fv := headSmooth(0, 1, u-float64(j)), headSmooth(0, 1, v-float64(i))
	k := i*headGrainCols + j
	top := headLerp(s.grain[k], s.grain[k+1], fu)
	return headLerp(top, headLerp(s.grain[k+headGrainCols], s.grain[k+headGrainCols+1], fu), fv)
}

func (s headSkin) mouth(a, x, y float64) float64 {
	dx := x / s.mouthW
	if dx*dx > 1.15 {
		return a
	}
	dy := y - s.mouthY - s.mouthTilt*x
	shape := math.Sqrt(max(0, 1-dx*dx))
	bow := 1 - 0.35*headHill(x, 0.05) // the dip of the upper lip
	upper := headSmooth(-s.upperLip*1.5*shape*bow-s.soft, -s.upperLip*1.5*shape*bow+s.soft, dy)
	lower := 1 - headSmooth(s.lowerLip*1.5*shape-s.soft, s.lowerLip*1.5*shape+s.soft, dy)
	a = headLerp(a, s.skin*s.lipTone, upper*lower*headSmooth(0, 0.3, shape))
	return headLerp(a, 0.07, s.line(x, y))
}

// line is 1 on the line between the lips, where the mouth opens.
func (s headSkin) line(x, y float64) float64 {
	dx := x / s.mouthW
	return (1 - headSmooth(0.010, 0.024, math.Abs(y-s.mouthY-s.mouthTilt*x))) * max(0, 1-dx*dx*dx*dx)
}

// teeth is the albedo that a smile adds at a point.
func (s headSkin) teeth(at headVec) float64 {
	if at.z <= 0 {
		return 0
	}
	return 0.75 * s.line(at.x, at.y) * headHill(at.y-s.mouthY-s.mouthTilt*at.x+0.008, 0.03) * headHill(at.x, 0.9*s.mouthW)
}

func (s headSkin) eye(a, x, y float64) float64 {
	dx := (math.Abs(x) - s.eyeX) / s.eyeW
	if dx*dx > 1.7 {
		return a
	}
	dy := y - s.eyeLine(x)
	almond := max(0, 1-dx*dx)
	top, bottom := -s.eyeH*almond, 0.75*s.eyeH*almond
	inside := headSmooth(top-s.soft/2, top+s.soft/2, dy) * (1 - headSmooth(bottom-s.soft/2, bottom+s.soft/2, dy)) * headSmooth(0, 0.15, almond)
	a *= 1 - 0.5*s.crease*headHill(dy-top+0.045, 0.03)*headSmooth(-0.3, 0.4, 1-dx*dx)
	r := math.Hypot(math.Abs(x)-s.eyeX, dy+0.1*s.eyeH)
	ball := headLerp(0.32+0.3*s.skin, s.irisTone, 1-headSmooth(s.iris-s.soft/2, s.iris+s.soft/2, r))
	ball = headLerp(ball, 0.03, 1-headSmooth(0.028, 0.028+s.soft, r))
	a = headLerp(a, ball, inside)
	lash := s.lash * headHill(dy-top, 0.028) * headSmooth(-0.25, 0.3, 1-dx*dx)
	lash = max(lash, 0.45*s.lash*headHill(dy-bottom, 0.02)*headSmooth(0, 0.3, 1-dx*dx))
	return headLerp(a, 0.06, lash)
}

func (s headSkin) brow(a, x, y float64) float64 {
	dx := (math.Abs(x) - s.eyeX - 0.01) / s.browLength
	if dx*dx > 1 {
		return a
	}
	line := s.browY + s.browTilt*dx*s.browLength + s.browArch*dx*dx
	thick := s.browThick * (1.15 - 0.45*dx) // thinner outwards
	d := s.browDensity * (1 - headSmooth(thick-s.soft/2, thick+s.soft, math.Abs(y-line))) * headSmooth(1, 0.75, math.Abs(dx))
	return headLerp(a, 0.8*s.hairTone, d)
}

// beardAt is the density of beard and moustache.
func (s headSkin) beardAt(x, y float64) float64 {
	if s.beard == 0 && s.moustache == 0 {
		return 0
	}
	ax := math.Abs(x)
	edge := s.beardLine + 0.35*(0.45-ax) // higher towards the ears
	d := s.beard * headSmooth(edge-0.06, edge+0.08, y)
	top := s.noseBase + 0.07 + 1.2*ax*ax
	lip := s.moustache * headSmooth(top, top+0.07, y) * (1 - headSmooth(s.mouthY, s.mouthY+0.06, y)) *
		(1 - headSmooth(s.mouthW*0.8, s.mouthW*1.25, ax))
	return max(d, lip)
}

// hairAt is 1 if hair covers the head at the point.
func (s headSkin) hairAt(at headVec) float64 {
	part := at.x - s.hairPart*0.5
	line := s.hairline + s.hairWave*part*part
	top := 1 - headSmooth(line-0.05, line+0.03, at.y)
	temple := s.width * (s.hairTemple + 0.25*headSmooth(s.sideburn-0.5, s.sideburn+0.1, at.y))
	beside := headSmooth(temple-0.06, temple+0.02, math.Abs(at.x)) * (1 - headSmooth(s.sideburn-0.08, s.sideburn+0.05, at.y))
	behind := headSmooth(0.1, -0.1, at.z) * (1 - headSmooth(s.hairLong-0.1, s.hairLong, at.y))
	if s.hairline < -1 { // bald
		beside *= 0.5
	}
	return max(top, beside, behind)
}

// strand is the tone of the hair: strands that run from the parting.
func (s headSkin) strand(at headVec) float64 {
	across := (at.x - s.hairPart*0.5) * (1.1 + 0.35*at.y)
	return s.hairTone * (1 + 0.16*s.strands(30*across) + 0.10*s.strands(71*across+50))
}

func (s headSkin) wornGlasses(a, x, y float64) float64 {
	r := math.Hypot((math.Abs(x)-s.eyeX)*0.95, (y-s.eyeY-0.02)*1.2)
	a *= 1 - s.glassesTint*(1-headSmooth(s.glassesR-0.02, s.glassesR, r))
	rim := 1 - headSmooth(s.glasses, s.glasses+s.soft, math.Abs(r-s.glassesR))
	ax := math.Abs(x)
	bridge := (1 - headSmooth(s.glasses, s.glasses+s.soft, math.Abs(y-s.eyeY+0.03))) * headSmooth(s.eyeX-s.glassesR+0.02,
		s.eyeX-s.glassesR-0.02, ax)
	arm := (1 - headSmooth(s.glasses, s.glasses+s.soft, math.Abs(y-s.eyeY+0.02))) * headSmooth(s.eyeX+s.glassesR-0.02,
		s.eyeX+s.glassesR+0.02, ax)
	return headLerp(a, 0.05, max(rim, bridge, arm))
}
