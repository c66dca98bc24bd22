package service

import (
	"context"
	"errors"
	"io"

	"nrdl.example/nrdl/service/store"
)

// A jobWriter writes the file of a job in pieces.
type jobWriter struct {
	ctx             context.Context
	store           *store.Store
	collection, job string
	most            int64 // bytes
	size            int64
	piece           []byte
	failed          error // of the database
}

var errLarge = errors.New("the file is too large")

func (f *jobWriter) Write(b []byte) (n int, err error) {
	for len(b) > 0 {
		k := min(len(b), store.Piece-len(f.piece))
		if f.size += int64(k); f.size > f.most {
			return n, errLarge
		}
		f.piece = append(f.piece, b[:k]...)
		n, b = n+k, b[k:]
		if len(f.piece) == store.Piece {
			if err := f.flush(); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

func (f *jobWriter) flush() error {
	if len(f.piece) == 0 {
		return nil
	}
	n := int((f.size - 1) / store.Piece)
	f.failed = f.store.PutPiece(f.ctx, f.collection, f.job, n, f.piece)
	f.piece = f.piece[:0]
	return f.failed
}

// A jobReader reads the file of a job.
type jobReader struct {
	ctx             context.Context
	store           *store.Store
	collection, job string
	size            int64
	n               int // of the piece that it has
	piece           []byte
	failed          error // of the database
}

// ReadAt implements io.ReaderAt, for one goroutine.
func (f *jobReader) ReadAt(b []byte, at int64) (n int, err error) {
	for n < len(b) {
		if at >= f.size {
			return n, io.EOF
		}
		k := int(at / store.Piece)
		if f.piece == nil || k != f.n {
			if f.piece, err = f.store.GetPiece(f.ctx, f.collection, f.job, k); err != nil {
				f.piece, f.failed = nil, err
				return n, err
			}
			f.n = k
		}
		from := int(at % store.Piece)
		if from >= len(f.piece) {
			return n, io.ErrUnexpectedEOF
		}
		m := copy(b[n:], f.piece[from:])
		n, at = n+m, at+int64(m)
	}
	return n, nil
}
