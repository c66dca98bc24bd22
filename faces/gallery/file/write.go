package file

import (
	"bytes"
	"context"
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

	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/faces/internal/safetensors"
	"nrdl.example/nrdl/internal/kit/atomicfile"
)

// Write writes g as a model file. Equal galleries give equal bytes.
func Write(w io.Writer, g *gallery.Gallery) error {
	if w == nil {
		return errors.New("save the model: the writer is nil")
	}
	first, state, err := parts(g)
	if err != nil {
		return fmt.Errorf("save the model: %w", err)
	}
	if g.Enrolled == nil || g.Enrolled.Faces == nil {
		_, err := w.Write(first)
		return err
	}
	return g.Enrolled.Faces.Write(context.Background(), w, first, state)
}

// Save writes g to the file at path, whole or not at all. If g shortlists and follows from the
// gallery in this file, Save only appends what has changed. Of others the classifier changes with
// the people too.
func Save(ctx context.Context, path string, g *gallery.Gallery) error {
	if !g.Shortlists() {
		_, err := atomicfile.Write(ctx, path, func(w io.Writer) error { return Write(w, g) })
		return err
	}
	first, state, err := parts(g)
	if err != nil {
		return fmt.Errorf("save the model: %w", err)
	}
	return g.Enrolled.Faces.Save(ctx, path, first, state)
}

// parts returns the safetensors file of g, and what changes with its people.
func parts(g *gallery.Gallery) (first, state []byte, err error) {
	if err := g.Validate(); err != nil {
		return nil, nil, err
	}
	text, err := aboutOf(g)
	if err != nil {
		return nil, nil, err
	}
	tensors := tensorsOf(g, followsOf(g))
	if size := modelBytes(tensors, text); size > MaxBytes {
		return nil, nil, fmt.Errorf("its file would be larger than %d bytes", MaxBytes)
	}
	var b bytes.Buffer
	metadata := map[string]string{aboutKey: text, checksumKey: checksum(tensors, text)}
	if err := safetensors.Write(&b, tensors, metadata); err != nil {
		return nil, nil, err
	}
	state, err = g.State()
	return b.Bytes(), state, err
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

func aboutOf(m *gallery.Gallery) (string, error) {
	p := m.Shared()
	names := []string{p.Method, string(p.Outcome.Status)}
	if m.Search != nil {
		names = append(names, m.Search.Name)
	}
	inIndex := m.Enrolled != nil && m.Enrolled.Faces != nil
	if m.Enrolled != nil && !inIndex {
		names = append(names, m.Images().IDs...)
	}
	for _, s := range names {
		if !utf8.ValidString(s) {
			return "", fmt.Errorf("the name %q is not valid UTF-8", s)
		}
	}
	if r := p.Outcome.Residual; math.IsNaN(r) || math.IsInf(r, 0) {
		return "", fmt.Errorf("the residual is %v", r)
	}
	coder, err := coding.Marshal(p.Coder)
	if err != nil {
		return "", err
	}
	finder, err := detectorOf(m.Search)
	if err != nil {
		return "", err
	}
	var text bytes.Buffer
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	weight := p.Rule.Learned().Weight
	a := header{
		modelFormat, p.Classes, coder, p.Rule.Name(), weight, m.Pipeline, finder,
		p.Method, p.Params, p.Seed, m.Hash(), p.Outcome,
		m.Measured, nil, m.Settings, nil, m.Calibration, m.OpenSet,
	}
	if m.Settings != nil && *m.Settings == gallery.DefaultSettings {
		a.Settings = nil
	}
	if m.Enrolled != nil {
		a.Enrolled, a.Index = enrolledOf(m)
	}
	if m.Shortlists() {
		a.Classes, a.Calibration, a.OpenSet = nil, nil, nil
	}
	err = enc.Encode(a)
	if err != nil {
		return "", err
	}
	return string(bytes.TrimSuffix(text.Bytes(), []byte{'\n'})), nil
}

// tensorsOf gives the tensors of m in the order of their names, without those that
// follow from its images.
func tensorsOf(m *gallery.Gallery, f follows) []safetensors.Tensor {
	p := m.Shared()
	var list []safetensors.Tensor
	if p.Groups != nil {
		list = append(list, integerTensor("groups", p.Groups))
	}
	if e := m.Embedder; e != nil && e.File() != nil {
		list = append(list, safetensors.Tensor{Name: "network", Shape: []int{len(e.File())}, Data: e.File()})
	}
	if e := m.Embedder; e != nil && e.Centring() != nil {
		file := e.Centring().File()
		list = append(list, safetensors.Tensor{Name: "centring", Shape: []int{len(file)}, Data: file})
	}
	if !f.atoms && p.D != nil {
		list = append(list, matrix("D", p.D))
	}
	if c, ok := p.Coder.(coding.TrainedCoder); ok {
		list = append(list, matrix(c.Learned()))
	}
	if l := p.Rule.Learned(); l.Matrix != nil {
		list = append(list, matrix(l.Name, l.Matrix))
	}
	if b := m.Basis; b != nil && !f.basis {
		list = append(list, matrix("P", b.P), safetensors.Tensor{Name: "m", Shape: []int{len(b.M), 1}, Data: b.M})
	}
	if m.Enrolled != nil && m.Enrolled.Faces == nil {
		list = append(list, imageTensors(m.Images())...)
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
