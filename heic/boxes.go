package heic

import (
	"encoding/binary"
	"errors"
	"image"
	"image/color"

	"nrdl.example/nrdl/internal/metadata"
)

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

// DecodeConfig returns the size of the photograph in a HEIC or AVIF file, before it is turned
// upright: the largest size in the file. Thumbnails, tiles and depth maps are smaller.
func DecodeConfig(data []byte) (image.Config, error) {
	c := image.Config{ColorModel: color.YCbCrModel}
	all, err := metadata.Descend(data, "meta", "iprp", "ipco")
	if err == nil && all == nil {
		err = errors.New("it holds no still image")
	}
	if err != nil {
		return c, err
	}
	sizes, err := metadata.Within(all, "ispe")
	if err != nil {
		return c, err
	}
	for _, b := range sizes {
		if len(b.Content) < 12 {
			return c, metadata.ErrBoxes
		}
		w, h := binary.BigEndian.Uint32(b.Content[4:]), binary.BigEndian.Uint32(b.Content[8:])
		if uint64(w)*uint64(h) >= uint64(c.Width)*uint64(c.Height) {
			c.Width, c.Height = int(w), int(h)
		}
	}
	if len(sizes) == 0 {
		return c, errors.New("it does not tell the size of its image")
	}
	if c.Width <= 0 || c.Height <= 0 {
		return c, metadata.ErrBoxes
	}
	return c, nil
}

// hasVideoRange reports whether the values of the photograph are those of video: luma
// 16 … 235, chroma 16 … 240, and not 0 … 255.
func hasVideoRange(data []byte) bool {
	all, err := metadata.Descend(data, "meta", "iprp", "ipco")
	if err != nil || isAVIF(data) { // the decoder of AVIF makes RGB
		return false
	}
	colours, _ := metadata.Within(all, "colr")
	for _, b := range colours {
		if len(b.Content) >= 11 && string(b.Content[:4]) == "nclx" {
			return b.Content[10]&0x80 == 0
		}
	}
	return false
}
