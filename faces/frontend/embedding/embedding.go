// Package embedding turns faces into vectors by a neural network: two photographs of
// one person give vectors of a large cosine. Networks are built in (BuiltIn); others are
// read from ONNX files.
//
// A face is cut out of a photograph in colour with five landmarks as near as possible to
// those for which the network was trained (Frame().Embedding.Alignment). Its vector is the
// output of the network at unit length; with Mirror, of the mean of the outputs for the face
// and for its mirror image, which takes twice the time.
//
// Experimental: this package may change in any version.
package embedding

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/network"
)

// An Embedder makes vectors of faces. It is immutable and safe for concurrent use.
type Embedder struct {
	frame dataset.Frame
	input dataset.Size

	file         []byte // of the network; nil for the one that is built in
	external     bool   // models refer to the file and do not store it
	channelsLast bool   // in the input
	output       int    // that is the vector
	normalises   bool   // the network normalises its input itself

	centring *Centring // nil for none

	network *network.Network // nil for builtIn, which is read when it is used
	builtIn *builtIn         // nil for a network of a file
}

// open returns the network.
func (e *Embedder) open() (*network.Network, error) {
	if e.builtIn != nil {
		return e.builtIn.open()
	}
	return e.network, nil
}

// Default returns the built-in network. A vector is the mean of those of the face and of
// its mirror image. The network is read when the first face is embedded.
func Default() *Embedder {
	e, err := builtIns[0].embedder(Given{})
	if err != nil {
		panic("embedding: " + err.Error())
	}
	return e
}

// Open returns the network in the ONNX file at path, the network inside the program whose
// name path is, or the default one if path is "". The fields of g that are set override
// the metadata of the file.
func Open(path string, g Given) (*Embedder, error) {
	if path == "" {
		return builtIns[0].embedder(g)
	}
	if b := named(path); b != nil {
		return b.embedder(g)
	}
	data, err := ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) && filepath.Base(path) == path {
		return nil, advice.Add(err, "built in are %s and %s", builtIns[0].name, builtIns[1].name)
	}
	if err != nil {
		return nil, err
	}
	e, err := New(data, filepath.Base(path), g)
	if err != nil {
		return nil, fmt.Errorf("read network %s: %w", path, err)
	}
	return e, nil
}

// maxBytes bounds the size of a network file.
const maxBytes = 1 << 30

// ReadFile returns the content of the network file at path.
func ReadFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, fmt.Errorf("read network: %w", err)
	}
	if !info.Mode().IsRegular() || info.Size() > maxBytes {
		return nil, fmt.Errorf("read network %s: not a file of at most %d MiB", path, maxBytes>>20)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read network: %w", err)
	}
	return data, nil
}

// New returns the network in data, the content of an ONNX file of this name.
func New(data []byte, name string, g Given) (*Embedder, error) {
	sum := sha256.Sum256(data)
	digest := hex.EncodeToString(sum[:])
	if b := withSum(digest); b != nil {
		return b.embedder(g)
	}
	e, err := opened(data, name, digest, g)
	if err == nil && e.frame.Eyes.IsZero() {
		return nil, missing(fmt.Errorf("nothing says where the pupils are in a face of %v for this network", e.input))
	}
	return e, err
}

// opened is New for a network of which the place of the pupils may not be known.
func opened(data []byte, name, digest string, g Given) (*Embedder, error) {
	n, err := network.Open(context.Background(), data)
	if err != nil {
		return nil, err
	}
	if named(name) != nil {
		name += ".onnx"
	}
	e := &Embedder{file: data, network: n}
	e.frame.Embedding = dataset.Embedding{Name: strings.Join(strings.Fields(name), "_"), Digest: digest}
	if err := e.shape(n, g.Output); err != nil {
		return nil, err
	}
	s, err := settled(n.Metadata(), n.Normalisation(), e.input, g)
	if err != nil {
		return nil, err
	}
	r := rangeOf(n.Normalisation())
	e.normalises = r != 0 && s.scale == r && s.mean == [3]float64{}
	return e.with(s)
}

// ErrMissing is returned if the file of a network is missing.
var ErrMissing = errors.New("the network is missing")

// Restore returns the Embedder that made vectors with the frame f. file is the content of
// its ONNX file, nil for the built-in network; c is its centring, nil for the built-in one or for
// none. The error wraps ErrMissing if a file is needed and file is nil.
func Restore(f dataset.Frame, file []byte, c *Centring) (*Embedder, error) {
	made := f.Embedding
	off := centringOff
	g := Given{
		Centring: &off, Eyes: f.Eyes, Channels: made.Channels, Mean: made.Mean[:], Scale: made.Scale,
		Mirror: &made.Mirror, Landmarks: &made.Alignment, Output: made.Output,
	}
	if g.Scale == 0 {
		g.Scale = 1
	}
	if g.Channels == "" {
		g.Channels = rgb
	}
	var e *Embedder
	var err error
	b := withSum(made.Digest)
	switch {
	case b != nil:
		e, err = b.embedder(g)
	case file == nil:
		err := fmt.Errorf("%w: %s with the SHA-256 %.12s…", ErrMissing, made.Name, made.Digest)
		return nil, advice.Add(err, "put the file %s beside the model", made.Name)
	default:
		sum := sha256.Sum256(file)
		e, err = opened(file, made.Name, hex.EncodeToString(sum[:]), g)
	}
	if err == nil && made.Centring != "" {
		err = e.restore(made.Centring, c)
	}
	switch {
	case err != nil:
		return nil, err
	case e.frame.Embedding != made:
		return nil, fmt.Errorf("network %s is not the one that made the vectors, whose SHA-256 is %.12s…", made.Name, made.Digest)
	}
	return e, nil
}

