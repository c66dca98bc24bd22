// Package feature turns images of faces into vectors that are easier to
// recognise than grey values. Photometric steps return an image, features
// return a vector. All of them are fixed: nothing is learned.
//
// An image of height×width pixels is a slice in column-major order: pixel (i, j),
// row i counted downwards and column j to the right, is pix[j*height+i], its
// grey value from 0, black, to 255, white. Values must be finite; they may lie
// outside this range, as they do after a step.
//
// The fields of features and steps are their parameters. Over prepares one for
// images of a given size. Its result is safe for concurrent use and allocates
// no memory per image.
//
// # References
//
//	[igo]   Tzimiropoulos, Zafeiriou, Pantic: Subspace learning from image
//	        gradient orientations. IEEE PAMI 34, 2012.
//	[hog]   Dalal, Triggs: Histograms of oriented gradients for human
//	        detection. CVPR 2005.
//	[lbp]   Ahonen, Hadid, Pietikäinen: Face description with local binary
//	        patterns: application to face recognition. IEEE PAMI 28, 2006.
//	[gabor] Liu, Wechsler: Gabor feature based classification using the
//	        enhanced Fisher linear discriminant model for face recognition.
//	        IEEE Transactions on Image Processing 11, 2002.
//	[lcn]   Jarrett, Kavukcuoglu, Ranzato, LeCun: What is the best multi-stage
//	        architecture for object recognition? ICCV 2009.
//	[tt]    Tan, Triggs: Enhanced local texture feature sets for face
//	        recognition under difficult lighting conditions. IEEE Transactions
//	        on Image Processing 19, 2010.
//
// Experimental: this package may change in any version.
package feature

import (
	"fmt"
	"math"

	"nrdl.example/nrdl/advice"
)

// A Feature describes an image by a vector.
type Feature interface {
	// Name is the name by which specs and model files refer to the feature.
	Name() string

	// Validate reports the first parameter that is outside its range.
	Validate() error

	// Len is the length of the feature of an image of that size.
	Len(height, width int) int

	// Over prepares the feature for images of one size. The error names a
	// parameter that is impossible for this size, and a value that is possible.
	Over(height, width int) (Extractor, error)
}

// An Extractor computes one feature of images of one size. It is safe for
// concurrent use.
type Extractor interface {
	// Extract overwrites dst with the feature of the image pix: a vector of unit
	// length, or zeros if the image has none of this feature. Dst and pix must not
	// overlap.
	Extract(dst, pix []float64)
}

// A gridded feature gives planes of height×width numbers, one for each pixel.
type gridded interface{ planes() int }

var _ = []gridded{Pixels{}, IGO{}}

// All lists the features with their default parameters.
var All = []Feature{Pixels{}, IGO{}, DefaultHOG, DefaultLBP, DefaultGabor}

// MaxLen bounds the length of the feature vector of one image, and its number
// of pixels.
const MaxLen = 1 << 22

// fits reports an f that is not valid, a size that is no image's, and one of which f would make
// too much.
func fits(f Feature, height, width int) error {
	if err := f.Validate(); err != nil {
		return err
	}
	if err := fitsImage(height, width); err != nil {
		return fmt.Errorf("%s: %w", f.Name(), err)
	}
	if n := f.Len(height, width); n > MaxLen {
		err := fmt.Errorf("%s: %d numbers of an image of %dx%d are more than %d", f.Name(), n, height, width, MaxLen)
		return advice.Add(err, "take larger cells or smaller images")
	}
	return nil
}

func fitsImage(height, width int) error {
	if height < 1 || width < 1 || height > MaxLen || width > MaxLen/height {
		return fmt.Errorf("an image of %dx%d has no pixels or more than %d", height, width, MaxLen)
	}
	return nil
}

// within reports a parameter of name outside of lo … hi, with the nearest value
// that is not.
func within(name, parameter string, value, lo, hi float64) error {
	if value >= lo && value <= hi {
		return nil
	}
	nearest := hi
	if !(value > hi) {
		nearest = lo
	}
	err := fmt.Errorf("%s: %s = %v is not in %v … %v", name, parameter, value, lo, hi)
	return advice.Add(err, "the nearest is %s=%v", parameter, nearest)
}

// beyond is the error of a parameter that is too large for the images.
func beyond(name, parameter string, value, limit float64, height, width int) error {
	err := fmt.Errorf("%s: %s = %v is too large for an image of %dx%d", name, parameter, value, height, width)
	return advice.Add(err, "the largest is %s=%v", parameter, limit)
}

// An extractor computes a feature of pixels that are at most greatest. It
// reports false, and what is in dst has no meaning, where there is nothing in
// the image, or so little that the squares of it vanish.
type extractor interface {
	extract(dst, pix []float64) bool
}

// greatest bounds pixels so that sums of their squares do not overflow.
const greatest = 1e140

// A guarded extractor takes any finite pixels.
type guarded struct {
	extractor
	pixels, features int
	images           buffers
}

func guard(e extractor, f Feature, height, width int) Extractor {
	return &guarded{e, height * width, f.Len(height, width), buffers{size: height * width}}
}

// Extract implements Extractor.
func (g *guarded) Extract(dst, pix []float64) {
	mustHave(len(pix) == g.pixels && len(dst) == g.features)
	if tame(pix) && g.extract(dst, pix) {
		return
	}
	// Nothing, or too large, or too small: no feature depends on the unit that
	// grey values have once they are that far from 255.
	var largest float64
	for _, v := range pix {
		largest = max(largest, math.Abs(v))
	}
	_, exponent := math.Frexp(largest)
	scaled := g.images.get()
	defer g.images.put(scaled)
	for i, v := range pix {
		(*scaled)[i] = math.Ldexp(v, -exponent)
	}
	if !tame(*scaled) {
		panic("feature: a pixel is not finite")
	}
	if !g.extract(dst, *scaled) {
		clear(dst)
	}
}

func tame(pix []float64) bool {
	for _, v := range pix {
		if !(math.Abs(v) <= greatest) {
			return false
		}
	}
	return true
}

// mustHave panics unless slices have the lengths that they must.
func mustHave(ok bool) {
	if !ok {
		panic("feature: a slice has the wrong length")
	}
}

// least is what sums of squares must exceed not to have lost digits to those
// that vanish.
const minNorm = 1e-280

// unit brings v to unit length; it reports false, v unchanged, where the length
// of v vanishes.
func unit(v []float64) bool {
	var sum float64
	for _, x := range v {
		sum += x * x
	}
	if sum < minNorm {
		return false
	}
	scale(v, 1/math.Sqrt(sum))
	return true
}

func scale(v []float64, by float64) {
	for i := range v {
		v[i] *= by
	}
}
