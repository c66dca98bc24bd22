package dataset

import (
	"bytes"
	"encoding/binary"
	"image"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl"
	"nrdl/internal/hint"
	"nrdl/internal/mat5"
	"nrdl/internal/npz"
)

func parsed(t testing.TB, text string) nrdl.Input {
	t.Helper()
	in, err := nrdl.ParseInput(text)
	if err != nil {
		t.Fatal(err)
	}
	return in
}

// middle is the middle part of m, of size in, whose pixels are pixels of m.
func middle(m *image.Gray, in nrdl.Size) *image.Gray {
	part := image.NewGray(image.Rect(0, 0, in.Width, in.Height))
	top, left := (m.Rect.Dy()-in.Height)/2, (m.Rect.Dx()-in.Width)/2
	for y := range in.Height {
		for x := range in.Width {
			part.SetGray(x, y, m.GrayAt(left+x, top+y))
		}
	}
	return part
}

// A part of whole pixels that is not resized is these pixels.
func TestCropIsTheMiddle(t *testing.T) {
	for _, c := range []struct{ h, w, part, of int }{{16, 12, 1, 2}, {24, 40, 3, 4}, {9, 15, 1, 3}, {25, 5, 3, 5}, {10, 10, 1, 1}} {
		m := ramp(c.h, c.w)
		m.Pix[c.w+1] = 255 // at the edge
		in := nrdl.Input{Size: nrdl.Size{Height: c.h * c.part / c.of, Width: c.w * c.part / c.of}, Crop: float64(c.part) / float64(c.of)}
		want := column(middle(m, in.Size))
		for name, data := range map[string][]byte{"PGM": asPGM(m), "PNG": asPNG(m)} {
			if got, err := DecodeImage(data, "drawn", in); err != nil || distance(got, want) > 1e-9 {
				t.Errorf("%v of a %s of %d×%d is off by %v, %v", in, name, c.h, c.w, distance(got, want), err)
			}
		}
		if d := distance(sample(m, in), want); d > 1e-9 {
			t.Errorf("%v of an image of %d×%d is off by %v", in, c.h, c.w, d)
		}
	}
}

// A part is its own middle, whatever its size is brought to: mirrored images
// have mirrored parts.
func TestCropIsCentred(t *testing.T) {
	m := smooth(31, 22)
	flipped := image.NewGray(m.Rect)
	for y := range 31 {
		for x := range 22 {
			flipped.SetGray(x, y, m.GrayAt(21-x, 30-y))
		}
	}
	for _, crop := range []float64{0, 1, 0.9, 0.36, 0.05, 1e-9} {
		in := nrdl.Input{Size: nrdl.Size{Height: 7, Width: 10}, Crop: crop}
		a, b := sample(m, in), sample(flipped, in)
		slices.Reverse(b) // both sides exchanged
		if d := distance(a, b); d > 1e-9 {
			t.Errorf("crop %v is off the centre by %v", crop, d)
		}
	}
	// One grey value a cell: parts of it are the same image.
	flat := image.NewGray(image.Rect(0, 0, 8, 8))
	for i := range flat.Pix {
		flat.Pix[i] = 77
	}
	for _, crop := range []float64{0.9, 0.5, 0.01} {
		for _, v := range sample(flat, nrdl.Input{Size: nrdl.Size{Height: 5, Width: 3}, Crop: crop}) {
			if math.Abs(v-77) > 1e-9 {
				t.Errorf("crop %v of one grey has %v", crop, v)
			}
		}
	}
	if all, one := sample(m, nrdl.Input{Size: tiny}), sample(m, nrdl.Input{Size: tiny, Crop: 1}); !slices.Equal(all, one) {
		t.Error("all of an image is another image")
	}
}

