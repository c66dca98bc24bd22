package face

import (
	"context"
	"errors"
	"fmt"
	"image"
	"math"
	"strconv"
	"strings"

	"nrdl.example/nrdl/faces/dataset"
)

// A Place is where a person says that a face is: by two eyes, or by a box. Its numbers are pixels of
// the upright photograph.
type Place struct {
	Eyes [2]Point        // zero where Box says it
	Box  image.Rectangle // empty where Eyes say it
}

// ErrPlace is the reason why no face is taken from a Place.
var ErrPlace = errors.New("no face can be there")

// ParsePlace reads the four numbers of a place: two eyes, x,y,x,y, or with box the left upper
// corner, the width and the height of a box.
func ParsePlace(text string, box bool) (*Place, error) {
	fields := strings.Split(text, ",")
	var v [4]float64
	for i, f := range fields {
		x, err := strconv.ParseFloat(f, 64)
		const limit = 1 << 20 // pixels
		if len(fields) != len(v) || err != nil || !(x >= 0 && x <= limit) {
			return nil, fmt.Errorf("%.40q are not four numbers x,y,x,y of two eyes, or x,y,width,height of a box, in pixels", text)
		}
		v[i] = x
	}
	if box {
		return &Place{Box: image.Rect(int(v[0]), int(v[1]), int(v[0]+v[2]), int(v[1]+v[3]))}, nil
	}
	return &Place{Eyes: [2]Point{{v[0], v[1]}, {v[2], v[3]}}}, nil
}

// window is the square of the face at p.
func (p *Place) window() window {
	if p.Box.Empty() {
		return DefaultPupils.windowOf(p.Eyes)
	}
	b := boxOf(p.Box)
	return window{Point: b.centre(), side: max(b.width(), b.height())}
}

// picked is the face of found that p means, by the nearest middle: the middle of each is in the
// square of the other; nil if there is none.
func (p *Place) picked(found []Face) *Face {
	w := p.window()
	var best *Face
	for i := range found {
		b := boxOf(found[i].Box)
		c, side := b.centre(), max(b.width(), b.height())
		off := max(math.Abs(c.X-w.X), math.Abs(c.Y-w.Y))
		if off <= side/2 && off <= w.side/2 && p.sees(found[i].Pupils) && (best == nil || c.to(w.Point) < boxOf(best.Box).centre().to(w.Point)) {
			best = &found[i]
		}
	}
	return best
}

// sees reports whether these pupils are the eyes of p. A person who has pointed at other eyes than
// those that were found is right.
func (p *Place) sees(pupils [2]Point) bool {
	if !p.Box.Empty() {
		return true
	}
	const near = 0.3 // of their distance
	a, b := p.Eyes, pupils
	d := near * b[0].to(b[1])
	return a[0].to(b[0]) <= d && a[1].to(b[1]) <= d || a[0].to(b[1]) <= d && a[1].to(b[0]) <= d
}

// faceAt is the face that a person has pointed at. In a box, the landmarks are those that the
// network finds there, or those of a mean face.
func (s *Search) faceAt(ctx context.Context, photo *dataset.Photo, p *Place) (Face, error) {
	whole := photo.Grey.Rect
	eyes := p.Eyes
	if eyes[0].X > eyes[1].X {
		eyes[0], eyes[1] = eyes[1], eyes[0]
	}
	if !p.Box.Empty() {
		w := p.window()
		apart := 2 * DefaultPupils.Aside * w.side
		m := Point{w.X, w.Y - DefaultPupils.Above*w.side}
		eyes = [2]Point{{m.X - apart/2, m.Y}, {m.X + apart/2, m.Y}}
		five, err := s.Sighting.landmarksAt(ctx, photo, eyes)
		if err != nil {
			return Face{}, err
		}
		if five != nil {
			if found, off := pupilsOf(five); off <= s.Sighting.MaxResidual && inside(middle(found), p.Box) {
				eyes = found
			}
		}
	}
	if !inside(eyes[0], whole) || !inside(eyes[1], whole) || !(eyes[0].to(eyes[1]) >= 1) {
		return Face{}, fmt.Errorf("%w: the eyes would be at %.0f,%.0f and %.0f,%.0f of %d×%d pixels",
			ErrPlace, eyes[0].X, eyes[0].Y, eyes[1].X, eyes[1].Y, whole.Dx(), whole.Dy())
	}
	f := Face{
		Pupils: eyes, Box: p.Box.Intersect(whole),
		Quality: DefaultQuality.of(photo.Grey, eyes, DefaultFinder.Score),
	} // a person is sure that it is a face
	if p.Box.Empty() {
		f.Box = DefaultPupils.windowOf(eyes).box(whole)
	}
	return f, nil
}

// at is the face at p: one of found, or one by hand.
func (s *Search) at(ctx context.Context, photo *dataset.Photo, found []Face, p *Place) ([]Face, error) {
	if f := p.picked(found); f != nil {
		return []Face{*f}, nil
	}
	f, err := s.faceAt(ctx, photo, p)
	return []Face{f}, err
}
