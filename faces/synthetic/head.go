package synthetic

import "math"

// A headVec is a point or a direction.
type headVec struct{ x, y, z float64 }

func (a headVec) dot(b headVec) float64 { return a.x*b.x + a.y*b.y + a.z*b.z }

func (a headVec) unit() headVec {
	f := 1 / math.Sqrt(a.dot(a)+1e-12)
	return headVec{a.x * f, a.y * f, a.z * f}
}

// A headMesh is a person's head at rest: a grid of points over the surface,
// row by row from crown to chin, each row from ear to ear by angle.
type headMesh struct {
	person     *person
	cols, rows int
	restPose   []headVec
	albedo     []float64 // 0 … 1, what the surface reflects
	open       []float64 // how much a point is the light that falls into the face's hollows, 0 … 1
	teeth      []float64 // albedo to add where the mouth shows teeth
	shapes     [headExpressions]headShape
	relief     headRelief
}

// headSquare makes the front of a head flatter than an ellipse.
const headSquare = 0.75

// headSide is the angle from the middle of the face to the end of a row: a
// little more than a quarter turn, for heads that are turned.
const headSide = 1.95

// newHeadMesh builds the head of p on a grid of cols×rows points.
func newHeadMesh(p *person, cols, rows int) *headMesh {
	n := cols * rows
	m := &headMesh{
		person: p, cols: cols, rows: rows,
		restPose: make([]headVec, n), albedo: make([]float64, n), open: make([]float64, n), teeth: make([]float64, n),
	}
	type column struct{ sin, cos, depth float64 }
	columns := make([]column, cols)
	for j := range columns {
		u := 2*float64(j)/float64(cols-1) - 1
		sin, cos := math.Sincos(headSide * u * (0.72 + 0.28*u*u)) // denser in front
		columns[j] = column{sin, cos, math.Copysign(math.Pow(math.Abs(cos), headSquare), cos)}
	}
	for i, v := range p.meshRows(rows) {
		y, halfWidth, halfDepth, middle := p.outline(v)
		for j, c := range columns {
			x := halfWidth * c.sin
			z := middle + halfDepth*c.depth
			if c.cos > 0 {
				z += p.features(x, y) * min(1, 2.5*c.cos)
			}
			m.restPose[i*cols+j] = headVec{x, y, z}
		}
	}
	m.relief = newHeadRelief(p)
	skin := newHeadSkin(p)
	for k, at := range m.restPose {
		m.albedo[k] = skin.albedo(at)
		m.open[k] = m.relief.openness(at)
		m.teeth[k] = skin.teeth(at)
	}
	m.buildShapes()
	return m
}

// meshRows places the rows of a mesh, as angles for outline: denser at the eyes
// and at the mouth.
func (p *person) meshRows(rows int) []float64 {
	const fine = 600
	top := p.crownEnd
	var sum [fine + 1]float64
	for k := range fine {
		y, _, _, _ := p.outline(top + (1-top)*(float64(k)+0.5)/fine)
		sum[k+1] = sum[k] + 1 + 1.3*headHill(y-p.mouthY, 0.16) + headHill(y-p.eyeY, 0.18)
	}
	at := make([]float64, rows)
	k := 0
	for i := range rows {
		want := sum[fine] * float64(i) / float64(rows-1)
		for k < fine-1 && sum[k+1] < want {
			k++
		}
		at[i] = top + (1-top)*(float64(k)+(want-sum[k])/(sum[k+1]-sum[k]))/fine
	}
	return at
}

// outline is the skull without features: the half width and half depth of the
// head in the plane y, whose middle lies at z = middle. v runs from the crown,
// −1, to the chin, 1, evenly by angle.
func (p *person) outline(v float64) (y, halfWidth, halfDepth, middle float64) {
	t := math.Sin(v * math.Pi / 2)
	if v < 0 {
		t = -t
		round := math.Sqrt(max(0, 1-math.Pow(t, p.crownPower)))
		return -p.crown * t, p.width * round, p.depth * round, 0
	}
	halfWidth, halfDepth, middle = p.jaw(t)
	return p.chin * t, halfWidth, halfDepth, middle
}

// jaw is the outline below the cheekbones, t = 0, down to the chin, t = 1.
func (p *person) jaw(t float64) (halfWidth, halfDepth, middle float64) {
	halfWidth = p.width * math.Sqrt(max(0, 1-math.Pow(t, p.jawPower))) * (1 - p.jawTaper*t*t)
	halfDepth = p.depth * math.Sqrt(max(0, 1-t*t*t*t)) * (1 - 0.22*t*t)
	return halfWidth, halfDepth, 0.14 * t * t
}

