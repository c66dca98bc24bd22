package nrdl

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/gonum/mat"

	"nrdl/coding"
	"nrdl/internal/config"
	"nrdl/internal/hint"
	"nrdl/internal/safetensors"
	"nrdl/projection"
)

// A model file is a safetensors file, which other programs can open. Its
// tensors are D (F64, d×K), W (F64, C×K; only where the rule is linear), M (F64,
// K×C; only where the rule is fisher), P and m (F64, d×p and d×1; only where
// samples are projected: D has p rows), groups (I64, C+1), and of the images that
// the model keeps, unless it has forgotten them, X (d×N), enrolled (I64, C+1:
// their groups) and quality (F64, 5×N). Its metadata holds under "nrdl" what about describes, as
// JSON, and under "sha256" the hexadecimal SHA-256 of that text, a newline,
// and for every tensor, in the order of their names: its name, a space, its
// shape as [m n], a newline, its numbers as they are in the file.
//
// Inside "nrdl" an unknown or a repeated field is refused: a reader that does
// not know a field does not know the model. Other keys of the metadata are
// ignored: they belong to other programs. Another tensor is refused.

// MaxModelBytes bounds the size of a model file that Load reads and Save
// writes.
const MaxModelBytes int64 = 8 << 30

// modelFormat is the version of the model file. A change that an older nrdl
// would misread adds one.
//
//	2: mean codes M, "weight"; coders with more parameters
//	3: stages of the input, projection P and m; more coders and rules
//	4: the eyes of the input, images that are kept, calibration
//	5: a calibration says what it saw of strangers; one of format 4 is read as it is
const (
	modelFormat  = 5
	oldestFormat = 4
)

// Keys of the metadata.
const (
	aboutKey    = "nrdl"
	checksumKey = "sha256"
)

// about is what a model file holds beside the tensors.
type about struct {
	Format  int             `json:"format"`
	Classes []string        `json:"classes"`
	Coder   json.RawMessage `json:"coder"` // of coding.Marshal
	Rule    Rule            `json:"rule"`
	Weight  float64         `json:"weight"`
	Input   Input           `json:"input"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params,omitempty"`
	Seed    uint64          `json:"seed"`
	Trained Outcome         `json:"trained"`

	Enrolled    *enrolled    `json:"enrolled,omitempty"`
	Calibration *Calibration `json:"calibration,omitempty"`
}

// Save writes m as a model file. Equal models give equal bytes.
func (m *Model) Save(w io.Writer) error {
	text, err := m.p.about()
	if err != nil {
		return fmt.Errorf("save the model: %w", err)
	}
	tensors := m.p.tensors()
	if size := modelBytes(tensors, text); size > MaxModelBytes {
		return fmt.Errorf("save the model: its file would be larger than %d bytes", MaxModelBytes)
	}
	metadata := map[string]string{aboutKey: text, checksumKey: checksum(tensors, text)}
	if err := safetensors.Write(w, tensors, metadata); err != nil {
		return fmt.Errorf("save the model: %w", err)
	}
	return nil
}

// modelBytes bounds the size of the file from above.
func modelBytes(tensors []safetensors.Tensor, text string) int64 {
	size := int64(2*len(text) + 1024)
	for _, t := range tensors {
		n := int64(8)
		for _, s := range t.Shape {
			n *= int64(s)
		}
		size += n
	}
	return size
}

