package file

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/frontend/embedding"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/faces/gallery/index"
	"nrdl.example/nrdl/faces/internal/safetensors"
	"nrdl.example/nrdl/internal/config"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/projection"
)

// Options say where what a model names is found.
type Options struct {
	Folders []string          // of networks that a model has by reference, in turn
	Methods []classify.Method // of other modules, beside those of package method: Open needs that of a gallery that shortlists
}

// Open reads the model file at path, which may be of unknown origin. It checks what the file
// declares before it takes memory for it, and refuses a file that was cut short or changed in
// any bit, or whose parts do not belong together. If a network that the model has by reference
// is in none of the folders, the model has no Embedder, or its Search returns an error. If the
// method is not known, Method is nil; if the gallery shortlists, that is an error, as each
// shortlist needs the method.
func Open(path string, o Options) (*gallery.Gallery, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return nil, errors.New("is a folder")
	}
	b := make([]byte, len(index.Magic))
	if n, _ := f.ReadAt(b, 0); string(b[:n]) != index.Magic {
		return Read(f, o)
	}
	x, first, state, err := index.Open(path)
	if err != nil {
		if p := (*fs.PathError)(nil); errors.As(err, &p) {
			err = p.Err
		}
		return nil, err
	}
	return read(bytes.NewReader(first), o, x, state)
}

// Read is Open for a model without an index.
func Read(r io.Reader, o Options) (*gallery.Gallery, error) { return read(r, o, nil, nil) }

// read reads a model with the faces in x, nil for none, and its state.
func read(r io.Reader, o Options, x *index.Index, state []byte) (*gallery.Gallery, error) {
	if r == nil {
		return nil, errors.New("there is no reader")
	}
	if err := classify.NoMethod(o.Methods...); err != nil {
		return nil, err
	}
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
	c := contents{rules: map[string]*mat.Dense{}, faces: x, state: state}
	if err := c.setTensors(tensors); err != nil {
		return nil, fmt.Errorf("damaged model: %w", err)
	}
	m, err := c.model(text, o)
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
		return advice.Add(err, "update nrdl")
	case *version.Format < modelFormat:
		err := fmt.Errorf("the model was written by an older nrdl (format %d, this one reads %d)", *version.Format, modelFormat)
		return advice.Add(err, "train it again from its photographs with this version")
	}
	return nil
}

// contents is what the tensors of a file hold.
type contents struct {
	d        *mat.Dense
	rules    map[string]*mat.Dense // matrices of rules, by their names
	groups   []int
	basis    projection.Fitted
	images   dataset.Images
	network  []byte
	centring *embedding.Centring

	faces *index.Index // nil for none
	state []byte
}

