package dataset

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"strings"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
)

// An Embedding identifies the network that made vectors of faces, and its settings. The
// zero Embedding stands for images, and for vectors of another program.
type Embedding struct {
	Name     string     `json:"name"`               // of the network, for people
	Digest   string     `json:"digest"`             // SHA-256 of its file, in hexadecimal
	Length   int        `json:"length"`             // of a vector
	Mirror   bool       `json:"mirror,omitempty"`   // the mean over the face and its mirror image
	Channels string     `json:"channels,omitempty"` // "bgr"; "" is rgb
	Mean     [3]float64 `json:"mean,omitzero"`      // subtracted from the values 0 … 255 of the channels
	Scale    float64    `json:"scale,omitempty"`    // that they are multiplied by then; 0 is 1

	Alignment Alignment `json:"alignment,omitempty"` // of the faces
	// SHA-256 of what the vectors were centred by, in hexadecimal; "" for nothing, as before version 0.4
	Centring string `json:"centring,omitempty"`
	Output   string `json:"output,omitempty"` // that is the vector, of a network of several; "" if there is one
}

// shortDigest is how many digits of a digest words have.
const shortDigest = 8

// maxVector bounds Embedding.Length.
const maxVector = 1 << 16

// IsZero reports whether no network made the vectors.
func (e Embedding) IsZero() bool { return e == Embedding{} }

// Validate reports the first impossible part.
func (e Embedding) Validate() error {
	if e.IsZero() {
		return nil
	}
	finite := func(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }
	switch digest, err := hex.DecodeString(e.Centring); {
	case err != nil || len(digest) != 32 && e.Centring != "" || strings.ToLower(e.Centring) != e.Centring:
		return fmt.Errorf("the digest of the centring of network %s is %.80q, not a SHA-256", e.Name, e.Centring)
	}
	digest, err := hex.DecodeString(e.Digest)
	switch {
	case len(e.Output) > 255 || strings.ContainsFunc(e.Output, func(r rune) bool { return r <= ' ' }):
		return fmt.Errorf("the output of network %s has the name %.300q", e.Name, e.Output)
	case e.Name == "" || len(e.Name) > 255 || strings.ContainsFunc(e.Name, func(r rune) bool { return r <= ' ' }):
		return fmt.Errorf("the network of an embedding has the name %.300q", e.Name)
	case err != nil || len(digest) != 32 || strings.ToLower(e.Digest) != e.Digest:
		return fmt.Errorf("the digest of network %s is %.80q, not a SHA-256", e.Name, e.Digest)
	case e.Length < 1 || e.Length > maxVector:
		return fmt.Errorf("network %s makes vectors of %d numbers, not of 1 to %d", e.Name, e.Length, maxVector)
	case e.Channels != "" && e.Channels != "bgr":
		return fmt.Errorf("channels = %.20q is not rgb or bgr", e.Channels)
	case !finite(e.Mean[0]) || !finite(e.Mean[1]) || !finite(e.Mean[2]):
		return fmt.Errorf("mean = %v is not finite", e.Mean)
	case !finite(e.Scale) || e.Scale < 0:
		return fmt.Errorf("scale = %v is not a positive number", e.Scale)
	}
	return e.Alignment.Validate()
}

// Words returns e as the words that package frontend reads.
func (e Embedding) Words() []string {
	words := []string{"embedding:" + e.Name, "channels=" + cmp.Or(e.Channels, "rgb")}
	if e.Mean != [3]float64{} {
		words = append(words, fmt.Sprintf("subtract=%v,%v,%v", e.Mean[0], e.Mean[1], e.Mean[2]))
	}
	if e.Scale != 0 {
		words = append(words, fmt.Sprintf("scale=%v", e.Scale))
	}
	if !e.Mirror {
		words = append(words, "mirror=off")
	}
	if e.Centring != "" {
		words = append(words, "centring="+e.Centring[:min(len(e.Centring), shortDigest)])
	}
	if e.Output != "" {
		words = append(words, "output="+e.Output)
	}
	return append(words, "landmarks="+e.Alignment.String())
}

