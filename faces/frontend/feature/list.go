package feature

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"sync"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/config"
)

// Features are several features of one image. The vector has a block of unit length for each,
// and is brought to unit length as a whole. A block may be zero.
type Features []Feature

// maxListed is how many features, or steps, there may be.
const maxListed = 8

var features = sync.OnceValue(func() *config.Codec { return config.New(All) })

// ParseFeatures reads names joined by plus signs. Parameters that differ from the
// defaults follow the name after a colon: "igo+lbp:cell=5.34+hog:cell=4". The name of
// the first parameter may be left out: "lbp:5.34".
func ParseFeatures(s string) (Features, error) {
	list, err := parseList[Feature](features(), s)
	return list, err
}

// String gives the features in the form that ParseFeatures reads, without parameters
// that are equal to the default. Equal features give equal strings.
func (f Features) String() string { return joinList(features(), f) }

// MarshalJSON gives an array of objects, each the name of a feature, then all
// its parameters in their order.
func (f Features) MarshalJSON() ([]byte, error) { return marshalList(features(), f) }

// UnmarshalJSON reads the JSON of MarshalJSON. A parameter that is missing, unknown,
// repeated or outside its range is an error.
func (f *Features) UnmarshalJSON(raw []byte) error {
	list, err := unmarshalList[Feature](features(), raw)
	if err == nil {
		*f = list
	}
	return err
}

// Validate reports a list that is empty or too long, and the first parameter
// that is outside its range.
func (f Features) Validate() error {
	if len(f) == 0 {
		return advice.Add(fmt.Errorf("no features"), "take pixels for the grey values themselves")
	}
	return validateList("feature", f)
}

// Len returns the number of features of an image of this size.
func (f Features) Len(height, width int) int {
	n := 0
	for _, one := range f {
		n += one.Len(height, width)
	}
	return n
}

// Planes returns the number of planes of height×width values that make up the features of an
// image; 0 if a feature is not one value a pixel.
func (f Features) Planes(height, width int) int {
	n := 0
	for _, one := range f {
		g, ok := one.(gridded)
		if !ok || height < 1 || width < 1 {
			return 0
		}
		n += g.planes()
	}
	return n
}

// Over prepares the features for images of one size.
func (f Features) Over(height, width int) (Extractor, error) {
	if err := f.Validate(); err != nil {
		return nil, err
	}
	if err := affordable(f, height, width); err != nil {
		return nil, err
	}
	all := sideBySide{}
	for _, one := range f {
		e, err := one.Over(height, width)
		if err != nil {
			return nil, err
		}
		all.extractors = append(all.extractors, e)
		all.lengths = append(all.lengths, one.Len(height, width))
	}
	if n := f.Len(height, width); n > MaxLen {
		err := fmt.Errorf("%v: %d numbers of an image of %dx%d are more than %d", f, n, height, width, MaxLen)
		return nil, advice.Add(err, "take fewer features, larger cells or smaller images")
	}
	if len(f) == 1 {
		return all.extractors[0], nil
	}
	return all, nil
}

type sideBySide struct {
	extractors []Extractor
	lengths    []int
}

// Extract implements Extractor.
func (s sideBySide) Extract(dst, pix []float64) {
	filled, rest := 0, dst
	for i, e := range s.extractors {
		block := rest[:s.lengths[i]]
		rest = rest[s.lengths[i]:]
		e.Extract(block, pix)
		if !blank(block) {
			filled++
		}
	}
	mustHave(len(rest) == 0)
	if filled > 1 {
		scale(dst, 1/math.Sqrt(float64(filled)))
	}
}

func blank(v []float64) bool {
	for _, x := range v {
		if x != 0 {
			return false
		}
	}
	return true
}

// The rest is what lists of features and of steps share.

type named interface {
	Name() string
	Validate() error
}

func parseList[T named](c *config.Codec, s string) ([]T, error) {
	specs := strings.SplitN(s, "+", maxListed+1)
	if len(specs) > maxListed {
		return nil, fmt.Errorf("%.60q has more than %d parts", s, maxListed)
	}
	var list []T
	for _, spec := range specs {
		v, err := c.Parse(spec)
		if err != nil {
			return nil, err
		}
		if err := v.(T).Validate(); err != nil {
			return nil, err
		}
		list = append(list, v.(T))
	}
	return list, nil
}

func joinList[T named](c *config.Codec, list []T) string {
	specs := make([]string, len(list))
	for i, v := range list {
		specs[i] = c.Spec(v)
	}
	return strings.Join(specs, "+")
}

func marshalList[T named](c *config.Codec, list []T) ([]byte, error) {
	raws := make([]json.RawMessage, len(list))
	for i, v := range list {
		raw, err := c.MarshalNamed(v)
		if err != nil {
			return nil, err
		}
		raws[i] = raw
	}
	return json.Marshal(raws)
}

func unmarshalList[T named](c *config.Codec, raw []byte) ([]T, error) {
	var raws []json.RawMessage
	if err := json.Unmarshal(raw, &raws); err != nil || raws == nil {
		return nil, fmt.Errorf("%.60q is not a list of objects with names", raw)
	}
	if len(raws) > maxListed {
		return nil, fmt.Errorf("a list of %d is longer than %d", len(raws), maxListed)
	}
	list := make([]T, len(raws))
	for i, raw := range raws {
		v, err := c.UnmarshalNamed(raw)
		if err != nil {
			return nil, err
		}
		list[i] = v.(T)
		if err := list[i].Validate(); err != nil {
			return nil, err
		}
	}
	return list, nil
}

func validateList[T named](what string, list []T) error {
	if len(list) > maxListed {
		return fmt.Errorf("%d %ss are more than %d", len(list), what, maxListed)
	}
	for i, v := range list {
		if any(v) == nil {
			return fmt.Errorf("%s %d is not set", what, i+1)
		}
		if err := v.Validate(); err != nil {
			return err
		}
	}
	return nil
}
