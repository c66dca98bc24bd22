// Package tiff decodes TIFF files with golang.org/x/image/tiff, and two kinds that this
// package lacks: YCbCr, and compression by JPEG.
package tiff

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io"
	"math"

	"golang.org/x/image/tiff"

	"nrdl.example/nrdl/internal/bounded"
)

// Tags, and values of them.
const (
	tagWidth       = 256
	tagHeight      = 257
	tagBits        = 258
	tagCompression = 259
	tagPhotometric = 262
	tagFillOrder   = 266
	tagStrips      = 273
	tagSamples     = 277
	tagStripRows   = 278
	tagStripSizes  = 279
	tagPlanar      = 284
	tagPredictor   = 317
	tagTileWidth   = 322
	tagTileHeight  = 323
	tagTiles       = 324
	tagTileSizes   = 325
	tagExtra       = 338
	tagTables      = 347 // of JPEG, which all blocks share
	tagSubsampling = 530
	tagBlackWhite  = 532

	compressionNone       = 1
	compressionLZW        = 5
	compressionJPEG       = 7
	compressionDeflate    = 8
	compressionPackBits   = 32773
	compressionOldDeflate = 32946

	photometricRGB   = 2
	photometricCMYK  = 5
	photometricYCbCr = 6

	predictorNone       = 1
	predictorHorizontal = 2
)

// Config returns the size in the header of a TIFF file.
func Config(ctx context.Context, data []byte) (image.Config, error) {
	d, err := read(data)
	if err != nil {
		return image.Config{}, err
	}
	if d == nil {
		return tiff.DecodeConfig(bounded.NewReader(ctx, data))
	}
	return image.Config{ColorModel: color.YCbCrModel, Width: d.one(tagWidth, 0), Height: d.one(tagHeight, 0)}, nil
}

// Decode returns the first image of a TIFF file. The caller has checked its size. If ctx
// ends, the error is its cause.
func Decode(ctx context.Context, data []byte) (image.Image, error) {
	d, err := read(data)
	if err != nil {
		return nil, err
	}
	if d == nil {
		return tiff.Decode(bounded.NewReader(ctx, data))
	}
	b, err := d.layOut()
	if err != nil {
		return nil, err
	}
	if d.one(tagCompression, compressionNone) == compressionJPEG {
		return d.decodeJPEG(ctx, b)
	}
	return d.decodePlain(ctx, b)
}

// A directory is that of the first image in a file.
type directory struct {
	data  []byte
	order binary.ByteOrder
	tags  map[int]entry
}

// An entry holds values of 1, 2, 4 or 8 bytes.
type entry struct {
	size   int
	values []byte
}

// read returns the directory in data if it is for this package; nil if package tiff of x/image
// reads the file, or tells what is wrong. It is an error if that package would make wrong pixels.
func read(data []byte) (*directory, error) {
	d := &directory{data: data, order: binary.LittleEndian, tags: map[int]entry{}}
	if len(data) < 8 {
		return nil, nil
	}
	if data[0] == 'M' {
		d.order = binary.BigEndian
	}
	at := int(d.order.Uint32(data[4:]))
	if at > len(data)-2 {
		return nil, nil
	}
	n := int(d.order.Uint16(data[at:]))
	sizes := [...]int{1: 1, 3: 2, 4: 4, 5: 8, 7: 1} // of the types that are used
	for at += 2; n > 0 && at+12 <= len(data); at, n = at+12, n-1 {
		tag, kind, count := d.order.Uint16(data[at:]), int(d.order.Uint16(data[at+2:])), int(d.order.Uint32(data[at+4:]))
		if kind >= len(sizes) || sizes[kind] == 0 {
			continue
		}
		from, size := at+8, sizes[kind]*count
		if size > 4 {
			from = int(d.order.Uint32(data[at+8:]))
		}
		if size <= len(data)-from {
			d.tags[int(tag)] = entry{sizes[kind], data[from : from+size]}
		}
	}
	if d.one(tagPhotometric, 0) != photometricYCbCr && d.one(tagCompression, 0) != compressionJPEG {
		return nil, d.misread()
	}
	return d, nil
}

// misread says what of a file package tiff of x/image takes for something else.
func (d *directory) misread() error {
	samples, photometric := d.one(tagSamples, 1), d.one(tagPhotometric, 0)
	compression := d.one(tagCompression, compressionNone)
	fax := 2 <= compression && compression <= 4 // knows the order of bits
	switch {
	case d.one(tagFillOrder, 1) == 2 && !fax:
		return errors.New("unsupported: bits in reverse order")
	case d.one(tagPlanar, 1) != 1 && samples > 1:
		return errors.New("unsupported: samples in planes")
	case photometric == photometricCMYK:
		return errors.New("unsupported: colours for print (CMYK)")
	case photometric == photometricRGB && samples > 3 && d.count(tagExtra) == 0:
		return errors.New("unsupported: a fourth sample without a meaning")
	case photometric < photometricRGB && samples > 1:
		return errors.New("unsupported: grey with more than one sample")
	}
	return nil
}

// count is the number of values of a tag.
func (d *directory) count(tag int) int {
	e := d.tags[tag]
	return len(e.values) / max(e.size, 1)
}

