package synthetic

import "math"

// A headRelief is the height of a face on a grid seen from the front: enough
// to find what shades what.
type headRelief struct {
	height []float64
}

// The grid of a headRelief: -1 ≤ x ≤ 1 and -1.3 ≤ y ≤ 1.1.
const (
	reliefCols   = 49
	reliefRows   = 59
	reliefLeft   = -1.0
	reliefTop    = -1.3
	reliefStep   = 2.0 / (reliefCols - 1)
	reliefNormal = 1 / reliefStep
	reliefFloor  = -0.6 // the height beside the head

	reliefTallest = 1.35 // no nose reaches higher
)

func newHeadRelief(p *person) headRelief {
	h := make([]float64, reliefCols*reliefRows)
	for i := range reliefRows {
		y := reliefTop + reliefStep*float64(i)
		for j := range reliefCols {
			h[i*reliefCols+j] = reliefFloor
			if z, ok := p.surface(reliefLeft+reliefStep*float64(j), y); ok && y < p.chin {
				h[i*reliefCols+j] = z
			}
		}
	}
	return headRelief{h}
}

// at is the height at (x, y).
func (h headRelief) at(x, y float64) float64 {
	u, v := (x-reliefLeft)*reliefNormal, (y-reliefTop)*reliefNormal
	if !(u >= 0 && v >= 0 && u < reliefCols-1 && v < reliefRows-1) {
		return reliefFloor
	}
	j, i := int(u), int(v)
	u -= float64(j)
	v -= float64(i)
	k := h.height[i*reliefCols+j : i*reliefCols+j+reliefCols+2]
	top := k[0] + (k[1]-k[0])*u
	bottom := k[reliefCols] + (k[reliefCols+1]-k[reliefCols])*u
	return top + (bottom-top)*v
}

// beside has positions around a point that may shade it, alternately near and far.
var beside = func() (places [8]headVec) {
	for k := range places {
		s, c := math.Sincos(float64(k) * math.Pi / 4)
		r := 0.09 + 0.09*float64(k%2)
		places[k] = headVec{x: r * c, y: r * s}
	}
	return places
}()

// openness is the share of ambient light that reaches the point; it is small in hollows.
func (h headRelief) openness(at headVec) float64 {
	if at.z < 0 {
		return 1
	}
	var over float64
	for _, d := range beside {
		over += max(0, h.at(at.x+d.x, at.y+d.y)-at.z)
	}
	return 1 / (1 + 2.2*over)
}

// lit is the share of light from direction l that reaches the point: 0 in the shadow of
// nose, brow or cheek, else 1, with a soft edge.
func (h headRelief) lit(at, l headVec) float64 {
	const first, growth, steps = 0.035, 1.38, 10
	var over float64
	t := first
	for range steps {
		x, y, z := at.x+t*l.x, at.y+t*l.y, at.z+t*l.z
		if z > reliefTallest {
			break
		}
		over = max(over, (h.at(x, y)-z)/t)
		t *= growth
	}
	return 1 - headSmooth(0.02, 0.20, over)
}

// shade computes the light from every point of m to the camera, before exposure, at the
// current positions of the points.
func (c *canvas) shade(m *headMesh, s *scene) {
	l := s.back(s.light)
	half := s.back(headVec{s.light.x, s.light.y, s.light.z + 1}.unit())
	smile := max(0, s.mix[smiles]) * s.mix[mouthOpens]
	c.castShadows(m, l)
	for i := range m.rows {
		up, down := max(0, i-1)*m.cols, min(m.rows-1, i+1)*m.cols
		for j := range m.cols {
			left, right := i*m.cols+max(0, j-1), i*m.cols+min(m.cols-1, j+1)
			n := headNormal(c.points[left], c.points[right], c.points[up+j], c.points[down+j])
			k := i*m.cols + j
			light := s.ambient * m.open[k] * (0.8 - 0.2*n.y)
			var sheen float64
			if d := n.dot(l); d > 0 {
				lit := c.shadowAt(i, j)
				light += d * lit * (0.4 + 0.6*m.open[k])
				if g := n.dot(half); g > 0 {
					g *= g
					g *= g
					g *= g
					sheen = m.person.gloss * g * g * lit
				}
			}
			c.glow[k] = (m.albedo[k]+smile*m.teeth[k])*light + sheen
		}
	}
}

// headNormal is the unit normal of the surface through four neighbours.
func headNormal(left, right, up, down headVec) headVec {
	a := headVec{right.x - left.x, right.y - left.y, right.z - left.z}
	b := headVec{down.x - up.x, down.y - up.y, down.z - up.z}
	return headVec{a.y*b.z - a.z*b.y, a.z*b.x - a.x*b.z, a.x*b.y - a.y*b.x}.unit()
}

// castShadows computes c.shadow at every second point of every second row, since shadows
// are soft and expensive.
func (c *canvas) castShadows(m *headMesh, l headVec) {
	k := 0
	for i := 0; i < m.rows; i += 2 {
		for j := 0; j < m.cols; j += 2 {
			c.shadow[k] = m.relief.lit(m.restPose[i*m.cols+j], l)
			k++
		}
	}
}

// shadowAt interpolates c.shadow.
func (c *canvas) shadowAt(i, j int) float64 {
	half := (c.meshCols + 1) / 2
	a := i / 2 * half
	b := (i + 1) / 2 * half
	x, y := j/2, (j+1)/2
	return 0.25 * (c.shadow[a+x] + c.shadow[a+y] + c.shadow[b+x] + c.shadow[b+y])
}
