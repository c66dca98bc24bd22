package album

import (
	"context"
	"html/template"
	"image"
	"io"
	"time"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/results"
)

// A Bundle is an album that needs no file beside its own: it has a copy of each photograph, and no link to the
// original.
type Bundle struct {
	file  func(ctx context.Context, name string, write func(io.Writer) error) error
	all   []*photo
	sizes map[string]image.Point // of thumbnails
}

// NewBundle returns an empty Bundle. Put makes a file of it, by a name with slashes.
func NewBundle(put func(ctx context.Context, name string, write func(io.Writer) error) error) *Bundle {
	return &Bundle{file: put, sizes: map[string]image.Point{}}
}

// Add puts copies of the photograph p, in which o was found, with the time of its file.
func (b *Bundle) Add(ctx context.Context, o results.Object, changed time.Time, p *dataset.Photo) (err error) {
	one := newPhoto(o, changed)
	if b.sizes[o.File], err = copies(ctx, b, o.File, true, p); err == nil {
		b.all = append(b.all, one)
	}
	return err
}

// Finish puts the pages, index.html last.
func (b *Bundle) Finish(ctx context.Context) error {
	w := newWriting(b, b.all, 0)
	if err := w.shelves(ctx); err != nil {
		return err
	}
	return w.index(ctx, "")
}

func (b *Bundle) put(ctx context.Context, name string, write func(io.Writer) error) error {
	return b.file(ctx, name, write)
}

func (b *Bundle) thumbSize(_ context.Context, p *photo) (width, height int) {
	size := b.sizes[p.File]
	return size.X, size.Y
}

func (b *Bundle) large(p *photo) string                { return preview(p.File) }
func (b *Bundle) original(string, *photo) template.URL { return "" }
func (b *Bundle) path(file string) string              { return file }