// value is the value i of a tag, which has more; a fraction is rounded.
func (d *directory) value(tag, i int) int {
	e := d.tags[tag]
	v := e.values[i*e.size:]
	switch e.size {
	case 1:
		return int(v[0])
	case 2:
		return int(d.order.Uint16(v))
	case 4:
		return int(d.order.Uint32(v))
	}
	if by := int(d.order.Uint32(v[4:])); by != 0 {
		return int(d.order.Uint32(v)) / by
	}
	return 0
}

// one is the first value of a tag, or what holds without it.
func (d *directory) one(tag, missing int) int {
	if d.count(tag) == 0 {
		return missing
	}
	return d.value(tag, 0)
}

// blocks are the strips or tiles of an image.
type blocks struct {
	image         image.Rectangle
	width, height int
	offsets       int // the tag
	sizes         int // the tag
	samples       int
	ratio         image.YCbCrSubsampleRatio
	h, v          int // pixels that share their colour
}

var ratios = map[[2]int]image.YCbCrSubsampleRatio{
	{1, 1}: image.YCbCrSubsampleRatio444, {2, 1}: image.YCbCrSubsampleRatio422, {2, 2}: image.YCbCrSubsampleRatio420,
	{1, 2}: image.YCbCrSubsampleRatio440, {4, 1}: image.YCbCrSubsampleRatio411, {4, 2}: image.YCbCrSubsampleRatio410,
}

// layOut tells how the image lies in its blocks.
func (d *directory) layOut() (*blocks, error) {
	w, h := d.one(tagWidth, 0), d.one(tagHeight, 0)
	b := &blocks{
		image: image.Rect(0, 0, w, h), width: w, height: min(h, d.one(tagStripRows, h)),
		offsets: tagStrips, sizes: tagStripSizes, samples: d.one(tagSamples, 1), h: 1, v: 1,
	}
	if d.count(tagTiles) > 0 {
		b.width, b.height, b.offsets, b.sizes = d.one(tagTileWidth, 0), d.one(tagTileHeight, 0), tagTiles, tagTileSizes
	}
	if d.one(tagPhotometric, 0) == photometricYCbCr {
		b.h, b.v = 2, 2
		if d.count(tagSubsampling) >= 2 {
			b.h, b.v = d.value(tagSubsampling, 0), d.value(tagSubsampling, 1)
		}
	}
	var known bool
	b.ratio, known = ratios[[2]int{b.h, b.v}]
	for i := range d.count(tagBits) {
		if bits := d.value(tagBits, i); bits != 8 {
			return nil, fmt.Errorf("unsupported: %d bits a sample", bits)
		}
	}
	const largestTile = 1 << 10 // where it exceeds the image
	switch {
	case b.image.Empty() || b.width < 1 || b.height < 1:
		return nil, errors.New("blocks without pixels")
	case b.width > max(w, largestTile) || b.height > max(h, largestTile):
		return nil, fmt.Errorf("tiles of %d×%d pixels, the image has %d×%d", b.width, b.height, w, h)
	case !known:
		return nil, fmt.Errorf("unsupported: a colour for %d×%d pixels", b.h, b.v)
	case b.samples != 1 && b.samples != 3:
		return nil, fmt.Errorf("unsupported: %d samples a pixel", b.samples)
	case b.across() > 1 && b.width%b.h != 0 || b.down() > 1 && b.height%b.v != 0:
		return nil, fmt.Errorf("blocks of %d×%d pixels, in which %d×%d share a colour", b.width, b.height, b.h, b.v)
	case d.one(tagPlanar, 1) != 1:
		return nil, errors.New("unsupported: samples in planes")
	case d.count(b.offsets) < b.across()*b.down() || d.count(b.sizes) < b.across()*b.down():
		return nil, io.ErrUnexpectedEOF
	}
	return b, nil
}

func (b *blocks) across() int { return (b.image.Max.X + b.width - 1) / b.width }
func (b *blocks) down() int   { return (b.image.Max.Y + b.height - 1) / b.height }

// each calls f with the data of each block and where it lies, until ctx ends.
func (d *directory) each(ctx context.Context, b *blocks, f func(data []byte, at image.Rectangle) error) error {
	left := len(d.data) // blocks that lie over each other could be any work
	for i := range b.across() * b.down() {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		corner := image.Pt(i%b.across()*b.width, i/b.across()*b.height)
		from, size := d.value(b.offsets, i), d.value(b.sizes, i)
		switch left -= size; {
		case from > len(d.data) || size > len(d.data)-from:
			return io.ErrUnexpectedEOF
		case left < 0:
			return errors.New("its blocks overlap")
		}
		if err := f(d.data[from:from+size], image.Rect(0, 0, b.width, b.height).Add(corner)); err != nil {
			return err
		}
	}
	return nil
}

// stretch brings the samples of a plane to 0 … 255, or about 128 for colours, where the file
// says that they go from black to white.
func (d *directory) stretch(m *image.YCbCr) {
	if d.count(tagBlackWhite) < 6 {
		return
	}
	for i, plane := range [][]byte{m.Y, m.Cb, m.Cr} {
		black, white := d.value(tagBlackWhite, 2*i), d.value(tagBlackWhite, 2*i+1)
		zero, span := 0, 255
		if i > 0 {
			zero, span = 128, 127
		}
		if white <= black || black == zero && white == zero+span {
			continue
		}
		var table [256]byte
		for v := range table {
			w := zero + int(math.Round(float64((v-black)*span)/float64(white-black)))
			table[v] = byte(max(0, min(w, 255)))
		}
		for k, v := range plane {
			plane[k] = table[v]
		}
	}
}