// An Embedder turns faces in colour into vectors. It is safe for concurrent use.
type Embedder interface {
	// Frame has the Embedding, and the Eyes to which faces are aligned.
	Frame() Frame
	// Input is the size of the faces.
	Input() Size
	// Embed returns a vector of unit length for each of faces; zeros for a face of a
	// single colour. A face is its red, green and blue values, 0 … 255, each row
	// after row.
	Embed(ctx context.Context, faces [][]float32) ([][]float64, error)
}

// embeddedTogether is the number of images in one call of the network.
const embeddedTogether = 64

// Embed returns the vectors that e makes of the grey values of images, in the same
// order. Images with known pupils (Frame.Eyes) are aligned; others are resized to e.Input.
// If images already are vectors of e, they are returned unchanged. Progress may be nil.
func Embed(ctx context.Context, images *Images, e Embedder, progress func(done, total int)) (*Images, error) {
	frame := e.Frame()
	if !images.Frame.Embedding.IsZero() {
		if images.Frame.Embedding != frame.Embedding {
			return nil, fmt.Errorf("the vectors are those of %v, and %v is asked for", images.Frame, frame)
		}
		return images, nil
	}
	if !images.AreImages() {
		return nil, advice.Add(errors.New("a network needs images, and the samples are vectors of unknown origin"),
			"a file of images has height and width")
	}
	if images.Frame.Eyes.IsZero() {
		frame.Eyes = Eyes{}
	}
	size, n := images.Frame.Size, images.Len()
	g := grey{height: size.Height, width: size.Width}
	column := make([]float64, size.Len())
	g.row = func(y int, dst []float64) {
		for x := range dst {
			dst[x] = column[x*size.Height+y]
		}
	}
	x := mat.NewDense(frame.Len(), n, nil)
	for lo := 0; lo < n; lo += embeddedTogether {
		hi := min(n, lo+embeddedTogether)
		faces := make([][]float32, hi-lo)
		for j := range faces {
			mat.Col(column, lo+j, images.X)
			for i := range column {
				column[i] *= images.Scale()
			}
			plane := g.aligned(images.Frame.Eyes, frame.Eyes, e.Input())
			faces[j] = make([]float32, 0, 3*len(plane))
			for range 3 {
				faces[j] = append(faces[j], plane...)
			}
		}
		vectors, err := e.Embed(ctx, faces)
		if err != nil {
			return nil, err
		}
		for j, v := range vectors {
			x.SetCol(lo+j, v)
		}
		if progress != nil {
			progress(hi, n)
		}
	}
	t := *images
	t.X, t.Frame, t.Grid, t.White = x, frame, frame.Grid(), 0
	if t.Classes == nil { // without labels
		return &t, nil
	}
	return &t, t.Validate()
}

// aligned returns the values of g, 0 … 255, resized to size, row after row. If g has
// pupils at from, they are moved to the positions to; pixels outside g repeat the nearest
// pixel of g.
func (g grey) aligned(from, to Eyes, size Size) []float32 {
	across, down := kernelTaps(g.width, size.Width, 0), kernelTaps(g.height, size.Height, 0)
	if !from.IsZero() {
		scale := from.Distance * float64(g.width) / (to.Distance * float64(size.Width))
		across = tapsFrom(g.width, size.Width, float64(g.width)/2-scale*float64(size.Width)/2, scale)
		down = tapsFrom(g.height, size.Height, from.Height*float64(g.height)-scale*to.Height*float64(size.Height), scale)
	}
	column := resampled(g, size, across, down, 0, math.MaxUint8)
	out := make([]float32, len(column))
	for x := range size.Width {
		for y := range size.Height {
			out[y*size.Width+x] = float32(column[x*size.Height+y])
		}
	}
	return out
}
