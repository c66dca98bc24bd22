package face

import (
	"cmp"
	"context"
	"math"

	"nrdl.example/nrdl/dataset"
)

// A Cut says how a face becomes a vector: by the grey values of its aligned crop or, with an
// Embedder, by that network on its crop in colour.
type Cut struct {
	Frame    dataset.Frame    // of the values
	Embedder dataset.Embedder // nil for grey values
	Network  bool             // judge faces as for a network, also without an Embedder
	Search   *Search          // finds the faces; nil for DefaultSearch
	Thumbs   bool             // whether faces get a Seen.Thumb
	Turns    bool             // whether faces that are used get a Seen.Turn
}

// search is how faces are found.
func (c Cut) search() *Search {
	s := cmp.Or(c.Search, DefaultSearch)
	if c.Embedder == nil && !c.Network || c.Embedder != nil && c.Embedder.Frame().Embedding.Alignment == dataset.ByPupils {
		return s.withPupils()
	}
	return s
}

// limits are those for what c makes of faces.
func (c Cut) limits() Limits {
	if c.Embedder == nil && !c.Network {
		return DefaultLimits
	}
	return NetworkLimits
}

// Values returns the vector of the face f of photo; limits do not apply.
func (c Cut) Values(ctx context.Context, photo *dataset.Photo, f Face) ([]float64, error) {
	values, err := c.faces(ctx, photo, []Face{f})
	if err != nil {
		return nil, err
	}
	return values[0], nil
}

// faces returns the values of faces, all of which are in photo.
func (c Cut) faces(ctx context.Context, photo *dataset.Photo, faces []Face) ([][]float64, error) {
	values := make([][]float64, len(faces))
	if c.Embedder == nil {
		for i, f := range faces {
			values[i] = Crop(photo.Grey, f.Pupils, c.Frame)
		}
		return values, nil
	}
	if len(faces) == 0 {
		return nil, nil
	}
	crops := make([][]float32, len(faces))
	for i, f := range faces {
		to, err := c.place(ctx, photo, f)
		if err != nil {
			return nil, err
		}
		crops[i] = cropColour(photo, to, c.Embedder.Input())
	}
	return c.Embedder.Embed(ctx, crops)
}

// place returns the similarity from the input of the network to the face f in photo.
func (c Cut) place(ctx context.Context, photo *dataset.Photo, f Face) (similarity, error) {
	in := dataset.Frame{Size: c.Embedder.Input(), Eyes: c.Frame.Eyes, Crop: c.Frame.Crop}
	t, ok := c.Embedder.Frame().Embedding.Alignment.Template(in.Eyes, in.Size)
	if !ok {
		return aligned(f.alignment(), in), nil
	}
	five, err := f.five(ctx, photo)
	if err != nil {
		return similarity{}, err
	}
	w, h, crop := float64(in.Width), float64(in.Height), cmp.Or(in.Crop, 1)
	places := pointsOf(t, w/crop, h/crop)
	for i := range places {
		places[i].X += (w - w/crop) / 2
		places[i].Y += (h - h/crop) / 2
	}
	return fitted(places, five), nil
}

// CropColour is Crop in colour. It returns three planes, red, green and blue, each row by
// row, with values from 0 to 255 that are not rounded. The kernel of the resampling is
// aligned with the photograph, not with the crop: its weights are then products of one
// weight a row and one a column.
func CropColour(photo *dataset.Photo, pupils [2]Point, in dataset.Frame) []float32 {
	if photo.Grey.Rect.Empty() {
		panic("face: nothing to crop")
	}
	return cropColour(photo, aligned(pupils, in), in.Size)
}

// cropColour is CropColour for the similarity from the crop to the photograph.
func cropColour(photo *dataset.Photo, to similarity, size dataset.Size) []float32 {
	h, w := float64(size.Height), float64(size.Width)
	factor := blockFactor(to)
	part := reached(to, h, w, photo.Grey.Rect)
	var channels [3]view
	for i, c := range photo.Channels(part) {
		channels[i] = reduced(c, part, factor)
	}
	to = channels[0].back.inverse().after(to)

	out := make([]float32, 3*size.Len())
	red, green, blue := out[:size.Len()], out[size.Len():2*size.Len()], out[2*size.Len():]
	k := newKernelAt(channels, to.scale())
	for y := range size.Height {
		for x := range size.Width {
			i := y*size.Width + x
			red[i], green[i], blue[i] = k.mean(to.at(float64(x)+0.5, float64(y)+0.5))
		}
	}
	return out
}

// A kernelAt takes means of three channels by the cubic convolution kernel.
type kernelAt struct {
	red, green, blue []byte
	stride           int
	width, height    int
	stretch          float64
	across, down     []float32 // weights
	columns          []int     // that across weighs
}

func newKernelAt(channels [3]view, scale float64) *kernelAt {
	k := &kernelAt{
		red: channels[0].Pix, green: channels[1].Pix, blue: channels[2].Pix, stride: channels[0].Stride,
		width: channels[0].Rect.Dx(), height: channels[0].Rect.Dy(), stretch: max(1, scale),
	}
	taps := int(2*support*k.stretch) + 2
	k.across, k.down, k.columns = make([]float32, taps), make([]float32, taps), make([]int, taps)
	return k
}

// weigh sets weights to those of the pixels about centre, which sum to 1, and returns
// them and the first of the pixels.
func (k *kernelAt) weigh(weights []float32, centre float64) ([]float32, int) {
	reach := support * k.stretch
	first := int(math.Ceil(centre - reach - 0.5))
	last := int(math.Floor(centre + reach - 0.5))
	weights = weights[:last-first+1]
	var sum float64
	for i := range weights {
		v := kernel((float64(first+i) + 0.5 - centre) / k.stretch)
		weights[i] = float32(v)
		sum += v
	}
	for i := range weights {
		weights[i] /= float32(sum)
	}
	return weights, first
}

// mean returns the weighted means of the channels about p, from 0 to 255. Outside,
// their edges are repeated.
func (k *kernelAt) mean(p Point) (r, g, b float32) {
	across, left := k.weigh(k.across, p.X)
	down, top := k.weigh(k.down, p.Y)
	columns := k.columns[:len(across)]
	for i := range columns {
		columns[i] = max(0, min(k.width-1, left+i))
	}
	for j, v := range down {
		row := k.stride * max(0, min(k.height-1, top+j))
		var rowR, rowG, rowB float32
		for i, w := range across {
			at := row + columns[i]
			rowR += w * float32(k.red[at])
			rowG += w * float32(k.green[at])
			rowB += w * float32(k.blue[at])
		}
		r += v * rowR
		g += v * rowG
		b += v * rowB
	}
	return clamped(r), clamped(g), clamped(b)
}

func clamped(v float32) float32 { return max(0, min(math.MaxUint8, v)) }
