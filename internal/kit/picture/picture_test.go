package picture_test

import (
	"image"
	"image/color"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/image/draw"
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/kit/picture"
)

// bars write a bar for each letter.
type bars struct{}

func (bars) Bounds(text string, size float64) image.Rectangle {
	return image.Rect(0, -int(0.7*size), int(0.6*size*float64(utf8.RuneCountInString(text))), 0)
}

func (b bars) Write(dst draw.Image, ink color.Color, text string, size float64, at image.Point, room int) {
	box := b.Bounds(text, size)
	box.Max.X = min(box.Max.X, room)
	draw.Draw(dst, box.Add(at), image.NewUniform(ink), image.Point{}, draw.Over)
}

// The pixels of a column are stored column after column.
func TestSampleIsColumnMajor(t *testing.T) {
	x := mat.NewDense(6, 1, []float64{0, 10, 20, 30, 40, 50}) // 3 high, 2 wide
	img, err := picture.Sample(x, 0, picture.Size{Height: 3, Width: 2}, picture.Grey)
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []uint8{0, 30, 10, 40, 20, 50} { // as it is read
		if got := img.GrayAt(i%2, i/2).Y; got != want {
			t.Errorf("row %d, column %d is %d, want %d", i/2, i%2, got, want)
		}
	}
}

func TestRanges(t *testing.T) {
	in := picture.Size{Height: 3, Width: 1}
	for _, c := range []struct {
		r    picture.Range
		v    []float64
		want [3]uint8
	}{
		{picture.Each, []float64{2, 3, 4}, [3]uint8{0, 128, 255}},
		{picture.Each, []float64{-1, 0, 2}, [3]uint8{64, 128, 255}}, // zero is mid grey
		{picture.Each, []float64{5, 5, 5}, [3]uint8{128, 128, 128}},
		{picture.Each, []float64{0, 0, 0}, [3]uint8{128, 128, 128}},
		{picture.Grey, []float64{-7, 100, 300}, [3]uint8{0, 100, 255}},
	} {
		img, err := picture.Sample(mat.NewDense(3, 1, c.v), 0, in, c.r)
		if err != nil {
			t.Fatal(err)
		}
		if got := [3]uint8(img.Pix); got != c.want {
			t.Errorf("%s of %v is %v, want %v", c.r, c.v, got, c.want)
		}
	}
}

// Where is colour c on the sheet?
func where(img image.Image, c color.Color) (box image.Rectangle) {
	r, g, b, _ := c.RGBA()
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			if r1, g1, b1, _ := img.At(x, y).RGBA(); r1 == r && g1 == g && b1 == b {
				box = box.Union(image.Rect(x, y, x+1, y+1))
			}
		}
	}
	return box
}

func TestSheetKeepsTextBesideSamples(t *testing.T) {
	x := mat.NewDense(4, 5, nil)
	for i := range 4 {
		for j := range 5 {
			x.Set(i, j, 0) // black, which neither paper nor text is
		}
	}
	opt := picture.DefaultSheet
	opt.Groups, opt.Captions = []int{0, 3, 5}, []string{"Ada Lovelace", strings.Repeat("Émilie ", 20)}
	opt.Letters, opt.Heading = bars{}, bars{}
	opt.Columns, opt.Range, opt.Title = 2, picture.Grey, "A title that is much longer than the sheet below it is wide, and so is cut"
	img, err := picture.Sheet(x, picture.Size{Height: 2, Width: 2}, opt)
	if err != nil {
		t.Fatal(err)
	}
	samples, text := where(img, color.Gray{Y: 0}), where(img, color.RGBA{34, 34, 34, 255})
	left := image.Rect(0, samples.Min.Y, samples.Min.X, img.Bounds().Dy())
	if text.Empty() || where(img.(*image.RGBA).SubImage(left), color.RGBA{34, 34, 34, 255}).Empty() {
		t.Error("the sheet has no captions")
	}
	body := img.(*image.RGBA).SubImage(samples)
	for y := samples.Min.Y; y < samples.Max.Y; y++ {
		for x := samples.Min.X; x < samples.Max.X; x++ {
			if body.At(x, y) == (color.RGBA{34, 34, 34, 255}) {
				t.Fatalf("text over the samples at (%d, %d)", x, y)
			}
		}
	}
	if !text.In(img.Bounds().Inset(8)) {
		t.Errorf("text at %v runs into the edge of %v", text, img.Bounds())
	}
	// Two rows of two and one, then one row of two: 3 rows high, 2 wide.
	if w, h := samples.Dx(), samples.Dy(); w < 2*96 || w > 2*96+8 || h < 3*96 || h > 3*96+16 {
		t.Errorf("samples fill %d×%d pixels", w, h)
	}
}

func TestSheetMarks(t *testing.T) {
	x := mat.NewDense(4, 3, []float64{0, 0, 0, 9, 9, 9, 9, 9, 9, 9, 9, 9})
	opt := picture.DefaultSheet
	opt.Marks = []picture.Mark{picture.Plain, picture.Right, picture.Wrong}
	img, err := picture.Sheet(x, picture.Size{Height: 2, Width: 2}, opt)
	if err != nil {
		t.Fatal(err)
	}
	right, wrong := where(img, color.RGBA{0, 140, 60, 255}), where(img, color.RGBA{210, 30, 40, 255})
	if right.Size() != image.Pt(96, 96) || wrong.Size() != image.Pt(96, 96) {
		t.Errorf("borders are %v and %v", right, wrong)
	}
	if right.Min != wrong.Min.Sub(image.Pt(100, 0)) {
		t.Errorf("the second sample is at %v, the third at %v", right, wrong)
	}
}

func TestSheetRefuses(t *testing.T) {
	x, in := mat.NewDense(4, 2, nil), picture.Size{Height: 2, Width: 2}
	for want, edit := range map[string]func(*picture.SheetOptions){
		"in a row":     func(o *picture.SheetOptions) { o.Columns = 0 },
		"pixels high":  func(o *picture.SheetOptions) { o.Side = 0 },
		"range":        func(o *picture.SheetOptions) { o.Range = "" },
		"1 marks":      func(o *picture.SheetOptions) { o.Marks = make([]picture.Mark, 1) },
		"2 captions":   func(o *picture.SheetOptions) { o.Captions = make([]string, 2) },
		"do not fit":   func(o *picture.SheetOptions) { o.Groups = []int{0, 9} },
		"no letters":   func(o *picture.SheetOptions) { o.Title = "A" },
		"is empty":     func(o *picture.SheetOptions) { o.Groups = []int{0, 2, 2} },
		"0 groups":     func(o *picture.SheetOptions) { o.Groups = []int{0} },
		"unknown mark": func(o *picture.SheetOptions) { o.Marks = []picture.Mark{0, 9} },
	} {
		opt := picture.DefaultSheet
		edit(&opt)
		if _, err := picture.Sheet(x, in, opt); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
	if _, err := picture.Sheet(x, picture.Size{Height: 3, Width: 2}, picture.DefaultSheet); err == nil {
		t.Error("samples of 4 features passed for images of 3x2")
	}
	opt := picture.DefaultSheet
	opt.Columns, opt.Side = 1, 1000
	if _, err := picture.Sheet(mat.NewDense(1, 100_000, nil), picture.Size{Height: 1, Width: 1},
		opt); err == nil || !strings.Contains(err.Error(), "too large") {
		t.Errorf("error %v of a sheet of 10⁸ rows of pixels", err)
	}
}
