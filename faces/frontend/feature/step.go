package feature

import (
	"cmp"
	"fmt"
	"sync"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/config"
)

// A Step is a photometric step: it makes an image of one of the same size.
type Step interface {
	// Name is the name by which specs and model files refer to the step.
	Name() string

	// Validate reports the first parameter that is outside its range.
	Validate() error

	// Over prepares the step for images of one size.
	Over(height, width int) (Filter, error)
}

// A Filter applies one step to images of one size. It is safe for concurrent
// use.
type Filter interface {
	// Apply computes the step of the image pix into dst. They must not overlap.
	Apply(dst, pix []float64)
}

// Steps lists the photometric steps with their default parameters.
var Steps = []Step{Equalise{}, DefaultLCN, DefaultTanTriggs, Despeckle{}}

// A StepList has the photometric steps that an image goes through, in their order. An empty
// one leaves the image as it is.
type StepList []Step

// none is how an empty StepList is written.
const none = "none"

var steps = sync.OnceValue(func() *config.Codec { return config.New(Steps) })

// ParseSteps reads names joined by plus signs, as ParseFeatures does:
// "despeckle+lcn:sigma=2". The empty list is "none" or "".
func ParseSteps(s string) (StepList, error) {
	if s == none || s == "" {
		return nil, nil
	}
	list, err := parseList[Step](steps(), s)
	if err != nil {
		return nil, err
	}
	if err := StepList(list).Validate(); err != nil {
		return nil, err
	}
	return list, nil
}

// String gives the steps in the form that ParseSteps reads, without parameters that
// are equal to the default. Equal lists give equal strings.
func (s StepList) String() string {
	if len(s) == 0 {
		return none
	}
	return joinList(steps(), s)
}

// MarshalJSON gives an array of objects, each the name of a step, then all its
// parameters in their order.
func (s StepList) MarshalJSON() ([]byte, error) { return marshalList(steps(), s) }

// UnmarshalJSON reads the JSON of MarshalJSON. A parameter that is missing, unknown,
// repeated or outside its range is an error.
func (s *StepList) UnmarshalJSON(raw []byte) error {
	list, err := unmarshalList[Step](steps(), raw)
	if err != nil {
		return err
	}
	if err := StepList(list).Validate(); err != nil {
		return err
	}
	*s = list
	return nil
}

// Validate reports a list that is too long, a parameter outside its range, or a step that
// cannot work on the result of the step before.
func (s StepList) Validate() error {
	if err := validateList("step", s); err != nil {
		return err
	}
	for i, step := range s {
		if _, anyValues := step.(LCN); anyValues {
			continue
		}
		for _, earlier := range s[:i] {
			switch earlier.(type) {
			case LCN, TanTriggs:
				err := fmt.Errorf("%s works on grey values, which %s does not give", step.Name(), earlier.Name())
				return advice.Add(err, "put %s before %s", step.Name(), earlier.Name())
			}
		}
	}
	return nil
}

// Over prepares the steps for images of one size.
func (s StepList) Over(height, width int) (Filter, error) {
	if err := cmp.Or(s.Validate(), fitsImage(height, width)); err != nil {
		return nil, err
	}
	if err := affordable(s, height, width); err != nil {
		return nil, err
	}
	c := &chain{pixels: height * width, images: buffers{size: height * width}}
	for _, step := range s {
		f, err := step.Over(height, width)
		if err != nil {
			return nil, err
		}
		c.filters = append(c.filters, f)
	}
	return c, nil
}

// A chain applies filters one after the other.
type chain struct {
	filters []Filter
	pixels  int
	images  buffers
}

// Apply implements Filter.
func (c *chain) Apply(dst, pix []float64) {
	mustHave(len(dst) == c.pixels && len(pix) == c.pixels)
	if len(c.filters) == 0 {
		copy(dst, pix)
		return
	}
	scratch := c.images.get()
	defer c.images.put(scratch)
	// The last result belongs in dst, the one before it in the other, …
	to, other := dst, *scratch
	if len(c.filters)%2 == 0 {
		to, other = other, to
	}
	for _, f := range c.filters {
		f.Apply(to, pix)
		pix = to
		to, other = other, to
	}
}
