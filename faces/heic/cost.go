package heic

import (
	"time"

	"nrdl.example/nrdl/faces/internal/sandbox"
)

// Bounds on what a file may cost. An image may be made of others to the depth maxDepth. The
// pixels that are decoded and composed exceed those that are shown by tiles that are filled
// up, and by a canvas for tiles or layers.
const (
	maxDepth      = 4
	spentPerPixel = 4
	spentMore     = 2 << 20
)

// A work is the turns of loops that a decoder may take. Photographs of telephones and cameras
// take a third of them, or less: work grows with the pixels and with the data.
type work struct{ base, pixel, byte int }

var (
	hevcWork = work{1 << 25, 16, 100}
	avifWork = work{1 << 25, 24, 600}
)

const mega = 1 << 20

// limits are for the decoder of f.
func (f *container) limits() sandbox.Limits {
	pixels, w := f.width*f.height, hevcWork
	if f.isAVIF() {
		w = avifWork
	}
	return sandbox.Limits{
		Turns:  w.base + w.pixel*pixels + w.byte*len(f.data),
		Memory: f.decoderMemory(),
		Time:   20*time.Second + time.Duration(pixels)*time.Microsecond,
	}
}

// decoderMemory is the most that the decoder of f may have. libde265 keeps the planes and about
// 2.4 bytes for a pixel; dav1d keeps three frames, and libavif makes RGB.
func (f *container) decoderMemory() int {
	if f.isAVIF() {
		return 16*mega + 30*f.width*f.height*f.sampleSize() + 2*len(f.data)
	}
	coded := f.largest()
	return 8*mega + (f.planes()*f.sampleSize()+8)*coded/2 + 4*len(f.data)
}

// largest is the number of pixels of the largest coded item.
func (f *container) largest() int {
	largest := 0
	for _, i := range f.items {
		if w, h := i.size(); i.coded() {
			if w > maxPixels || h > maxPixels/max(w, 1) {
				return maxPixels
			}
			largest = max(largest, w*h)
		}
	}
	return largest
}

// coded reports whether i is coded by HEVC, and not made of other items.
func (i *item) coded() bool { return i.kind == "hvc1" || i.kind == "hev1" }

// configuration is the largest value of (b[at]&mask) in the properties of a kind.
func (f *container) configuration(kind string, at int, mask byte) int {
	largest := 0
	for _, i := range f.items {
		if b := i.property(kind); len(b) > at {
			largest = max(largest, int(b[at]&mask))
		}
	}
	return largest
}

// planes is twice the samples that a pixel has in the planes of an image of HEVC.
func (f *container) planes() int { return [...]int{2, 3, 4, 6}[f.configuration("hvcC", 16, 3)] }

// sampleSize is that of a sample in the memory of the decoder.
func (f *container) sampleSize() int {
	if f.configuration("hvcC", 17, 7) > 0 || f.configuration("hvcC", 18, 7) > 0 || f.configuration("av1C", 2, 0x40) > 0 {
		return 2
	}
	return 1
}

// Memory returns the largest number of bytes that Decode takes for data, 0 if it is refused.
func Memory(data []byte) int64 {
	f, err := read(data)
	if err != nil || f.width > maxPixels || f.height > maxPixels/f.width {
		return 0
	}
	pixels, shown := f.width*f.height, f.planes()
	if f.isAVIF() {
		shown = 8
	}
	for _, i := range f.items {
		if i.kind == "iovl" { // a canvas in RGB, of which others copy the lightness
			shown = 11
		}
	}
	copies := 1
	for _, i := range f.items {
		if i != f.primary && i.coded() { // a tile: small, or counted by largest
			continue
		}
		for _, kind := range []string{"irot", "imir"} {
			if i.property(kind) != nil { // turned
				copies++
			}
		}
	}
	return int64(f.decoderMemory() + (copies*pixels+f.largest())*shown/2)
}
