package metadata

import (
	"encoding/binary"
	"errors"
)

// A Box of ISO base media files: four bytes of size, four of type, its content.
type Box struct {
	Kind    string
	Content []byte
}

// Brands returns what the first box of a file says it is: the kind that it is first, and others
// that it is, too; none if this is no such file.
func Brands(data []byte) []string {
	if len(data) < 12 || string(data[4:8]) != "ftyp" {
		return nil
	}
	end := min(uint64(len(data)), uint64(binary.BigEndian.Uint32(data)), 1<<12)
	all := []string{string(data[8:12])}
	for at := uint64(16); at+4 <= end; at += 4 { // after the version
		all = append(all, string(data[at:at+4]))
	}
	return all
}

// ErrBoxes says that the sizes of boxes are wrong.
var ErrBoxes = errors.New("its boxes do not fit together")

// Boxes splits data into the boxes that it is made of. The last may be cut short.
func Boxes(data []byte) ([]Box, error) {
	var all []Box
	for len(data) >= 8 {
		size, head := uint64(binary.BigEndian.Uint32(data)), 8
		switch {
		case size == 1 && len(data) >= 16:
			size, head = binary.BigEndian.Uint64(data[8:]), 16
		case size == 0: // to the end
			size = uint64(len(data))
		}
		if size < uint64(head) {
			return nil, ErrBoxes
		}
		size = min(size, uint64(len(data)))
		all = append(all, Box{string(data[4:8]), data[head:size]})
		data = data[size:]
	}
	return all, nil
}

// Within returns the boxes of a kind in data.
func Within(data []byte, kind string) ([]Box, error) {
	all, err := Boxes(data)
	var found []Box
	for _, b := range all {
		if b.Kind == kind {
			found = append(found, b)
		}
	}
	return found, err
}

// Descend returns the content of the box that a path of kinds leads to; nil if there is none.
func Descend(data []byte, path ...string) ([]byte, error) {
	for _, kind := range path {
		found, err := Within(data, kind)
		if err != nil || len(found) == 0 {
			return nil, err
		}
		if data = found[0].Content; kind == "meta" { // begins with a version and flags
			if len(data) < 4 {
				return nil, ErrBoxes
			}
			data = data[4:]
		}
	}
	return data, nil
}

// A Transform turns or mirrors an image.
type Transform struct {
	Kind string // irot: quarter turns to the left; imir: 0 swaps rows, 1 swaps columns
	Code byte
}

// Transforms returns the transforms of the primary image, in their order.
func Transforms(data []byte) ([]Transform, error) {
	meta, err := Descend(data, "meta")
	if err != nil || meta == nil {
		return nil, err
	}
	return primaryTransforms(meta)
}

// primaryTransforms is Transforms of the boxes of a box meta.
func primaryTransforms(data []byte) ([]Transform, error) {
	primary, err := Descend(data, "pitm")
	if err != nil || len(primary) < 6 {
		return nil, err
	}
	item := uint32(binary.BigEndian.Uint16(primary[4:]))
	if primary[0] > 0 && len(primary) >= 8 {
		item = binary.BigEndian.Uint32(primary[4:])
	}
	container, err := Descend(data, "iprp", "ipco")
	if err != nil {
		return nil, err
	}
	all, err := Boxes(container)
	if err != nil {
		return nil, err
	}
	links, err := Descend(data, "iprp", "ipma")
	if err != nil {
		return nil, err
	}
	var found []Transform
	for _, i := range associated(links, item) {
		if i >= len(all) || len(all[i].Content) == 0 {
			continue
		}
		if b := all[i]; b.Kind == "irot" {
			found = append(found, Transform{b.Kind, b.Content[0] & 3})
		} else if b.Kind == "imir" {
			found = append(found, Transform{b.Kind, b.Content[0] & 1})
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
