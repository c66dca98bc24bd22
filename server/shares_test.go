package server

import (
	"bytes"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"nrdl.example/nrdl/faces/dataset"
)

// The default shares of requests and images fit into the memory, however little there is, and larger
// ones are refused.
func TestShares(t *testing.T) {
	t.Parallel()
	for memory := int64(24_000_000); memory <= dataset.MaxDecoding; memory += 7_000_000 {
		var o Options
		o.Bodies, o.Decoded = shares(memory)
		if err := o.fits(memory); err != nil || o.Bodies <= 0 || o.Decoded <= 0 {
			t.Errorf("%d: %+v, %v", memory, o, err)
		}
		if o.Decoded++; memory < dataset.MaxDecoding && o.fits(memory) == nil {
			t.Errorf("%d: more than there is is taken", memory)
		}
	}
}

// A part is read to the byte, whatever its length, and an error is not taken for its end.
func TestReadPieces(t *testing.T) {
	t.Parallel()
	all := make([]byte, 3<<20)
	for i := range all {
		all[i] = byte(i * 7)
	}
	for _, n := range []int{0, 1, 1 << 20, 1<<20 + 1, 2 << 20, len(all)} {
		got, err := readPieces(iotest.HalfReader(bytes.NewReader(all[:n])))
		if err != nil || !bytes.Equal(got, all[:n]) {
			t.Errorf("%d bytes: %d, %v", n, len(got), err)
		}
		if _, err := readPieces(io.MultiReader(bytes.NewReader(all[:n]), iotest.ErrReader(io.ErrUnexpectedEOF))); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d bytes, cut: %v", n, err)
		}
	}
}
