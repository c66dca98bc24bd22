package output

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/jpeg"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/faces/lettering"
	"nrdl.example/nrdl/internal/kit/atomicfile"
)

// jpegQuality is that of photographs with boxes.
const jpegQuality = 90

// Drawings writes photographs with boxes and names into the folder Dir, or the only one to File
// unless that is "". It is safe for concurrent use.
type Drawings struct {
	Dir    string
	File   string
	writer atomicfile.Writer
}

// Draw reads the photograph of r again and writes it, with boxes and names, to the path
// below in d.Dir. It returns an error if that would overwrite the photograph itself.
func (d *Drawings) Draw(ctx context.Context, r faces.Result, below string) error {
	const copied = 4 // bytes of a pixel that is drawn on
	data, ctx, done, err := dataset.Load(ctx, r.Photo.Name, copied)
	if err != nil {
		return fmt.Errorf("draw: %w", err)
	}
	defer done()
	img, err := dataset.DecodePhoto(ctx, data, r.Photo.Name)
	if err != nil {
		return err
	}
	marks := make([]face.Mark, len(r.Faces))
	for k, f := range r.Faces {
		marks[k] = markOf(f, img.Bounds())
	}
	drawn := face.Draw(img, marks, lettering.Bold)
	to, encode := drawing(d.Dir, below, data)
	if d.File != "" {
		to, encode = drawing(filepath.Dir(d.File), filepath.Base(d.File), nil)
		if strings.EqualFold(filepath.Ext(d.File), ".png") {
			to, encode = d.File, png.Encode
		}
	}
	if err := mayDraw(to, r.Photo.Name); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		return fmt.Errorf("draw: %w", err)
	}
	_, err = d.writer.Write(ctx, to, func(w io.Writer) error { return encode(w, drawn) })
	return err
}

// markOf is the box of f, or the whole image where it is taken as it is.
func markOf(f faces.Face, whole image.Rectangle) face.Mark {
	m := face.Mark{Box: whole, Text: nameOf(f)}
	if f.Detection != nil {
		m.Box = f.Box
	}
	switch {
	case f.Rejection != nil:
		m.Kind = face.Refused
		m.Text, _, _ = strings.Cut(f.Rejection.Error(), ":")
		m.Text, _, _ = strings.Cut(m.Text, ",")
	case !f.Known:
		m.Kind = face.Stranger
	default:
		if p := f.Probability; !math.IsNaN(p) {
			m.Note = " " + gallery.Probability(p)
		}
	}
	return m
}

// drawing returns the path of the drawn copy of a photograph, whose file is data and whose
// path in dir is below, and its encoder: PNG for a PNG, else JPEG.
func drawing(dir, below string, data []byte) (path string, encode func(io.Writer, image.Image) error) {
	path = filepath.Join(dir, below)
	asJPEG := func(w io.Writer, m image.Image) error { return jpeg.Encode(w, m, &jpeg.Options{Quality: jpegQuality}) }
	switch strings.ToLower(filepath.Ext(path)) {
	case ".png":
		if bytes.HasPrefix(data, []byte("\x89PNG")) {
			return path, png.Encode
		}
	case ".jpg", ".jpeg", ".jpe", ".jfif":
		return path, asJPEG
	}
	return path + ".jpg", asJPEG
}

// mayDraw is an error if what is at path must not be written over: the photograph
// itself, at source, or a link, which leads to another one.
func mayDraw(path, source string) error {
	info, err := os.Lstat(path)
	if err != nil {
		return nil // nothing is there
	}
	if own, err := os.Stat(source); err == nil && os.SameFile(info, own) {
		return advice.Add(fmt.Errorf("draw %s: it would be written over", source), "choose another folder: --draw DIR")
	}
	if !info.Mode().IsRegular() {
		return advice.Add(fmt.Errorf("draw %s: it is no file, or a link to one", path), "choose another folder: --draw DIR")
	}
	return nil
}
