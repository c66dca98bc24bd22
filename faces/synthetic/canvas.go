package synthetic

import (
	"math"

	"nrdl.example/nrdl/faces/dataset"
)

// A canvas draws images of one size. It is not safe for concurrent use.
type canvas struct {
	size               dataset.Size
	fine               int // sub-pixels along a side of a pixel
	cols, rows         int // in sub-pixels
	unit               float64
	meshCols, meshRows int

	points []headVec // points of the head, first in its own frame, then on the canvas
	glow   []float64
	shadow []float64
	ink    []float64 // rows×cols, light
	depth  []float64 // rows×cols, z
	point  []int32   // rows×cols, the point of the head that is seen; nil for grey images
	grey   []float64 // the image as a column
}

// The part of the plane that a square image shows: the face fills it, hair and
// background are at its corners.
const (
	reach = 0.93 // half its side
	midY  = 0.08
)

// headPivot is the z of the centre of rotation of a head, which is in the face, not in the
// neck.
const headPivot = 0.6

// newCanvas makes room for images of the given size. A small image is
// drawn several times as fine and averaged.
func newCanvas(in dataset.Size) *canvas {
	c := &canvas{size: in, fine: 2}
	if min(in.Height, in.Width) < 28 {
		c.fine = 3
	}
	c.cols, c.rows = in.Width*c.fine, in.Height*c.fine
	reach := max(reach, 0.86*reach*float64(in.Height)/float64(in.Width))
	c.unit = float64(c.rows) / (2 * reach)
	c.allocate()
	c.grey = make([]float64, in.Len())
	return c
}

// allocate makes room for a head at c.unit sub-pixels and for c.rows×c.cols of them.
func (c *canvas) allocate() {
	c.meshCols = 1 | min(420, max(64, int(1.9*c.unit))) // odd, for castShadows
	c.meshRows = 1 | min(480, max(68, int(2.2*c.unit)))
	points := c.meshCols * c.meshRows
	c.points, c.glow = make([]headVec, points), make([]float64, points)
	c.shadow = make([]float64, ((c.meshCols+1)/2)*((c.meshRows+1)/2))
	c.ink, c.depth = make([]float64, c.cols*c.rows), make([]float64, c.cols*c.rows)
}

// draw leaves the image of m in the scene s in c.grey.
func (c *canvas) draw(m *headMesh, s *scene, r random, noise float64) {
	c.drawHead(m, s)
	c.drawBehind(m.person, s)
	c.drawCover(m.person, s)
	c.expose(s, r, noise)
}

// drawHead draws the surface of m in the scene s, with its expression.
func (c *canvas) drawHead(m *headMesh, s *scene) {
	copy(c.points, m.restPose)
	for e, w := range s.mix {
		if w == 0 {
			continue
		}
		for i, k := range m.shapes[e].point {
			by := m.shapes[e].shift[i]
			at := &c.points[k]
			at.x += w * by.x
			at.y += w * by.y
			at.z += w * by.z
		}
	}
	c.shade(m, s)
	c.project(s)
	for i := range c.depth {
		c.depth[i] = math.Inf(-1)
	}
	c.fill()
}

// project moves the points to where the camera sees them: x and y in
// sub-pixels, z towards it.
func (c *canvas) project(s *scene) {
	f := s.scale * c.unit
	midX, midY := c.middle(s)
	for k, p := range c.points {
		p.z -= headPivot
		c.points[k] = headVec{midX + f*s.turn[0].dot(p), midY + f*s.turn[1].dot(p), s.turn[2].dot(p)}
	}
}

// middle is the position of the centre of rotation on the canvas.
func (c *canvas) middle(s *scene) (x, y float64) {
	return float64(c.cols)/2 + s.shiftX*c.unit, float64(c.rows)/2 + (s.shiftY-midY)*c.unit
}

// fill draws the surface, two triangles between each four points.
func (c *canvas) fill() {
	for i := range c.meshRows - 1 {
		for j := range c.meshCols - 1 {
			k := i*c.meshCols + j
			c.triangle(k, k+1, k+c.meshCols)
			c.triangle(k+1, k+c.meshCols+1, k+c.meshCols)
		}
	}
}

// triangle draws the triangle of the points p, q and r, clockwise as the
// camera sees it; from behind it is not seen.
func (c *canvas) triangle(p, q, r int) {
	a, b, d := &c.points[p], &c.points[q], &c.points[r]
	abx, aby, adx, ady := b.x-a.x, b.y-a.y, d.x-a.x, d.y-a.y
	area := abx*ady - aby*adx
	if area <= 0 {
		return
	}
	x0, x1 := int(max(0, min(a.x, b.x, d.x)+0.5)), int(min(float64(c.cols)-1, max(a.x, b.x, d.x)-0.5))
	y0, y1 := int(max(0, min(a.y, b.y, d.y)+0.5)), int(min(float64(c.rows)-1, max(a.y, b.y, d.y)-0.5))
	inv := 1 / area
	for y := y0; y <= y1; y++ {
		py := float64(y) + 0.5 - a.y
		for x := x0; x <= x1; x++ {
			px := float64(x) + 0.5 - a.x
			u := (px*ady - py*adx) * inv
			v := (abx*py - aby*px) * inv
			const rim = -1e-9 // a point on an edge belongs to both triangles
			if u < rim || v < rim || u+v > 1-rim {
				continue
			}
			z := a.z + u*(b.z-a.z) + v*(d.z-a.z)
			if at := y*c.cols + x; z > c.depth[at] {
				c.depth[at] = z
				if c.point != nil {
					c.point[at] = int32(p)
				}
				c.ink[at] = c.glow[p] + u*(c.glow[q]-c.glow[p]) + v*(c.glow[r]-c.glow[p])
			}
		}
	}
}

// expose turns light into grey values: it averages sub-pixels, adds the noise of the
// sensor, and rounds to integers.
func (c *canvas) expose(s *scene, r random, noise float64) {
	var square float64
	for _, v := range c.ink {
		square += v * v
	}
	// The camera makes up for most of the light.
	gain := 118 * s.exposure / (0.75*math.Sqrt(square/float64(len(c.ink))) + 0.25*0.36)
	gain /= float64(c.fine * c.fine)
	for j := range c.size.Width {
		for i := range c.size.Height {
			var v float64
			for y := i * c.fine; y < (i+1)*c.fine; y++ {
				for _, ink := range c.ink[y*c.cols+j*c.fine : y*c.cols+(j+1)*c.fine] {
					v += ink
				}
			}
			v *= gain
			if noise > 0 {
				v += noise * math.Sqrt(1.5+0.02*v) * r.NormFloat64()
			}
			c.grey[j*c.size.Height+i] = math.Round(min(255, max(0, v)))
		}
	}
}
