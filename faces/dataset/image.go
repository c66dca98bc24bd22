package dataset

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"strings"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/internal/libjpeg"
	"nrdl.example/nrdl/internal/kit/regular"
)

// Bounds on one image. The header of a file is checked against them before memory is
// allocated.
const (
	maxFileBytes = 256 << 20
	maxPixels    = 64_000_000
	maxImageSide = 30_000
	maxWide      = maxPixels / 2 // pixels of 16 bits a channel, which take eight bytes and not four
	maxJPEG      = 250_000_000   // pixels; telephones make 108 and 200 million
	// An image of more pixels is decoded alone, so that as many of them as
	// there are processors do not fill the memory.
	largePixels = 16_000_000

	bytesPerPixel = 8 // memory that decoding takes at most, except for JPEG
	// A large image and the copies in which faces are searched for; measured with 100 million
	// pixels of a JPEG that is turned.
	searched = 6
)

// A turn is a lock: one goroutine has it at a time.
type turn chan struct{}

// take waits for the turn or the end of ctx. Done releases the turn.
func (t turn) take(ctx context.Context) (done func(), err error) {
	select {
	case t <- struct{}{}:
		return func() { <-t }, nil
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// large is needed to decode an image of more than largePixels.
var large = make(turn, 1)

// ReadImage reads the image file at path as DecodeImage does.
func ReadImage(ctx context.Context, path string, in Frame) ([]float64, error) {
	data, err := ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read image: %w", err)
	}
	return DecodeImage(ctx, data, path, in)
}

// DecodeImage turns the bytes of an image file (PBM, PGM, PPM, PNG, JPEG, BMP, TIFF,
// the first picture of a WebP or GIF, or HEIC and AVIF after [UseHEIC]; recognised
// by content) into grey
// values, 0 black … 255 white, in column-major order. The image is turned
// upright by its EXIF orientation, made grey by the luma of ITU-R BT.601, and
// put over white if transparent. Its central part, the share in.Crop of height
// and width, is resized once to in.Size by Catmull-Rom with antialiasing; an
// uncropped image of this size is not changed. Name stands for the image in
// errors. Data may be hostile: what would take too much memory or time is refused
// by its header, a panic of a decoder is returned as an error, and decoding ends
// within a second of ctx, with its cause as the error.
func DecodeImage(ctx context.Context, data []byte, name string, in Frame) ([]float64, error) {
	if err := in.Validate(); err != nil {
		return nil, fmt.Errorf("read image %s: %w", name, err)
	}
	if in.Size == (Size{}) {
		return nil, fmt.Errorf("read image %s: no size to bring it to", name)
	}
	var v []float64
	err := decode(named(ctx, name), data, 0, func(img image.Image, turned orientation) {
		v = turned.sample(greyOf(img), in)
	})
	if err != nil {
		return nil, fmt.Errorf("read image %s: %w", name, err)
	}
	return v, nil
}

// ReadPhoto reads the image file at path as DecodePhoto does.
func ReadPhoto(ctx context.Context, path string) (image.Image, error) {
	data, err := ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read image: %w", err)
	}
	return DecodePhoto(ctx, data, path)
}

// DecodePhoto decodes an image file as DecodeImage does, and returns it upright
// in its own size and colours.
func DecodePhoto(ctx context.Context, data []byte, name string) (image.Image, error) {
	const planes = 4 // bytes per pixel that upright needs at most, apart from a JPEG
	var upright image.Image
	err := decode(named(ctx, name), data, planes, func(img image.Image, turned orientation) {
		upright = turned.upright(img)
	})
	if err != nil {
		return nil, fmt.Errorf("read image %s: %w", name, err)
	}
	return upright, nil
}

// ImageSize returns the stored width and height from the header of an image file. It does
// not decode the image. It is an error if DecodePhoto would refuse the header.
func ImageSize(data []byte, name string) (image.Point, error) {
	c, _, err := claimed(data, 0)
	if err != nil {
		return image.Point{}, fmt.Errorf("read image %s: %w", name, err)
	}
	return image.Pt(c.Width, c.Height), nil
}

// DecodingMemory returns the largest number of bytes that DecodeColour takes for an image
// file, from its header. It is at most Budget(). It is an error if ImageSize fails.
func DecodingMemory(data []byte, name string) (int64, error) {
	_, memory, err := claimed(data, 0)
	if err != nil {
		return 0, fmt.Errorf("read image %s: %w", name, err)
	}
	return memory, nil
}

// claimed returns the header of data, and the memory for decoding where the caller takes more bytes
// for each pixel.
func claimed(data []byte, more int) (image.Config, int64, error) {
	f, err := formatOf(data)
	if err != nil {
		return image.Config{}, 0, err
	}
	c, err := f.claims(context.Background(), data)
	if err != nil {
		return image.Config{}, 0, err
	}
	memory, err := f.needs(data, c, f.orientation(data), max(more, 1))
	if err == nil && more > 0 {
		memory += int64(more) * int64(c.Width) * int64(c.Height)
		err = f.tooMuch(data, c, memory)
	}
	return c, memory, err
}

// recovered turns a panic of a decoder into an error.
func (f format) recovered(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("damaged %s: the decoder failed (%v)", f.name, r)
	}
}

