// Package tiff decodes TIFF files: the usual kinds with golang.org/x/image/tiff, all others with libtiff
// in WebAssembly, within bounds.
package tiff

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"strings"
	"time"

	"golang.org/x/image/tiff"

	"nrdl.example/nrdl/faces/internal/bounded"
	"nrdl.example/nrdl/faces/internal/sandbox"
)

//go:embed wasm/tiff.wasm.zst
var code []byte

var program = sandbox.New(code)

// Config returns the size in the header of a TIFF file.
func Config(ctx context.Context, data []byte) (image.Config, error) {
	d, _, err := photograph(data)
	if err != nil {
		return image.Config{}, err
	}
	if d.usual() {
		return tiff.DecodeConfig(bounded.NewReader(ctx, data))
	}
	return image.Config{ColorModel: color.RGBAModel, Width: d.one(tagWidth, 0), Height: d.one(tagHeight, 0)}, nil
}

// Memory returns the bytes that Decode takes, and those of grey values.
func Memory(data []byte) (int64, error) {
	d, _, err := photograph(data)
	switch {
	case err != nil:
		return 0, err
	case d.usual():
		each := d.one(tagSamples, 1) * d.one(tagBits, 1) / 8
		if each > 2 {
			each = (each + 3) / 4 * 4
		}
		return int64(max(each, 1)+1)*int64(d.pixels()) + d.blockMemory(), nil
	}
	limits, err := d.limits()
	return int64(limits.Memory) + 5*int64(d.pixels()), err
}

// A block that is grown while it is decoded takes three times its bytes.
const growing = 3

// blockMemory is what package tiff of x/image takes for the blocks of the image.
func (d *directory) blockMemory() int64 {
	if d.one(tagCompression, compressionNone) != compressionNone {
		return growing * maxPerPixel * int64(d.blockPixels())
	}
	largest := 0
	for _, tag := range []int{tagStripSizes, tagTileSizes} {
		for i := range d.count(tag) {
			largest = max(largest, d.value(tag, i))
		}
	}
	return growing * int64(min(largest, len(d.data)))
}

// Compressed blocks of more pixels are left to libtiff, as package tiff of x/image gives each of them
// up to maxPerPixel bytes, whatever it needs.
const (
	maxBlock    = 1 << 20
	maxPerPixel = 8
)

// blockPixels is the number of pixels of a strip or tile.
func (d *directory) blockPixels() int {
	if d.count(tagTileWidth) > 0 {
		return d.one(tagTileWidth, 0) * d.one(tagTileHeight, 0)
	}
	h := d.one(tagHeight, 0)
	return d.one(tagWidth, 0) * min(h, d.one(tagStripRows, h))
}

// Decode returns the photograph in a TIFF file as it is stored, and the number of its pages, of which
// it is the first. The caller has checked its size. If ctx ends, the error is its cause.
func Decode(ctx context.Context, data []byte) (img image.Image, pages int, err error) {
	d, pages, err := photograph(data)
	if err != nil {
		return nil, 0, err
	}
	if d.usual() {
		img, err = tiff.Decode(bounded.NewReader(ctx, data))
	} else {
		img, err = d.decode(ctx)
	}
	return img, pages, err
}

// usual reports whether package tiff of x/image reads the image right. It takes some others for
// something else.
func (d *directory) usual() bool {
	bits, samples := d.one(tagBits, 1), d.one(tagSamples, 1)
	const limit = 4 // samples
	for i := range min(samples, limit) {
		if d.count(tagBits) > i && d.value(tagBits, i) != bits || d.count(tagFormat) > i && d.value(tagFormat, i) != 1 {
			return false
		}
	}
	predictor := d.one(tagPredictor, 1)
	switch d.one(tagCompression, 1) {
	case compressionNone:
	case compressionLZW, compressionDeflate, compressionOldDeflate, compressionPackBits:
		if d.blockPixels() > maxBlock {
			return false
		}
	default:
		return false
	}
	switch {
	case !d.first || !d.sorted || d.count(tagStripSizes)+d.count(tagTileSizes) == 0 || d.wide || d.one(tagFillOrder, 1) != 1 ||
		d.one(tagPlanar, 1) != 1 && samples > 1:
		return false
	case predictor != 1 && (predictor != 2 || bits < 8):
		return false
	}
	extra := d.one(tagExtra, 0)
	switch d.one(tagPhotometric, -1) {
	case photometricWhite, photometricBlack:
		return samples == 1 && (bits == 1 || bits == 8 || bits == 16)
	case photometricPalette:
		return samples == 1 && bits == 8
	case photometricRGB:
		return (bits == 8 || bits == 16) && d.count(tagBits) == samples &&
			(samples == 3 || samples == 4 && d.count(tagExtra) == 1 && (extra == 1 || extra == 2))
	}
	return false
}

func (d *directory) pixels() int { return d.one(tagWidth, 0) * d.one(tagHeight, 0) }

