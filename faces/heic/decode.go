package heic

import (
	"context"
	_ "embed"
	"encoding/binary"
	"errors"
	"image"

	"nrdl.example/nrdl/faces/internal/sandbox"
)

//go:embed wasm/hevc.wasm.zst
var hevcProgram []byte

//go:embed wasm/avif.wasm.zst
var avifProgram []byte

var hevc, avif = sandbox.New(hevcProgram), sandbox.New(avifProgram)

// A decoding makes the images of a file.
type decoding struct {
	*container
	run         *sandbox.Run
	budget      int // pixels that may still be decoded or composed
	canvas      int // pixels of canvases that may still be filled: each is kept while its parts are made
	bytes       int // of coded data that may still be decoded
	planesOfRGB bool
}

// decode returns the photograph, upright.
func (f *container) decode(ctx context.Context) (img image.Image, err error) {
	if f.isAVIF() {
		return f.decodeAVIF(ctx)
	}
	d := &decoding{
		container: f, budget: spentPerPixel*f.width*f.height + spentMore, canvas: f.width*f.height + spentMore, bytes: 2*len(f.data) + 1<<16,
		planesOfRGB: f.colours(f.primary, maxDepth).planes,
	}
	failed := hevc.Do(ctx, f.limits(), func(r *sandbox.Run) {
		d.run = r
		img, err = d.visible(f.primary, maxDepth)
	})
	switch {
	case failed != nil:
		return nil, failed
	case err != nil:
		return nil, err
	}
	return img, nil
}

// spend takes w×h pixels from those that are left.
func (d *decoding) spend(w, h int) error {
	if w <= 0 || h <= 0 || w > maxPixels || h > maxPixels/w {
		return errDecode
	}
	if d.budget -= w * h; d.budget < 0 {
		return errWork
	}
	return nil
}

// fill subtracts the w×h pixels of a canvas in RGB from the pixels that remain; with too few it fails.
func (d *decoding) fill(w, h int) error {
	if d.canvas -= w * h; d.canvas < 0 {
		return errWork
	}
	return nil
}

// visible returns the image i with its transparency.
func (d *decoding) visible(i *item, depth int) (image.Image, error) {
	img, err := d.image(i, depth)
	alpha := d.items[i.alpha]
	if err != nil || alpha == nil || alpha == i {
		return img, err
	}
	mask, err := d.image(alpha, depth)
	if err != nil {
		return nil, err
	}
	return transparent(img, mask), nil
}

// image returns the image i as its properties turn it.
func (d *decoding) image(i *item, depth int) (img image.Image, err error) {
	if depth == 0 {
		return nil, unsupported("an image of images of images, more than %d deep", maxDepth)
	}
	switch i.kind {
	case "hvc1", "hev1":
		img, err = d.coded(i)
	case "grid":
		img, err = d.grid(i, depth)
	case "iovl":
		img, err = d.overlay(i, depth)
	case "iden":
		if len(i.parts) != 1 || d.items[i.parts[0]] == nil {
			return nil, errStructure
		}
		img, err = d.image(d.items[i.parts[0]], depth-1)
	default:
		return nil, unsupported("an image of kind %q", i.kind)
	}
	if errors.Is(err, errDecode) && i.property("oinf") != nil {
		err = unsupported("an image in layers")
	}
	if err != nil {
		return nil, err
	}
	return i.transform(img)
}

// A plane is one of a decoded image, in the memory of the program.
type plane struct {
	address, stride, width, height, bits int
}

// coded decodes an item of HEVC.
func (d *decoding) coded(i *item) (image.Image, error) {
	w, h := i.size()
	if err := d.spend(w, h); err != nil {
		return nil, err
	}
	content, err := d.content(i)
	if err != nil {
		return nil, err
	}
	units, err := networkUnits(i.property("hvcC"), content)
	if err != nil {
		return nil, err
	}
	if d.bytes -= len(units); d.bytes < 0 {
		return nil, errWork
	}
	r := d.run
	in, out := r.Store(units), r.Malloc(17*4)
	status := r.Call("hevc", in, uint64(len(units)), out)
	r.Call("free", in)
	if r.Err() != nil {
		return nil, r.Err()
	}
	if status != 0 {
		return nil, errDecode
	}
	chroma, matrix := r.Int(out), r.Int(out+4)
	var planes []plane
	for k := range 3 {
		field := func(n int) int { return r.Int(out + uint64(8+20*k+4*n)) }
		if planes = append(planes, plane{field(0), field(1), field(2), field(3), field(4)}); chroma == 0 {
			break
		}
	}
	r.Call("free", out)
	if r.Err() != nil {
		return nil, r.Err()
	}
	p := planes[0]
	if p.width != w || p.height != h { // only what is claimed was counted
		if err := d.spend(p.width, p.height); err != nil {
			return nil, err
		}
	}
	return d.picture(planes, chroma, matrix == 0 || d.planesOfRGB)
}

