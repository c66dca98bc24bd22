package synthetic_test

import (
	"bytes"
	"flag"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math"
	"os"
	"path/filepath"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/faces/lettering"
)

var update = flag.Bool("update", false, "write the picture of the documentation again")

// TestDenoisingPicture compares doc/denoising.png with what the example finds:
// from left to right the noisy picture, the best Gaussian filter, the learned
// dictionary and the clean picture. This writes it:
//
//	go test ./faces/synthetic -run DenoisingPicture -update
func TestDenoisingPicture(t *testing.T) {
	path := filepath.Join("..", "..", "doc", "denoising.png")
	if os.Getenv("NRDL_LONG") == "" && !*update {
		t.Skip("NRDL_LONG makes the picture")
	}
	clean := drawFace(160)
	noisy := addNoise(clean, 20, 1)
	filtered, found := bestFilter(noisy, clean), denoise(noisy, 20)
	before, best, after := psnr(noisy, clean), psnr(filtered, clean), psnr(found, clean)
	t.Logf("noisy %.2f dB, filtered %.2f dB, learned dictionary %.2f dB", before, best, after)
	if after < before+9 || after < best+2 {
		t.Errorf("noisy %.2f dB, filtered %.2f dB, learned dictionary %.2f dB", before, best, after)
	}
	strip := sideBySide([]string{
		fmt.Sprintf("noisy, %.1f dB", before), fmt.Sprintf("the best Gaussian filter, %.1f dB", best),
		fmt.Sprintf("learned dictionary, %.1f dB", after), "clean",
	}, noisy, filtered, found, clean)
	if *update {
		var b bytes.Buffer
		if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, strip); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if d := pictureDifference(t, path, strip); d > 0.5 {
		t.Errorf("%s is another picture, on average by %.2f grey values: write it again with -update", path, d)
	}
}

// sideBySide puts pictures beside each other below their labels, a pixel as 2×2.
func sideBySide(labels []string, pictures ...*mat.Dense) *image.Gray {
	const zoom, gap, head, text = 2, 8, 30, 17
	height, width := pictures[0].Dims()
	strip := image.NewGray(image.Rect(0, 0, len(pictures)*(zoom*width+gap)-gap, head+zoom*height))
	draw.Draw(strip, strip.Bounds(), image.White, image.Point{}, draw.Src)
	for p, picture := range pictures {
		lettering.Regular.Write(strip, image.Black, labels[p], text, image.Pt(p*(zoom*width+gap)+2, head-10), zoom*width)
		small := grey(picture)
		for i := range zoom * height {
			for j := range zoom * width {
				strip.SetGray(p*(zoom*width+gap)+j, head+i, small.GrayAt(j/zoom, i/zoom))
			}
		}
	}
	return strip
}

// pictureDifference compares the picture of a file with want: back ends round
// differently.
func pictureDifference(t *testing.T, path string, want *image.Gray) float64 {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	got, err := png.Decode(bytes.NewReader(data))
	if err != nil || got.Bounds() != want.Bounds() {
		t.Fatalf("%s: %v of %v, %v", path, got.Bounds(), want.Bounds(), err)
	}
	var sum float64
	for i := range want.Rect.Dy() {
		for j := range want.Rect.Dx() {
			sum += math.Abs(float64(color.GrayModel.Convert(got.At(j, i)).(color.Gray).Y) - float64(want.GrayAt(j, i).Y))
		}
	}
	return sum / float64(len(want.Pix))
}
