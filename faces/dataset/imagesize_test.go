package dataset_test

import (
	"bytes"
	"image"
	"image/jpeg"
	"image/png"
	"testing"

	"nrdl.example/nrdl/faces/dataset"
)

// ImageSize tells the size of what DecodePhoto decodes, from the header alone, and
// refuses the sizes that DecodePhoto refuses.
func TestImageSize(t *testing.T) {
	img := image.NewGray(image.Rect(0, 0, 30, 20))
	var asPNG, asJPEG bytes.Buffer
	if err := png.Encode(&asPNG, img); err != nil {
		t.Fatal(err)
	}
	if err := jpeg.Encode(&asJPEG, img, nil); err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"png": asPNG.Bytes(), "jpeg": asJPEG.Bytes(),
		"pnm": []byte("P5 30 20 255\n"), "cut png": asPNG.Bytes()[:40],
	} {
		if size, err := dataset.ImageSize(data, name); err != nil || size != img.Rect.Size() {
			t.Errorf("%s: %v, %v", name, size, err)
		}
	}
	for name, data := range map[string]string{
		"no image": "hello", "empty": "", "bomb": "P5 60000 60000 255\n",
		"nothing": "P5 0 20 255\n", "cut": "\x89PNG\r\n\x1a\n",
	} {
		_, err := dataset.ImageSize([]byte(data), name)
		if _, decoding := dataset.DecodePhoto(t.Context(), []byte(data), name); err == nil || decoding == nil || err.Error() != decoding.Error() {
			t.Errorf("%s: %v, and decoding says %v", name, err, decoding)
		}
	}
}
