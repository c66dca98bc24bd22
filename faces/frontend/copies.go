package frontend

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/internal/parallel"
)

// A copied image has the pixel (row, col) of another where from says, which may
// lie outside: then it is the nearest pixel.
type copied struct {
	words  string // after the ID of the image
	source func(row, col int) (int, int)
}

// withMirrorImages returns the images of s, and after those of each person
// their mirror images.
func withMirrorImages(s *dataset.Images) *dataset.Images {
	return withCopies(s, []copied{{" (mirror image)", func(row, col int) (int, int) { return row, s.Frame.Width - 1 - col }}})
}

// withShifted returns the images of s, and after those of each person the same
// moved by so many pixels along both diagonals, either way.
func withShifted(s *dataset.Images, pixels int) *dataset.Images {
	moved := func(down, right int) copied {
		return copied{" (moved)", func(row, col int) (int, int) { return row - down, col - right }}
	}
	return withCopies(s, []copied{moved(pixels, pixels), moved(pixels, -pixels), moved(-pixels, pixels), moved(-pixels, -pixels)})
}

// withCopies returns the images of s and, after those of each person, copies of them.
func withCopies(s *dataset.Images, copies []copied) *dataset.Images {
	d, n := s.X.Dims()
	times := 1 + len(copies)
	t := *s
	t.X, t.IDs, t.Groups, t.Quality, t.NoFace = mat.NewDense(d, times*n, nil), make([]string, 0, times*n), make([]int, len(s.Groups)), nil, nil
	for c := range s.Classes {
		t.Groups[c+1] = times * s.Groups[c+1]
		for k := range times {
			for j := s.Groups[c]; j < s.Groups[c+1]; j++ {
				id := s.ID(j)
				if k > 0 {
					id += copies[k-1].words
				}
				t.IDs = append(t.IDs, id)
			}
		}
	}
	h, w := s.Frame.Height, s.Frame.Width
	parallel.For(d, 64, func(first, last int) {
		for i := first; i < last; i++ {
			to := t.X.RawRowView(i)
			for k := range times {
				from := i
				if k > 0 {
					row, col := copies[k-1].source(i%h, i/h)
					from = min(max(col, 0), w-1)*h + min(max(row, 0), h-1)
				}
				row := s.X.RawRowView(from)
				for c := range s.Classes {
					lo, hi := s.Groups[c], s.Groups[c+1]
					copy(to[times*lo+k*(hi-lo):], row[lo:hi])
				}
			}
		}
	})
	return &t
}

// An enlarger brings the inner part of images of a size to that size, by
// bilinear interpolation between the centres of pixels.
type enlarger struct {
	rows, cols []between
	height     int
}

// between is a place between the pixels at and at+1, w of the way to the second.
type between struct {
	index int
	w     float64
}

// newEnlarger enlarges the share of height and width about the centre.
func newEnlarger(size dataset.Size, share float64) *enlarger {
	places := func(n int) []between {
		p := make([]between, n)
		for i := range p {
			v := float64(n)*(1-share)/2 + (float64(i)+0.5)*share - 0.5
			v = min(max(v, 0), float64(n-1))
			p[i].index = min(int(math.Floor(v)), max(n-2, 0))
			p[i].w = v - float64(p[i].index)
		}
		return p
	}
	return &enlarger{places(size.Height), places(size.Width), size.Height}
}

// apply writes the enlarged inner part of image to dst.
func (e *enlarger) apply(dst, image []float64) {
	for j, c := range e.cols {
		left := image[c.index*e.height : (c.index+1)*e.height]
		right := left
		if c.w > 0 {
			right = image[(c.index+1)*e.height : (c.index+2)*e.height]
		}
		for i, r := range e.rows {
			v := left[r.index] + c.w*(right[r.index]-left[r.index])
			if r.w > 0 {
				below := left[r.index+1] + c.w*(right[r.index+1]-left[r.index+1])
				v += r.w * (below - v)
			}
			dst[j*e.height+i] = v
		}
	}
}