func (c *contents) setTensors(tensors []safetensors.Tensor) error {
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
		case "centring":
			data, ok := t.Data.([]uint8)
			if !ok || len(t.Shape) != 1 {
				return errors.New("centring is not a file")
			}
			c.centring, err = embedding.ReadCentring(data)
		case "quality":
			var q *mat.Dense
			if q, err = dense(t); err == nil {
				c.images.Quality, err = qualities(q)
			}
		case "groups":
			c.groups, err = integers(t)
		default:
			ofRule := slices.ContainsFunc(classify.Trained, func(r classify.Rule) bool { return r.Learned().Name == t.Name })
			ofCoder := slices.ContainsFunc(coding.Trained, func(c coding.TrainedCoder) bool { name, _ := c.Learned(); return name == t.Name })
			if !ofRule && !ofCoder {
				return fmt.Errorf("tensor %.80q is no part of a model", t.Name)
			}
			c.rules[t.Name], err = dense(t)
		}
		if err != nil {
			return err
		}
	}
	if c.faces == nil && (c.groups == nil || c.d == nil && c.images.X == nil) {
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
func (c *contents) model(text string, o Options) (*gallery.Gallery, error) {
	if _, err := config.Members([]byte(text)); err != nil {
		return nil, err
	}
	var a header
	dec := json.NewDecoder(bytes.NewReader([]byte(text)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&a); err != nil {
		return nil, err
	}
	m := &gallery.Gallery{
		Model:       &frontend.Model{Fitted: frontend.Fitted{Pipeline: a.Input}},
		Calibration: a.Calibration, OpenSet: a.OpenSet, Data: a.Data, Settings: a.Settings,
	}
	m.Measured = a.Measured
	if c.basis.P != nil || c.basis.M != nil {
		m.Basis = &c.basis
	}
	if err := c.enrol(m, &a); err != nil {
		return nil, err
	}
	var err error
	if m.Embedder, err = c.embedder(m.Frame, o.Folders); err != nil {
		return nil, err
	}
	if m.Search, err = a.Finder.search(o.Folders); err != nil {
		return nil, err
	}
	m.Method, err = method.Restore(a.Method, a.Params, o.Methods...)
	if c.faces != nil && a.Index.Shortlists {
		if err != nil {
			return nil, err
		}
		p, err := c.parts(&a)
		if err != nil {
			return nil, err
		}
		return m.Restore(p, c.state)
	}
	if err := c.complete(m); err != nil {
		return nil, err
	}
	if err := m.Fitted.Validate(); err != nil {
		return nil, err
	}
	if err := dataset.CheckNames(a.Classes); err != nil {
		return nil, advice.Add(err, "train it again from faces with another name for this person")
	}
	p, err := c.parts(&a)
	if err != nil {
		return nil, err
	}
	p.D, p.Groups, p.Classes = c.d, c.groups, a.Classes
	if m.Classifier, err = classify.NewClassifier(p); err != nil {
		return nil, err
	}
	return m, m.Validate()
}

// enrol gives m the images that it keeps.
func (c *contents) enrol(m *gallery.Gallery, a *header) error {
	s := &c.images
	switch e := a.Enrolled; {
	case c.faces == nil && a.Index != nil:
		return errors.New("the index of its faces is missing")
	case c.faces != nil && (a.Index == nil || e == nil || s.X != nil):
		return errors.New("the faces in its index are not described, or described twice")
	case c.faces != nil:
		common := &dataset.Images{Frame: e.Input, White: e.White}
		common.Grid, common.IDs, common.Quality = e.Input.Grid(), []string{}, []dataset.Quality{}
		if !a.Index.IDs {
			common.IDs = nil
		}
		if !a.Index.Quality {
			common.Quality = nil
		}
		m.Enrolled, m.ShortlistAbove = gallery.Indexed(c.faces, common), a.Index.ShortlistAbove
	case (e == nil) != (s.X == nil && s.Groups == nil && s.Quality == nil):
		return errors.New("the images that it keeps, or what they are, are missing")
	case e != nil:
		s.Classes, s.Frame, s.Grid, s.IDs, s.White = a.Classes, e.Input, e.Input.Grid(), e.IDs, e.White
		if err := s.Validate(); err != nil {
			return fmt.Errorf("enrolled: %w", err)
		}
		m.Enrolled = gallery.Enrolling(s)
	}
	return nil
}

// parts are those of the classifier of c and a, without what it has of each class.
func (c *contents) parts(a *header) (p classify.Parts, err error) {
	coder, err := coding.Unmarshal(a.Coder)
	if err != nil {
		return p, err
	}
	if t, ok := coder.(coding.TrainedCoder); ok {
		name, _ := t.Learned()
		if c.rules[name] == nil {
			return p, fmt.Errorf("no tensor %s of the coder %s", name, coder.Name())
		}
		coder = t.With(c.rules[name])
		delete(c.rules, name)
	}
	rule, err := c.rule(a.Rule, a.Weight)
	p = classify.Parts{Coder: coder, Rule: rule, Method: a.Method, Params: a.Params, Seed: a.Seed, Outcome: a.Trained}
	if c.basis.P == nil {
		p.Grid = a.Input.Grid()
	}
	return p, err
}

// embedder is what makes the vectors of f; nil for none, or if its network is not at
// hand.
func (c *contents) embedder(f dataset.Frame, folders []string) (*embedding.Embedder, error) {
	if f.Embedding.IsZero() {
		if c.network != nil || c.centring != nil {
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
	if c.centring != nil && c.centring.Digest() != f.Embedding.Centring {
		return nil, errors.New("the centring is not that of its vectors")
	}
	e, err := embedding.Restore(f, file, c.centring)
	switch {
	case errors.Is(err, embedding.ErrMissing):
		return nil, nil
	case err != nil || c.network != nil:
		return e, err
	}
	return e.ByReference(), nil
}
