package dataset

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/legible"
)

// Images are labelled images of one size or, if Frame has no Size, vectors. Vectors are
// those of the network that Frame.Embedding names, or of another program. The columns of
// X are grouped by person, as in Samples. Each has the grey values of an image, column
// after column.
type Images struct {
	classify.Samples

	Frame   Frame     // which part of an image is in a column, and its size
	Quality []Quality // len N, image quality of each face; nil if not known
	NoFace  []bool    // len N, true for images without a face, whose columns are 0; nil if there are none
	White   float64   // value of white; 0 means 255
	Matrix  bool      // read from a .mat or .npz file
}

// NewImages groups the columns of x, d×N, by label, as classify.NewSamples does.
func NewImages(x *mat.Dense, labels, ids, classes []string, f Frame) (*Images, error) {
	s, err := classify.NewSamples(x, labels, ids, classes)
	if err != nil {
		return nil, err
	}
	images := &Images{Samples: *s, Frame: f}
	images.Grid = f.Grid()
	return images, images.Validate()
}

// Unlabelled returns the images in the columns of x, d×N, without labels.
func Unlabelled(x *mat.Dense, f Frame) *Images {
	return &Images{Samples: classify.Samples{X: x, Grid: f.Grid()}, Frame: f}
}

// Validate reports the first inconsistency of the fields of s, the first invalid name of
// a person, or the first number that is not finite.
func (s *Images) Validate() error {
	if size := s.Frame.Size; size != (Size{}) && s.Len() > 0 && s.X.RawMatrix().Rows != size.Len() { // before Samples tells of a grid
		return fmt.Errorf("images of %v have %d pixels, not %d", size, size.Len(), s.X.RawMatrix().Rows)
	}
	if e := s.Frame.Embedding; !e.IsZero() && s.Len() > 0 && s.X.RawMatrix().Rows != e.Length {
		return fmt.Errorf("network %s makes vectors of %d numbers, not %d", e.Name, e.Length, s.X.RawMatrix().Rows)
	}
	if err := s.Samples.Validate(); err != nil {
		return err
	}
	_, n := s.X.Dims()
	if s.Quality != nil && len(s.Quality) != n {
		return fmt.Errorf("%d qualities for %d images", len(s.Quality), n)
	}
	if s.NoFace != nil && len(s.NoFace) != n {
		return fmt.Errorf("%d marks of images without a face for %d images", len(s.NoFace), n)
	}
	if err := cmp.Or(CheckNames(s.Classes), s.Frame.Validate()); err != nil {
		return err
	}
	if !(s.White >= 0) || math.IsInf(s.White, 1) {
		return fmt.Errorf("white = %v is no grey value", s.White)
	}
	return nil
}

// AreImages reports whether the columns are images, and not vectors.
func (s *Images) AreImages() bool { return s.Frame.Size != (Size{}) }

// AreFaces reports whether the columns are images, or vectors that a network made of
// images.
func (s *Images) AreFaces() bool { return s.AreImages() || !s.Frame.Embedding.IsZero() }

// words returns a text on faces in the words for the columns.
func (s *Images) words(text string) string {
	if s.AreFaces() {
		return text
	}
	return legible.OfSamples(text)
}

// Select returns the images at columns idx, in the order of s, as new Images that share
// only the names with s. People without any of these images are left out.
func (s *Images) Select(idx []int) *Images {
	idx = slices.Sorted(slices.Values(idx))
	t := &Images{Samples: *s.Samples.Select(idx), Frame: s.Frame, White: s.White, Matrix: s.Matrix}
	for _, j := range idx {
		if s.Quality != nil {
			t.Quality = append(t.Quality, s.Quality[j])
		}
		if s.NoFace != nil {
			t.NoFace = append(t.NoFace, s.NoFace[j])
		}
	}
	return t
}

// First returns the images of the first people of s.
func (s *Images) First(people int) *Images {
	if people >= len(s.Classes) {
		return s
	}
	columns := make([]int, s.Groups[max(people, 1)])
	for j := range columns {
		columns[j] = j
	}
	return s.Select(columns)
}

