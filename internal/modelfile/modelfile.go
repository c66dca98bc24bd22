// Package modelfile reads and writes model files.
package modelfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/gonum/mat"

	"nrdl/classify"
	"nrdl/coding"
	"nrdl/dataset"
	"nrdl/face"
	"nrdl/frontend"
	"nrdl/frontend/embedding"
	"nrdl/frontend/projection"
	"nrdl/gallery"
	"nrdl/internal/config"
	"nrdl/internal/hint"
	"nrdl/internal/safetensors"
	"nrdl/openset"
)

// A model file is a safetensors file, which other programs can open. Its
// tensors are D (F64, d×K), that of the rule if it is one of classify.Trained (F64; W,
// C×K, of linear, M, K×C, of fisher), that of the coder if it is one of coding.Trained
// (F64; A, d×K, of analysis, c, 1×K, of anchored), P and m (F64, d×p and d×1; only where
// samples are projected: D has p rows), groups (I64, C+1), and of the images that
// the model keeps, unless it has forgotten them, X (d×N), enrolled (I64, C+1:
// their groups) and quality (F64, 5×N); and network (U8), the ONNX file of the network
// that makes vectors of faces, unless it is built in or by reference. D is left out where its columns are the
// samples of the images, and P and m where they are fit to them: Read makes them
// again. Its metadata holds under "nrdl" what about describes, as JSON, and under
// "sha256" the hexadecimal SHA-256 of that text, a newline, and for every tensor,
// in the order of their names: its name, a space, its shape as [m n], a newline,
// its numbers as they are in the file.
//
// Inside "nrdl" an unknown or a repeated field is refused: a reader that does
// not know a field does not know the model. Other keys of the metadata are
// ignored: they belong to other programs. Another tensor is refused.

// MaxBytes bounds the size of a model file that Read reads and Write
// writes.
const MaxBytes int64 = 8 << 30

// modelFormat is the version of the model file. A change that an older nrdl
// would misread adds one.
//
//	2: mean codes M, "weight"; coders with more parameters
//	3: stages of the input, projection P and m; more coders and rules
//	4: the eyes of the input, images that are kept, calibration
//	5: a calibration says what it saw of strangers; one of format 4 is read as it is
//	6: a calibration has the similarities of pairs; what follows from the images is not stored
//	7: the embedding of the input, and its network; how a missing calibration is to be made
const (
	modelFormat  = 7
	oldestFormat = 4
)

// Keys of the metadata.
const (
	aboutKey    = "nrdl"
	checksumKey = "sha256"
)

// about is what a model file holds beside the tensors.
type about struct {
	Format  int               `json:"format"`
	Classes []string          `json:"classes"`
	Coder   json.RawMessage   `json:"coder"` // of coding.Marshal
	Rule    string            `json:"rule"`
	Weight  float64           `json:"weight"`
	Input   frontend.Pipeline `json:"input"`
	Finder  *detector         `json:"detector,omitempty"` // by which faces were found; nil: the default
	Method  string            `json:"method"`
	Params  json.RawMessage   `json:"params,omitempty"`
	Seed    uint64            `json:"seed"`
	Data    string            `json:"data,omitempty"` // hash of the images that it was learnt from
	Trained classify.Outcome  `json:"trained"`

	Enrolled    *enrolled            `json:"enrolled,omitempty"`
	Calibration *openset.Calibration `json:"calibration,omitempty"`
	OpenSet     *openset.Options     `json:"openset,omitempty"` // how a missing calibration is to be made
}

// A detector is one that is built in, or the name of an ONNX file and its SHA-256.
type detector struct {
	Name   string `json:"name"`
	Digest string `json:"digest,omitempty"`
}

func detectorOf(s *face.Search) *detector {
	if s == nil {
		return nil
	}
	return &detector{s.Name, s.Digest}
}

