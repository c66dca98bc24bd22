package heic

import (
	"encoding/binary"
	"errors"
	"image"
	"image/color"
)

// A box of ISO base media files: four bytes of size, four of type, its content.
type box struct {
	kind    string
	content []byte
}

var errBoxes = errors.New("its boxes do not fit together")

// boxes splits data into the boxes that it is made of. The last may be cut short.
func boxes(data []byte) ([]box, error) {
	var all []box
	for len(data) >= 8 {
		size, head := uint64(binary.BigEndian.Uint32(data)), 8
		switch {
		case size == 1 && len(data) >= 16:
			size, head = binary.BigEndian.Uint64(data[8:]), 16
		case size == 0: // to the end
			size = uint64(len(data))
		}
		if size < uint64(head) {
			return nil, errBoxes
		}
		size = min(size, uint64(len(data)))
		all = append(all, box{string(data[4:8]), data[head:size]})
		data = data[size:]
	}
	return all, nil
}

// isAVIF reports whether the file says that it holds AVIF images.
func isAVIF(data []byte) bool {
	if len(data) < 16 || string(data[4:8]) != "ftyp" {
		return false
	}
	brands := data[8:min(uint64(len(data)), uint64(binary.BigEndian.Uint32(data)))]
	for ; len(brands) >= 4; brands = brands[4:] {
		if b := string(brands[:4]); b == "avif" || b == "avis" {
			return true
		}
	}
	return false
}

// within returns the boxes of a kind in data.
func within(data []byte, kind string) ([]box, error) {
	all, err := boxes(data)
	var found []box
	for _, b := range all {
		if b.kind == kind {
			found = append(found, b)
		}
	}
	return found, err
}

// descend returns the content of the box that a path of kinds leads to; nil if there is none.
func descend(data []byte, path ...string) ([]byte, error) {
	for _, kind := range path {
		found, err := within(data, kind)
		if err != nil || len(found) == 0 {
			return nil, err
		}
		if data = found[0].content; kind == "meta" { // begins with a version and flags
			if len(data) < 4 {
				return nil, errBoxes
			}
			data = data[4:]
		}
	}
	return data, nil
}

// DecodeConfig returns the size of the photograph in a HEIC or AVIF file, before it is turned
// upright: the largest size in the file. Thumbnails, tiles and depth maps are smaller.
func DecodeConfig(data []byte) (image.Config, error) {
	c := image.Config{ColorModel: color.YCbCrModel}
	all, err := descend(data, "meta", "iprp", "ipco")
	if err == nil && all == nil {
		err = errors.New("it holds no still image")
	}
	if err != nil {
		return c, err
	}
	sizes, err := within(all, "ispe")
	if err != nil {
		return c, err
	}
	for _, b := range sizes {
		if len(b.content) < 12 {
			return c, errBoxes
		}
		w, h := binary.BigEndian.Uint32(b.content[4:]), binary.BigEndian.Uint32(b.content[8:])
		if uint64(w)*uint64(h) >= uint64(c.Width)*uint64(c.Height) {
			c.Width, c.Height = int(w), int(h)
		}
	}
	if len(sizes) == 0 {
		return c, errors.New("it does not tell the size of its image")
	}
	if c.Width <= 0 || c.Height <= 0 {
		return c, errBoxes
	}
	return c, nil
}

// hasVideoRange reports whether the values of the photograph are those of video: luma
// 16 … 235, chroma 16 … 240, and not 0 … 255.
func hasVideoRange(data []byte) bool {
	all, err := descend(data, "meta", "iprp", "ipco")
	if err != nil || isAVIF(data) { // the decoder of AVIF makes RGB
		return false
	}
	colours, _ := within(all, "colr")
	for _, b := range colours {
		if len(b.content) >= 11 && string(b.content[:4]) == "nclx" {
			return b.content[10]&0x80 == 0
		}
	}
	return false
}
