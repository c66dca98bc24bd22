package dataset

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"image"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/internal/mat5"
	"nrdl.example/nrdl/internal/kit/npz"
)

// middle is the middle part of m, of size in, whose pixels are pixels of m.
func middle(m *image.Gray, in Size) *image.Gray {
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
		in := Frame{Size: Size{Height: c.h * c.part / c.of, Width: c.w * c.part / c.of}, Crop: float64(c.part) / float64(c.of)}
		want := column(middle(m, in.Size))
		for name, data := range map[string][]byte{"PGM": asPGM(m), "PNG": asPNG(m)} {
			if got, err := DecodeImage(t.Context(), data, "drawn", in); err != nil || distance(got, want) > 1e-9 {
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
		in := Frame{Size: Size{Height: 7, Width: 10}, Crop: crop}
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
		for _, v := range sample(flat, Frame{Size: Size{Height: 5, Width: 3}, Crop: crop}) {
			if math.Abs(v-77) > 1e-9 {
				t.Errorf("crop %v of one grey has %v", crop, v)
			}
		}
	}
	if all, one := sample(m, Frame{Size: tiny}), sample(m, Frame{Size: tiny, Crop: 1}); !slices.Equal(all, one) {
		t.Error("all of an image is another image")
	}
}

// What is kept is about the centre of the image as it is seen.
func TestCropOfTurnedImages(t *testing.T) {
	in := Frame{Size: Size{Height: 6, Width: 3}, Crop: 0.5}
	want := sample(enlarged(letters(turnedBy[1]), 8), in)
	for o, rows := range turnedBy {
		data := jpegWith(asJPEG(enlarged(letters(rows), 8)), exifOf(o, binary.BigEndian))
		got, err := DecodeImage(t.Context(), data, "drawn", in)
		if err != nil || distance(got, want) > 12 { // of JPEG; letters differ by 40
			t.Errorf("orientation %d: %.0f, want %.0f, %v", o, got, want, err)
		}
	}
}

func TestCropIsRefused(t *testing.T) {
	for _, crop := range []float64{-0.1, 1.1, math.NaN(), math.Inf(1)} {
		in := Frame{Size: tiny, Crop: crop}
		if _, err := DecodeImage(t.Context(), asPGM(ramp(9, 9)), "x", in); err == nil || !strings.Contains(err.Error(), "crop = ") {
			t.Errorf("an image: crop %v: %v", crop, err)
		}
		if _, err := Open(t.Context(), "none", Options{Frame: in}); err == nil || !strings.Contains(err.Error(), "crop = ") {
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
	matrix := matFile(t, mat5.Double("fea", 2, h*w, mat.DenseCopyOf(mat.NewDense(2, h*w, x).T()).RawMatrix().Data),
		mat5.Int32("gnd", 2, 1, []int32{1, 2}),
		mat5.Int32("height", 1, 1, []int32{h}), mat5.Int32("width", 1, 1, []int32{w}))
	for _, in := range []Frame{
		{Size: Size{8, 6}, Crop: 0.5},
		{Size: Size{16, 12}, Crop: 0.7},
		{Size: Size{5, 9}},
		{Size: Size{7, 7}, Crop: 0.4},
	} {
		want, err := Open(t.Context(), folder, Options{Frame: in})
		if err != nil {
			t.Fatal(err)
		}
		if want.Frame.String() != in.String() {
			t.Errorf("%v: a folder is %v", in, want.Frame)
		}
		if !slices.Equal(mat.Col(nil, 1, want.X), sample(other, in)) {
			t.Errorf("%v: image 1 is another", in)
		}
		for _, path := range []string{file, matrix} {
			got, err := Open(t.Context(), path, Options{Frame: in})
			if err != nil {
				t.Fatal(err)
			}
			if !mat.EqualApprox(got.X, want.X, 1) || got.Frame.String() != want.Frame.String() { // values are kept in the range that the file has
				t.Errorf("%v: %s is %v", in, filepath.Ext(path), got.Frame)
			}
		}
	}
	for _, path := range []string{file, matrix} {
		if _, err := Open(t.Context(), path, Options{Frame: Frame{Crop: 0.5}}); err == nil ||
			!strings.Contains(err.Error(), "crop = 0.5 without a size") || advice.Text(err) == "" {
			t.Errorf("%s: a crop without a size: %v", filepath.Ext(path), err)
		}
		if set, err := Open(t.Context(), path, Options{Frame: Frame{Crop: 1}}); err != nil || set.Frame.String() != "16x12 pixels" {
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
		set, _ := opened(t, path, Size{})
		if set.White != want {
			t.Errorf("white is %v where the largest value is %v", set.White, largest)
		}
		if half := set.Select([]int{1}); half.White != want {
			t.Errorf("a selection has the white %v", half.White)
		}
		if resized, _ := opened(t, path, Size{Height: 2, Width: 2}); resized.White != want {
			t.Errorf("white is %v after resizing, where the largest value is %v", resized.White, largest)
		}
	}
	dark := ramp(4, 3)
	for i := range dark.Pix {
		dark.Pix[i] = uint8(i % 2)
	}
	other := ramp(4, 3)
	for i := range other.Pix {
		other.Pix[i] = uint8(i / 2 % 2)
	}
	set, _ := opened(t, drawFiles(t, map[string][]byte{"a/1.pgm": asPGM(dark), "b/1.pgm": asPGM(other)}), tiny)
	if set.White != 0 {
		t.Errorf("dark images have the white %v", set.White)
	}
}

// An .npz file keeps how its images were cut out, and gives them as no others.
func TestNPZKeepsTheFrame(t *testing.T) {
	images := album(t, []string{"b", "a"}, 3)
	for _, f := range []Frame{
		{Size: tiny}, {Size: tiny, Crop: 0.5}, {Size: tiny, Eyes: DefaultEyes}, {Size: tiny, Eyes: Eyes{0.5, 0.25}, Crop: 0.36},
	} {
		set := *images
		set.Frame = f
		path := filepath.Join(t.TempDir(), "images.npz")
		same(t, f.String(), saved(t, path, &set), &set)
		if _, err := Open(t.Context(), path, Options{Frame: f}); err != nil {
			t.Errorf("%v: %v", f, err)
		}
		if f.Same(Frame{Size: tiny}) {
			continue // can be resized
		}
		for _, other := range []Frame{{Size: Size{8, 6}}, {Size: tiny}, {Size: tiny, Crop: 0.7}} {
			_, err := Open(t.Context(), path, Options{Frame: other})
			if want := fmt.Sprintf("its images were read as %v, not %v", f, other); err == nil || !strings.Contains(err.Error(), want) ||
				advice.Text(err) == "" {
				t.Errorf("%v as %v: %v", f, other, err)
			}
		}
	}
}

// framedFile is a file of vectors of d numbers, with that text as their frame.
func framedFile(text string, d int) []byte {
	var b bytes.Buffer
	err := npz.Write(&b, npz.Float64("X", []int{3, d}, numbers(3*d)), npz.Text("y", []string{"a", "b", "a"}),
		npz.Text(inputArray, []string{text}))
	if err != nil {
		panic(err)
	}
	return b.Bytes()
}

// hostileFrames are not of the 12 numbers of their images.
var hostileFrames = map[string]string{
	``:                                     "not one that this nrdl knows",
	`igo`:                                  "not one that this nrdl knows",
	`"igo"`:                                "not one that this nrdl knows",
	`null`:                                 "not one that this nrdl knows",
	`["features"]`:                         "not one that this nrdl knows",
	`{"height":"4","width":3}`:             "not one that this nrdl knows",
	`{"height":4.5,"width":3,"crop":0.5}`:  "not one that this nrdl knows",
	`{"height":4,"width":3,"eyes":[0.5]}`:  "not one that this nrdl knows",
	`{"height":4,"width":3,"crop":0.5} {}`: "not one that this nrdl knows",
	`{"height":4,"width":3,"crop":0.5}x`:   "not one that this nrdl knows",
	`{"height":4,"width":3,"crop":-1}`:     "crop = -1",
	`{"height":-4,"width":-3}`:             "size -4x-3",
	`{"height":100000,"width":100000,"crop":0.5}`:                "size 100000x100000",
	`{"height":4,"width":4,"crop":0.5}`:                          "images of 4x4 have 16 pixels, not 12",
	`{"height":4,"width":3,"eyes":{"distance":5,"height":0.5}}`:  "eyes = 5@0.5",
	`{"height":4,"width":3,"eyes":{"distance":0.5,"height":-1}}`: "eyes = 0.5@-1",
}

func TestHostileFramesAreRefused(t *testing.T) {
	good := framedFile(`{"height":4,"width":3,"crop":0.5}`, 12)
	if set, err := readNPZ(bytes.NewReader(good), int64(len(good)), "x.npz", Options{}); err != nil ||
		set.Frame.String() != "4x3 crop=0.5 pixels" {
		t.Fatal(err)
	}
	for text, want := range hostileFrames {
		data := framedFile(text, 12)
		set, err := readNPZ(bytes.NewReader(data), int64(len(data)), "x.npz", Options{})
		if err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), inputArray) && !strings.Contains(err.Error(), "pixels, not") {
			t.Errorf("%s: %v, %v, want %s", text, set, err, want)
		}
		if strings.HasPrefix(want, "not one") && advice.Text(err) == "" {
			t.Errorf("%s: no hint of %v", text, err)
		}
	}
	// Another program's array of that name says nothing.
	for name, a := range map[string]npz.Array{
		"numbers":   npz.Float64(inputArray, []int{2}, []float64{1, 2}),
		"two texts": npz.Text(inputArray, []string{"a", "b"}),
	} {
		path := npzFile(t, npz.Float64("X", []int{3, 2}, numbers(6)), npz.Text("y", []string{"a", "b", "a"}), a)
		if set, _ := opened(t, path, Size{}); set.Frame != (Frame{}) {
			t.Errorf("%s: %v", name, set.Frame)
		}
	}
}

// A file of samples that older versions made of images is one of vectors, and
// the warning says so.
func TestFeaturesOfOlderFilesAreVectors(t *testing.T) {
	for _, text := range []string{
		`{"height":4,"width":3,"features":[{"name":"igo"}]}`, `{"height":4,"width":3,"crop":0.5,"photometric":[{"name":"lcn"}]}`,
		`{"height":4,"width":3,"features":[{"name":"igo"}],"zoom":0.5}`, `{"height":4,"width":3,"features":[{"name":"sift"}]}`,
	} {
		path := npzFile(t, npz.Float64("X", []int{3, 24}, numbers(72)), npz.Text("y", []string{"a", "b", "a"}),
			npz.Text(inputArray, []string{text}))
		set, warnings := opened(t, path, Size{})
		if set.Frame != (Frame{}) || set.White != 0 || set.X.RawMatrix().Rows != 24 || !slices.Equal(set.Groups, []int{0, 2, 3}) {
			t.Errorf("%s: %v in groups %v", text, set.Frame, set.Groups)
		}
		if len(warnings) != 1 || !strings.Contains(warnings[0], "its samples are features") || !strings.Contains(warnings[0], text) {
			t.Errorf("%s: warnings %q", text, warnings)
		}
	}
}

// sample is what DecodeImage makes of an image that holds img.
func sample(img image.Image, in Frame) []float64 { return resample(greyOf(img), in, 0, 255) }
