// Package packed unpacks data that are embedded in the program, which are packed by
// Zstandard so that the program is smaller.
package packed

import "github.com/klauspost/compress/zstd"

// Bytes unpacks data, the result of Pack. It panics if data are damaged: they are embedded in
// the program.
func Bytes(data []byte) []byte {
	r, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(1<<28))
	if err != nil {
		panic("embedded data: " + err.Error())
	}
	defer r.Close()
	all, err := r.DecodeAll(data, nil)
	if err != nil {
		panic("embedded data: " + err.Error())
	}
	return all
}

// Pack packs data; equal data give equal bytes.
func Pack(data []byte) ([]byte, error) {
	w, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithEncoderConcurrency(1))
	if err != nil {
		return nil, err
	}
	return w.EncodeAll(data, nil), w.Close()
}
