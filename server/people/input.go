package people

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"math"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/server/store"

	"nrdl.example/nrdl/internal/natural"
)

// An input is how faces become vectors.
type input struct {
	frontend.Pipeline
	cut       face.Cut // how faces are cut out of photographs
	detection face.Cut // for faces that are found only: small, and no network runs
	space     string   // of the vectors in the store

	perCrop atomic.Int64 // nanoseconds that the last crop took; 0 before the first
}

func newInput(in frontend.Pipeline, search *face.Search) *input {
	in.Frame = in.Embedder.Frame()
	cut := face.Cut{Frame: in.Frame, Embedder: in.Embedder, Search: search}
	find := face.Cut{Frame: dataset.Frame{Size: dataset.Size{Height: 8, Width: 8}, Eyes: in.Frame.Eyes}, Network: true, Search: search}
	return &input{Pipeline: in, cut: cut, detection: find, space: SpaceFor(in.Frame)}
}

// SpaceFor names the network of vectors with the Frame f, as an export does.
func SpaceFor(f dataset.Frame) string {
	// A store does not say that faces are aligned by their pupils, nor that red comes first.
	frame := strings.NewReplacer(" landmarks="+dataset.ByPupils.String(), "", " channels=rgb", "").Replace(f.String())
	return frame + " sha256=" + f.Embedding.Digest
}

// ParseInput returns the Pipeline for Options.Input that text names: embedding, the network that is
// built in, or embedding:FILE.onnx.
func ParseInput(text string) (frontend.Pipeline, error) {
	in, err := frontend.Parse(text)
	if err == nil && in.Embedder == nil {
		err = fmt.Errorf("input %q has no network: use embedding, or embedding:FILE.onnx", text)
	}
	return in, err
}

// input returns that of a space, "" for the one that is built in.
func (e *engine) input(space string) (*input, error) {
	if space == "" {
		return e.inputs[len(e.inputs)-1], nil
	}
	for _, in := range e.inputs {
		if in.space == space {
			return in, nil
		}
	}
	return nil, Clash(
		"the faces of the collection are vectors of a network that the service does not have: start it with --input for that one, or refit the collection")
}

// images are samples as a data set, in the order in which enrolling puts them.
func (e *input) images(samples []store.Sample) (*dataset.Images, error) {
	slices.SortFunc(samples, func(a, b store.Sample) int {
		switch {
		case a.Person == b.Person && natural.Compare(a.Face, b.Face) < 0, a.Person != b.Person && natural.Compare(a.Person, b.Person) < 0:
			return -1
		case a.Face == b.Face:
			return 0
		}
		return 1
	})
	labels, ids := make([]string, len(samples)), make([]string, len(samples))
	quality := make([]dataset.Quality, len(samples))
	for j, s := range samples {
		if len(s.Vector) != e.Frame.Len() {
			return nil, fmt.Errorf("face %s has %d numbers", s.Face, len(s.Vector))
		}
		labels[j], ids[j] = s.Person, s.Person+"/"+s.Face
		if err := json.Unmarshal(s.Quality, &quality[j]); err != nil {
			return nil, fmt.Errorf("face %s: %w", s.Face, err)
		}
	}
	images, err := dataset.NewImages(matrix(e.Frame, samples), labels, ids, nil, e.Frame)
	if err == nil {
		images.Quality = quality
	}
	return images, err
}

// A Found face is one of a photograph.
type Found struct {
	face.Seen
	crop []byte // PNG; nil if it was refused
}

// selection says which faces of an image file are meant.
type selection struct {
	isCrop bool        // the image is one face as it is
	faces  face.Which  // "": face.All
	place  *face.Place // the only face that is meant; nil: those that are found
	thumbs bool        // with face.Seen.Thumb
}

