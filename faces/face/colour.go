package face

import (
	"cmp"
	"context"
	"math"

	"nrdl.example/nrdl/faces/dataset"
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

	At *Place // if not nil, the only face is the one that is there; ErrPlace if there can be none

	Photo func(*dataset.Photo) error // if not nil, Decode calls it with the photograph; an error ends Decode
}

// search is how faces are found.
func (c Cut) search() *Search {
	s := cmp.Or(c.Search, DefaultSearch)
	if !c.byLandmarks() {
		return s.withPupils()
	}
	return s
}

// byLandmarks reports whether c aligns faces by landmarks.
func (c Cut) byLandmarks() bool {
	if c.Embedder == nil {
		return c.Network
	}
	return c.Embedder.Frame().Embedding.Alignment != dataset.ByPupils
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

// cover sets the landmarks of f, and which parts of it are covered, if c aligns by landmarks.
func (c Cut) cover(ctx context.Context, photo *dataset.Photo, f *Face) error {
	if !c.byLandmarks() {
		return nil
	}
	five, err := c.search().Sighting.five(ctx, photo, *f)
	if err != nil {
		return err
	}
	f.Landmarks, f.Covered = [5]Point(five), covered(coverFeatures(photo, five))
	return nil
}

// place returns the similarity from the input of the network to the face f in photo.
func (c Cut) place(ctx context.Context, photo *dataset.Photo, f Face) (similarity, error) {
	in := dataset.Frame{Size: c.Embedder.Input(), Eyes: c.Frame.Eyes, Crop: c.Frame.Crop}
	t, ok := c.Embedder.Frame().Embedding.Alignment.Template(in.Eyes, in.Size)
	if !ok {
		return aligned(f.alignment(), in), nil
	}
	five, err := cmp.Or(c.Search, DefaultSearch).Sighting.five(ctx, photo, f)
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
	channels := photo.Channels(part)
	different := 3
	if !photo.Coloured() {
		different = 1
	}
	var planes [3]plane
	for i := range different {
		v := reduced(channels[i], part, factor)
		planes[i] = planeOf(v)
		if i == 0 {
			to = v.back.inverse().after(to)
		}
	}

	n := size.Len()
	out := make([]float32, 3*n)
	k := newKernelAt(planes[0], to.scale())
	mean := k.means
	if different == 1 {
		mean = func(p *[3]plane) [3]float32 { return [3]float32{k.mean(p[0].values)} }
	}
	for y := range size.Height {
		for x := range size.Width {
			k.centre(to.at(float64(x)+0.5, float64(y)+0.5))
			for c, v := range mean(&planes) {
				out[c*n+y*size.Width+x] = clamped(v)
			}
		}
	}
	if different == 1 {
		copy(out[n:], out[:n])
		copy(out[2*n:], out[:n])
	}
	return out
}

// A plane is an image of single-precision numbers.
type plane struct {
	values        []float32
	width, height int
}

func planeOf(v view) plane {
	p := plane{width: v.Rect.Dx(), height: v.Rect.Dy()}
	p.values = make([]float32, p.width*p.height)
	for y := range p.height {
		row := p.values[y*p.width:][:p.width]
		for x, g := range v.Pix[y*v.Stride:][:p.width] {
			row[x] = float32(g)
		}
	}
	return p
}

// phases is the number of places within a pixel for which the weights of the kernel are
// computed: half a step between two changes a value by a hundredth of a grey level at most.
const phases = 2048

// A kernelAt takes means by the cubic convolution kernel about one place at a time.
type kernelAt struct {
	width, height int
	taps          int
	offset        int       // pixels from the first that is weighed to that of the centre
	weights       []float32 // taps a phase, which sum to 1

	xWeights, yWeights []float32 // weights
	left, top          int       // first pixel that they weigh
	columns            []int     // that across weighs, inside the image
}

func newKernelAt(p plane, scale float64) *kernelAt {
	stretch := max(1, scale)
	reach := support * stretch
	k := &kernelAt{width: p.width, height: p.height, offset: int(math.Ceil(reach))}
	k.taps = 2*k.offset + 1
	k.columns = make([]int, k.taps)
	k.weights = make([]float32, phases*k.taps)
	for phase := range phases {
		row := k.weights[phase*k.taps:][:k.taps]
		at := (float64(phase)+0.5)/phases - 0.5 // of the centre, from the middle of its pixel
		var sum float64
		for i := range row {
			v := kernel((float64(i-k.offset) - at) / stretch)
			row[i] = float32(v)
			sum += v
		}
		for i := range row {
			row[i] /= float32(sum)
		}
	}
	return k
}

// centre sets the place about which mean takes means.
func (k *kernelAt) centre(p Point) {
	k.xWeights, k.left = k.weigh(p.X)
	k.yWeights, k.top = k.weigh(p.Y)
	for i := range k.columns {
		k.columns[i] = max(0, min(k.width-1, k.left+i))
	}
}

// weigh returns the weights of the pixels about at, and the first of these.
func (k *kernelAt) weigh(at float64) ([]float32, int) {
	pixel := math.Floor(at)
	return k.weights[min(phases-1, int((at-pixel)*phases))*k.taps:][:k.taps], int(pixel) - k.offset
}

// mean returns the weighted mean of an image. Outside, its edges are repeated. The processor works
// on two rows at a time.
func (k *kernelAt) mean(values []float32) (sum float32) {
	n := len(k.xWeights)
	whole := k.left >= 0 && k.left+k.taps <= k.width
	for j := 0; j < len(k.yWeights); j += 2 {
		second := min(j+1, len(k.yWeights)-1)
		upper, lower := values[k.row(j):], values[k.row(second):]
		var a, b float32
		if whole {
			upper, lower = upper[k.left:][:n], lower[k.left:][:n]
			for i, w := range k.xWeights {
				a += w * upper[i]
				b += w * lower[i]
			}
		} else {
			for i, w := range k.xWeights {
				a += w * upper[k.columns[i]]
				b += w * lower[k.columns[i]]
			}
		}
		sum += k.yWeights[j] * a
		if second > j {
			sum += k.yWeights[second] * b
		}
	}
	return sum
}

// row is where row j that down weighs begins in an image.
func (k *kernelAt) row(j int) int { return k.width * max(0, min(k.height-1, k.top+j)) }

// means is mean of three images, with the same sums: the processor adds to three of them at a time.
func (k *kernelAt) means(p *[3]plane) (sum [3]float32) {
	whole := k.left >= 0 && k.left+k.taps <= k.width
	for j, v := range k.yWeights {
		from := k.row(j)
		var a, b, c float32
		if whole {
			from += k.left
			n := len(k.xWeights)
			reds, greens, blues := p[0].values[from:][:n], p[1].values[from:][:n], p[2].values[from:][:n]
			for i, w := range k.xWeights {
				a += w * reds[i]
				b += w * greens[i]
				c += w * blues[i]
			}
		} else {
			for i, w := range k.xWeights {
				at := from + k.columns[i]
				a += w * p[0].values[at]
				b += w * p[1].values[at]
				c += w * p[2].values[at]
			}
		}
		sum[0] += v * a
		sum[1] += v * b
		sum[2] += v * c
	}
	return sum
}

func clamped(v float32) float32 { return max(0, min(math.MaxUint8, v)) }
