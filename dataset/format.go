package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/image/bmp"
	"golang.org/x/image/tiff"
	"golang.org/x/image/webp"

	"nrdl/internal/heif"
	"nrdl/internal/hint"
)

// A format is a kind of image file.
type format struct {
	name   string
	magic  []string // how a file begins; '?' stands for any byte
	config func([]byte) (image.Config, error)
	decode func([]byte) (image.Image, error)
	exif   func([]byte) []byte // the TIFF structure that tells the orientation; may be nil

	extensions []string // of a foreign format
}

// formats are told by content and not through the registry of package image,
// which whatever is linked into the program may extend.
var formats = []format{
	{"PNM", pnmMagic, pnmConfig, pnmDecode, nil, nil},
	{"PNG", []string{"\x89PNG\r\n\x1a\n"}, using(png.DecodeConfig), using(png.Decode), pngExif, nil},
	{"JPEG", []string{"\xff\xd8\xff"}, using(jpeg.DecodeConfig), using(jpeg.Decode), jpegExif, nil},
	{"WebP", []string{"RIFF????WEBP"}, using(webp.DecodeConfig), using(webpDecode), webpExif, nil},
	{"GIF", []string{"GIF8"}, using(gif.DecodeConfig), using(gif.Decode), nil, nil},
	{"BMP", []string{"BM????\x00\x00\x00\x00"}, using(bmp.DecodeConfig), using(bmp.Decode), nil, nil},
	{"HEIC", []string{"????ftyphei", "????ftyphev", "????ftypmif1", "????ftypmsf1"}, heif.Config, heicDecode, nil, nil},
	{"TIFF", []string{"II*\x00", "MM\x00*"}, using(tiff.DecodeConfig), using(tiff.Decode), itself, nil},
}

// foreign are image files that are recognised only to say what they are.
var foreign = []format{
	{name: "AVIF", magic: []string{"????ftypavi"}, extensions: []string{".avif"}},
	{name: "JPEG 2000", magic: []string{"????jP  ", "\xff\x4f\xff\x51"}, extensions: []string{".jp2", ".j2k", ".jpf", ".jpx"}},
	{name: "raw", extensions: []string{".dng", ".cr2", ".cr3", ".nef", ".arw", ".raf", ".orf", ".rw2", ".pef", ".srw"}},
	{name: "JPEG XL", magic: []string{"????JXL ", "\xff\x0a"}, extensions: []string{".jxl"}},
	{name: "PAM", magic: []string{"P7\n"}, extensions: []string{".pam"}},
}

// refuse is the error for a file of a foreign format.
func (f format) refuse() error {
	return hint.Add(fmt.Errorf("%s files cannot be read", f.name), "convert it to JPEG or PNG")
}

// extensions of image files, lower case.
var extensions = []string{
	".pgm", ".pnm", ".pbm", ".ppm", ".png", ".jpg", ".jpeg", ".jpe", ".jfif",
	".webp", ".bmp", ".dib", ".tif", ".tiff", ".gif",
	".heic", ".heif", ".hif",
}

// IsImage reports whether name has the extension of an image file.
func IsImage(name string) bool {
	return slices.Contains(extensions, strings.ToLower(filepath.Ext(name)))
}

func using[T any](f func(io.Reader) (T, error)) func([]byte) (T, error) {
	return func(data []byte) (T, error) { return f(bytes.NewReader(data)) }
}

func (f format) matches(data []byte) bool {
	return slices.ContainsFunc(f.magic, func(magic string) bool {
		if len(data) < len(magic) {
			return false
		}
		for i := range len(magic) {
			if magic[i] != '?' && data[i] != magic[i] {
				return false
			}
		}
		return true
	})
}

func formatOf(data []byte) (format, error) {
	if len(data) == 0 {
		return format{}, errors.New("the file is empty")
	}
	for _, f := range formats {
		if f.matches(data) {
			return f, nil
		}
	}
	for _, f := range foreign {
		if f.matches(data) {
			return format{}, f.refuse()
		}
	}
	return format{}, errors.New("not an image")
}

// webpDecode decodes a WebP image. The lossy kind holds luma 16 … 235 and
// chroma 16 … 240, which package webp returns as if both were 0 … 255
// (golang.org/issue/40173): they are stretched here.
func webpDecode(r io.Reader) (image.Image, error) {
	img, err := webp.Decode(r)
	if err != nil {
		return nil, err
	}
	var lossy *image.YCbCr
	switch m := img.(type) {
	case *image.YCbCr:
		lossy = m
	case *image.NYCbCrA:
		lossy = &m.YCbCr
	default:
		return img, nil
	}
	stretchVideo(lossy)
	return img, nil
}

// heicDecode decodes a HEIC photograph, which comes upright.
func heicDecode(data []byte) (image.Image, error) {
	img, err := heif.Decode(data)
	if m, ok := img.(*image.YCbCr); ok && heif.Video(data) {
		stretchVideo(m)
	}
	return img, err
}

// stretchVideo maps luma 16 … 235 and chroma 16 … 240 to 0 … 255.
func stretchVideo(m *image.YCbCr) {
	stretch(m.Y, 16, 0, 219)
	stretch(m.Cb, 128, 128, 224)
	stretch(m.Cr, 128, 128, 224)
}

// stretch maps v to zero + (v − from)·255/span.
func stretch(samples []byte, from, zero, span float64) {
	var table [256]byte
	for v := range table {
		w := math.Round(zero + (float64(v)-from)*255/span)
		table[v] = byte(max(0, min(255, w)))
	}
	for i, v := range samples {
		samples[i] = table[v]
	}
}
