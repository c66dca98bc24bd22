package tiff

import (
	"encoding/binary"
	"errors"
	"io"
)

// Tags, and values of them.
const (
	tagSubfile     = 254
	tagWidth       = 256
	tagHeight      = 257
	tagBits        = 258
	tagCompression = 259
	tagPhotometric = 262
	tagFillOrder   = 266
	tagSamples     = 277
	tagStripRows   = 278
	tagStripSizes  = 279
	tagPlanar      = 284
	tagPredictor   = 317
	tagTileWidth   = 322
	tagTileHeight  = 323
	tagTileSizes   = 325
	tagExtra       = 338
	tagFormat      = 339

	subfileReduced = 1
	subfileMask    = 4

	compressionNone       = 1
	compressionLZW        = 5
	compressionOldJPEG    = 6
	compressionJPEG       = 7
	compressionDeflate    = 8
	compressionPackBits   = 32773
	compressionOldDeflate = 32946

	photometricWhite   = 0 // is zero
	photometricBlack   = 1
	photometricRGB     = 2
	photometricPalette = 3
)

// A directory says what an image in a file is.
type directory struct {
	data   []byte
	order  binary.ByteOrder
	wide   bool // it is of a BigTIFF file
	start  int  // its offset
	first  bool // of the file
	sorted bool // its tags ascend, as the standard wants
	next   int  // offset of the next one; 0 if there is none
	tags   map[int]entry
}

// An entry holds values of 1, 2, 4 or 8 bytes.
type entry struct {
	size   int
	values []byte
}

var (
	errNoImage = errors.New("no directory of an image")
	errOverlap = errors.New("its blocks overlap")
)

// photograph returns the directory of the first image in data that is no smaller copy of another and
// no mask, and the number of such images; of the first one if all are.
func photograph(data []byte) (found *directory, pages int, err error) {
	if len(data) < 16 {
		return nil, 0, io.ErrUnexpectedEOF
	}
	d := &directory{data: data, order: binary.LittleEndian}
	if data[0] == 'M' {
		d.order = binary.BigEndian
	}
	d.wide = d.order.Uint16(data[2:]) == 43
	at := d.offset(4)
	if d.wide {
		at = d.offset(8)
	}
	const limit = 10_000 // directories
	seen := map[int]bool{}
	for at > 0 && !seen[at] && len(seen) < limit {
		seen[at] = true
		page := *d
		if page.start, page.first = at, len(seen) == 1; !page.read() {
			break
		}
		isPage := page.one(tagSubfile, 0)&(subfileReduced|subfileMask) == 0
		if found == nil || pages == 0 && isPage {
			found = &page
		}
		if isPage {
			pages++
		}
		at = page.next
	}
	switch {
	case found == nil:
		return nil, 0, io.ErrUnexpectedEOF
	case found.one(tagWidth, 0) < 1 || found.one(tagHeight, 0) < 1:
		return nil, 0, errNoImage
	case found.overlaps():
		return nil, 0, errOverlap
	}
	return found, max(pages, 1), nil
}

// offset is the offset that stands at a place of the file; 0 if it is not in the file.
func (d *directory) offset(at int) int {
	v := uint64(0)
	switch {
	case d.wide && at <= len(d.data)-8:
		v = d.order.Uint64(d.data[at:])
	case !d.wide && at <= len(d.data)-4:
		v = uint64(d.order.Uint32(d.data[at:]))
	}
	if v >= uint64(len(d.data)) {
		return 0
	}
	return int(v)
}

// read reads the tags of d; false if they are not in the file. Values that are not are left out.
func (d *directory) read() bool {
	head, each := 2, 12
	if d.wide {
		head, each = 8, 20
	}
	if d.start > len(d.data)-head {
		return false
	}
	n := uint64(d.order.Uint16(d.data[d.start:]))
	if d.wide {
		n = d.order.Uint64(d.data[d.start:])
	}
	if n > uint64(len(d.data)-d.start-head)/uint64(each) {
		return false
	}
	d.tags, d.sorted = map[int]entry{}, true
	at, before := d.start+head, -1
	for range n {
		tag := int(d.order.Uint16(d.data[at:]))
		d.sorted, before = d.sorted && tag > before, tag
		if _, again := d.tags[tag]; tagSubfile <= tag && tag <= tagFormat && !again {
			d.tags[tag] = d.entry(at)
		}
		at += each
	}
	d.next = d.offset(at)
	return true
}

// entry is the one at a place of the file, with its whole numbers.
func (d *directory) entry(at int) entry {
	sizes := map[uint16]int{1: 1, 3: 2, 4: 4, 16: 8} // of the kinds of whole numbers
	size, place, inside := sizes[d.order.Uint16(d.data[at+2:])], at+8, 4
	n := uint64(d.order.Uint32(d.data[at+4:]))
	if d.wide {
		n, place, inside = d.order.Uint64(d.data[at+4:]), at+12, 8
	}
	if size == 0 {
		return entry{}
	}
	n = min(n, uint64(len(d.data)))
	if int(n)*size > inside {
		if place = d.offset(place); place == 0 {
			return entry{}
		}
	}
	return entry{size, d.data[place:min(place+int(n)*size, len(d.data))]}
}

// overlaps reports whether the blocks of the image are longer than the file: they could be any work. Some
// programs store equal tiles once.
func (d *directory) overlaps() bool {
	const few = 64 << 20
	left := len(d.data) + few
	for _, tag := range []int{tagStripSizes, tagTileSizes} {
		for i := range d.count(tag) {
			if left -= min(d.value(tag, i), len(d.data)); left < 0 {
				return true
			}
		}
	}
	return false
}

// count is the number of values of a tag.
func (d *directory) count(tag int) int {
	e := d.tags[tag]
	return len(e.values) / max(e.size, 1)
}

// value is the value i of a tag, which has more.
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
	return int(min(d.order.Uint64(v), 1<<32))
}

// one is the first value of a tag, or what holds without it.
func (d *directory) one(tag, missing int) int {
	if d.count(tag) == 0 {
		return missing
	}
	return d.value(tag, 0)
}
