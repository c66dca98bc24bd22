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

// within returns the boxes of a kind in data.
func within(data []byte, kind string) ([]Box, error) {
	all, err := Boxes(data)
	var found []Box
	for _, b := range all {
		if b.Kind == kind {
			found = append(found, b)
		}
	}
	return found, err
}

// A Transform turns or mirrors an image.
type Transform struct {
	Kind string // irot: quarter turns to the left; imir: 0 swaps rows, 1 swaps columns
	Code byte
}