// Hash returns a hash of the images and their labels: the first 12 bytes of a SHA-256,
// in hexadecimal.
func (s *Images) Hash() string {
	h := sha256.New()
	d, _ := s.X.Dims()
	fmt.Fprintf(h, "%d\x00%q\x00%v\x00%v\x00", d, s.Classes, s.Groups, s.Frame.Size)
	var buf []byte
	for i := range d {
		buf = buf[:0]
		for _, v := range s.X.RawRowView(i) {
			buf = binary.LittleEndian.AppendUint64(buf, math.Float64bits(v))
		}
		h.Write(buf)
	}
	return hex.EncodeToString(h.Sum(nil)[:12])
}

// Faceless reports whether image j is black or no face was found in it.
func (s *Images) Faceless(j int) bool {
	if s.NoFace != nil && s.NoFace[j] {
		return true
	}
	d, _ := s.X.Dims()
	for i := range d {
		if s.X.At(i, j) != 0 {
			return false
		}
	}
	return true
}

// Faces returns s without its Faceless images: s itself if there are none, nil if there
// are no others. People without other images are left out.
func (s *Images) Faces() *Images {
	columns := slices.DeleteFunc(classify.NonZero(s.X), func(j int) bool { return s.NoFace != nil && s.NoFace[j] })
	switch len(columns) {
	case s.Len():
		return s
	case 0:
		return nil
	}
	return s.Select(columns)
}

// Scale is the factor that turns the values of s into grey values 0 … 255.
func (s *Images) Scale() float64 {
	if s.White == 0 {
		return 1
	}
	return math.MaxUint8 / s.White
}

// A Frame describes how images were made into columns: which part was kept and the size
// to which it was resized, or which network made a vector. The zero Frame stands for
// vectors that were not made from images.
type Frame struct {
	Size
	Eyes      Eyes      `json:"eyes,omitzero"`      // where the pupils of detected faces are put; zero: images are used as they are
	Crop      float64   `json:"crop,omitempty"`     // central share of height and width that is kept; 0: all
	Embedding Embedding `json:"embedding,omitzero"` // of the vectors, which have no Size
}

// Len returns the length of a column: the number of pixels, or the length of a vector; 0
// if it is not known.
func (f Frame) Len() int {
	if !f.Embedding.IsZero() {
		return f.Embedding.Length
	}
	return f.Size.Len()
}

// Validate reports the first impossible part.
func (f Frame) Validate() error {
	if err := f.Size.Validate(); err != nil {
		return err
	}
	if !(f.Crop >= 0 && f.Crop <= 1) || math.IsNaN(f.Crop) {
		return advice.Add(fmt.Errorf("crop = %v is not a share between 0 and 1", f.Crop),
			"0.5 keeps the middle half of the height and of the width")
	}
	if err := f.Embedding.Validate(); err != nil {
		return err
	}
	if !f.Embedding.IsZero() && f.Size != (Size{}) {
		return fmt.Errorf("images of %v that are vectors of network %s", f.Size, f.Embedding.Name)
	}
	return f.Eyes.Validate()
}

// String describes f, as in "96x96 eyes=0.46@0.36 pixels".
func (f Frame) String() string {
	words := f.Words()
	switch {
	case f.Size != (Size{}):
		words = append(words, "pixels")
	case f.Embedding.IsZero():
		words = append(words, "vectors")
	}
	return strings.Join(words, " ")
}

// Words returns f as the words that package frontend reads.
func (f Frame) Words() (words []string) {
	if f.Size != (Size{}) {
		words = append(words, f.Size.String())
	}
	if !f.Embedding.IsZero() {
		words = f.Embedding.Words()
	}
	if !f.Eyes.IsZero() {
		words = append(words, "eyes="+f.Eyes.String())
	}
	if f.Crop != 0 && f.Crop != 1 {
		words = append(words, "crop="+strconv.FormatFloat(f.Crop, 'g', -1, 64))
	}
	return words
}

// Same reports whether f and g give the same images.
func (f Frame) Same(g Frame) bool { return f.String() == g.String() && f.Embedding == g.Embedding }

// Grid is the grid of the pixels of images; zero for vectors.
func (f Frame) Grid() classify.Grid {
	if f.Size == (Size{}) {
		return classify.Grid{}
	}
	return classify.Grid{Height: f.Height, Width: f.Width, Planes: 1}
}

// Order returns the order in which NewImages puts images with these labels: column j has
// the image at Order[j].
func (s *Images) Order(labels []string) ([]int, error) {
	order, _, _, err := classify.Group(labels, s.Classes)
	return order, err
}
