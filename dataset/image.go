package dataset

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"io/fs"
	"os"
	"strings"
	"sync"

	"nrdl/internal/hint"
)

// Bounds on one image. What a file claims is held against them before
// anything is allocated for it.
const (
	maxFileBytes = 256 << 20
	maxPixels    = 64_000_000
	maxImageSide = 30_000
	maxWide      = maxPixels / 2 // pixels of 16 bits a channel, which take eight bytes and not four
	// An image of more pixels is decoded alone, so that as many of them as
	// there are processors do not fill the memory.
	largePixels = 16_000_000
)

var large sync.Mutex

// ReadImage reads the image file at path as in.Size.Len() grey values between 0
// and 255. DecodeImage says how.
func ReadImage(path string, in Frame) ([]float64, error) {
	data, err := ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read image: %w", err)
	}
	return DecodeImage(data, path, in)
}

// DecodeImage turns the bytes of an image file (PBM, PGM, PPM, PNG, JPEG, WebP,
// BMP, TIFF or the first frame of a GIF, recognised by content) into grey
// values, 0 black … 255 white, in column-major order. The image is turned
// upright by its EXIF orientation, made grey by the luma of ITU-R BT.601, and
// put over white if transparent. Its central part, the share in.Crop of height
// and width, is resized once to in.Size by Catmull-Rom with antialiasing; an
// uncropped image of this size is not changed. Name stands for the image in
// errors. Data may be hostile: too many pixels are refused, and a panic of a
// decoder is returned as an error.
func DecodeImage(data []byte, name string, in Frame) ([]float64, error) {
	if err := in.Validate(); err != nil {
		return nil, fmt.Errorf("read image %s: %w", name, err)
	}
	if in.Size == (Size{}) {
		return nil, fmt.Errorf("read image %s: no size to bring it to", name)
	}
	var v []float64
	err := decode(data, func(img image.Image, turned orientation) {
		v = turned.sample(greyOf(img), in)
	})
	if err != nil {
		return nil, fmt.Errorf("read image %s: %w", name, err)
	}
	return v, nil
}

// ReadPhoto reads the image file at path as DecodePhoto does.
func ReadPhoto(path string) (image.Image, error) {
	data, err := ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read image: %w", err)
	}
	return DecodePhoto(data, path)
}

// DecodePhoto decodes an image file as DecodeImage does, and returns it upright
// in its own size and colours.
func DecodePhoto(data []byte, name string) (image.Image, error) {
	var upright image.Image
	err := decode(data, func(img image.Image, turned orientation) {
		upright = turned.upright(img)
	})
	if err != nil {
		return nil, fmt.Errorf("read image %s: %w", name, err)
	}
	return upright, nil
}

// ImageSize returns width and height that the header of an image file claims, as they are
// stored. It decodes nothing, and is an error where DecodePhoto would refuse the header.
func ImageSize(data []byte, name string) (image.Point, error) {
	f, err := formatOf(data)
	var claimed image.Config
	if err == nil {
		claimed, err = f.claims(data)
	}
	if err != nil {
		return image.Point{}, fmt.Errorf("read image %s: %w", name, err)
	}
	return image.Pt(claimed.Width, claimed.Height), nil
}

// claims returns what the header of data says, if such an image may be decoded.
func (f format) claims(data []byte) (c image.Config, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("damaged %s: the decoder failed (%v)", f.name, r)
		}
	}()
	if c, err = f.config(data); err != nil {
		return c, f.explain(err)
	}
	err = admissible(c.Width, c.Height)
	if wide := c.ColorModel == color.RGBA64Model || c.ColorModel == color.NRGBA64Model; err == nil && wide && c.Width*c.Height > maxWide {
		err = hint.Add(fmt.Errorf("claims %d×%d pixels of 16 bits a channel; at most %d million of these are read", c.Width, c.Height, maxWide/1_000_000), "save it with 8 bits a channel, or make it smaller")
	}
	if err != nil {
		return c, fmt.Errorf("%s %w", f.name, err)
	}
	return c, nil
}

// decode hands the image in data, as it is stored, to use.
func decode(data []byte, use func(image.Image, orientation)) (err error) {
	f, err := formatOf(data)
	if err != nil {
		return err
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("damaged %s: the decoder failed (%v)", f.name, r)
		}
	}()
	claimed, err := f.claims(data)
	if err != nil {
		return err
	}
	if claimed.Width*claimed.Height > largePixels {
		large.Lock()
		defer large.Unlock()
	}
	img, err := f.decode(data)
	if err != nil {
		return f.explain(err)
	}
	if b := img.Bounds(); b.Empty() || b.Dx()*b.Dy() > maxPixels {
		return fmt.Errorf("damaged %s: %d×%d pixels, it claims %d×%d", f.name, b.Dx(), b.Dy(), claimed.Width, claimed.Height)
	}
	use(img, f.orientation(data))
	return nil
}

func admissible(width, height int) error {
	switch {
	case width < 1 || height < 1:
		return fmt.Errorf("claims %d×%d pixels: nothing to see", width, height)
	case width > maxImageSide || height > maxImageSide || width*height > maxPixels:
		return hint.Add(fmt.Errorf("claims %d×%d pixels; at most %d a side and %d million are read",
			width, height, maxImageSide, maxPixels/1_000_000), "make the image smaller")
	}
	return nil
}

// explain makes the errors of the decoders alike.
func (f format) explain(err error) error {
	for _, end := range []string{"EOF", "not enough pixel data", "not enough image data", "short Huffman data"} {
		if strings.HasSuffix(err.Error(), end) {
			return fmt.Errorf("the %s is cut short", f.name)
		}
	}
	if strings.Contains(err.Error(), "unsupported") {
		return hint.Add(fmt.Errorf("unsupported %s: %w", f.name, err), "convert it to PNG or JPEG")
	}
	return fmt.Errorf("damaged %s: %w", f.name, err)
}

// ReadFile returns the content of the regular file at path. A file that is too
// large is an error.
func ReadFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if err := regular(info); err != nil {
		return nil, fmt.Errorf("%s %w", path, err)
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var b bytes.Buffer
	b.Grow(int(info.Size()) + bytes.MinRead)
	if _, err := b.ReadFrom(io.LimitReader(file, maxFileBytes+1)); err != nil {
		return nil, err
	}
	if b.Len() > maxFileBytes {
		return nil, fmt.Errorf("%s grew beyond %d MiB", path, maxFileBytes>>20)
	}
	return b.Bytes(), nil
}

func regular(info fs.FileInfo) error {
	switch {
	case info.IsDir():
		return errors.New("is a folder")
	case !info.Mode().IsRegular():
		return errors.New("is not a regular file")
	case info.Size() > maxFileBytes:
		return fmt.Errorf("is %d MiB; at most %d MiB are read", info.Size()>>20, maxFileBytes>>20)
	}
	return nil
}
