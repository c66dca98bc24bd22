// Package bounded bounds the time and the memory of image decoders that have no bounds. It
// has a reader that fails when its context ends, and it reads the markers of a JPEG file
// before decoding.
package bounded

import (
	"bytes"
	"context"
)

// A Reader reads a file until its context ends.
type Reader struct {
	ctx  context.Context
	file *bytes.Reader
}

// NewReader returns a Reader of data. When ctx has ended, reading returns the cause of ctx as
// the error.
func NewReader(ctx context.Context, data []byte) *Reader {
	return &Reader{ctx, bytes.NewReader(data)}
}

// Read returns few bytes at a time, since few bytes can cause much work: 31 bytes of a
// progressive JPEG visit all of its pixels.
func (r *Reader) Read(p []byte) (int, error) {
	const limit = 128
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.file.Read(p[:min(len(p), limit)])
}

// ReadAt reads as Read does. Decoders that find no ReadAt copy the whole file.
func (r *Reader) ReadAt(p []byte, at int64) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.file.ReadAt(p, at)
}