// What is kept is about the centre of the image as it is seen.
func TestCropOfTurnedImages(t *testing.T) {
	in := nrdl.Input{Size: nrdl.Size{Height: 6, Width: 3}, Crop: 0.5}
	want := sample(enlarged(letters(turnedBy[1]), 8), in)
	for o, rows := range turnedBy {
		data := jpegWith(asJPEG(enlarged(letters(rows), 8)), exifOf(o, binary.BigEndian))
		got, err := DecodeImage(data, "drawn", in)
		if err != nil || distance(got, want) > 12 { // of JPEG; letters differ by 40
			t.Errorf("orientation %d: %.0f, want %.0f, %v", o, got, want, err)
		}
	}
}

func TestCropIsRefused(t *testing.T) {
	for _, crop := range []float64{-0.1, 1.1, math.NaN(), math.Inf(1)} {
		in := nrdl.Input{Size: tiny, Crop: crop}
		if _, err := DecodeImage(asPGM(ramp(9, 9)), "x", in); err == nil || !strings.Contains(err.Error(), "crop = ") {
			t.Errorf("an image: crop %v: %v", crop, err)
		}
		if _, err := Open(t.Context(), "none", Options{Input: in}); err == nil || !strings.Contains(err.Error(), "crop = ") {
			t.Errorf("a data set: crop %v: %v", crop, err)
		}
	}
}

// Files of images and of numbers give the same part of the same images.
func TestCropOfDataSets(t *testing.T) {
	const h, w = 16, 12
	m, other := smooth(h, w), ramp(h, w)
	folder := drawFiles(t, map[string][]byte{"a/1.pgm": asPGM(m), "b/1.pgm": asPGM(other)})
	x := slices.Concat(column(m), column(other))
	sides := []npz.Array{npz.Int64("height", nil, []int64{h}), npz.Int64("width", nil, []int64{w})}
	file := npzFile(t, append(sides, npz.Float64("X", []int{2, h * w}, x), npz.Text("y", []string{"a", "b"}))...)
	matrix := matFile(t, mat5.Double("fea", 2, h*w, mat.DenseCopyOf(mat.NewDense(2, h*w, x).T()).RawMatrix().Data), mat5.Int32("gnd", 2, 1, []int32{1, 2}),
		mat5.Int32("height", 1, 1, []int32{h}), mat5.Int32("width", 1, 1, []int32{w}))
	for _, in := range []nrdl.Input{parsed(t, "8x6 crop=0.5"), parsed(t, "16x12 crop=0.7"), parsed(t, "5x9"), parsed(t, "7x7 crop=0.4 lbp:cell=7 mirror fisher")} {
		want, err := Open(t.Context(), folder, Options{Input: in})
		if err != nil {
			t.Fatal(err)
		}
		if want.Input.String() != in.Images().String() {
			t.Errorf("%v: a folder is %v", in, want.Input)
		}
		if !slices.Equal(mat.Col(nil, 1, want.X), sample(other, in)) {
			t.Errorf("%v: image 1 is another", in)
		}
		for _, path := range []string{file, matrix} {
			got, err := Open(t.Context(), path, Options{Input: in})
			if err != nil {
				t.Fatal(err)
			}
			if !mat.EqualApprox(got.X, want.X, 1) || got.Input.String() != want.Input.String() { // values are kept in the range that the file has
				t.Errorf("%v: %s is %v", in, filepath.Ext(path), got.Input)
			}
		}
	}
	for _, path := range []string{file, matrix} {
		if _, err := Open(t.Context(), path, Options{Input: nrdl.Input{Crop: 0.5}}); err == nil || !strings.Contains(err.Error(), "crop = 0.5 without a size") || hint.Of(err) == "" {
			t.Errorf("%s: a crop without a size: %v", filepath.Ext(path), err)
		}
		if set, err := Open(t.Context(), path, Options{Input: nrdl.Input{Crop: 1}}); err != nil || set.Input.String() != "16x12 pixels" {
			t.Errorf("%s: all without a size: %v", filepath.Ext(path), err)
		}
	}
}