// restore gives e the centring of this digest: c, or one that is built in.
func (e *Embedder) restore(digest string, c *Centring) error {
	if b := e.builtIn; c == nil && b != nil && b.centring != nil {
		c = b.centring()
	}
	switch {
	case c == nil || c.Digest() != digest:
		err := fmt.Errorf("the vectors of network %s were centred by numbers with the SHA-256 %.12s…, which this program does not have",
			e.frame.Embedding.Name, digest)
		return advice.Add(err, "make them again from the photographs")
	case c.Length != e.frame.Embedding.Length:
		return fmt.Errorf("a centring of vectors of %d numbers, not of %d", c.Length, e.frame.Embedding.Length)
	}
	e.centre(c)
	return nil
}

// centre gives e the centring c.
func (e *Embedder) centre(c *Centring) { e.centring, e.frame.Embedding.Centring = c, c.Digest() }

// shape takes the input of n and its output of this name, which must be those of an embedding.
func (e *Embedder) shape(n *network.Network, output string) (err error) {
	in, outputs := n.Inputs(), n.Outputs()
	if len(in) != 1 {
		return fmt.Errorf("the network has %d inputs; an embedding has one", len(in))
	}
	if e.output, err = vectorOf(outputs, output); err != nil {
		return err
	}
	out := outputs[e.output]
	// Where the first axis is another one, the numbers of a face do not lie together.
	if shape := out.Shape; len(shape) == 0 || shape[0] != 1 {
		return fmt.Errorf(
			"output %.80q of the network has the shape %v for one face; the first axis of an embedding is that of the faces, of length 1",
			out.Name, shape)
	}
	e.frame.Embedding.Length = out.Len()
	if len(outputs) > 1 {
		e.frame.Embedding.Output = out.Name
	}
	s := in[0].Shape
	switch {
	case len(s) == 4 && s[1] == 3:
		e.input = dataset.Size{Height: s[2], Width: s[3]}
	case len(s) == 4 && s[3] == 3:
		e.input, e.channelsLast = dataset.Size{Height: s[1], Width: s[2]}, true
	default:
		return fmt.Errorf("input %s of the network has the shape %v, not that of an image in colour, [1 3 height width]", in[0].Name, s)
	}
	return e.input.Validate()
}

// vectorOf returns the index of the output that is the vector of a face: the one of this name, or
// if name is "" the only one of more than one number.
func vectorOf(outputs []network.Info, name string) (int, error) {
	var names []string
	var long []int
	for i, o := range outputs {
		if o.Name == name {
			return i, nil
		}
		names = append(names, o.Name)
		if o.Len() > 1 {
			long = append(long, i)
		}
	}
	switch {
	case name != "":
		return 0, advice.Unknown("output of the network", name, names)
	case len(outputs) == 1:
		return 0, nil
	case len(long) != 1:
		return 0, advice.Add(fmt.Errorf("the network has the outputs %s", strings.Join(names, ", ")),
			"name the one that is the vector of a face: output=%s", names[0])
	}
	return long[0], nil
}

// Remark is a line for the user about settings that were not chosen: that the network normalises
// its input itself; "" for none.
func (e *Embedder) Remark() string {
	if !e.normalises {
		return ""
	}
	n := e.network.Normalisation()
	takes := "0 … 255"
	if e.frame.Embedding.Scale != 0 {
		takes = "0 … 1"
	}
	return fmt.Sprintf(
		"network %s normalises its input itself (it subtracts %.4g and multiplies by %.3g): it gets the values %s; "+
			"subtract= and scale= change that",
		e.frame.Embedding.Name, n.Mean, n.Scale, takes)
}

// with returns e with these settings.
func (e *Embedder) with(s settings) (*Embedder, error) {
	e.frame.Eyes = s.eyes
	made := &e.frame.Embedding
	made.Mirror, made.Mean, made.Alignment = s.mirror, s.mean, s.landmarks
	if s.channels == bgr {
		made.Channels = bgr
	}
	if s.scale != 1 {
		made.Scale = s.scale
	}
	if s.centring != nil {
		e.centre(s.centring)
	}
	return e, e.frame.Validate()
}

// Frame has the Embedding, and where the pupils of a face are put.
func (e *Embedder) Frame() dataset.Frame { return e.frame }

// With returns e for other values and channels, without the mirror image and not centred.
func (e *Embedder) With(channels string, mean, scale float64) *Embedder {
	r := *e
	r.centring = nil
	made := &r.frame.Embedding
	made.Channels, made.Mean, made.Scale, made.Mirror, made.Centring = "", [3]float64{mean, mean, mean}, scale, false, ""
	if channels == bgr {
		made.Channels = bgr
	}
	return &r
}

// Centring is what centres the vectors of e; nil for nothing.
func (e *Embedder) Centring() *Centring { return e.centring }

// Input is the size of the faces that the network takes.
func (e *Embedder) Input() dataset.Size { return e.input }

// ByReference returns a copy of e whose network is not stored in models: they refer to its
// file by name and digest.
func (e *Embedder) ByReference() *Embedder {
	r := *e
	r.external = true
	return &r
}

// File returns the content of the network file, which is stored in a model; nil for the
// built-in network and for a network by reference.
func (e *Embedder) File() []byte {
	if e.external {
		return nil
	}
	return e.file
}
