package nrdl

import (
	"fmt"
	"strconv"
	"strings"
)

// An Input says how an image becomes a sample: grey, resized to Height×Width,
// pixels in column-major order (the field's convention: a sample reshapes to
// [Height Width] in MATLAB). The zero Input stands for samples that are not
// images. The Input is kept with the model, so that learning and recognition
// see faces the same way.
type Input struct {
	Height int `json:"height"` // pixels
	Width  int `json:"width"`  // pixels
}

// DefaultInput is the size that images are brought to where none is asked for.
var DefaultInput = Input{Height: 32, Width: 32}

// MaxSide bounds the height and the width of an Input, in pixels.
const MaxSide = 1024

// Len returns the number of features, d, of a sample; 0 if it is not known.
func (in Input) Len() int { return in.Height * in.Width }

// String gives the size as HxW, the form that ParseInput reads.
func (in Input) String() string { return fmt.Sprintf("%dx%d", in.Height, in.Width) }

// ParseInput reads a size written HxW, for example 56x46.
func ParseInput(s string) (Input, error) {
	height, width, ok := strings.Cut(s, "x")
	h, errH := strconv.Atoi(height)
	w, errW := strconv.Atoi(width)
	if !ok || errH != nil || errW != nil {
		return Input{}, fmt.Errorf("size %q is not of the form HxW, for example 56x46", s)
	}
	in := Input{Height: h, Width: w}
	if in == (Input{}) {
		return in, fmt.Errorf("size %q has no pixels", s)
	}
	return in, in.Validate()
}

// Validate reports a size that is not between 1×1 and MaxSide×MaxSide.
func (in Input) Validate() error {
	if in == (Input{}) {
		return nil
	}
	if in.Height < 1 || in.Width < 1 || in.Height > MaxSide || in.Width > MaxSide {
		return fmt.Errorf("size %v is outside 1x1 … %dx%d", in, MaxSide, MaxSide)
	}
	return nil
}
