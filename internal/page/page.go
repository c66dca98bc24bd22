// Package page has what the pages for a browser share: a style sheet for light, dark and
// printed pages, pictures as data, and the guard against characters that no page may have.
// A page is one file that needs no network and no script.
package page

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"html/template"
	"image"
	"image/jpeg"
	"io"
	"net/url"
	"path/filepath"
	"sync"

	"nrdl.example/nrdl/internal/legible"
)

var (
	//go:embed page.html.tmpl
	headText string
	//go:embed page.css
	style string
)

// New parses a template, which begins with {{template "head" TITLE}} and ends with
// {{template "foot"}}, when it is first asked for. Own is its style sheet, after the
// shared one.
func New(text, own string, functions template.FuncMap) func() *template.Template {
	all := template.FuncMap{
		"style": func() template.CSS { return template.CSS(style + own) }, // ours, and constant
	}
	for name, f := range functions {
		all[name] = f
	}
	return sync.OnceValue(func() *template.Template {
		return template.Must(template.Must(template.New("page").Funcs(all).Parse(headText)).Parse(text))
	})
}

// Write executes the template name of t, "page" for all of it, without the characters
// that no page may have.
func Write(w io.Writer, t func() *template.Template, name string, data any) error {
	var b bytes.Buffer
	if err := t().ExecuteTemplate(&b, name, data); err != nil {
		return err
	}
	_, err := io.WriteString(w, legible.Printable(b.String()))
	return err
}

// JPEG returns img as a JPEG file of this quality, 1 … 100.
func JPEG(img image.Image, quality int) ([]byte, error) {
	var b bytes.Buffer
	err := jpeg.Encode(&b, img, &jpeg.Options{Quality: quality})
	return b.Bytes(), err
}

// Data is an image file of this kind, png or jpeg, as the address of a picture.
func Data(kind string, file []byte) template.URL {
	return template.URL("data:image/" + kind + ";base64," + base64.StdEncoding.EncodeToString(file))
}

// Link is the address of the file at path in a page in the folder from: a relative one
// where there is one.
func Link(from, path string) template.URL {
	absFrom, err := filepath.Abs(from)
	abs, err2 := filepath.Abs(path)
	if err != nil || err2 != nil {
		return ""
	}
	if rel, err := filepath.Rel(absFrom, abs); err == nil {
		return template.URL((&url.URL{Path: filepath.ToSlash(rel)}).String())
	}
	return template.URL((&url.URL{Scheme: "file", Path: "/" + filepath.ToSlash(abs)}).String())
}
