package modelfile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/gallery"
	"nrdl.example/nrdl/internal/safetensors"
)

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
	finder, err := detectorOf(m.Search)
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
		modelFormat, p.Classes, coder, p.Rule.Name(), weight, m.Pipeline, finder,
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
