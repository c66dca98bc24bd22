package dataset

import (
	"context"
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

	"github.com/jsummers/gobmp"
	"golang.org/x/image/webp"

	"nrdl/internal/bounded"
	"nrdl/internal/heif"
	"nrdl/internal/hint"
	"nrdl/internal/tiff"
)

// A format is a kind of image file.
type format struct {
	name   string
	magic  []string // how a file begins; '?' stands for any byte
	config func(context.Context, []byte) (image.Config, error)
	decode func(context.Context, []byte) (image.Image, error)
	exif   func([]byte) []byte // the TIFF structure that tells the orientation; may be nil

	// memory tells how many bytes decoding takes, or why the file is not decoded; nil: at
	// most bytesPerPixel for each pixel.
	memory func([]byte) (int64, error)

	extensions []string // of a foreign format
}

// formats are told by content and not through the registry of package image,
// which whatever is linked into the program may extend.
var formats = []format{
	{name: "PNM", magic: pnmMagic, config: whole(pnmConfig), decode: pnmDecode},
	{name: "PNG", magic: []string{"\x89PNG\r\n\x1a\n"}, config: using(png.DecodeConfig), decode: using(png.Decode), exif: pngExif},
	{name: "JPEG", magic: []string{"\xff\xd8\xff"}, config: using(jpeg.DecodeConfig), decode: using(jpeg.Decode), exif: jpegExif, memory: jpegMemory},
	{name: "WebP", magic: []string{"RIFF????WEBP"}, config: using(webp.DecodeConfig), decode: webpDecode, exif: webpExif},
	{name: "GIF", magic: []string{"GIF8"}, config: using(gif.DecodeConfig), decode: using(gif.Decode)},
	{name: "BMP", magic: []string{"BM????\x00\x00\x00\x00"}, config: using(gobmp.DecodeConfig), decode: using(gobmp.Decode)},
	{name: "HEIC", magic: []string{"????ftyphei", "????ftyphev", "????ftypmif1", "????ftypmsf1"}, config: whole(heif.Config), decode: heicDecode},
	{name: "TIFF", magic: []string{"II*\x00", "MM\x00*"}, config: tiff.Config, decode: tiff.Decode, exif: itself},
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

// using gives f a reader that ends with its context.
func using[T any](f func(io.Reader) (T, error)) func(context.Context, []byte) (T, error) {
	return func(ctx context.Context, data []byte) (T, error) {
		return f(bounded.NewReader(ctx, data))
	}
}

// whole is for f that is done at once.
func whole[T any](f func([]byte) (T, error)) func(context.Context, []byte) (T, error) {
	return func(_ context.Context, data []byte) (T, error) { return f(data) }
}

// jpegMemory is the memory that decoding takes. It is an error if the file has more scans
// than may be decoded.
func jpegMemory(data []byte) (int64, error) {
	j := bounded.ReadJPEG(data)
	return j.Memory(), j.Check()
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

// heicDecode decodes a HEIC photograph, which comes upright.
func heicDecode(ctx context.Context, data []byte) (image.Image, error) {
	img, err := heif.Decode(ctx, data)
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
