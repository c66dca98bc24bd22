// Package heic decodes HEIC photographs, as iPhones take them, and AVIF images.
//
// The package reads the structure of a file itself, within bounds, and gives only single
// coded images to a decoder: libde265 for HEIC, and libavif with dav1d for AVIF, in
// WebAssembly, which wazero runs in this process. A hostile file cannot reach memory outside of
// its run, nor use more time or memory than a photograph of its size. Pixels do not depend on
// what is installed. No process is started.
package heic

import (
	"context"
	"errors"
	"fmt"
	"image"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/internal/sandbox"
	"nrdl.example/nrdl/faces/internal/videorange"
)

// maxPixels is the most that a file may claim: 32-bit addresses reach no further.
const maxPixels = 1 << 26

// Decode returns the photograph in the HEIC or AVIF file data, turned as the file
// says, with values 0 … 255. The kinds of image are *image.YCbCr, *image.Gray, *image.RGBA,
// *image.NRGBA and *image.NYCbCrA; samples of more than 8 bits are reduced to 8. Decode ends
// within a second of ctx. A few files are decoded at once, others wait.
func Decode(ctx context.Context, data []byte) (image.Image, error) {
	f, err := read(data)
	if err != nil {
		return nil, err
	}
	if f.width > maxPixels || f.height > maxPixels/f.width { // the product may overflow
		return nil, fmt.Errorf("%d×%d are too many pixels for the decoder", f.width, f.height)
	}
	img, err := f.decode(ctx)
	if err != nil {
		return nil, err
	}
	if m, ok := img.(*image.YCbCr); ok && f.videoRange {
		videorange.Expand(m)
	}
	return img, nil
}

// Register makes package dataset read HEIC and AVIF files, and so all packages above
// it. A program calls it once; it may be called again.
func Register() {
	dataset.UseHEIC(dataset.Decoder{
		Config: func(_ context.Context, data []byte) (image.Config, error) { return DecodeConfig(data) },
		Decode: Decode,
		Memory: Memory,
	})
}

// KeepCode has the machine code of the decoders kept in folder, so that later processes
// need not compile them. Call it before the first file is decoded. Whoever may
// write there can have this program run any code. So the folder is made for the user
// only, and nothing is kept where the folder, or the existing one above it, belongs to
// somebody else, or others may use it; nor where it cannot be written. Eight files are
// kept at most. They are named by the version of wazero, the processor and the program.
func KeepCode(folder string) { sandbox.KeepCode(folder) }

var (
	errDecode    = errors.New("it cannot be decoded")
	errStructure = errors.New("its images do not fit together")
	errWork      = errors.New("it has more pixels to decode than its image shows: it is made to do harm")
)

// unsupported is the error of a file that may be right, but is of a kind that is not read.
func unsupported(format string, a ...any) error {
	return fmt.Errorf("unsupported: "+format, a...)
}
