package dataset

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/gif"
	"image/png"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/jsummers/gobmp"
	"golang.org/x/image/webp"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/internal/bounded"
	"nrdl.example/nrdl/faces/internal/tiff"
	"nrdl.example/nrdl/internal/kit/metadata"
)

// A format is a kind of image file.
type format struct {
	name   string
	magic  []string // how a file begins; '?' stands for any byte
	brands []string // or one of those that the file lists in its first box
	config func(context.Context, []byte) (image.Config, error)
	decode func(context.Context, []byte) (image.Image, error)

	// memory returns the bytes that decoding takes, or why the file is refused. If it is
	// nil, or returns 0, decoding takes at most bytesPerPixel for each pixel.
	memory func([]byte) (int64, error)

	extensions []string // of a foreign format
}

// formats are recognised by content. The registry of package image is not used, since
// any linked package may extend it.
var formats = []format{
	{name: "PNM", magic: pnmMagic, config: whole(pnmConfig), decode: pnmDecode},
	{name: "PNG", magic: []string{"\x89PNG\r\n\x1a\n"}, config: using(png.DecodeConfig), decode: using(png.Decode), memory: pngMemory},
	{name: "JPEG", magic: []string{"\xff\xd8\xff"}, config: jpegConfig, decode: jpegDecode, memory: jpegMemory},
	{name: "WebP", magic: []string{"RIFF????WEBP"}, config: using(webp.DecodeConfig), decode: webpDecode},
	{name: "GIF", magic: []string{"GIF8"}, config: using(gif.DecodeConfig), decode: using(gif.Decode)},
	{name: "BMP", magic: []string{"BM????\x00\x00\x00\x00"}, config: using(gobmp.DecodeConfig), decode: using(gobmp.Decode)},
	{
		name: "AVIF", brands: []string{"avif", "avis"}, config: heicConfig, decode: heicDecode,
		memory: heicMemory,
	}, // before HEIC, whose brand mif1 it may have
	{
		name: "HEIC", brands: []string{"heic", "heix", "heim", "heis", "hevc", "hevx", "mif1", "mif2", "mif3", "msf1"},
		config: heicConfig, decode: heicDecode, memory: heicMemory,
	},
	{name: "TIFF", magic: []string{"II*\x00", "MM\x00*", "II+\x00", "MM\x00+"}, config: tiff.Config, decode: tiffDecode, memory: tiff.Memory},
}

// foreign are formats that are recognised only for error messages.
var foreign = []format{
	{name: "JPEG 2000", magic: []string{"????jP  ", "\xff\x4f\xff\x51"}, extensions: []string{".jp2", ".j2k", ".jpf", ".jpx"}},
	{name: "raw", extensions: []string{".dng", ".cr2", ".cr3", ".nef", ".arw", ".raf", ".orf", ".rw2", ".pef", ".srw"}},
	{name: "JPEG XL", magic: []string{"????JXL ", "\xff\x0a"}, extensions: []string{".jxl"}},
	{name: "PAM", magic: []string{"P7\n"}, extensions: []string{".pam"}},
}

// refuse is the error for a file of a foreign format.
func (f format) refuse() error {
	return advice.Add(fmt.Errorf("%s files cannot be read", f.name), "convert it to JPEG or PNG")
}

// extensions of image files, lower case.
var extensions = []string{
	".pgm", ".pnm", ".pbm", ".ppm", ".png", ".jpg", ".jpeg", ".jpe", ".jfif",
	".webp", ".bmp", ".dib", ".tif", ".tiff", ".gif",
	".heic", ".heif", ".hif", ".avif",
}

// IsImage reports whether name has the extension of an image file.
func IsImage(name string) bool {
	return slices.Contains(extensions, strings.ToLower(filepath.Ext(name)))
}

// using makes f read from a reader that ends with its context.
func using[T any](f func(io.Reader) (T, error)) func(context.Context, []byte) (T, error) {
	return func(ctx context.Context, data []byte) (T, error) {
		return f(bounded.NewReader(ctx, data))
	}
}

// whole adapts a function that needs no context.
func whole[T any](f func([]byte) (T, error)) func(context.Context, []byte) (T, error) {
	return func(_ context.Context, data []byte) (T, error) { return f(data) }
}

func (f format) matches(data []byte) bool {
	if f.brands != nil {
		return slices.ContainsFunc(metadata.Brands(data), func(b string) bool { return slices.Contains(f.brands, b) })
	}
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
			if f.brands != nil && heicDecoder.Load() == nil {
				return format{}, errNoHEIC
			}
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

// A Decoder reads image files of a format that this package does not read itself.
type Decoder struct {
	Config func(ctx context.Context, data []byte) (image.Config, error) // before it is turned upright
	Decode func(ctx context.Context, data []byte) (image.Image, error)  // upright
	Memory func(data []byte) int64                                      // bytes that Decode takes at most; may be nil
}

var heicDecoder atomic.Pointer[Decoder]

// UseHEIC sets the decoder of HEIC and AVIF files. A program calls Register of package heic, which
// calls UseHEIC.
func UseHEIC(d Decoder) { heicDecoder.Store(&d) }

// errNoHEIC is the error of a program that has not called Register of package heic.
var errNoHEIC = advice.Add(errors.New("HEIC and AVIF files are not read by this program"),
	"a program reads them after heic.Register(), of the package heic beside this one; or convert them to JPEG")

func heicConfig(ctx context.Context, data []byte) (image.Config, error) {
	return heicDecoder.Load().Config(ctx, data) // formatOf has looked
}

func heicDecode(ctx context.Context, data []byte) (image.Image, error) {
	return heicDecoder.Load().Decode(ctx, data)
}

func heicMemory(data []byte) (int64, error) {
	if memory := heicDecoder.Load().Memory; memory != nil {
		return memory(data), nil
	}
	return 0, nil
}