// White is the largest value of the kind of number that holds all; images in
// files have 255, whatever is in them.
func TestWhite(t *testing.T) {
	for largest, want := range map[float64]float64{0.5: 1, 1: 1, 2: 0, 200: 0, 255: 0, 256: 65535, 65535: 65535, 1e6: 1e6} {
		x := make([]float64, 2*tiny.Len())
		x[3], x[15] = largest, largest/2
		for i := range x {
			x[i] += float64(i%5) / 1000 * largest / 10
		}
		x[3] = largest
		sides := []npz.Array{npz.Int64("height", nil, []int64{4}), npz.Int64("width", nil, []int64{3})}
		path := npzFile(t, append(sides, npz.Float64("X", []int{2, tiny.Len()}, x), npz.Text("y", []string{"a", "b"}))...)
		set, _ := opened(t, path, nrdl.Size{})
		if set.White != want {
			t.Errorf("white is %v where the largest value is %v", set.White, largest)
		}
		if half := set.Select([]int{1}); half.White != want {
			t.Errorf("a selection has the white %v", half.White)
		}
		if resized, _ := opened(t, path, nrdl.Size{Height: 2, Width: 2}); resized.White != want {
			t.Errorf("white is %v after resizing, where the largest value is %v", resized.White, largest)
		}
	}
	dark := ramp(4, 3)
	for i := range dark.Pix {
		dark.Pix[i] = uint8(i % 2)
	}
	set, _ := opened(t, drawFiles(t, map[string][]byte{"a/1.pgm": asPGM(dark), "b/1.pgm": asPGM(dark)}), tiny)
	if set.White != 0 {
		t.Errorf("dark images have the white %v", set.White)
	}
}

// An .npz file keeps how its samples were made; what is learnt from it learns
// from samples of that Input.
func TestNPZKeepsTheInput(t *testing.T) {
	images := album(t, []string{"b", "a"}, 3)
	cropped := *images
	cropped.Input.Crop = 0.5
	for text, set := range map[string]*nrdl.Set{
		"4x3 igo": images, "4x3 igo zoom=0.5": images, "4x3 lcn pixels": images, "4x3 despeckle hog:cell=2+igo": images,
		"4x3 crop=0.5 igo": &cropped, "4x3 crop=0.5 pixels": &cropped, "4x3 pixels": images,
	} {
		made, err := set.Samples(parsed(t, text))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "samples.npz")
		got := saved(t, path, made)
		same(t, text, got, made)
		if got.Input.String() != text {
			t.Errorf("%s is read as %v", text, got.Input)
		}
		if again, err := got.Samples(parsed(t, text)); err != nil || again != got {
			t.Errorf("%s: what was read has to be made again, %v", text, err)
		}
		if _, err := Open(t.Context(), path, Options{Input: made.Input}); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if text == "4x3 pixels" {
			continue // can be resized
		}
		_, err = Open(t.Context(), path, Options{Input: parsed(t, "8x6")})
		if err == nil || !strings.Contains(err.Error(), "its samples were made of images of 4x3") || hint.Of(err) == "" {
			t.Errorf("%s in another size: %v", text, err)
		}
	}
	for _, text := range []string{"4x3 igo mirror", "4x3 pca:2", "4x3 igo fisher"} {
		train, err := images.Training(t.Context(), parsed(t, text))
		if err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(t.TempDir(), "samples.npz")
		if err := Save(t.Context(), path, train); err == nil || !strings.Contains(err.Error(), "has stages that only a model can have") {
			t.Errorf("%s is written: %v", text, err)
		}
	}
	train, err := images.Training(t.Context(), parsed(t, "4x3 mirror"))
	if err != nil {
		t.Fatal(err)
	}
	if got := saved(t, filepath.Join(t.TempDir(), "both.npz"), train); got.Input.String() != "4x3 pixels" || len(got.IDs) != 12 {
		t.Errorf("mirror images are read as %v", got.Input)
	}
}

