package modelfile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"

	"nrdl.example/nrdl/gallery/index"
	"nrdl.example/nrdl/gallery/large"
	"nrdl.example/nrdl/method"
)

// The file of a large gallery is that of its index; its meta is a model file of the
// template, which has pipeline, network and method, and its state that of package large.

// IsLarge reports whether f starts as the file of a large gallery.
func IsLarge(f io.ReaderAt) bool {
	b := make([]byte, len(index.Magic))
	n, _ := f.ReadAt(b, 0)
	return string(b[:n]) == index.Magic
}

// OpenLarge returns the gallery in the file at path, which may be of unknown origin. Folders
// are as for Read.
func OpenLarge(path string, folders []string) (*large.Gallery, error) {
	faces, meta, state, err := index.Open(path)
	if err != nil {
		if p := (*fs.PathError)(nil); errors.As(err, &p) {
			err = p.Err
		}
		return nil, err
	}
	template, err := Read(bytes.NewReader(meta), folders)
	if err != nil {
		return nil, err
	}
	by, err := method.Of(template.Classifier)
	if err != nil {
		return nil, err
	}
	if !large.Suits(template, by) {
		return nil, errors.New("damaged gallery: a method or vectors that are not of a large one")
	}
	return large.Restore(template, by, faces, state)
}

// SaveLarge writes g to the file at path: whole or not at all, or, if g was made of the one
// that is there, what is new.
func SaveLarge(ctx context.Context, path string, g *large.Gallery) error {
	meta, state, err := besideFaces(g)
	if err != nil {
		return err
	}
	return g.Faces().Save(ctx, path, meta, state)
}

// WriteLarge writes a file of g.
func WriteLarge(w io.Writer, g *large.Gallery) error {
	meta, state, err := besideFaces(g)
	if err != nil {
		return err
	}
	return g.Faces().Write(context.Background(), w, meta, state)
}

func besideFaces(g *large.Gallery) (meta, state []byte, err error) {
	var b bytes.Buffer
	if err := Write(&b, g.Template()); err != nil {
		return nil, nil, err
	}
	if state, err = g.State(); err != nil {
		return nil, nil, fmt.Errorf("save the model: %w", err)
	}
	return b.Bytes(), state, nil
}
