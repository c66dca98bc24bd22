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
// of many x. What groups of people still have in common is then subtracted in the same way:
//
//	y − Σ uⱼ·bⱼ,  uⱼ = exp(γ·bⱼ·y/‖bⱼ‖) / Σ exp(γ·bᵢ·y/‖bᵢ‖)
//
// at unit length, where bⱼ is the mean of the y of a group.
type Centring struct {
	About     string  `json:"about"`     // how it was made
	Length    int     `json:"length"`    // d, of a vector
	Centres   int     `json:"centres"`   // K
	Sharpness float64 `json:"sharpness"` // β
	Weight    float64 `json:"weight"`    // λ
	Step      float64 `json:"step"`      // of the numbers of m and c, which are stored as whole numbers

	Groups         int     `json:"groups,omitempty"`          // G
	GroupSharpness float64 `json:"group_sharpness,omitempty"` // γ
	GroupStep      float64 `json:"group_step,omitempty"`      // of the numbers of b

	points []float64 // m, the centres and the means of groups, (K+1+G)×d
	norms  []float64 // of the means of groups
	file   []byte
	digest string // its SHA-256
}

// Bounds on a Centring.
const (
	maxCentringLine = 1 << 12
	maxCentres      = 1 << 12
)

// NewCentring returns c with the mean, the centres and the means of groups in points, (K+1+G)×d, row
// after row. They are rounded to 127 steps to either side of 0.
func NewCentring(c Centring, points []float64) (*Centring, error) {
	first := min(len(points), (c.Centres+1)*c.Length)
	for _, part := range []struct {
		points []float64
		step   *float64
	}{{points[:first], &c.Step}, {points[first:], &c.GroupStep}} {
		var largest float64
		for _, v := range part.points {
			largest = max(largest, math.Abs(v))
		}
		*part.step = largest / math.MaxInt8
	}
	line, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	file := append(line, '\n')
	for i, v := range points {
		step := c.Step
		if i >= first {
			step = c.GroupStep
		}
		file = append(file, byte(int8(math.Round(v/step))))
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
	case c.Length < 1 || c.Centres < 1 || c.Centres > maxCentres || c.Groups < 0 || c.Groups > maxCentres || len(numbers)%c.Length != 0 ||
		len(numbers)/c.Length != c.Centres+1+c.Groups:
		return nil, fmt.Errorf("centring: %d numbers of %d centres, %d groups and a mean of length %d",
			len(numbers), c.Centres, c.Groups, c.Length)
	case !usable(c.Sharpness) || !usable(c.Weight) || !usable(c.Step):
		return nil, fmt.Errorf("centring: sharpness %v, weight %v or step %v is not a positive number up to %d",
			c.Sharpness, c.Weight, c.Step, math.MaxInt8)
	case c.Groups > 0 && !(usable(c.GroupSharpness) && usable(c.GroupStep)):
		return nil, fmt.Errorf("centring: sharpness %v or step %v of groups is not a positive number up to %d",
			c.GroupSharpness, c.GroupStep, math.MaxInt8)
	}
	c.points = make([]float64, len(numbers))
	groups := (c.Centres + 1) * c.Length
	for i, b := range numbers {
		if c.points[i] = c.Step * float64(int8(b)); i >= groups {
			c.points[i] = c.GroupStep * float64(int8(b))
		}
	}
	for g := range c.Groups {
		var norm float64
		for _, v := range c.points[groups+g*c.Length:][:c.Length] {
			norm += v * v
		}
		if norm == 0 {
			return nil, fmt.Errorf("centring: the mean of group %d has no direction", g)
		}
		c.norms = append(c.norms, math.Sqrt(norm))
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
	for i, m := range c.points[:c.Length] {
		v[i] -= m
	}
	groups := (c.Centres + 1) * c.Length
	if !normalise(v) || !subtract(v, c.points[c.Length:groups], nil, c.Sharpness, c.Weight) {
		return false
	}
	return c.Groups == 0 || subtract(v, c.points[groups:], c.norms, c.GroupSharpness, 1)
}

// subtract takes from v, of unit length, the mean of the rows of centres, which count by how similar they are
// to v, times weight; and brings it to unit length. Norms are those of the rows; nil if they count
// as 1.
func subtract(v, centres, norms []float64, sharpness, weight float64) bool {
	weights := make([]float64, len(centres)/len(v))
	largest := math.Inf(-1)
	for k := range weights {
		var dot float64
		for i, x := range centres[k*len(v):][:len(v)] {
			dot += x * v[i]
		}
		weights[k] = dot
		if norms != nil {
			weights[k] /= norms[k]
		}
		largest = max(largest, weights[k])
	}
	var sum float64
	for k, cosine := range weights {
		weights[k] = math.Exp(sharpness * (cosine - largest))
		sum += weights[k]
	}
	for k, w := range weights {
		w *= weight / sum
		for i, x := range centres[k*len(v):][:len(v)] {
			v[i] -= w * x
		}
	}
	return normalise(v)
}

//go:embed weights/faceplugin.centring
var facepluginCentring []byte