// madeFile is a file of vectors of d features, with that text as their input.
func madeFile(text string, d int) []byte {
	var b bytes.Buffer
	err := npz.Write(&b, npz.Float64("X", []int{3, d}, numbers(3*d)), npz.Text("y", []string{"a", "b", "a"}), npz.Text(inputArray, []string{text}))
	if err != nil {
		panic(err)
	}
	return b.Bytes()
}

// hostileInputs are not of the 24 features of their samples.
var hostileInputs = map[string]string{
	``:    "not one that this nrdl knows: EOF",
	`igo`: "not one that this nrdl knows",
	`[]`:  "not one that this nrdl knows",
	`{"height":4,"width":3,"features":[{"name":"igo"}]} {}`:                                   "text after its end",
	`{"height":4,"width":3,"features":[{"name":"igo"}]}x`:                                     "text after its end",
	`{"height":4,"width":3,"feature":[{"name":"igo"}]}`:                                       `unknown field "feature"`,
	`{"height":4,"width":3,"features":[{"name":"sift"}]}`:                                     "sift",
	`{"height":4,"width":3,"features":[{"name":"hog"}]}`:                                      "missing",
	`{"height":4,"width":3,"features":[{"name":"lbp","cell":9,"radius":1}]}`:                  "too large for an image of 4x3",
	`{"height":4,"width":3,"features":[{"name":"lbp","cell":1e999,"radius":1}]}`:              "not one that",
	`{"height":-4,"width":-3}`:                                                                "size -4x-3",
	`{"height":100000,"width":100000,"features":[{"name":"igo"}]}`:                            "size 100000x100000",
	`{"height":4,"width":4,"features":[{"name":"igo"}]}`:                                      "makes 32 features, not 24",
	`{"height":4,"width":3}`:                                                                  "makes 12 features, not 24",
	`{"height":4,"width":3,"crop":-1,"features":[{"name":"igo"}]}`:                            "crop = -1",
	`{"height":4,"width":3,"mirror":true,"features":[{"name":"igo"}]}`:                        "stages that only a model can have",
	`{"height":4,"width":3,"features":[{"name":"igo"}],"projection":{"name":"pca","dims":2}}`: "stages that only a model can have",
	`{"height":0,"width":0,"features":[{"name":"igo"}]}`:                                      "without a size",
	`{"height":0,"width":0,"mirror":true}`:                                                    "without a size",
}

func TestHostileInputsAreRefused(t *testing.T) {
	good := madeFile(`{"height":4,"width":3,"features":[{"name":"igo"}]}`, 24)
	if set, err := readNPZ(bytes.NewReader(good), int64(len(good)), "x.npz", Options{}); err != nil || set.Input.String() != "4x3 igo" {
		t.Fatal(err)
	}
	for text, want := range hostileInputs {
		data := madeFile(text, 24)
		set, err := readNPZ(bytes.NewReader(data), int64(len(data)), "x.npz", Options{})
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), inputArray) && !strings.Contains(err.Error(), "features, not") {
			t.Errorf("%s: %v, %v, want %s", text, set, err, want)
		}
	}
	// Another program's array of that name says nothing.
	for name, a := range map[string]npz.Array{
		"numbers":   npz.Float64(inputArray, []int{2}, []float64{1, 2}),
		"two texts": npz.Text(inputArray, []string{"a", "b"}),
	} {
		path := npzFile(t, npz.Float64("X", []int{3, 2}, numbers(6)), npz.Text("y", []string{"a", "b", "a"}), a)
		if set, _ := opened(t, path, nrdl.Size{}); !set.Input.IsZero() {
			t.Errorf("%s: %v", name, set.Input)
		}
	}
}

// sample is what DecodeImage makes of an image that holds img.
func sample(img image.Image, in nrdl.Input) []float64 { return resample(greyOf(img), in, 0, 255) }