// look finds the faces in an image file, the largest first, with their vectors.
func (e *input) look(ctx context.Context, data []byte, o selection) ([]Found, image.Point, error) {
	kept := &face.Recorder{Embedder: e.Embedder}
	cut := e.cut
	cut.Embedder, cut.At, cut.Thumbs = kept, o.place, o.thumbs
	seen, size, err := face.Decode(ctx, data, "photo", !o.isCrop, cmp.Or(o.faces, face.All), cut)
	if err != nil {
		return nil, size, err
	}
	all := make([]Found, len(seen))
	for i, s := range seen {
		all[i].Seen = s
		if s.Reason == nil {
			if all[i].crop, err = encode(kept.Face(s.Values), e.Embedder.Input()); err != nil {
				return nil, size, err
			}
		}
	}
	return all, size, nil
}

// encode returns the red, green and blue values of a crop as a PNG.
func encode(rgb []float32, size dataset.Size) ([]byte, error) {
	n := size.Len()
	if len(rgb) != 3*n {
		return nil, errors.New("the network has not seen this face")
	}
	img := image.NewNRGBA(image.Rect(0, 0, size.Width, size.Height))
	at := func(i int) uint8 { return uint8(max(0, min(rgb[i]+0.5, 255))) }
	for i := range n {
		img.SetNRGBA(i%size.Width, i/size.Width, color.NRGBA{at(i), at(n + i), at(2*n + i), 255})
	}
	var b bytes.Buffer
	err := png.Encode(&b, img)
	return b.Bytes(), err
}

// A Vector is a face that another program has made a vector of.
type Vector struct {
	Vector []float32 `json:"vector"`
	Space  string    `json:"space" doc:"Which network made it, as in an export"`
}

// vector reads a face that another program made a vector of.
func (e *input) vector(body io.Reader) (f store.NewFace, err error) {
	var in struct {
		Vector []*float32 `json:"vector"` // null is no number
		Space  string     `json:"space"`
	}
	if err := ReadJSON(body, &in, `{"vector": [0.1, …], "space": "…"}`, true); err != nil {
		return f, err
	}
	if in.Space != e.space {
		return f, Invalid("the space of the vectors here is %q", e.space)
	}
	v := make([]float32, len(in.Vector))
	for i, x := range in.Vector {
		if x == nil {
			return f, Invalid("vector[%d] is null, and no number", i)
		}
		v[i] = *x
	}
	if err := e.check(v); err != nil {
		return f, Invalid("%s", err.Error())
	}
	return store.NewFace{Face: store.Face{Source: store.Vector}, Space: in.Space, Vector: v}, nil
}

// ReadJSON reads a body of JSON, which has to be one value of the form of an example; if it is strict, without
// other fields.
func ReadJSON(body io.Reader, to any, example string, strict bool) error {
	d := json.NewDecoder(body)
	if strict {
		d.DisallowUnknownFields()
	}
	err := d.Decode(to)
	var large *http.MaxBytesError
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &large), AsAnswered(err) != nil:
		return err
	case errors.Is(err, io.EOF):
		return Invalid("the body is empty: send JSON such as %s", example)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return Invalid("the body is cut short: it ends within its JSON")
	case errors.As(err, &kind):
		return Invalid("%s has a JSON %s, which is of another type: send JSON such as %s", cmp.Or(kind.Field, "the body"), kind.Value, example)
	case err != nil: // not JSON, or a field that is not known
		return Invalid("the body is not JSON such as %s: %s", example, strings.TrimPrefix(err.Error(), "json: "))
	}
	if _, err := d.Token(); errors.Is(err, io.EOF) {
		return nil
	} else if errors.As(err, &large) || AsAnswered(err) != nil {
		return err
	}
	return Invalid("the body has something after its JSON: send one value")
}

// check is an error for a vector that the network cannot have made.
func (e *input) check(v []float32) error {
	norm := 0.0
	for _, x := range v {
		norm += float64(x) * float64(x)
	}
	const rounding = 1e-5 // as in gallery
	switch n := e.Frame.Len(); {
	case len(v) != n:
		return fmt.Errorf("the vector has %d numbers, not %d", len(v), n)
	case !(math.Abs(norm-1) <= rounding):
		return errors.New("the vector is not of unit length")
	}
	return nil
}
