package dataset

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
)

// flat is the largest contrast of a blank sample, relative to its largest value: 10⁻⁶
// grey values in a white image. Resizing an image of one grey leaves rounding errors.
const flat = 1e-6 / 255

// Blank reports whether an image has a single grey value, so that it shows nobody.
func Blank(sample []float64) bool {
	lo, hi := slices.Min(sample), slices.Max(sample)
	return hi-lo <= flat*max(math.Abs(lo), math.Abs(hi))
}

// mostNamed is the largest number of images that a warning names.
const mostNamed = 20

// refuseBlank warns about the blank images of set. It is an error if a person has no
// others. Samples that are not images are blank only if they are zero.
func refuseBlank(set *Images, opt Options) error {
	d, n := set.X.Dims()
	sample := make([]float64, d)
	var blank []string
	usable := make([]int, len(set.Classes))
	for j := range n {
		mat.Col(sample, j, set.X)
		switch {
		case Blank(sample) && set.Quality != nil: // an image without a face: there was a warning
		case Blank(sample) && (set.AreImages() || sample[0] == 0):
			blank = append(blank, set.ID(j))
		default:
			usable[set.ClassOf(j)]++
		}
	}
	if slices.Max(usable) == 0 && len(blank) == n {
		return advice.Add(fmt.Errorf("all %d images are blank, black or of one grey: nothing in them tells people apart", n), "give images that show faces")
	}
	if c := slices.Index(usable, 0); c >= 0 {
		size := set.Groups[c+1] - set.Groups[c]
		err := fmt.Errorf("%q has only blank images, black or of one grey, %d of them", set.Classes[c], size)
		if size == 1 {
			err = fmt.Errorf("the only image of %q is blank, black or of one grey", set.Classes[c])
		}
		return advice.Add(err, "add images of %q that show a face, or leave the person out", set.Classes[c])
	}
	switch n := len(blank); {
	case n > mostNamed:
		opt.warn("%d images are blank, black or of one grey: %s and %d more", n, strings.Join(blank[:mostNamed], ", "), n-mostNamed)
	case n > 1:
		opt.warn("%d images are blank, black or of one grey: %s", n, strings.Join(blank, ", "))
	case n == 1:
		opt.warn("the image %s is blank, black or of one grey", blank[0])
	}
	return nil
}