// limits are those of libtiff. It is an error if the blocks of the image are much larger than it is.
func (d *directory) limits() (sandbox.Limits, error) {
	w, h := d.one(tagWidth, 0), d.one(tagHeight, 0)
	width, height := w, min(h, d.one(tagStripRows, h)) // of a block
	if d.count(tagTileWidth) > 0 {
		width, height = d.one(tagTileWidth, 0), d.one(tagTileHeight, 0)
	}
	const largest = 1 << 10 // of a tile, where it exceeds the image
	if width > max(w, largest) || height > max(h, largest) {
		return sandbox.Limits{}, fmt.Errorf("tiles of %d×%d pixels, the image has %d×%d", width, height, w, h)
	}
	bits, samples := min(d.one(tagBits, 1), 64), min(d.one(tagSamples, 1), 64)
	block := width * height * samples * max(bits, 8) / 8
	blocks, copies := 2, 1 // in memory at once: decoded ones, and of the file
	if c := d.one(tagCompression, compressionNone); c == compressionJPEG || c == compressionOldJPEG {
		blocks = 4
	}
	if d.one(tagFillOrder, 1) != 1 {
		copies = 2
	}
	across, down := (w+width-1)/max(width, 1), (h+height-1)/max(height, 1)
	return sandbox.Limits{
		Turns:  1<<26 + 16*(across*down*block+d.pixels()+len(d.data)),
		Memory: 16<<20 + 4*d.pixels() + blocks*block + copies*len(d.data),
		Time:   20*time.Second + time.Duration(d.pixels())*time.Microsecond,
	}, nil
}

// Fields of the result of the program, as tiff.c has them.
const (
	status = iota
	pixels
	message
	fields
)

// Values of the status.
const (
	whole       = 0
	unsupported = 1
)

// decode decodes the image with libtiff.
func (d *directory) decode(ctx context.Context) (image.Image, error) {
	limits, err := d.limits()
	if err != nil {
		return nil, err
	}
	r := image.Rect(0, 0, d.one(tagWidth, 0), d.one(tagHeight, 0))
	var img *image.RGBA
	kind, words := -1, ""
	err = program.Do(ctx, limits, func(run *sandbox.Run) {
		in, out := run.Store(d.data), run.Malloc(4*fields)
		run.Call("tiff", in, uint64(len(d.data)), uint64(d.start), uint64(r.Max.X), uint64(r.Max.Y), out)
		kind, words = run.Int(out+4*status), run.Words(out+4*message)
		if samples := run.Read(uint64(uint32(run.Int(out+4*pixels))), 4*d.pixels()); kind == whole && run.Err() == nil {
			img = image.NewRGBA(r)
			copy(img.Pix, samples)
		}
	})
	if err != nil && !errors.Is(err, sandbox.ErrEnds) || img != nil {
		return img, err
	}
	return nil, d.explained(kind, words)
}

// What a file may have that libtiff does not decode as it is compiled here.
var (
	compressions = map[int]string{
		34661: "JBIG", 34712: "JPEG 2000", 34887: "LERC", 34892: "lossy JPEG of DNG", 34925: "LZMA",
		50000: "Zstandard", 50001: "WebP", 50002: "JPEG XL",
	}
	formats = map[int]string{2: "signed numbers", 3: "floating-point numbers", 5: "complex numbers", 6: "complex numbers"}
	colours = map[int]string{
		4: "a mask", 5: "inks other than CMYK", 8: "colours by CIE L*a*b*", 9: "colours by ICC L*a*b*", 10: "colours by ITU L*a*b*",
		32803: "the raw samples of a sensor", 34892: "the raw samples of a sensor", 51177: "a map of depth",
	}
)

// reason is why libtiff does not decode the image; words are its own.
func (d *directory) reason(words string) string {
	compression, format, photometric := d.one(tagCompression, compressionNone), d.one(tagFormat, 1), d.one(tagPhotometric, photometricBlack)
	switch {
	case strings.Contains(words, "requested compression"):
		return "compression by " + cmp.Or(compressions[compression], fmt.Sprintf("method %d", compression))
	case formats[format] != "":
		return "samples that are " + formats[format]
	case colours[photometric] != "":
		return colours[photometric]
	}
	how := ""
	if d.one(tagPlanar, 1) != 1 {
		how = " in planes"
	}
	return fmt.Sprintf("%d samples a pixel of %d bits each%s, photometric interpretation %d",
		d.one(tagSamples, 1), d.one(tagBits, 1), how, photometric)
}

// explained is the error for a status of the program and what libtiff says.
func (d *directory) explained(kind int, words string) error {
	switch {
	case kind == unsupported:
		return fmt.Errorf("unsupported: %s", d.reason(words))
	case strings.Contains(words, "Read error") || strings.Contains(words, "Not enough data"):
		return io.ErrUnexpectedEOF
	case words == "":
		return sandbox.ErrEnds
	}
	return errors.New(strings.TrimSuffix(words, "."))
}
