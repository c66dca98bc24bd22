package nrdl

import (
	"context"
	"errors"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"nrdl/feature"
	"nrdl/internal/hint"
	"nrdl/internal/parallel"
	"nrdl/projection"
)

// white is the grey value of white that the stages of an Input count on.
const white = 255

// ForSet returns in for the columns of set: with the eyes and the crop of its images
// where in has none and, where in has no size, with their size, or with the stages that made
// the samples.
func (in Input) ForSet(set *Set) Input {
	if in.Eyes.IsZero() {
		in.Eyes = set.Input.Eyes
	}
	if in.Crop == 0 {
		in.Crop = set.Input.Crop
	}
	if in.Size != (Size{}) {
		return in
	}
	made := set.Input.Fixed()
	if !made.ArePixels() && len(in.Photometric)+len(in.Features) == 0 {
		in.Photometric, in.Features, in.Zoom = made.Photometric, made.Features, made.Zoom
	}
	in.Size, in.Eyes, in.Crop = made.Size, made.Eyes, made.Crop
	return in
}

// Samples returns the images of s as the samples that in makes of them, without
// the projection, which is fit by Training. It shares with s what does not
// change. Where s has these samples already it is returned as it is; where its
// columns are neither they nor images of in's size, or in is impossible, it is
// an error, before any work.
func (s *Set) Samples(in Input) (*Set, error) {
	if s.Projection != nil {
		return nil, errProjected
	}
	if s.Input.Fixed().String() == in.Fixed().String() {
		return s, nil
	}
	make, err := s.maker(in)
	if err != nil {
		return nil, err
	}
	t := *s
	t.Input = in.Fixed()
	t.X = make.all(s.X, s.scale())
	return &t, nil
}

// Training returns what a method learns from: the samples that in makes of the
// images of s and, where in says so, of their mirror images, which follow the
// images of their person and have "(mirror image)" after their ID; then the
// projection of in, fit on those of them that are not black, is applied. Where s has in's samples already
// they are projected only.
func (s *Set) Training(ctx context.Context, in Input) (*Set, error) {
	t, of, err := s.learnt(in)
	if err != nil {
		return nil, err
	}
	return t.projected(ctx, of, in)
}

// learnt returns the samples that in makes of the images of s and their copies,
// and those that its projection is fit on, which may be the same.
func (s *Set) learnt(in Input) (t, of *Set, err error) {
	if s.Projection != nil {
		return nil, nil, errProjected
	}
	images := s
	if in.Mirror || in.Shift != 0 {
		if !s.Input.ArePixels() {
			return nil, nil, fmt.Errorf("there are no mirror or shifted images of samples that are %v", s.Input)
		}
		if _, err := s.maker(in); err != nil {
			return nil, nil, err
		}
	}
	if in.Mirror {
		images = s.withMirrorImages()
	}
	if t, err = images.Samples(in); err != nil || in.Shift == 0 {
		return t, t, err
	}
	of, err = images.withShifted(in.Shift).Samples(in)
	return t, of, err
}

// projected returns s, samples of in, with the projection of in fit on those of
// the samples of that are not black.
func (s *Set) projected(ctx context.Context, of *Set, in Input) (*Set, error) {
	t := *s // its Input changes
	t.Input = in
	if in.Projection.IsZero() {
		return &t, nil
	}
	if of = of.NotBlack(); len(of.Classes) == 0 {
		return nil, errors.New("every training image is black")
	}
	var err error
	if t.Projection, err = in.Projection.Fit(ctx, Unit(of.X), of.Groups); err != nil {
		return nil, err
	}
	t.X = t.Projection.Apply(Unit(t.X))
	return &t, nil
}

var errProjected = errors.New("the samples are projected already")

// maker returns what makes samples of the images of s.
func (s *Set) maker(in Input) (*maker, error) {
	if s.Input.String() != in.Images().String() {
		err := fmt.Errorf("the samples are %v: %v cannot be made of them", s.Input, in.Fixed())
		if s.Input.ArePixels() && in.Size != (Size{}) {
			return nil, hint.Add(err, "bring the images to %v when they are read", in.Images())
		}
		return nil, err
	}
	if err := in.Validate(); err != nil {
		return nil, err
	}
	return in.maker()
}

// scale is what grey values of s are multiplied by to be those of 0 … 255.
func (s *Set) scale() float64 {
	if s.White == 0 {
		return 1
	}
	return white / s.White
}

// A maker makes samples of images.
type maker struct {
	pixels, features int
	filter           feature.Filter    // nil for none
	extract          feature.Extractor // nil for the pixels as they are
	zoom             *enlarger         // nil for none
}

func (in Input) maker() (*maker, error) {
	m := &maker{pixels: in.Size.Len()}
	var err error
	if len(in.Photometric) > 0 {
		if m.filter, err = in.Photometric.Over(in.Height, in.Width); err != nil {
			return nil, err
		}
	}
	if len(in.Features) > 0 {
		if m.extract, err = in.Features.Over(in.Height, in.Width); err != nil {
			return nil, err
		}
	}
	if in.Zoom != 0 {
		m.zoom = newEnlarger(in.Size, in.Zoom)
	}
	m.features = in.Len()
	return m, nil
}

// makerChunk is how many images one goroutine makes samples of at a time: as
// their elements lie in rows of the result, fewer would go to other pages of
// memory for each.
const makerChunk = 32

// all returns the samples of the images in the columns of x, which are
// multiplied by scale first.
func (m *maker) all(x *mat.Dense, scale float64) *mat.Dense {
	_, n := x.Dims()
	out := mat.NewDense(m.features, n, nil)
	parallel.For(n, makerChunk, func(lo, hi int) {
		samples := make([][]float64, hi-lo)
		images := make([][]float64, hi-lo)
		for j := range images {
			samples[j], images[j] = make([]float64, m.features), make([]float64, m.pixels)
		}
		for i := range m.pixels {
			for j, v := range x.RawRowView(i)[lo:hi] {
				images[j][i] = v * scale
			}
		}
		filtered, inner := make([]float64, m.pixels), make([]float64, m.pixels)
		for j, image := range images {
			if m.filter != nil {
				m.filter.Apply(filtered, image)
				image = filtered
			}
			switch {
			case m.extract == nil:
				copy(samples[j], image)
			case m.zoom == nil:
				m.extract.Extract(samples[j], image)
			default:
				m.zoom.apply(inner, image)
				m.extract.Extract(samples[j][:m.features/2], image)
				m.extract.Extract(samples[j][m.features/2:], inner)
			}
		}
		for i := range m.features {
			row := out.RawRowView(i)[lo:hi]
			for j := range row {
				row[j] = samples[j][i]
			}
		}
	})
	return out
}

// project brings samples of unit norm into the space of p, at unit norm; it
// returns x itself where p is nil.
func project(p *projection.Fitted, x *mat.Dense) *mat.Dense {
	if p == nil {
		return x
	}
	return Unit(p.Apply(x))
}
