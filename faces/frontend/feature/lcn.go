package feature

import (
	"cmp"
	"math"
)

// LCN is local contrast normalisation [lcn]. With I the image, G the Gaussian blur of standard
// deviation σ, and V = I − G∗I, the step gives
//
//	V/√(G∗V² + floor)
//
// The results are no grey values: they lie about 0, seldom beyond ±3.
type LCN struct {
	Sigma float64 `json:"sigma" help:"σ, of the blur, in pixels"`
	Floor float64 `json:"floor" help:"added to the variance, in grey values squared: contrast well below its root is not raised"`
}

// DefaultLCN looks at the nearest 4 pixels, and leaves contrasts of less than 4
// grey values as they are.
var DefaultLCN = LCN{Sigma: 2, Floor: 16}

// Name implements Step.
func (LCN) Name() string { return "lcn" }

// Validate implements Step.
func (l LCN) Validate() error {
	return cmp.Or(checkSigma("lcn", "sigma", l.Sigma), within("lcn", "floor", l.Floor, 1e-6, 1e6))
}

const (
	minSigma = 0.1
	maxSigma = 64
)

// checkSigma reports a standard deviation that no blur may have.
func checkSigma(name, parameter string, sigma float64) error {
	return within(name, parameter, sigma, minSigma, maxSigma)
}

// Over implements Step.
func (l LCN) Over(height, width int) (Filter, error) {
	if err := cmp.Or(l.Validate(), fitsImage(height, width)); err != nil {
		return nil, err
	}
	n := height * width
	return &contrast{l.Floor, newBlur(height, width, l.Sigma), buffers{size: 2 * n}, n}, nil
}

type contrast struct {
	floor  float64
	blur   *blur
	images buffers
	pixels int
}

// Apply implements Filter.
func (c *contrast) Apply(dst, pix []float64) {
	n := c.pixels
	mustHave(len(dst) == n && len(pix) == n)
	buffer := c.images.get()
	defer c.images.put(buffer)
	image, blurred := (*buffer)[:n], (*buffer)[n:]
	first := bounded(pix[0])
	for i, v := range pix {
		image[i] = bounded(v) - first // so that an even image gives exact zeros
	}
	c.blur.apply(blurred, image)
	for i, v := range blurred {
		image[i] -= v
		blurred[i] = image[i] * image[i] // V²
	}
	c.blur.apply(dst, blurred) // G∗V²
	for i, v := range dst {
		dst[i] = image[i] / math.Sqrt(v+c.floor)
	}
}

// bounded is the grey value nearest to v that may be squared.
func bounded(v float64) float64 { return min(max(v, -greatest), greatest) }
