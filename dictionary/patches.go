package dictionary

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
)

// Patches says how a picture is cut into samples: rectangles of Height×Width
// pixels, Stride pixels apart in both directions. Where the last of a row or of
// a column would end before the picture does, one more lies against the edge,
// so that every pixel is in a patch if Stride is no longer than a side of one.
//
// A picture is a matrix of its grey values, a row of pixels a row, at any scale.
// A patch is a column, its pixels column after column, as in classify.Samples; patches
// are in the order of reading, from left to right and then down.
type Patches struct {
	Height int `json:"height" help:"pixels of a patch; ≥ 1"`
	Width  int `json:"width" help:"pixels of a patch; ≥ 1"`
	Stride int `json:"stride" help:"pixels from one patch to the next; ≥ 1, and ≤ height and width to cover a picture"`
}

// DefaultPatches are all 8×8 patches, which [ksvd] learns from.
var DefaultPatches = Patches{Height: 8, Width: 8, Stride: 1}

// Validate reports the first parameter that is outside its range.
func (p Patches) Validate() error {
	switch {
	case p.Height < 1 || p.Width < 1:
		return fmt.Errorf("a patch of %dx%d has no pixels", p.Height, p.Width)
	case p.Stride < 1:
		return fmt.Errorf("stride = %d is not ≥ 1", p.Stride)
	}
	return nil
}

// Cut returns the patches of a picture, d×N with d = Height·Width.
func (p Patches) Cut(picture *mat.Dense) (*mat.Dense, error) {
	height, width := picture.Dims()
	down, across, err := p.places(height, width)
	if err != nil {
		return nil, fmt.Errorf("cut patches: %w", err)
	}
	x := mat.NewDense(p.Height*p.Width, len(down)*len(across), nil)
	p.each(down, across, func(row, i, j, at int) {
		x.RawRowView(row)[at] = picture.RawRowView(i)[j]
	})
	return x, nil
}

// Assemble returns the picture of height×width pixels whose patches are x, such
// as Cut returns: a pixel is the average of those patches that it is in. It
// undoes Cut. It is an error if x has not the size of what Cut returns, or if
// the patches leave pixels uncovered.
func (p Patches) Assemble(x *mat.Dense, height, width int) (*mat.Dense, error) {
	down, across, err := p.places(height, width)
	if err != nil {
		return nil, fmt.Errorf("assemble patches: %w", err)
	}
	if d, n := x.Dims(); d != p.Height*p.Width || n != len(down)*len(across) {
		return nil, fmt.Errorf("assemble patches: %d columns of %d values, want %d of %d for a picture of %dx%d",
			n, d, len(down)*len(across), p.Height*p.Width, height, width)
	}
	picture := mat.NewDense(height, width, nil)
	in := mat.NewDense(height, width, nil) // how many patches a pixel is in
	p.each(down, across, func(row, i, j, at int) {
		picture.RawRowView(i)[j] += x.RawRowView(row)[at]
		in.RawRowView(i)[j]++
	})
	if mat.Min(in) == 0 {
		return nil, fmt.Errorf("assemble patches: those of %dx%d with a stride of %d leave pixels out", p.Height, p.Width, p.Stride)
	}
	picture.DivElem(picture, in)
	return picture, nil
}

// each calls f for every pixel of every patch: its row and column of X, and the
// pixel (i, j) of the picture that it is.
func (p Patches) each(down, across []int, f func(row, i, j, at int)) {
	for row := range p.Height * p.Width {
		at := 0
		for _, top := range down {
			for _, left := range across {
				f(row, top+row%p.Height, left+row/p.Height, at)
				at++
			}
		}
	}
}

// places are the rows and the columns at which patches begin.
func (p Patches) places(height, width int) (down, across []int, err error) {
	if err := p.Validate(); err != nil {
		return nil, nil, err
	}
	if p.Height > height || p.Width > width {
		err := fmt.Errorf("patches of %dx%d do not fit into a picture of %dx%d", p.Height, p.Width, height, width)
		return nil, nil, advice.Add(err, "choose smaller patches")
	}
	return places(height-p.Height, p.Stride), places(width-p.Width, p.Stride), nil
}

// places are 0, stride, 2·stride, … and, as the last one, last.
func places(last, stride int) []int {
	var at []int
	for i := 0; i < last; i += stride {
		at = append(at, i)
	}
	return append(at, last)
}

// TakeMeans subtracts from every column of x, in place, the mean of its elements
// and returns the means, for AddMeans to put back: atoms then need not
// represent how bright a patch is.
func TakeMeans(x *mat.Dense) []float64 {
	d, n := x.Dims()
	means := make([]float64, n)
	for i := range d {
		for j, v := range x.RawRowView(i) {
			means[j] += v / float64(d)
		}
	}
	addToColumns(x, -1, means)
	return means
}

// AddMeans adds to every column of x, in place, what TakeMeans took of it.
func AddMeans(x *mat.Dense, means []float64) { addToColumns(x, 1, means) }

func addToColumns(x *mat.Dense, f float64, means []float64) {
	d, n := x.Dims()
	if len(means) != n {
		panic(mat.ErrShape)
	}
	for i := range d {
		row := x.RawRowView(i)
		for j, m := range means {
			row[j] += f * m
		}
	}
}
