package main

import (
	"bytes"
	"context"
	"errors"
	"image"
	"image/jpeg"
	"math"
	"path/filepath"

	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/face"
	"nrdl.example/nrdl/internal/parallel"
)

// A portrait says how a large photograph is made of a small one, so that the
// face fills much of it.
type portrait struct {
	About string
	Side  int     // of the photograph, pixels
	Width float64 // of the photograph, in eye distances; a face is 3 wide
	Turn  float64 // of the face, degrees
	Light float64 // factor of all grey values
	Black bool    // everything outside of the head is black
	Cap   int     // grey value of a cap down to the brows; 0 for none
	Aside float64 // share by which the half of the face at the right is narrowed, as in a head turned aside
}

var portraits = []portrait{
	{About: "the face fills half", Side: 1200, Width: 6, Light: 1},
	{About: "the face fills nine tenths", Side: 1200, Width: 3.1, Light: 1},
	{About: "the face touches the borders", Side: 1200, Width: 2.6, Light: 1},
	{About: "half, 2400 pixels, black background", Side: 2400, Width: 6, Light: 1, Black: true},
	{About: "two thirds, dark cap", Side: 1200, Width: 4.2, Light: 1, Cap: 15},
	{About: "two thirds, pale cap", Side: 1200, Width: 4.2, Light: 1, Cap: 235},
	{About: "half, dark cap, black background, half of the light", Side: 1200, Width: 6, Light: 0.5, Black: true, Cap: 15},
	{About: "two thirds, dark cap, aside by 0.4", Side: 1200, Width: 4.2, Light: 1, Cap: 15, Aside: 0.4},
}

// A large is what was found in large photographs, without and with the closer
// look at those in which no face is found.
type large struct {
	About       string `json:"about"`
	Photographs int    `json:"photographs"`
	Before      int    `json:"before"` // photographs with a face whose pupils are within 0.15 of the eye distance
	Now         int    `json:"now"`
	FalseBefore int    `json:"falseBefore"` // faces elsewhere
	FalseNow    int    `json:"falseNow"`
}

// Of each folder, every largeStep-th photograph is taken, if the score of its
// only face is above largeSure, so that its pupils are known.
const (
	largeStep    = 40
	largeSure    = 50
	largePupils  = 0.15
	largeQuality = 60 // of JPEG
)

// largePhotographs makes large photographs of those in the folders, and some of
// their backgrounds.
func largePhotographs(root string) ([]large, error) {
	var sources []string
	for _, name := range folders {
		files, err := dataset.ImageFiles(filepath.Join(root, "photos", name))
		if err != nil {
			return nil, err
		}
		for k := 0; k < len(files); k += largeStep {
			sources = append(sources, files[k])
		}
	}
	each, errs := make([][]large, len(sources)), make([]error, len(sources))
	parallel.For(len(sources), 1, func(first, last int) {
		for i := first; i < last; i++ {
			each[i], errs[i] = largeOf(sources[i])
		}
	})
	all := make([]large, len(portraits)+1)
	for _, counts := range each {
		for i, c := range counts {
			all[i].add(c)
		}
	}
	return all, errors.Join(errs...)
}

// largeOf counts what is found in the large photographs made of one in a file,
// and last, in its corners.
func largeOf(file string) ([]large, error) {
	img, err := dataset.ReadGrey(context.Background(), file)
	if err != nil {
		return nil, err
	}
	faces := face.DefaultFinder.Find(img)
	if len(faces) != 1 || faces[0].Quality.Detection < largeSure {
		return nil, nil
	}
	all := make([]large, len(portraits)+1)
	for i, s := range portraits {
		all[i].About = s.About
		m, p := s.of(img, faces[0].Pupils)
		if m, err = stored(m, largeQuality); err != nil {
			return nil, err
		}
		all[i].look(m, &p)
	}
	nobody := &all[len(portraits)]
	nobody.About = "corners of photographs, without a face"
	for _, m := range corners(img, faces[0].Box) {
		nobody.look(m, nil)
	}
	return all, nil
}

func (l *large) add(m large) {
	l.About = m.About
	l.Photographs += m.Photographs
	l.Before += m.Before
	l.Now += m.Now
	l.FalseBefore += m.FalseBefore
	l.FalseNow += m.FalseNow
}

// corners returns the corners of img that the face in box leaves, enlarged.
func corners(img *image.Gray, box image.Rectangle) (parts []*image.Gray) {
	b := img.Rect
	side := min(b.Dx(), b.Dy()) / 3
	for _, at := range []image.Point{b.Min, {X: b.Max.X - side, Y: b.Min.Y}, {X: b.Min.X, Y: b.Max.Y - side}, {X: b.Max.X - side, Y: b.Max.Y - side}} {
		r := image.Rectangle{Min: at, Max: at.Add(image.Pt(side, side))}
		if common := r.Intersect(box); common.Dx()*common.Dy()*10 > side*side {
			continue
		}
		const large = 640
		m := image.NewGray(image.Rect(0, 0, large, large))
		for y := range large {
			for x := range large {
				m.Pix[y*m.Stride+x] = byte(bilinear(img, float64(at.X)+(float64(x)+0.5)*float64(side)/large, float64(at.Y)+(float64(y)+0.5)*float64(side)/large) + 0.5)
			}
		}
		parts = append(parts, m)
	}
	return parts
}