// surface is the height of the face at (x, y) seen from the front; false
// beside the head.
func (p *person) surface(x, y float64) (float64, bool) {
	v := math.Asin(max(-1, y/p.crown)) * 2 / math.Pi
	if y > 0 {
		v = math.Asin(min(1, y/p.chin)) * 2 / math.Pi
	}
	_, halfWidth, halfDepth, middle := p.outline(v)
	s := x / (halfWidth + 1e-9)
	if s*s >= 1 {
		return 0, false
	}
	cos := math.Sqrt(1 - s*s)
	return middle + halfDepth*math.Pow(cos, headSquare) + p.features(x, y)*min(1, 2.5*cos), true
}

// features is what the features add to the height of the skull at (x, y).
func (p *person) features(x, y float64) float64 {
	ax := math.Abs(x)
	my := y - p.mouthY
	h := p.nose(x-p.noseBend*headHill(y-p.noseBase, 0.4), y)
	ey := y - p.eyeLine(x)
	h += -p.socket*headBump(ax-p.eyeX, 0.30, ey+0.01, 0.20) + p.bulge*headBump(ax-p.eyeX, 0.19, ey, 0.13)
	h += p.browRidge * headBump(ax-0.26, 0.42, y-p.browY-0.02, 0.16)
	h += p.cheek*headBump(ax-0.42, 0.32, y-0.10, 0.26) - p.hollow*headBump(ax-0.46, 0.26, y-0.48, 0.32)
	h -= p.temple * headBump(ax-0.62, 0.26, y+0.40, 0.40)
	h += p.muzzle * headBump(ax, 0.48, my+0.03, 0.34)
	h += 0.028 * headBump(ax, p.mouthW, my+p.upperLip*0.7, 0.075)
	h += 0.040 * headBump(ax, 0.85*p.mouthW, my-p.lowerLip*0.8, 0.085)
	h -= 0.018 * headBump(ax, 0.05, my+0.14, 0.10) // philtrum
	h -= 0.035 * headBump(ax, 0.26, my-0.17, 0.09) // under the lower lip
	h += p.chinBoss*headBump(ax, 0.30, y-p.chin+0.15, 0.22) - p.chinDimple*headBump(ax, 0.05, y-p.chin+0.12, 0.10)
	h -= p.fold * p.foldNear(ax, y)
	return h
}

// eyeLine is the y of the middle of the eye on the side of x.
func (p *person) eyeLine(x float64) float64 {
	return p.eyeY + math.Copysign(p.eyeDrop, x) + p.eyeTilt*(p.eyeX-math.Abs(x))
}

// nose is the height of the nose at (x, y), x from its ridge.
func (p *person) nose(x, y float64) float64 {
	t := (y - p.noseTop) / (p.noseBase - p.noseTop)
	if t < -0.6 || t > 1.5 {
		return 0
	}
	up := max(0, t)
	height := p.noseLength*(0.14+0.86*up*math.Sqrt(up)) + p.hump*headHill(t-0.4, 0.4)
	height *= headSmooth(-0.6, 0.25, t) * (1 - headSmooth(0.98, 1.40, t))
	width := 1.35 * (p.ridgeWidth + (p.noseWidth-p.ridgeWidth+0.05)*up*up)
	wings := p.wing * headBump(math.Abs(x)-p.noseWidth*0.85, 0.10, y-p.noseBase-0.01, 0.10)
	return height*headHill(x, width) + wings
}

// foldNear is 1 on the fold from the wing of the nose to the corner of the
// mouth and falls to 0 beside it.
func (p *person) foldNear(ax, y float64) float64 {
	t := (y - p.noseBase + 0.04) / (p.mouthY + 0.06 - p.noseBase)
	if t < 0 || t > 1 {
		return 0
	}
	line := p.noseWidth + 0.05 + (p.mouthW+0.07-p.noseWidth-0.05)*t
	return headHill(ax-line, 0.075) * headSmooth(0, 0.2, t) * (1 - headSmooth(0.7, 1, t))
}

// headBump is a smooth hill of height 1 over an ellipse of half axes rx and ry.
func headBump(dx, rx, dy, ry float64) float64 {
	dx /= rx
	dy /= ry
	t := 1 - dx*dx - dy*dy
	if t <= 0 {
		return 0
	}
	return t * t * t
}

// headHill is headBump in one dimension.
func headHill(d, r float64) float64 {
	d /= r
	t := 1 - d*d
	if t <= 0 {
		return 0
	}
	return t * t * t
}

// headSmooth rises from 0 at lo to 1 at hi.
func headSmooth(lo, hi, v float64) float64 {
	t := (v - lo) / (hi - lo)
	switch {
	case t <= 0:
		return 0
	case t >= 1:
		return 1
	}
	return t * t * (3 - 2*t)
}

func headLerp(a, b, t float64) float64 { return a + (b-a)*t }

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
	for k, at := range m.restPose {
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