func (p *Parts) about() (string, error) {
	names := []string{p.Method, string(p.Trained.Status)}
	if p.Enrolled != nil {
		names = append(names, p.Enrolled.IDs...)
	}
	for _, s := range names {
		if !utf8.ValidString(s) {
			return "", fmt.Errorf("the name %q is not valid UTF-8", s)
		}
	}
	if r := p.Trained.Residual; math.IsNaN(r) || math.IsInf(r, 0) {
		return "", fmt.Errorf("the residual is %v", r)
	}
	coder, err := coding.Marshal(p.Coder)
	if err != nil {
		return "", err
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	err = enc.Encode(about{
		modelFormat, p.Classes, coder, p.Rule, p.Weight, p.Input,
		p.Method, p.Params, p.Seed, p.Trained,
		p.Enrolled.enrolled(), p.Calibration,
	})
	if err != nil {
		return "", err
	}
	return string(bytes.TrimSuffix(text.Bytes(), []byte{'\n'})), nil
}

// tensors gives the tensors of p in the order of their names.
func (p *Parts) tensors() []safetensors.Tensor {
	list := []safetensors.Tensor{matrix("D", p.D)}
	if p.M != nil {
		list = append(list, matrix("M", p.M))
	}
	if p.Projection != nil {
		list = append(list, matrix("P", p.Projection.P))
	}
	if p.W != nil {
		list = append(list, matrix("W", p.W))
	}
	list = append(list, p.Enrolled.tensors()...)
	list = append(list, integerTensor("groups", p.Groups))
	if p.Projection != nil {
		list = append(list, safetensors.Tensor{Name: "m", Shape: []int{len(p.Projection.M), 1}, Data: p.Projection.M})
	}
	slices.SortFunc(list, func(a, b safetensors.Tensor) int { return strings.Compare(a.Name, b.Name) })
	return list
}

func matrix(name string, a *mat.Dense) safetensors.Tensor {
	raw := a.RawMatrix()
	if raw.Stride != raw.Cols {
		raw = mat.DenseCopyOf(a).RawMatrix()
	}
	return safetensors.Tensor{Name: name, Shape: []int{raw.Rows, raw.Cols}, Data: raw.Data[:raw.Rows*raw.Cols]}
}

// checksum of text and of the tensors, which are in the order of their names.
func checksum(tensors []safetensors.Tensor, text string) string {
	h := sha256.New() // its Write does not fail
	fmt.Fprintf(h, "%s\n", text)
	for _, t := range tensors {
		fmt.Fprintf(h, "%s %v\n", t.Name, t.Shape)
		_ = t.WriteData(h)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// Load reads a model file, which may be of unknown origin: what it declares
// is checked before memory is taken for it, a file that was cut short or
// changed in any bit is refused, and its parts pass NewModel.
func Load(r io.Reader) (*Model, error) {
	f, err := safetensors.Open(r, MaxModelBytes)
	if err != nil {
		return nil, fmt.Errorf("not an nrdl model: %w", err)
	}
	text, ok := f.Metadata[aboutKey]
	if !ok {
		return nil, errors.New("not an nrdl model: a safetensors file of another program")
	}
	if err := checkFormat(text); err != nil {
		return nil, err
	}
	tensors, err := f.Read()
	if err != nil {
		return nil, fmt.Errorf("damaged model: %w", err)
	}
	var p Parts
	if err := p.setTensors(tensors); err != nil {
		return nil, fmt.Errorf("damaged model: %w", err)
	}
	if f.Metadata[checksumKey] != checksum(p.tensors(), text) {
		return nil, errors.New("damaged model: checksum differs")
	}
	if err := p.setAbout(text); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	if err := checkNames(p.Classes); err != nil {
		return nil, hint.Add(fmt.Errorf("model: %w", err), "learn it again from faces with another name for this person")
	}
	return NewModel(p)
}

// checkFormat reads no more than the version: the rest may have changed in a
// newer one.
func checkFormat(text string) error {
	var version struct {
		Format *int `json:"format"`
	}
	switch err := json.Unmarshal([]byte(text), &version); {
	case err != nil || version.Format == nil || *version.Format < 1:
		return errors.New("damaged model: it does not say its format")
	case *version.Format > modelFormat:
		err := fmt.Errorf("the model was written by a newer nrdl (format %d, this one reads %d)", *version.Format, modelFormat)
		return hint.Add(err, "update nrdl")
	case *version.Format < oldestFormat:
		err := fmt.Errorf("the model was written by an older nrdl (format %d, this one reads %d and %d)", *version.Format, oldestFormat, modelFormat)
		return hint.Add(err, "learn it again")
	}
	return nil
}

func (p *Parts) setTensors(tensors []safetensors.Tensor) error {
	var fit projection.Fitted
	var images Set
	for _, t := range tensors {
		var err error
		switch t.Name {
		case "D":
			p.D, err = dense(t)
		case "M":
			p.M, err = dense(t)
		case "P":
			fit.P, err = dense(t)
		case "W":
			p.W, err = dense(t)
		case "X":
			images.X, err = widened(t)
		case "enrolled":
			images.Groups, err = integers(t)
		case "m":
			var m *mat.Dense
			if m, err = dense(t); err == nil {
				fit.M = m.RawMatrix().Data
			}
		case "quality":
			var q *mat.Dense
			if q, err = dense(t); err == nil {
				images.Quality, err = qualities(q)
			}
		case "groups":
			p.Groups, err = integers(t)
		default:
			return fmt.Errorf("tensor %.80q is no part of a model", t.Name)
		}
		if err != nil {
			return err
		}
	}
	if p.D == nil || p.Groups == nil {
		return errors.New("no tensor D, or no groups")
	}
	if images.X != nil || images.Groups != nil || images.Quality != nil {
		p.Enrolled = &images
	}
	if fit.P != nil || fit.M != nil {
		p.Projection = &fit
		return fit.Validate()
	}
	return nil
}

// dense takes over the numbers of t.
func dense(t safetensors.Tensor) (*mat.Dense, error) {
	data, ok := t.Data.([]float64)
	if !ok || len(t.Shape) != 2 || len(data) == 0 {
		return nil, fmt.Errorf("%s is not a matrix", t.Name)
	}
	return mat.NewDense(t.Shape[0], t.Shape[1], data), nil
}

func (p *Parts) setAbout(text string) error {
	if _, err := config.Members([]byte(text)); err != nil {
		return err
	}
	var a about
	dec := json.NewDecoder(bytes.NewReader([]byte(text)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&a); err != nil {
		return err
	}
	coder, err := coding.Unmarshal(a.Coder)
	if err != nil {
		return err
	}
	p.Classes, p.Coder, p.Rule, p.Weight, p.Input = a.Classes, coder, a.Rule, a.Weight, a.Input
	p.Method, p.Params, p.Seed, p.Trained = a.Method, a.Params, a.Seed, a.Trained
	p.Calibration = a.Calibration
	return p.setEnrolled(a.Enrolled)
}
