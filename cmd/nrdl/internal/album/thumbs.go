package album

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"html/template"
	"image"
	"image/jpeg"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/internal/kit/page"
	"nrdl.example/nrdl/internal/kit/regular"
)

// A thumbnail of a photograph has at most thumbSide pixels a side, and a preview previewSide.
const (
	thumbSide    = 320
	previewSide  = 1600
	thumbQuality = 75
)

// thumb is the name of the thumbnail of the photograph that a keeps as name.
func thumb(name string) string {
	sum := sha256.Sum256([]byte(name))
	return thumbFolder + "/" + hex.EncodeToString(sum[:12]) + ".jpg"
}

// preview is the name of the large JPEG of the photograph that an album keeps as name.
func preview(name string) string { return strings.TrimSuffix(thumb(name), ".jpg") + "-large.jpg" }

// isShown reports whether browsers show the photograph that a keeps as name.
func isShown(name string) bool {
	return !slices.Contains([]string{".heic", ".heif", ".hif", ".avif", ".tif", ".tiff"}, strings.ToLower(filepath.Ext(name)))
}

// large is the preview of p, or its thumbnail if there is none; "" if browsers show p itself.
func (a *Album) large(p *photo) string {
	switch {
	case isShown(p.File):
		return ""
	case missing(filepath.Join(a.dir, preview(p.File))):
		return thumb(p.File)
	}
	return preview(p.File)
}

func (a *Album) original(from string, p *photo) template.URL {
	return page.Link(filepath.Join(a.dir, from), a.path(p.File))
}

func (a *Album) put(ctx context.Context, name string, write func(io.Writer) error) error {
	to := filepath.Join(a.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return fmt.Errorf("album: %w", err)
	}
	_, err := a.files.Write(ctx, to, write)
	return err
}

// copies puts the thumbnail of the photograph that an album keeps as name, and with large its preview, and
// returns the size of the thumbnail.
func copies(ctx context.Context, to place, name string, large bool, p *dataset.Photo) (image.Point, error) {
	encode := func(img image.Image) func(io.Writer) error {
		return func(w io.Writer) error { return jpeg.Encode(w, img, &jpeg.Options{Quality: thumbQuality}) }
	}
	if large {
		if err := to.put(ctx, preview(name), encode(face.Reduced(p, previewSide))); err != nil {
			return image.Point{}, err
		}
	}
	small := p.Image()
	if !opaque(small) || p.Grey.Rect.Dx() > thumbSide || p.Grey.Rect.Dy() > thumbSide {
		small = face.Reduced(p, thumbSide)
	}
	return small.Bounds().Size(), to.put(ctx, thumb(name), encode(small))
}

// Thumb returns a function that writes the thumbnail of the photograph at path, for
// faces.Photo.Decoded.
func (a *Album) Thumb(ctx context.Context, path string) func(*dataset.Photo) error {
	return func(p *dataset.Photo) error {
		name := dataset.Text(a.relative(path))
		_, err := copies(ctx, a, name, !isShown(name), p)
		return err
	}
}

// opaque reports whether img is of a kind that has no transparent pixels and that a JPEG file is
// made of without a copy.
func opaque(img image.Image) bool {
	switch img.(type) {
	case *image.YCbCr, *image.Gray:
		return true
	}
	return false
}

// thumbSize returns the width and height of the thumbnail of p. It makes a thumbnail that is not
// there or not whole.
func (a *Album) thumbSize(ctx context.Context, p *photo) (width, height int) {
	for range 2 {
		if c, err := configOf(filepath.Join(a.dir, thumb(p.File))); err == nil {
			return c.Width, c.Height
		}
		path := a.path(p.File)
		data, ctx, done, err := dataset.Load(ctx, path, 0)
		if err != nil {
			break
		}
		decoded, err := dataset.DecodeColour(ctx, data, path)
		if err == nil {
			err = a.Thumb(ctx, path)(decoded)
		}
		done()
		if err != nil {
			break
		}
	}
	return 0, 0
}

// configOf is what the thumbnail at path says of itself. A file without its end is an error: a loss
// of power may leave one, as thumbnails are not synchronised.
func configOf(path string) (image.Config, error) {
	const end = "\xff\xd9" // of a JPEG
	f, _, err := regular.Open(path)
	if err != nil {
		return image.Config{}, err
	}
	defer f.Close()
	c, err := jpeg.DecodeConfig(f)
	if err != nil {
		return c, err
	}
	last := make([]byte, len(end))
	if _, err = f.Seek(-int64(len(end)), io.SeekEnd); err == nil {
		_, err = io.ReadFull(f, last)
	}
	if err == nil && string(last) != end {
		err = io.ErrUnexpectedEOF
	}
	return c, err
}
