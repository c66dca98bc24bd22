package service

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"nrdl.example/nrdl/service/store"
)

// A jobWriter writes the file of a job in pieces. The caller calls flush in the end.
type jobWriter struct {
	ctx             context.Context
	store           *store.Store
	collection, job string
	most            int64 // bytes
	size            int64
	piece           []byte
	err             error // of the database
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
	f.err = f.store.PutPiece(f.ctx, f.collection, f.job, n, f.piece)
	f.piece = f.piece[:0]
	return f.err
}

// A jobReader reads the file of a job.
type jobReader struct {
	ctx             context.Context
	store           *store.Store
	collection, job string
	size            int64
	n               int // number of piece
	piece           []byte
	err             error // of the database
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
				f.piece, f.err = nil, err
				return n, err
			}
			f.n = k
		}
		start := int(at % store.Piece)
		if start >= len(f.piece) {
			return n, io.ErrUnexpectedEOF
		}
		m := copy(b[n:], f.piece[start:])
		n, at = n+m, at+int64(m)
	}
	return n, nil
}

// jobFile answers with the file of an export.
func (v *Service) jobFile(w http.ResponseWriter, r *http.Request) error {
	j, err := v.job(r.Context(), &InJob{InCollection{r.PathValue("c")}, r.PathValue("j")})
	if err != nil {
		return err
	}
	var result ExportResult
	pieces, err := v.store.Pieces(r.Context(), j.Collection, j.ID)
	switch {
	case err != nil:
		return err
	case j.Kind != kindExport || j.State != store.Succeeded || pieces == 0:
		return huma.Error404NotFound("the job has no file")
	}
	if err := json.Unmarshal(j.Result, &result); err != nil {
		return err
	}
	attach(w, j.ID)
	w.Header().Set("Content-Length", strconv.FormatInt(result.Bytes, 10))
	file := &jobReader{ctx: r.Context(), store: v.store, collection: j.Collection, job: j.ID, size: result.Bytes}
	if _, err := io.Copy(&patient{w, http.NewResponseController(w)}, io.NewSectionReader(file, 0, file.size)); err != nil {
		panic(http.ErrAbortHandler)
	}
	return nil
}
