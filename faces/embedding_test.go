package faces_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/explain"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/frontend/embedding"
	"nrdl.example/nrdl/internal/kit/testing/onnxfile"
)

// tinyNetwork writes a network that sees no more than colours, and returns its path
// and the network.
func tinyNetwork(t *testing.T) (string, *embedding.Embedder) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tiny.onnx")
	check(os.WriteFile(path, onnxfile.Means(8, map[string]string{"eyes": "0.35@0.3", "mean": "0", "scale": "1"}), 0o666))
	e, err := embedding.Open(path, embedding.Given{})
	check(err)
	return path, e
}

// coloured writes photographs of drawn faces below dir, those of each person tinted
// with a colour.
func coloured(dir string, people, each int) {
	faces := drawnFaces(people, each, 3)
	tint(dir, faces, func(j int) *image.Gray { return photograph(faces, j) })
}

// tinted writes face crops below dir, those of each person tinted with a colour.
func tinted(dir string, faces *dataset.Images) {
	tint(dir, faces, func(j int) *image.Gray { return crop(faces, j) })
}

func tint(dir string, faces *dataset.Images, grey func(j int) *image.Gray) {
	for j := range faces.Len() {
		grey := grey(j)
		m := image.NewNRGBA(grey.Rect)
		c := faces.ClassOf(j)
		for i, v := range grey.Pix {
			m.Pix[4*i], m.Pix[4*i+1], m.Pix[4*i+2], m.Pix[4*i+3] = v, byte(int(v)*(9-c)/10), byte(int(v)*(3+c)/12), 255
		}
		path := filepath.Join(dir, faces.Classes[c], fmt.Sprintf("%04d.png", j-faces.Groups[c]+1))
		check(os.MkdirAll(filepath.Dir(path), 0o777))
		check(os.WriteFile(path, encoded(m), 0o666))
	}
}

