package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"nrdl.example/nrdl/advice"
)

// An Alignment says how a face is placed in the input of a network: by its pupils alone, or
// so that five landmarks are as near as possible, by least squares, to those of a template.
// It is a name, or the template: ten numbers with commas between, x and y of five
// Landmarks as shares of the width and the height.
type Alignment string

// The alignments with names. ByPupils is written "pupils".
const (
	ByPupils  Alignment = ""        // puts the pupils at Frame.Eyes; in models of versions before 0.3
	ToMean    Alignment = "mean"    // puts the landmarks at those of MeanFace, whose pupils are at Frame.Eyes
	ToArcFace Alignment = "arcface" // puts the landmarks at those of the template of ArcFace's networks
)

// ParseAlignment parses the result of String.
func ParseAlignment(text string) (Alignment, error) {
	a := Alignment(text)
	if text == ByPupils.String() {
		a = ByPupils
	} else if text == "" {
		return a, errors.New("landmarks without a value")
	}
	return a, a.Validate()
}

// String returns the name of a, or its numbers.
func (a Alignment) String() string { return cmp.Or(string(a), "pupils") }

// Landmarks are five points of a face, x and y each: the eye at the left of the image, the
// one at the right, the tip of the nose, and the corners of the mouth, left and right.
type Landmarks [5][2]float64

// MeanFace are the landmarks of a mean face, x to the right and y down, in distances of the
// pupils from the middle between them.
var MeanFace = Landmarks{{-0.487, -0.016}, {0.487, -0.016}, {0, 0.576}, {-0.411, 1.06}, {0.411, 1.06}}

// arcFace are the landmarks of ToArcFace. They are given in the sources of ArcFace
// [arcface] as pixels of 112: (38.2946, 51.6963), (73.5318, 51.5014), (56.0252,
// 71.7366), (41.5493, 92.3655) and (70.7299, 92.2041).
var arcFace = Landmarks{{0.341916, 0.461574}, {0.656534, 0.459834}, {0.500225, 0.640505}, {0.370976, 0.824692}, {0.631517, 0.823251}}

// ArcFaceEyes are the pupils of ToArcFace.
var ArcFaceEyes = Eyes{Distance: 0.3146, Height: 0.4607}

// Template returns the landmarks of an aligned face of this size, in shares of its sides;
// ok is false for ByPupils. eyes is the place of the pupils.
func (a Alignment) Template(eyes Eyes, size Size) (t Landmarks, ok bool) {
	switch a {
	case ByPupils:
		return t, false
	case ToArcFace:
		return arcFace, true
	case ToMean:
		aspect := float64(size.Width) / float64(size.Height)
		for i, p := range MeanFace {
			t[i] = [2]float64{0.5 + p[0]*eyes.Distance, eyes.Height + p[1]*eyes.Distance*aspect}
		}
		return t, true
	}
	t, err := a.numbers()
	return t, err == nil
}

// Validate reports an unknown name, or landmarks that are not those of a face.
func (a Alignment) Validate() error {
	if slices.Contains([]Alignment{ByPupils, ToMean, ToArcFace}, a) {
		return nil
	}
	t, err := a.numbers()
	if err != nil {
		return err
	}
	for _, p := range t {
		if !(p[0] >= 0 && p[0] <= 1 && p[1] >= 0 && p[1] <= 1) {
			return fmt.Errorf("landmarks = %s: %v is outside the face", a, p)
		}
	}
	if t[1][0]-t[0][0] < minEyes || t[3][1] <= t[0][1] {
		return fmt.Errorf("landmarks = %s are not those of an upright face", a)
	}
	return nil
}

// numbers parses a template.
func (a Alignment) numbers() (t Landmarks, err error) {
	words := strings.Split(string(a), ",")
	if len(words) == 2*len(t) {
		for i, word := range words {
			if t[i/2][i%2], err = strconv.ParseFloat(word, 64); err != nil {
				break
			}
		}
	}
	if len(words) != 2*len(t) || err != nil {
		return t, advice.Add(fmt.Errorf("landmarks = %.200q are not mean, arcface, pupils or five points", string(a)),
			"five points are x,y of the eyes, the tip of the nose and the corners of the mouth, as shares of the width and "+
				"the height, ten numbers with commas between")
	}
	return t, nil
}

// Eyes is the position of the pupils of a detected face in its crop. They lie on a
// horizontal line, symmetric about the centre. Height is the distance of the line from
// the top, relative to the height of the crop; Distance is the distance between the
// pupils, relative to its width. The zero value stands for images without detection.
type Eyes struct {
	Distance float64 `json:"distance"` // between the pupils
	Height   float64 `json:"height"`   // of the line between the pupils, as a share of the height
}

// DefaultEyes gives crops that show a face from the forehead to the chin.
var DefaultEyes = Eyes{Distance: 0.46, Height: 0.36}

// Bounds on Eyes.Distance.
const minEyes, maxEyes = 0.1, 0.9

// IsZero reports whether e is the zero value, for images without detection.
func (e Eyes) IsZero() bool { return e == Eyes{} }

// Validate reports positions outside the image.
func (e Eyes) Validate() error {
	switch {
	case e.IsZero():
		return nil
	case !(e.Distance >= minEyes && e.Distance <= maxEyes):
		return advice.Add(fmt.Errorf("eyes = %v: %v is no share of the width from %v to %v", e, e.Distance, minEyes, maxEyes),
			"eyes=%v are the default", DefaultEyes)
	case !(e.Height > 0 && e.Height < 1):
		return advice.Add(fmt.Errorf("eyes = %v: %v is no share of the height between 0 and 1", e, e.Height),
			"eyes=%v are the default", DefaultEyes)
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