// networkUnits returns the NAL units of a box hvcC and of coded data, each after its length in
// four bytes.
func networkUnits(hvcC, data []byte) ([]byte, error) {
	if len(hvcC) < 23 {
		return nil, errDecode
	}
	size := int(hvcC[21]&3) + 1
	arrays, left := int(hvcC[22]), hvcC[23:]
	units := make([]byte, 0, len(hvcC)+len(data)+len(data)/64)
	for range arrays {
		if len(left) < 3 {
			return nil, errDecode
		}
		n := int(binary.BigEndian.Uint16(left[1:]))
		left = left[3:]
		for range n {
			if len(left) < 2 || len(left) < 2+int(binary.BigEndian.Uint16(left)) {
				return nil, errDecode
			}
			end := 2 + int(binary.BigEndian.Uint16(left))
			units = append(binary.BigEndian.AppendUint32(units, uint32(end-2)), left[2:end]...)
			left = left[end:]
		}
	}
	for len(data) > size {
		n := 0
		for _, b := range data[:size] {
			n = n<<8 | int(b)
		}
		data = data[size:]
		n = min(n, len(data)) // of a file that is cut short, what is there
		units = append(binary.BigEndian.AppendUint32(units, uint32(n)), data[:n]...)
		data = data[n:]
		if n == 0 && len(units) > 1<<28 {
			return nil, errDecode
		}
	}
	return units, nil
}

// picture returns the image in planes.
func (d *decoding) picture(planes []plane, chroma int, rgb bool) (image.Image, error) {
	y := planes[0]
	rect := image.Rect(0, 0, y.width, y.height)
	ratio, ok := map[int]image.YCbCrSubsampleRatio{
		1: image.YCbCrSubsampleRatio420, 2: image.YCbCrSubsampleRatio422,
		3: image.YCbCrSubsampleRatio444,
	}[chroma]
	switch {
	case chroma == 0:
		m := image.NewGray(rect)
		return m, d.samples(y, m.Pix, m.Stride)
	case !ok:
		return nil, errDecode
	}
	m := image.NewYCbCr(rect, ratio)
	cw, ch := m.CStride, len(m.Cb)/m.CStride
	for _, p := range planes[1:] {
		if p.width != cw || p.height != ch {
			return nil, errDecode
		}
	}
	err := errors.Join(d.samples(y, m.Y, m.YStride), d.samples(planes[1], m.Cb, cw), d.samples(planes[2], m.Cr, cw))
	if err != nil || !rgb || chroma != 3 {
		return m, err
	}
	out := image.NewRGBA(rect)
	for i := range m.Y {
		out.Pix[4*i], out.Pix[4*i+1], out.Pix[4*i+2], out.Pix[4*i+3] = m.Cr[i], m.Y[i], m.Cb[i], 0xff
	}
	return out, nil
}

// samples copies a plane, with eight bits a sample.
func (d *decoding) samples(p plane, to []byte, stride int) error {
	size := 1
	if p.bits > 8 {
		size = 2
	}
	if p.stride < size*p.width || p.height > maxPixels/p.stride {
		return errDecode
	}
	all := d.run.Read(uint64(uint32(p.address)), p.stride*(p.height-1)+size*p.width)
	if d.run.Err() != nil {
		return d.run.Err()
	}
	for y := range p.height {
		from, row := all[y*p.stride:], to[y*stride:][:p.width]
		if size == 1 {
			copy(row, from)
			continue
		}
		for x := range row {
			row[x] = byte(binary.LittleEndian.Uint16(from[2*x:]) >> (p.bits - 8))
		}
	}
	return nil
}
