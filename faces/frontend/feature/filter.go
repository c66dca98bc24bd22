package feature

import "math"

// reflection says from where the values before and beyond a side of n positions
// come: that of position i is source[i+reach], for −reach ≤ i < n + reach. The
// side is reflected with its last position repeated: … 1 0 0 1 … n−1 n−1 …
func reflection(n, reach int) (source []int) {
	for i := -reach; i < n+reach; i++ {
		at := (i%(2*n) + 2*n) % (2 * n)
		source = append(source, min(at, 2*n-1-at))
	}
	return source
}

// gaussian gives the weights at −r … r of a Gaussian of standard deviation
// sigma that is cut off at reach·sigma, with the sum 1.
func gaussian(sigma, reach float64) []float64 {
	r := int(reach*sigma + 0.5)
	w := make([]float64, 2*r+1)
	var sum float64
	for t := range w {
		x := float64(t-r) / sigma
		w[t] = math.Exp(-x * x / 2)
		sum += w[t]
	}
	scale(w, 1/sum)
	return w
}

// gaussianReach is where Gaussians of the photometric steps end, in standard
// deviations: 0.006 % of them are beyond.
const gaussianReach = 4

// A blur is the convolution of images of one size with a Gaussian, beyond
// whose borders they are reflected.
type blur struct {
	w          []float64
	rows, cols []int // reflections of both sides
	height     int
	scratch    buffers
}

func newBlur(height, width int, sigma float64) *blur {
	w := gaussian(sigma, gaussianReach)
	reach := len(w) / 2
	b := &blur{w: w, rows: reflection(height, reach), cols: reflection(width, reach), height: height}
	b.scratch.size = height*width + len(b.rows)
	return b
}

// apply overwrites dst with what the blur makes of src. They do not overlap.
func (b *blur) apply(dst, src []float64) {
	buffer := b.scratch.get()
	defer b.scratch.put(buffer)
	image, padded := (*buffer)[:len(src)], (*buffer)[len(src):]
	for at := 0; at < len(src); at += b.height {
		extend(padded, src[at:][:b.height], b.rows)
		along(image[at:][:b.height], padded, b.w, 0, 1)
	}
	for at := 0; at < len(src); at += b.height {
		across(dst[at:][:b.height], image, b.w, b.cols[at/b.height:])
	}
}

// extend sets padded to the column with its reflections.
func extend(padded, column []float64, source []int) {
	for i, from := range source {
		padded[i] = column[from]
	}
}

// along filters a column that was extended by half of w at either end: value i
// of dst is that at position first + i·step.
func along(dst, padded, w []float64, first, step int) {
	for i := range dst {
		var sum float64
		for t, v := range padded[first+i*step:][:len(w)] {
			sum += w[t] * v
		}
		dst[i] = sum
	}
}

// across sets dst to one column of an image, with columns of len(dst), that is
// filtered along its rows: weight t is that of the column source[t].
func across(dst, image, w []float64, source []int) {
	clear(dst)
	for t, by := range w {
		for i, v := range image[source[t]*len(dst):][:len(dst)] {
			dst[i] += by * v
		}
	}
}
