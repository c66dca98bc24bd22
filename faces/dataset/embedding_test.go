package dataset

import (
	"context"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// A meanEmbedder makes vectors of four numbers: the means of the quarters of the
// first channel, at unit length.
type meanEmbedder struct{ side int }

func (e meanEmbedder) Frame() Frame {
	return Frame{Eyes: Eyes{Distance: 0.4, Height: 0.3}, Embedding: Embedding{Name: "means", Digest: strings.Repeat("0a", 32), Length: 4}}
}

func (e meanEmbedder) Input() Size { return Size{Height: e.side, Width: e.side} }

func (e meanEmbedder) Embed(_ context.Context, faces [][]float32) ([][]float64, error) {
	vectors := make([][]float64, len(faces))
	for i, face := range faces {
		v := make([]float64, 4)
		for y := range e.side {
			for x := range e.side {
				v[2*(2*y/e.side)+2*x/e.side] += float64(face[y*e.side+x])
			}
		}
		norm := mat.Norm(mat.NewVecDense(4, v), 2)
		for k := range v {
			v[k] = float64(float32(v[k] / max(norm, 1)))
		}
		vectors[i] = v
	}
	return vectors, nil
}

// quarters is an image whose quarters have these grey values, in reading order.
func quarters(side int, values [4]float64) []float64 {
	v := make([]float64, side*side)
	for x := range side {
		for y := range side {
			v[x*side+y] = values[2*(2*y/side)+2*x/side]
		}
	}
	return v
}

func faces(t *testing.T, f Frame, white float64) *Images {
	t.Helper()
	x := mat.NewDense(f.Len(), 4, nil)
	for j := range 4 {
		x.SetCol(j, quarters(f.Height, [4]float64{white / 2, float64(j) * white / 8, white / 4, white}))
	}
	s, err := NewImages(x, []string{"a", "a", "b", "b"}, []string{"a/1", "a/2", "b/1", "b/2"}, nil, f)
	if err != nil {
		t.Fatal(err)
	}
	s.White = white
	return s
}

// Images without labels become vectors without labels.
func TestEmbedUnlabelled(t *testing.T) {
	e := meanEmbedder{8}
	s := faces(t, Frame{Size: Size{Height: 16, Width: 16}}, 1)
	plain := Unlabelled(s.X, s.Frame)
	plain.White = s.White
	got, err := Embed(t.Context(), plain, e, nil)
	want, err2 := Embed(t.Context(), s, e, nil)
	if err != nil || err2 != nil || got.Classes != nil || !mat.Equal(got.X, want.X) {
		t.Errorf("%v, %v", err, err2)
	}
}

// Images of any size and range become vectors; rows and columns keep their places.
func TestEmbed(t *testing.T) {
	e := meanEmbedder{8}
	for _, side := range []int{8, 16, 32} {
		s := faces(t, Frame{Size: Size{Height: side, Width: side}}, 1)
		got, err := Embed(t.Context(), s, e, nil)
		if err != nil {
			t.Fatal(err)
		}
		if got.Frame != (Frame{Embedding: e.Frame().Embedding}) || got.AreImages() || !got.AreFaces() || got.White != 0 || got.ID(3) != "b/2" {
			t.Errorf("%v, %v", got.Frame, got.IDs)
		}
		for j := range 4 {
			want := mat.NewVecDense(4, []float64{0.5, float64(j) / 8, 0.25, 1})
			want.ScaleVec(1/mat.Norm(want, 2), want)
			for i := range 4 {
				if math.Abs(got.X.At(i, j)-want.AtVec(i)) > 0.03 {
					t.Fatalf("side %d, image %d: %v", side, j, mat.Col(nil, j, got.X))
				}
			}
		}
		again, err := Embed(t.Context(), got, e, nil)
		if err != nil || again != got {
			t.Errorf("vectors are embedded again: %v", err)
		}
		other := *got
		other.Frame.Embedding.Mirror = true
		if _, err := Embed(t.Context(), &other, e, nil); err == nil || !strings.Contains(err.Error(), "is asked for") {
			t.Errorf("vectors of another network: %v", err)
		}
	}
	vectors := faces(t, Frame{Size: Size{Height: 4, Width: 4}}, 1)
	vectors.Frame, vectors.Grid = Frame{}, Frame{}.Grid()
	if _, err := Embed(t.Context(), vectors, e, nil); err == nil {
		t.Error("vectors of another program are embedded")
	}
}

// Where pupils are known, they come to the places that the network wants.
func TestEmbedAligns(t *testing.T) {
	const side = 60
	e := meanEmbedder{20}
	from := Eyes{Distance: 0.6, Height: 0.5}
	g := grey{height: side, width: side, row: func(y int, dst []float64) {
		for x := range dst {
			dst[x] = 2*float64(x) + float64(y) // linear: kept by the kernel
		}
	}}
	out := g.aligned(from, e.Frame().Eyes, e.Input())
	// One pixel of the result is 60·0.6/(20·0.4) = 4.5 of g; its pupils lie at 12 ± … and 6 rows.
	for _, p := range []struct{ x, y int }{{10, 6}, {7, 8}, {12, 5}} {
		x := side/2 + 4.5*(float64(p.x)+0.5-10)
		y := 0.5*side + 4.5*(float64(p.y)+0.5-6)
		if want := 2*(x-0.5) + y - 0.5; math.Abs(float64(out[p.y*20+p.x])-want) > 0.02 { // the kernel, between pixels
			t.Errorf("(%d, %d) is %v, want %v", p.x, p.y, out[p.y*20+p.x], want)
		}
	}
	s := faces(t, Frame{Size: Size{Height: 4, Width: 4}, Eyes: from}, 1)
	got, err := Embed(t.Context(), s, e, nil)
	if err != nil || got.Frame != e.Frame() {
		t.Errorf("%v, %v", got.Frame, err)
	}
}

// A .npz file keeps which network made its vectors; matrix files are embedded when
// they are opened, and what was embedded is not embedded again.
func TestEmbeddingsInFiles(t *testing.T) {
	e := meanEmbedder{8}
	s := faces(t, Frame{Size: Size{Height: 8, Width: 8}}, 255)
	dir := t.TempDir()
	images, vectors := filepath.Join(dir, "images.npz"), filepath.Join(dir, "vectors.npz")
	if err := Save(t.Context(), images, s); err != nil {
		t.Fatal(err)
	}
	made, err := Open(t.Context(), images, Options{Embedder: e})
	if err != nil {
		t.Fatal(err)
	}
	if err := Save(t.Context(), vectors, made); err != nil {
		t.Fatal(err)
	}
	for _, opt := range []Options{{}, {Embedder: e}, {Frame: made.Frame}} {
		again, err := Open(t.Context(), vectors, opt)
		if err != nil {
			t.Fatal(err)
		}
		if again.Frame != made.Frame || !mat.Equal(again.X, made.X) {
			t.Errorf("%v", again.Frame)
		}
	}
	wrong := made.Frame
	wrong.Embedding.Digest = strings.Repeat("0b", 32)
	if _, err := Open(t.Context(), vectors, Options{Frame: wrong}); err == nil {
		t.Error("vectors of another network are read")
	}
}

func TestEmbeddingValidate(t *testing.T) {
	good := meanEmbedder{}.Frame().Embedding
	for want, change := range map[string]func(*Embedding){
		"name":     func(e *Embedding) { e.Name = "a b" },
		"digest":   func(e *Embedding) { e.Digest = "12" },
		"1 to":     func(e *Embedding) { e.Length = 1 << 30 },
		"channels": func(e *Embedding) { e.Channels = "brg" },
		"mean":     func(e *Embedding) { e.Mean[1] = math.NaN() },
		"scale":    func(e *Embedding) { e.Scale = math.Inf(1) },
	} {
		bad := good
		change(&bad)
		if err := (Frame{Embedding: bad}).Validate(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if err := (Frame{Embedding: good, Size: DefaultSize}).Validate(); err == nil {
		t.Error("images that are vectors")
	}
	if err := (Frame{Embedding: good}).Validate(); err != nil {
		t.Error(err)
	}
	x := mat.NewDense(5, 1, nil)
	if err := Unlabelled(x, Frame{Embedding: good}).Validate(); err == nil {
		t.Error("vectors of another length")
	}
}
