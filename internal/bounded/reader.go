// Package bounded bounds the time and the memory that decoders of images take, which have
// no bounds of their own: by a reader that ends with its context, and by what the markers
// of a JPEG file say.
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

// NewReader returns a Reader of data. Its error at the end of ctx is the cause of that.
func NewReader(ctx context.Context, data []byte) *Reader {
	return &Reader{ctx, bytes.NewReader(data)}
}

// Read gives a decoder little at a time, since a few bytes can be much work: 31 of a
// progressive JPEG visit all of its pixels.
func (r *Reader) Read(p []byte) (int, error) {
	const most = 128
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.file.Read(p[:min(len(p), most)])
}

// ReadAt is for decoders that copy the file otherwise.
func (r *Reader) ReadAt(p []byte, at int64) (int, error) {
	if r.ctx.Err() != nil {
		return 0, context.Cause(r.ctx)
	}
	return r.file.ReadAt(p, at)
}