// look counts the faces that are found in m. The pupils of the face are p; nil
// where there is none.
func (l *large) look(m *image.Gray, p *[2]face.Point) {
	l.Photographs++
	without := face.DefaultFinder
	without.CloseSide = 0
	faces := without.Find(m)
	right, wrong := judged(faces, p)
	l.Before += right
	l.FalseBefore += wrong
	right, wrong = judged(face.DefaultFinder.Find(m), p)
	l.Now += right
	l.FalseNow += wrong
}

// judged returns whether one of the faces has the pupils p, and how many others
// are somewhere else.
func judged(faces []face.Face, p *[2]face.Point) (right, wrong int) {
	for _, f := range faces {
		if p == nil {
			wrong++
			continue
		}
		apart := math.Hypot(p[1].X-p[0].X, p[1].Y-p[0].Y)
		off := max(math.Hypot(f.Pupils[0].X-p[0].X, f.Pupils[0].Y-p[0].Y), math.Hypot(f.Pupils[1].X-p[1].X, f.Pupils[1].Y-p[1].Y))
		switch {
		case off <= largePupils*apart:
			right = 1
		case off > apart:
			wrong++
		}
	}
	return right, wrong
}

// of returns the photograph made of m, whose pupils are p, and the pupils in it.
func (s portrait) of(m *image.Gray, p [2]face.Point) (*image.Gray, [2]face.Point) {
	dx, dy := p[1].X-p[0].X, p[1].Y-p[0].Y // an eye distance along the face
	unit, half := float64(s.Side)/s.Width, s.Width/2
	sin, cos := math.Sincos(s.Turn * math.Pi / 180)
	narrow := 1/(1-s.Aside) - 1
	out := image.NewGray(image.Rect(0, 0, s.Side, s.Side))
	for y := range s.Side {
		for x := range s.Side {
			// In eye distances: from the middle of the photograph, then from between the eyes, along the face.
			pu, pv := (float64(x)+0.5)/unit-half, (float64(y)+0.5)/unit-half
			u, v := cos*pu+sin*pv, cos*pv-sin*pu-belowEyes
			head := math.Hypot(u/1.5, (v-0.3)/2.1)
			var grey float64
			switch {
			case s.Cap > 0 && v < -0.4+0.08*u*u && head < 1.05:
				grey = float64(s.Cap) + 6*math.Sin(7*u)*math.Sin(5*v)
			case !s.Black || head < 1:
				if u > 0 && u < 2 {
					u += narrow * u * (1 - u/2)
				}
				grey = bilinear(m, (p[0].X+p[1].X)/2+u*dx-v*dy, (p[0].Y+p[1].Y)/2+u*dy+v*dx)
			}
			out.Pix[y*out.Stride+x] = byte(max(0, min(255, s.Light*grey+0.5)))
		}
	}
	right := 0.5
	if narrow > 0 {
		right = (1 + narrow - math.Sqrt((1+narrow)*(1+narrow)-narrow)) / narrow
	}
	at := func(u float64) face.Point {
		return face.Point{X: unit * (half + cos*u - sin*belowEyes), Y: unit * (half + sin*u + cos*belowEyes)}
	}
	return out, [2]face.Point{at(-0.5), at(right)}
}

// belowEyes is where the middle of the photograph is, in eye distances below the
// eyes, negated.
const belowEyes = -0.5

// bilinear returns the grey value of m at (x, y); the edge is repeated outside.
func bilinear(m *image.Gray, x, y float64) float64 {
	b := m.Rect
	x, y = max(0, min(float64(b.Dx()-1), x-0.5)), max(0, min(float64(b.Dy()-1), y-0.5))
	x0, y0 := min(int(x), b.Dx()-2), min(int(y), b.Dy()-2)
	fx, fy := x-float64(x0), y-float64(y0)
	at := m.Pix[y0*m.Stride+x0:]
	top, bottom := float64(at[0])*(1-fx)+float64(at[1])*fx, float64(at[m.Stride])*(1-fx)+float64(at[m.Stride+1])*fx
	return top*(1-fy) + bottom*fy
}

// stored returns m as a JPEG file keeps it.
func stored(m *image.Gray, quality int) (*image.Gray, error) {
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, &jpeg.Options{Quality: quality}); err != nil {
		return nil, err
	}
	img, err := jpeg.Decode(&b)
	if err != nil {
		return nil, err
	}
	return img.(*image.Gray), nil
}