func photoAt(t *testing.T, path string) image.Image {
	t.Helper()
	p, err := dataset.ReadPhoto(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// A network of a file goes through training, a model file, naming, enrolment and
// comparison; faces are seen in colour.
func TestEmbeddingOfAFile(t *testing.T) {
	dir := t.TempDir()
	coloured(dir, 4, 3)
	network, e := tinyNetwork(t)
	images, err := faces.Read(t.Context(), dir, faces.ReadOptions{Embedder: e, Detect: quick()})
	if err != nil {
		t.Fatal(err)
	}
	if images.Frame != e.Frame() || images.AreImages() || images.Len() != 12 || images.Quality == nil {
		t.Fatalf("%v, %d faces", images.Frame, images.Len())
	}
	for _, o := range []struct {
		name      string
		reference bool
	}{{"inside", false}, {"by reference", true}} {
		in := frontend.Pipeline{Frame: e.Frame(), Embedder: e}
		if o.reference {
			in.Embedder = e.ByReference()
		}
		options := faces.Defaults(images)
		options.Detect = quick()
		options.Pipeline = in
		r, err := faces.Train(t.Context(), images, options)
		if err != nil {
			t.Fatal(err)
		}
		folder := t.TempDir()
		path := filepath.Join(folder, "m.nrdl")
		check(r.Save(t.Context(), path))
		if o.reference { // the file is not there yet
			lost, err := faces.Open(path)
			if err != nil || len(lost.People()) != 4 {
				t.Fatalf("%s: %v", o.name, err)
			}
			_, err = lost.Identify(t.Context(), photograph(drawnFaces(1, 1, 1), 0))
			if err == nil || !strings.Contains(err.Error(), "the network is missing") || !strings.Contains(advice.Text(err), "tiny.onnx") {
				t.Errorf("%s: %v", o.name, err)
			}
			if _, err := lost.ReadFiles(t.Context(), nil); err == nil {
				t.Errorf("%s: photographs are read without the network", o.name)
			}
			data, err := os.ReadFile(network)
			check(err)
			check(os.WriteFile(filepath.Join(folder, "tiny.onnx"), data[:len(data)-1], 0o666))
			if _, err := faces.Open(path); err == nil {
				t.Errorf("%s: another network is taken", o.name)
			}
			check(os.WriteFile(filepath.Join(folder, "tiny.onnx"), data, 0o666))
		}
		opened, err := faces.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(written(t, opened), written(t, r)) {
			t.Errorf("%s: it is written as another file", o.name)
		}
		right := 0
		every := map[bool]int{false: 1, true: 3}[o.reference] // it is the same model in another file
		for j := 0; j < images.Len(); j += every {
			photo := photoAt(t, filepath.Join(dir, filepath.FromSlash(images.ID(j))))
			f := identified(t, opened, photo)
			if len(f) != 1 || f[0].Rejection != nil {
				t.Fatalf("%s: %+v", o.name, f)
			}
			if f[0].Ranking[0].Name == images.Classes[images.ClassOf(j)] {
				right++
			}
		}
		if of := images.Len() / every; 8*right < 7*of {
			t.Errorf("%s: %d of %d are right", o.name, right, of)
		}
		zoe := photoAt(t, filepath.Join(dir, "person001", "0001.png"))
		grown, report, err := opened.Enrol(t.Context(), "zoe", zoe)
		if err != nil || report.Additions != 1 || len(grown.People()) != 5 {
			t.Errorf("%s: %+v, %v", o.name, report, err)
		}
		if fewer, err := grown.Remove(t.Context(), "zoe"); err != nil || !bytes.Equal(written(t, fewer), written(t, opened)) {
			t.Errorf("%s: removed again, it is not what it was: %v", o.name, err)
		}
	}
}

// The explanation of a face shows what the network saw, which only Identify keeps.
func TestExplainOfANetwork(t *testing.T) {
	dir := t.TempDir()
	coloured(dir, 4, 4)
	_, e := tinyNetwork(t)
	images, err := faces.Read(t.Context(), dir, faces.ReadOptions{Embedder: e, Detect: quick()})
	check(err)
	o := faces.Defaults(images)
	o.Detect = quick()
	o.Pipeline = frontend.Pipeline{Frame: e.Frame(), Embedder: e}
	r, err := faces.Train(t.Context(), images, o)
	check(err)
	path := filepath.Join(dir, filepath.FromSlash(images.ID(5)))
	f := identified(t, r, photoAt(t, path))[0]
	why, err := r.Explain(t.Context(), f)
	check(err)
	seen := why.Similarities
	if len(seen.Crop.Values) != 3*e.Input().Len() || len(seen.Occlusion.Falls) == 0 || seen.Guess.Person != f.Ranking[0].Name ||
		seen.Nearest[0].ID != images.ID(5) {
		t.Errorf("%v is explained by %+v", f.Ranking[0], seen.Nearest)
	}
	vectors, err := e.Embed(t.Context(), [][]float32{seen.Crop.Values})
	check(err)
	for i, v := range vectors[0] {
		if math.Abs(v-images.X.At(i, 5)) > 1e-6 {
			t.Fatalf("the vector of the crop is %v, that of the photograph %v", vectors[0], mat.Col(nil, 5, images.X))
		}
	}
	short, err := r.Explain(t.Context(), f, explain.Occluder{})
	check(err)
	if a, b := explain.Sentence(r.Model(), why), explain.Sentence(r.Model(), short); a != b || short.Similarities.Occlusion != nil {
		t.Errorf("without covering parts it says %q, not %q, or covers them", b, a)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Explain(ctx, f); !errors.Is(err, context.Canceled) {
		t.Errorf("explained after the end, %v", err)
	}
}

// By default photographs become vectors of the network that is built in; crops, and
// what a size is named for, do not.
func TestDefaultEmbedding(t *testing.T) {
	r, found := photographs(t)
	m := r.Model()
	if m.Frame != frontend.Embedding.Embedder.Frame() || m.Embedder == nil || m.Features() != 192 {
		t.Errorf("%v", m.Pipeline)
	}
	dir := t.TempDir()
	writePhotographs(dir, found.Select([]int{0, 1, 4, 5}))
	sized, err := faces.Read(t.Context(), dir, faces.ReadOptions{Frame: frontend.Faces96.Frame})
	if err != nil || !sized.AreImages() || sized.Frame.Eyes.IsZero() {
		t.Errorf("%v, %v", sized.Frame, err)
	}
	crops, err := faces.Read(t.Context(), dir, faces.ReadOptions{Detect: face.Options{Detect: face.Never}})
	if err != nil || crops.Frame != frontend.Faces96.Frame {
		t.Errorf("%v, %v", crops.Frame, err)
	}
	if o := faces.Defaults(crops); len(o.Pipeline.Features) == 0 || !o.Pipeline.Embedding.IsZero() {
		t.Errorf("%v", o.Pipeline)
	}
	whole, err := faces.Read(t.Context(), dir, faces.ReadOptions{Embedder: embedding.Default(), Detect: face.Options{Detect: face.Never}})
	if err != nil || whole.Frame.Embedding.IsZero() || !whole.Frame.Eyes.IsZero() {
		t.Errorf("%v, %v", whole.Frame, err)
	}
	o := faces.Defaults(whole)
	o.OpenSet = nil
	of, err := faces.Train(t.Context(), whole, o)
	if err != nil {
		t.Fatal(err)
	}
	// An image that is used as it is is the same through a file and through Identify.
	path := filepath.Join(dir, filepath.FromSlash(whole.ID(0)))
	f := identified(t, of, photoAt(t, path))
	if len(f) != 1 || f[0].Detection != nil || f[0].Ranking[0].Name != whole.Classes[0] || f[0].Ranking[0].Score < 0.9 {
		t.Errorf("%+v", f)
	}
	if f := identified(t, of, image.NewGray(image.Rect(0, 0, 90, 90))); len(f) != 1 || f[0].Rejection == nil {
		t.Errorf("a black image: %+v", f)
	}
}

// 100 people with ten faces each take a megabyte at most beside the network.
func TestEmbeddingFilesAreSmall(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	x := mat.NewDense(192, 1000, nil)
	labels, ids := make([]string, 1000), make([]string, 1000)
	for j := range 1000 {
		for i := range 192 {
			x.Set(i, j, float64(float32(rng.NormFloat64()/14)))
		}
		labels[j] = fmt.Sprintf("person%03d", j/10)
		ids[j] = fmt.Sprintf("%s/photograph_%04d.jpg", labels[j], j)
	}
	images, err := dataset.NewImages(x, labels, ids, nil, embedding.Default().Frame())
	check(err)
	images.Quality = make([]dataset.Quality, 1000)
	for _, by := range []classify.Method{nil, faces.Options{Pipeline: frontend.Faces96}.For().Method} {
		o := faces.Defaults(images)
		if by != nil {
			o.Method = by
		}
		o.OpenSet = nil
		r, err := faces.Train(t.Context(), images, o)
		if err != nil {
			t.Fatal(err)
		}
		file := written(t, r)
		if len(file) > 1_030_000 {
			t.Errorf("%s: %d bytes", o.Method.Name(), len(file))
		}
	}
}

// Photographs of all kinds have a face with nearly the same vector.
func TestPhotographsOfAllKinds(t *testing.T) {
	grey := photograph(drawnFaces(1, 1, 1), 0)
	e := embedding.Default()
	cut := face.Cut{Frame: e.Frame(), Embedder: e}
	vector := func(img image.Image) *mat.VecDense {
		seen, err := face.In(t.Context(), dataset.NewPhoto(img), face.Largest, cut)
		if err != nil || len(seen) != 1 || seen[0].Reason != nil {
			t.Fatalf("%T: %+v, %v", img, seen, err)
		}
		return mat.NewVecDense(len(seen[0].Values), seen[0].Values)
	}
	want := vector(grey)
	for _, m := range []interface {
		image.Image
		Set(x, y int, c color.Color)
	}{image.NewNRGBA(grey.Rect), image.NewRGBA64(grey.Rect), image.NewGray16(grey.Rect), image.NewCMYK(grey.Rect)} {
		for y := range grey.Rect.Dy() {
			for x := range grey.Rect.Dx() {
				m.Set(x, y, grey.GrayAt(x, y))
			}
		}
		if c := mat.Dot(vector(m), want); c < 0.999 {
			t.Errorf("%T: cosine %v", m, c)
		}
		var b bytes.Buffer
		if err := png.Encode(&b, m); err != nil {
			t.Fatal(err)
		}
		if _, err := dataset.DecodeColour(t.Context(), b.Bytes(), ""); err != nil {
			t.Errorf("%T: %v", m, err)
		}
	}
}