// claims returns the header of data. It is an error if such an image may not be decoded.
func (f format) claims(ctx context.Context, data []byte) (c image.Config, err error) {
	defer f.recovered(&err)
	if c, err = f.config(ctx, data); err != nil {
		return c, f.explain(ctx, err)
	}
	err = f.admissible(c.Width, c.Height)
	if wide := c.ColorModel == color.RGBA64Model || c.ColorModel == color.NRGBA64Model; err == nil && wide && c.Width*c.Height > maxWide {
		err = advice.Add(fmt.Errorf("claims %d×%d pixels of 16 bits a channel; at most %d million of these are read",
			c.Width, c.Height, maxWide/1_000_000), "save it with 8 bits a channel, or make it smaller")
	}
	if err != nil {
		return c, fmt.Errorf("%s %w", f.name, err)
	}
	return c, nil
}

// needs returns the memory for decoding an image with the header c and turning it, which
// takes planes bytes per pixel. It is an error if this is too much.
func (f format) needs(data []byte, c image.Config, turned orientation, planes int) (memory int64, err error) {
	pixels := int64(c.Width) * int64(c.Height)
	if f.memory != nil {
		if memory, err = f.memory(data); err != nil {
			return 0, fmt.Errorf("%s %w", f.name, err)
		}
	}
	if memory == 0 {
		memory = bytesPerPixel * pixels
	}
	if turned != 1 {
		memory += int64(planes) * pixels
	}
	if pixels > largePixels && Budget() < MaxDecoding {
		memory = max(memory, searched*pixels)
	}
	return memory, f.tooMuch(data, c, memory)
}

// tooMuch is an error if an image with the header c may not have so much memory.
func (f format) tooMuch(data []byte, c image.Config, memory int64) error {
	if err := admissibleMemory(memory, len(data)); err != nil {
		return fmt.Errorf("%s claims %d×%d pixels, %w", f.name, c.Width, c.Height, err)
	}
	return nil
}

// decode calls use with the stored image in data and its orientation. Use takes planes
// bytes of memory per pixel if it turns the image. If ctx ends, use may still be called
// after decode has returned.
func decode(ctx context.Context, data []byte, planes int, use func(image.Image, orientation)) error {
	f, err := formatOf(data)
	if err != nil {
		return err
	}
	claimed, err := f.claims(ctx, data)
	if err != nil {
		return err
	}
	turned := f.orientation(data)
	memory, err := f.needs(data, claimed, turned, planes)
	if err != nil {
		return err
	}
	release, err := acquire(ctx, memory)
	if err != nil {
		return err
	}
	defer release()
	if claimed.Width*claimed.Height <= largePixels {
		return f.finish(ctx, data, claimed, turned, use)
	}
	done, err := large.take(ctx)
	if err != nil {
		return err
	}
	// Some decoders continue without reading, and turning a large image takes time. If ctx
	// ends they keep running, and keep the turn, so that there is only one at a time.
	ended := make(chan error, 1)
	go func() {
		defer done()
		ended <- f.finish(ctx, data, claimed, turned, use)
	}()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// finish decodes an image whose header has been checked.
func (f format) finish(ctx context.Context, data []byte, claimed image.Config, turned orientation,
	use func(image.Image, orientation),
) (err error) {
	defer f.recovered(&err)
	img, err := f.decode(ctx, data)
	if err != nil {
		return f.explain(ctx, err)
	}
	if b := img.Bounds(); b.Empty() || b.Dx()*b.Dy() > f.pixels() {
		return fmt.Errorf("damaged %s: %d×%d pixels, it claims %d×%d", f.name, b.Dx(), b.Dy(), claimed.Width, claimed.Height)
	}
	if ctx.Err() == nil {
		use(img, turned)
	}
	return context.Cause(ctx)
}

// pixels is the largest number of pixels that are read.
func (f format) pixels() int {
	if f.name == "JPEG" { // its memory bounds it, too
		return maxJPEG
	}
	return maxPixels
}

func (f format) admissible(width, height int) error {
	switch {
	case width < 1 || height < 1:
		return fmt.Errorf("claims %d×%d pixels: nothing to see", width, height)
	case width > maxImageSide || height > maxImageSide || width*height > f.pixels():
		return advice.Add(fmt.Errorf("claims %d×%d pixels; at most %d a side and %d million are read",
			width, height, maxImageSide, f.pixels()/1_000_000), "make the image smaller")
	}
	return nil
}

// explain gives the errors of all decoders the same form. If ctx has ended it returns the
// cause.
func (f format) explain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	for _, end := range []string{"EOF", "not enough pixel data", "not enough image data", "short Huffman data"} {
		if strings.HasSuffix(err.Error(), end) {
			return fmt.Errorf("the %s is cut short", f.name)
		}
	}
	if strings.Contains(err.Error(), "unsupported") || errors.Is(err, libjpeg.ErrUnsupported) {
		into := "PNG or JPEG"
		if f.name == "JPEG" {
			into = "PNG"
		}
		return advice.Add(fmt.Errorf("this kind of %s is not supported: %s", f.name,
			strings.TrimPrefix(strings.TrimPrefix(err.Error(), "unsupported: "), libjpeg.ErrUnsupported.Error()+": ")), "convert it to %s", into)
	}
	return fmt.Errorf("damaged %s: %w", f.name, err)
}

// ReadFile returns the content of the regular file at path. It is an error if the file is
// larger than 256 MiB.
func ReadFile(path string) ([]byte, error) {
	file, info, err := regular.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if info.Size() > maxFileBytes {
		return nil, fmt.Errorf("%s is %d MiB; at most %d MiB are read", path, info.Size()>>20, maxFileBytes>>20)
	}
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
