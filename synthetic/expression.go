package synthetic

import "math"

// The expressions that a face is mixed from.
const (
	mouthOpens = iota
	smiles
	browsRise
	browsFrown
	lidsClose
	headExpressions
)

// A headShape has the shifts of the points of a head in one expression at full strength.
// Points without a shift are left out.
type headShape struct {
	point []int32
	shift []headVec
}

// buildShapes computes the shifts of all expressions.
func (m *headMesh) buildShapes() {
	for k, at := range m.rest {
		if at.z <= 0 {
			continue
		}
		for e := range m.shapes {
			if by := m.person.moved(e, at); by != (headVec{}) {
				m.shapes[e].point = append(m.shapes[e].point, int32(k))
				m.shapes[e].shift = append(m.shapes[e].shift, by)
			}
		}
	}
}

// moved returns the shift of the point at in expression e.
func (p *person) moved(e int, at headVec) headVec {
	ax := math.Abs(at.x)
	side := math.Copysign(1, at.x)
	switch e {
	case mouthOpens:
		return headVec{0, p.jawDrop(at.x, at.y), 0}
	case smiles:
		corner := headBump(ax-p.mouthW, 0.30, at.y-p.mouthY, 0.22)
		cheek := headBump(ax-0.40, 0.32, at.y-0.20, 0.26)
		return headVec{side * 0.075 * corner, -0.085*corner - 0.02*cheek, 0.04 * cheek}
	case browsRise:
		return headVec{0, -0.10 * headBump(ax-0.27, 0.42, at.y-p.browY, 0.22), 0}
	case browsFrown:
		inner := headBump(ax-0.17, 0.26, at.y-p.browY, 0.20)
		return headVec{-side * 0.05 * inner, 0.05 * inner, 0}
	}
	return headVec{0, p.lidDrop(at.x, at.y), 0}
}

// jawDrop opens the mouth by 0.2: what is below the line of the lips moves
// down, sharply between the lips, gently beside the mouth.
func (p *person) jawDrop(x, y float64) float64 {
	d := x / p.mouthW
	d *= d
	edge := 0.014 + 0.16*min(1, d*d)
	line := p.mouthY + p.mouthTilt*x
	parted := max(0, 1-d)
	parted *= math.Sqrt(parted)
	down := headSmooth(line-edge, line+edge, y) * headLerp(0.55+0.45*parted, 1, headSmooth(p.mouthY, p.chin, y))
	up := 0.15 * parted * headBump(x, p.mouthW*1.2, y-line+0.05, 0.12) * (1 - headSmooth(line-edge, line, y))
	return 0.2 * (down*headHill(x, 1.1) - up)
}

// lidDrop closes the eye: what is between the lids moves to the lower one, and
// the skin above follows.
func (p *person) lidDrop(x, y float64) float64 {
	dx := (math.Abs(x) - p.eyeX) / (1.2 * p.eyeW)
	almond := 1 - dx*dx
	if almond <= 0 {
		return 0
	}
	dy := y - p.eyeLine(x)
	top, bottom := -p.eyeH*almond, 0.75*p.eyeH*almond
	if dy >= bottom {
		return 0
	}
	if dy >= top {
		return bottom - dy
	}
	return (bottom - top) * (1 - headSmooth(0, 0.13, top-dy))
}
