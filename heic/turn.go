package heic

import (
	"encoding/binary"
	"image"
)

// A transform turns or mirrors an image.
type transform struct {
	kind string // irot: quarter turns to the left; imir: 0 swaps rows, 1 swaps columns
	code byte
}

// transforms returns the transforms of the primary image, in their order.
func transforms(data []byte) ([]transform, error) {
	primary, err := descend(data, "meta", "pitm")
	if err != nil || len(primary) < 6 {
		return nil, err
	}
	item := uint32(binary.BigEndian.Uint16(primary[4:]))
	if primary[0] > 0 && len(primary) >= 8 {
		item = binary.BigEndian.Uint32(primary[4:])
	}
	container, err := descend(data, "meta", "iprp", "ipco")
	if err != nil {
		return nil, err
	}
	all, err := boxes(container)
	if err != nil {
		return nil, err
	}
	links, err := descend(data, "meta", "iprp", "ipma")
	if err != nil {
		return nil, err
	}
	var found []transform
	for _, i := range associated(links, item) {
		if i >= len(all) || len(all[i].content) == 0 {
			continue
		}
		if b := all[i]; b.kind == "irot" {
			found = append(found, transform{b.kind, b.content[0] & 3})
		} else if b.kind == "imir" {
			found = append(found, transform{b.kind, b.content[0] & 1})
		}
		if len(found) == 2 { // the format allows one of each kind
			break
		}
	}
	return found, nil
}

// associated returns the indices of the properties of an item, by a box ipma.
func associated(ipma []byte, item uint32) []int {
	if len(ipma) < 8 {
		return nil
	}
	longItems, longIndices := ipma[0] > 0, ipma[3]&1 != 0
	n := binary.BigEndian.Uint32(ipma[4:])
	ipma = ipma[8:]
	number := func(long bool, size int) (v uint32) {
		if long {
			size *= 2
		}
		if size > len(ipma) {
			ipma = nil
			return 0
		}
		for _, b := range ipma[:size] {
			v = v<<8 | uint32(b)
		}
		ipma = ipma[size:]
		return v
	}
	for range n {
		if len(ipma) == 0 {
			return nil
		}
		id := number(longItems, 2)
		var indices []int
		for range number(false, 1) {
			i := number(longIndices, 1)
			if longIndices {
				i &= 0x7fff
			} else {
				i &= 0x7f
			}
			if i > 0 {
				indices = append(indices, int(i)-1)
			}
		}
		if id == item {
			return indices
		}
	}
	return nil
}

// upright applies the transforms of a file.
func upright(m *image.RGBA, data []byte) (image.Image, error) {
	all, err := transforms(data)
	for _, t := range all {
		switch w, h := m.Rect.Dx(), m.Rect.Dy(); {
		case t.kind == "imir" && t.code == 0:
			m = moved(m, w, h, func(x, y int) (int, int) { return x, h - 1 - y })
		case t.kind == "imir":
			m = moved(m, w, h, func(x, y int) (int, int) { return w - 1 - x, y })
		default:
			for range t.code {
				w, h := m.Rect.Dx(), m.Rect.Dy()
				m = moved(m, h, w, func(x, y int) (int, int) { return w - 1 - y, x })
			}
		}
	}
	return m, err
}

// moved returns an image of w×h whose pixel (x, y) is that of m at from(x, y).
func moved(m *image.RGBA, w, h int, from func(x, y int) (int, int)) *image.RGBA {
	out := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			fx, fy := from(x, y)
			copy(out.Pix[y*out.Stride+4*x:][:4], m.Pix[fy*m.Stride+4*fx:])
		}
	}
	return out
}
