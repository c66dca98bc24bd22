package dataset

import (
	"fmt"
	"strconv"
	"strings"

	"nrdl.example/nrdl/advice"
)

// Eyes is the position of the pupils of a detected face in its crop. They lie on a
// horizontal line, symmetric about the centre. Height is the distance of the line from
// the top, relative to the height of the crop; Distance is the distance between the
// pupils, relative to its width. The zero value stands for images without detection.
type Eyes struct {
	Distance float64 `json:"distance"`
	Height   float64 `json:"height"`
}

// DefaultEyes gives crops that show a face from the forehead to the chin.
var DefaultEyes = Eyes{Distance: 0.46, Height: 0.36}

// Bounds on Eyes.Distance.
const leastEyes, mostEyes = 0.1, 0.9

// IsZero reports whether e is the zero value, for images without detection.
func (e Eyes) IsZero() bool { return e == Eyes{} }

// Validate reports positions outside the image.
func (e Eyes) Validate() error {
	switch {
	case e.IsZero():
		return nil
	case !(e.Distance >= leastEyes && e.Distance <= mostEyes):
		return advice.Add(fmt.Errorf("eyes = %v: %v is no share of the width from %v to %v", e, e.Distance, leastEyes, mostEyes), "eyes=%v are the default", DefaultEyes)
	case !(e.Height > 0 && e.Height < 1):
		return advice.Add(fmt.Errorf("eyes = %v: %v is no share of the height between 0 and 1", e, e.Height), "eyes=%v are the default", DefaultEyes)
	}
	return nil
}

// String writes e as "0.46@0.36": the distance, then the height.
func (e Eyes) String() string { return fmt.Sprintf("%v@%v", e.Distance, e.Height) }

// ParseEyes parses the result of Eyes.String, such as "0.46@0.36".
func ParseEyes(text string) (Eyes, error) {
	distance, height, ok := strings.Cut(text, "@")
	d, err := strconv.ParseFloat(distance, 64)
	h, herr := strconv.ParseFloat(height, 64)
	if !ok || err != nil || herr != nil {
		return Eyes{}, advice.Add(fmt.Errorf("eyes = %q are not of the form DISTANCE@HEIGHT", text), "eyes=%v are the default", DefaultEyes)
	}
	e := Eyes{d, h}
	if e.IsZero() {
		return e, fmt.Errorf("eyes = %v are no places", e)
	}
	return e, e.Validate()
}
