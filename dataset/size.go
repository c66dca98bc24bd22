package dataset

import (
	"fmt"
	"strconv"
	"strings"
)

// A Size is the height and width of images, in pixels. The zero Size stands
// for samples that are not images.
type Size struct {
	Height int `json:"height"`
	Width  int `json:"width"`
}

// MaxSide bounds the height and the width of a Size.
const MaxSide = 1024

// Len returns the number of pixels; 0 for the zero Size.
func (s Size) Len() int { return s.Height * s.Width }

// String gives the size as HxW, the form that ParseSize reads.
func (s Size) String() string { return fmt.Sprintf("%dx%d", s.Height, s.Width) }

// ParseSize reads a size written HxW, for example 56x46.
func ParseSize(text string) (Size, error) {
	height, width, ok := strings.Cut(text, "x")
	h, errH := strconv.Atoi(height)
	w, errW := strconv.Atoi(width)
	if !ok || errH != nil || errW != nil {
		return Size{}, fmt.Errorf("size %q is not of the form HxW, for example 56x46", text)
	}
	s := Size{Height: h, Width: w}
	if s == (Size{}) {
		return s, fmt.Errorf("size %q has no pixels", text)
	}
	return s, s.Validate()
}

// Validate reports a size that is not between 1×1 and MaxSide×MaxSide.
func (s Size) Validate() error {
	if s == (Size{}) {
		return nil
	}
	if s.Height < 1 || s.Width < 1 || s.Height > MaxSide || s.Width > MaxSide {
		return fmt.Errorf("size %v is outside 1x1 … %dx%d", s, MaxSide, MaxSide)
	}
	return nil
}

// DefaultSize is the default size of images whose grey values are the features.
var DefaultSize = Size{Height: 32, Width: 32}