// Write writes m as a model file. Equal models give equal bytes.
func Write(w io.Writer, m *gallery.Model) error {
	if err := m.Validate(); err != nil {
		return fmt.Errorf("save the model: %w", err)
	}
	text, err := aboutOf(m)
	if err != nil {
		return fmt.Errorf("save the model: %w", err)
	}
	tensors := tensorsOf(m, followsOf(m))
	if size := modelBytes(tensors, text); size > MaxBytes {
		return fmt.Errorf("save the model: its file would be larger than %d bytes", MaxBytes)
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

func aboutOf(m *gallery.Model) (string, error) {
	p := m.Parts()
	names := []string{p.Method, string(p.Trained.Status)}
	if m.Search != nil {
		names = append(names, m.Search.Name)
	}
	if m.Enrolled != nil {
		names = append(names, m.Images().IDs...)
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
	weight := 0.0
	if r, ok := p.Rule.(classify.TrainedRule); ok {
		weight = r.Learnt().Weight
	}
	err = enc.Encode(about{
		modelFormat, p.Classes, coder, p.Rule.Name(), weight, m.Pipeline, detectorOf(m.Search),
		p.Method, p.Params, p.Seed, m.Hash(), p.Trained,
		enrolledOf(m.Images()), m.Calibration, m.OpenSet,
	})
	if err != nil {
		return "", err
	}
	return string(bytes.TrimSuffix(text.Bytes(), []byte{'\n'})), nil
}

// tensorsOf gives the tensors of m in the order of their names, without those that
// follow from its images.
func tensorsOf(m *gallery.Model, f follows) []safetensors.Tensor {
	p := m.Parts()
	list := []safetensors.Tensor{integerTensor("groups", p.Groups)}
	if e := m.Embedder; e != nil && e.File() != nil {
		list = append(list, safetensors.Tensor{Name: "network", Shape: []int{len(e.File())}, Data: e.File()})
	}
	if !f.atoms {
		list = append(list, matrix("D", p.D))
	}
	if c, ok := p.Coder.(coding.TrainedCoder); ok {
		list = append(list, matrix(c.Learnt()))
	}
	if r, ok := p.Rule.(classify.TrainedRule); ok {
		l := r.Learnt()
		list = append(list, matrix(l.Name, l.Matrix))
	}
	if b := m.Basis; b != nil && !f.basis {
		list = append(list, matrix("P", b.P), safetensors.Tensor{Name: "m", Shape: []int{len(b.M), 1}, Data: b.M})
	}
	list = append(list, imageTensors(m.Images())...)
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

// Read reads a model file, which may be of unknown origin: what it declares
// is checked before memory is taken for it, a file that was cut short or
// changed in any bit is refused, and its parts have to belong together.
// A network that the model has by reference is looked for in folders, in turn; where it is
// in none, the model has no Embedder, or a Search that finds nothing but an error.
func Read(r io.Reader, folders []string) (*gallery.Model, error) {
	f, err := safetensors.Open(r, MaxBytes)
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
	slices.SortFunc(tensors, func(a, b safetensors.Tensor) int { return strings.Compare(a.Name, b.Name) })
	if f.Metadata[checksumKey] != checksum(tensors, text) {
		return nil, errors.New("damaged model: checksum differs")
	}
	c := content{learnt: map[string]*mat.Dense{}}
	if err := c.setTensors(tensors); err != nil {
		return nil, fmt.Errorf("damaged model: %w", err)
	}
	m, err := c.model(text, folders)
	if err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	return m, nil
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
		err := fmt.Errorf("the model was written by an older nrdl (format %d, this one reads %d to %d)", *version.Format, oldestFormat, modelFormat)
		return hint.Add(err, "learn it again")
	}
	return nil
}

// content is what the tensors of a file hold.
type content struct {
	d       *mat.Dense
	learnt  map[string]*mat.Dense // matrices of rules, by their names
	groups  []int
	basis   projection.Fitted
	images  dataset.Images
	network []byte
}

func (c *content) setTensors(tensors []safetensors.Tensor) error {
	for _, t := range tensors {
		var err error
		switch t.Name {
		case "D":
			c.d, err = dense(t)
		case "P":
			c.basis.P, err = dense(t)
		case "X":
			c.images.X, err = widened(t)
		case "enrolled":
			c.images.Groups, err = integers(t)
		case "m":
			var m *mat.Dense
			if m, err = dense(t); err == nil {
				c.basis.M = m.RawMatrix().Data
			}
		case "network":
			var ok bool
			if c.network, ok = t.Data.([]uint8); !ok || len(t.Shape) != 1 || len(c.network) == 0 {
				err = errors.New("network is not a file")
			}
		case "quality":
			var q *mat.Dense
			if q, err = dense(t); err == nil {
				c.images.Quality, err = qualities(q)
			}
		case "groups":
			c.groups, err = integers(t)
		default:
			ofRule := slices.ContainsFunc(classify.Trained, func(r classify.TrainedRule) bool { return r.Learnt().Name == t.Name })
			ofCoder := slices.ContainsFunc(coding.Trained, func(c coding.TrainedCoder) bool { name, _ := c.Learnt(); return name == t.Name })
			if !ofRule && !ofCoder {
				return fmt.Errorf("tensor %.80q is no part of a model", t.Name)
			}
			c.learnt[t.Name], err = dense(t)
		}
		if err != nil {
			return err
		}
	}
	if c.groups == nil || c.d == nil && c.images.X == nil {
		return errors.New("no tensor D, or no groups")
	}
	if c.basis.P != nil || c.basis.M != nil {
		return c.basis.Validate()
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

// model is the model of c, of which text says the rest.
func (c *content) model(text string, folders []string) (*gallery.Model, error) {
	if _, err := config.Members([]byte(text)); err != nil {
		return nil, err
	}
	var a about
	dec := json.NewDecoder(bytes.NewReader([]byte(text)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&a); err != nil {
		return nil, err
	}
	coder, err := coding.Unmarshal(a.Coder)
	if err != nil {
		return nil, err
	}
	if t, ok := coder.(coding.TrainedCoder); ok {
		name, _ := t.Learnt()
		if c.learnt[name] == nil {
			return nil, fmt.Errorf("no tensor %s of the coder %s", name, coder.Name())
		}
		coder = t.With(c.learnt[name])
		delete(c.learnt, name)
	}
	if err := dataset.CheckNames(a.Classes); err != nil {
		return nil, hint.Add(err, "learn it again from faces with another name for this person")
	}
	rule, err := c.rule(a.Rule, a.Weight)
	if err != nil {
		return nil, err
	}
	m := &gallery.Model{Model: &frontend.Model{Fitted: frontend.Fitted{Pipeline: a.Input}}, Calibration: a.Calibration, OpenSet: a.OpenSet, Data: a.Data}
	if c.basis.P != nil || c.basis.M != nil {
		m.Basis = &c.basis
	}
	if (a.Enrolled == nil) != (c.images.X == nil && c.images.Groups == nil && c.images.Quality == nil) {
		return nil, errors.New("the images that it keeps, or what they are, are missing")
	}
	if e := a.Enrolled; e != nil {
		s := &c.images
		s.Classes, s.Frame, s.Grid, s.IDs, s.White = a.Classes, e.Input, e.Input.Grid(), e.IDs, e.White
		m.Enrolled = gallery.Enrolling(s)
	}
	if m.Embedder, err = c.embedder(m.Frame, folders); err != nil {
		return nil, err
	}
	if d := a.Finder; d != nil {
		if m.Search, err = face.RestoreSearch(d.Name, d.Digest, folders); err != nil {
			return nil, err
		}
	}
	if err := c.complete(m); err != nil {
		return nil, err
	}
	if err := m.Fitted.Validate(); err != nil {
		return nil, err
	}
	p := classify.Parts{
		D: c.d, Groups: c.groups, Coder: coder, Rule: rule, Classes: a.Classes,
		Method: a.Method, Params: a.Params, Seed: a.Seed, Trained: a.Trained,
	}
	if m.Basis == nil {
		p.Grid = a.Input.Grid()
	}
	if m.Classifier, err = classify.NewClassifier(p); err != nil {
		return nil, err
	}
	return m, m.Validate()
}

// embedder is what makes the vectors of f; nil for none, or if its network is not at
// hand.
func (c *content) embedder(f dataset.Frame, folders []string) (*embedding.Embedder, error) {
	if f.Embedding.IsZero() {
		if c.network != nil {
			return nil, errors.New("a network that makes no vectors")
		}
		return nil, nil
	}
	if err := f.Validate(); err != nil {
		return nil, err
	}
	file := c.network
	if name := f.Embedding.Name; file == nil && filepath.Base(name) == name { // a model may be of unknown origin
		for _, folder := range folders {
			var err error
			if file, err = embedding.ReadFile(filepath.Join(folder, name)); err == nil {
				break
			}
			if !errors.Is(err, fs.ErrNotExist) {
				return nil, err
			}
		}
	}
	e, err := embedding.Restore(f, file)
	switch {
	case errors.Is(err, embedding.ErrMissing):
		return nil, nil
	case err != nil || c.network != nil:
		return e, err
	}
	return e.ByReference(), nil
}

// rule is the rule of a name, with what the tensors hold of it.
func (c *content) rule(name string, weight float64) (classify.Rule, error) {
	var rule classify.Rule
	var l classify.Learnt
	for _, r := range classify.Untrained {
		if r.Name() == name {
			rule = r
		}
	}
	for _, r := range classify.Trained {
		if r.Name() == name {
			l = r.Learnt()
			l.Matrix, l.Weight = c.learnt[l.Name], weight
			trained := r.With(l)
			rule, l = trained, trained.Learnt()
		}
	}
	if rule == nil {
		return nil, fmt.Errorf("unknown rule %q", name)
	}
	for other := range c.learnt {
		if other != l.Name {
			return nil, fmt.Errorf("rule %q has no use for %s", name, other)
		}
	}
	if l.Weight != weight {
		return nil, fmt.Errorf("rule %q has no use for a weight", name)
	}
	return rule, nil
}
