package metadata

import (
	"encoding/binary"
	"errors"
)

// An Extent is a part of a file, or of its box idat.
type Extent struct {
	Offset, Length uint64
	InData         bool // Offset counts from the beginning of Image.Data, not of the file
}

// An Image describes the primary photograph of a file.
type Image struct {
	Width, Height int // before Transforms; 0 if the file does not say
	Transforms    []Transform
	XMP           [][]Extent // the parts of each XMP packet
	EXIF          Extent     // the first part of the EXIF item; zero if there is none
	Data          []byte     // the content of the box idat
}

// maxItems bounds the items of a file: an iPhone makes about 60, most of them tiles.
const maxItems = 10_000

// maxExtents bounds the parts of an item.
const maxExtents = 64

var errItems = errors.New("its items do not fit together")

// Describe returns what the content of a box meta says of the primary photograph.
func Describe(meta []byte) (*Image, error) {
	all, err := ReadItems(meta)
	if err != nil {
		return nil, err
	}
	m := &Image{Data: all.Data}
	for _, i := range all.Items {
		switch {
		case i.isXMP:
			m.XMP = append(m.XMP, i.Extents)
		case i.Kind == "Exif" && len(i.Extents) > 0:
			m.EXIF = i.Extents[0]
		}
		for _, p := range i.Properties {
			switch {
			case p.Kind == "ispe" && len(p.Content) < 12:
				return nil, ErrBoxes
			case p.Kind == "ispe": // the largest: thumbnails and tiles are smaller
				w, h := binary.BigEndian.Uint32(p.Content[4:]), binary.BigEndian.Uint32(p.Content[8:])
				if uint64(w)*uint64(h) >= uint64(m.Width)*uint64(m.Height) && w < 1<<20 && h < 1<<20 {
					m.Width, m.Height = int(w), int(h)
				}
			case i.ID != all.Primary || len(p.Content) == 0 || len(m.Transforms) == 2: // the format allows one of each kind
			case p.Kind == "irot":
				m.Transforms = append(m.Transforms, Transform{p.Kind, p.Content[0] & 3})
			case p.Kind == "imir":
				m.Transforms = append(m.Transforms, Transform{p.Kind, p.Content[0] & 1})
			}
		}
	}
	return m, nil
}

// A numbers reads integers from the beginning of data. Beyond its end they are 0, and short is
// set.
type numbers struct {
	data  []byte
	short bool
}

func (n *numbers) next(bytes int) (v uint64) {
	if bytes > len(n.data) {
		n.data, n.short = nil, true
		return 0
	}
	for _, b := range n.data[:bytes] {
		v = v<<8 | uint64(b)
	}
	n.data = n.data[bytes:]
	return v
}

// eachItem calls f with each item in the content of a box iinf: its kind, and what follows it.
func eachItem(iinf []byte, f func(id uint64, kind string, names []byte)) error {
	if len(iinf) < 6 {
		return nil
	}
	skip := 6
	if iinf[0] > 0 {
		skip = 8
	}
	entries, err := within(iinf[min(skip, len(iinf)):], "infe")
	if err != nil || len(entries) > maxItems {
		return errItems
	}
	for _, e := range entries {
		if len(e.Content) < 12 || e.Content[0] < 2 {
			continue
		}
		n := &numbers{data: e.Content[4:]}
		width := 2
		if e.Content[0] > 2 {
			width = 4
		}
		id := n.next(width)
		n.next(2)
		if n.short || len(n.data) < 4 {
			continue
		}
		f(id, string(n.data[:4]), n.data[4:])
	}
	return nil
}

// isXMP reports whether text, the name and the content type of an item, each with a zero at its
// end, is that of an XMP packet.
func isXMP(text []byte) bool {
	for i, b := range text {
		if b == 0 {
			rest := string(text[i+1:])
			const kind = "application/rdf+xml"
			return len(rest) >= len(kind) && rest[:len(kind)] == kind
		}
	}
	return false
}

// eachLocation calls f with the parts of each item in the content of a box iloc.
func eachLocation(iloc []byte, f func(id uint64, parts []Extent)) error {
	if len(iloc) < 8 {
		return nil
	}
	version := iloc[0]
	n := &numbers{data: iloc[4:]}
	sizes := n.next(2)
	offset, length, base, index := int(sizes>>12&15), int(sizes>>8&15), int(sizes>>4&15), int(sizes&15)
	if version == 0 {
		index = 0
	}
	wide := 2
	if version > 1 {
		wide = 4
	}
	items := n.next(wide)
	for range min(items, maxItems) {
		id, method := n.next(wide), uint64(0)
		if version > 0 {
			method = n.next(2) & 15
		}
		n.next(2)
		from := n.next(base)
		var parts []Extent
		extents := n.next(2)
		if extents > maxExtents {
			return errItems
		}
		for range extents {
			n.next(index)
			e := Extent{Offset: from + n.next(offset), Length: n.next(length), InData: method == 1}
			if n.short {
				return errItems
			}
			parts = append(parts, e)
		}
		if method <= 1 {
			f(id, parts)
		}
	}
	return nil
}
