package frontend

import (
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/faces/frontend/feature"
	"nrdl.example/nrdl/internal/parallel"
)

// A maker makes samples of images.
type maker struct {
	pixels, features int
	filter           feature.Filter    // nil for none
	extract          feature.Extractor // nil for the pixels as they are
	zoom             *enlarger         // nil for none
}

func (in Pipeline) maker() (*maker, error) {
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
