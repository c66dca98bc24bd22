package index

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"sync/atomic"
)

// blockBytes is what a checksum of a file is for.
const blockBytes = 1 << 15

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// blocks are the checksums of the blocks of a segment, which are checked when they are
// read for the first time.
type blocks struct {
	sums []uint32
	good []atomic.Uint32 // bits
}

// checksums returns those of the blocks of b, as they are in a file.
func checksums(b []byte) []byte {
	var sums []byte
	for lo := 0; lo < len(b); lo += blockBytes {
		sums = binary.LittleEndian.AppendUint32(sums, crc32.Checksum(b[lo:min(len(b), lo+blockBytes)], castagnoli))
	}
	return sums
}

func newBlocks(sums []byte) *blocks {
	c := &blocks{sums: make([]uint32, len(sums)/4), good: make([]atomic.Uint32, (len(sums)/4+31)/32)}
	for i := range c.sums {
		c.sums[i] = binary.LittleEndian.Uint32(sums[4*i:])
	}
	return c
}

// check reports damage in the blocks with the bytes from lo to hi of b.
func (c *blocks) check(b []byte, lo, hi int) error {
	for i := lo / blockBytes; i*blockBytes < hi; i++ {
		if c.good[i/32].Load()>>(i%32)&1 == 1 {
			continue
		}
		if crc32.Checksum(b[i*blockBytes:min(len(b), (i+1)*blockBytes)], castagnoli) != c.sums[i] {
			return damaged(fmt.Sprintf("a checksum differs %d bytes after the start of a segment", i*blockBytes))
		}
		c.good[i/32].Or(1 << (i % 32))
	}
	return nil
}

func damaged(why string) error { return fmt.Errorf("damaged gallery: %s", why) }
