package embedding

import (
	"bytes"
	"crypto/sha256"
	_ "embed" // the centring
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// A Centring makes the vectors of different people equally unlike, whatever their age and origin. A
// network that was trained on famous adults finds all babies alike. The centring subtracts from a
// vector what it has in common with many faces that resemble it [localcentering]:
//
//	z = (x − m)/‖x − m‖,  y = z − λ·Σ wₖ·cₖ,  wₖ = exp(β·cₖ·z) / Σ exp(β·cⱼ·z)
//
// and brings y to unit length. The centres cₖ are means of the z of many faces each, and m is the mean
// of many x.
type Centring struct {
	About     string  `json:"about"`     // how it was made
	Length    int     `json:"length"`    // d, of a vector
	Centres   int     `json:"centres"`   // K
	Sharpness float64 `json:"sharpness"` // β
	Weight    float64 `json:"weight"`    // λ
	Step      float64 `json:"step"`      // of the numbers of m and c, which are stored as whole numbers

	points []float64 // m and the centres, (K+1)×d
	file   []byte
	digest string // its SHA-256
}

// Bounds on a Centring.
const (
	maxCentringLine = 1 << 12
	maxCentres      = 1 << 12
)

// NewCentring returns c with the mean and the centres in points, (K+1)×d, row after row. They are
// rounded to 127 steps to either side of 0.
func NewCentring(c Centring, points []float64) (*Centring, error) {
	var largest float64
	for _, v := range points {
		largest = max(largest, math.Abs(v))
	}
	c.Step = largest / math.MaxInt8
	line, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	file := append(line, '\n')
	for _, v := range points {
		file = append(file, byte(int8(math.Round(v/c.Step))))
	}
	return ReadCentring(file)
}

// ReadCentring reads what File returns, which may be of unknown origin.
func ReadCentring(file []byte) (*Centring, error) {
	line, numbers, found := bytes.Cut(file, []byte{'\n'})
	if !found || len(line) > maxCentringLine {
		return nil, errors.New("centring: it has no first line")
	}
	c := Centring{file: file}
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&c); err != nil {
		return nil, fmt.Errorf("centring: %w", err)
	}
	usable := func(v float64) bool { return v > 0 && v <= math.MaxInt8 }
	switch {
	case c.Length < 1 || c.Centres < 1 || c.Centres > maxCentres || len(numbers)%c.Length != 0 || len(numbers)/c.Length != c.Centres+1:
		return nil, fmt.Errorf("centring: %d numbers of %d centres and a mean of length %d", len(numbers), c.Centres, c.Length)
	case !usable(c.Sharpness) || !usable(c.Weight) || !usable(c.Step):
		return nil, fmt.Errorf("centring: sharpness %v, weight %v or step %v is not a positive number up to %d", c.Sharpness, c.Weight, c.Step, math.MaxInt8)
	}
	c.points = make([]float64, len(numbers))
	for i, b := range numbers {
		c.points[i] = c.Step * float64(int8(b))
	}
	sum := sha256.Sum256(file)
	c.digest = hex.EncodeToString(sum[:])
	return &c, nil
}

// File is what ReadCentring reads.
func (c *Centring) File() []byte { return c.file }

// Digest is the SHA-256 of File, in hexadecimal.
func (c *Centring) Digest() string { return c.digest }

// Apply centres the vector v, of unit length, in place. It reports whether it could: the mean has no
// direction.
func (c *Centring) Apply(v []float64) bool {
	mean, centres := c.points[:c.Length], c.points[c.Length:]
	for i, m := range mean {
		v[i] -= m
	}
	if !normalise(v) {
		return false
	}
	weights := make([]float64, c.Centres)
	largest := math.Inf(-1)
	for k := range weights {
		for i, x := range centres[k*c.Length:][:c.Length] {
			weights[k] += x * v[i]
		}
		largest = max(largest, weights[k])
	}
	var sum float64
	for k, cosine := range weights {
		weights[k] = math.Exp(c.Sharpness * (cosine - largest))
		sum += weights[k]
	}
	for k, w := range weights {
		w *= c.Weight / sum
		for i, x := range centres[k*c.Length:][:c.Length] {
			v[i] -= w * x
		}
	}
	return normalise(v)
}

//go:embed weights/faceplugin.centring
var facepluginCentring []byte
