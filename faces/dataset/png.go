package dataset

import "encoding/binary"

// pngMemory is what package png takes for an image, with its grey values: for an interlaced one also
// the pictures of its passes.
func pngMemory(data []byte) (int64, error) {
	const width, height, depth, interlaced = 16, 20, 24, 28 // places in the file
	if len(data) <= interlaced {
		return 0, nil
	}
	image := int64(4)
	if data[depth] == 16 {
		image = 8
	}
	if data[interlaced] != 0 {
		image *= 2
	}
	return int64(binary.BigEndian.Uint32(data[width:])) * int64(binary.BigEndian.Uint32(data[height:])) * (image + 1), nil
}
