// Package page has the common parts of the pages for a browser: a style sheet for light, dark and
// printed pages, pictures as data, and a filter for characters that no page may contain. A page is
// one file that needs no network and no script.
package page

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"html/template"
	"image"
	"image/jpeg"
	"io"
	"maps"
	"net/url"
	"path/filepath"
	"strings"
	"sync"

	"nrdl.example/nrdl/internal/legible"
)

var (
	//go:embed page.html.tmpl
	headText string
	//go:embed page.css
	style string
)

// New returns a function that parses a template in its first call. The template begins with
// {{template "head" TITLE}} and ends with {{template "foot"}}. The styles extra follow the common
// style sheet.
func New(text, extra string, functions ...template.FuncMap) func() *template.Template {
	all := template.FuncMap{
		"word":  Word,
		"style": func() template.CSS { return template.CSS(style + extra) }, // ours, and constant
	}
	for _, more := range functions {
		maps.Copy(all, more)
	}
	return sync.OnceValue(func() *template.Template {
		return template.Must(template.Must(template.New("page").Funcs(all).Parse(headText)).Parse(text))
	})
}

// Word returns a name or a path for a page that has a place to break the line after each mark in
// it, so that it breaks there, and not inside a word.
func Word(name string) template.HTML {
	return template.HTML(breaks.Replace(template.HTMLEscapeString(name))) // the rest of it is ours
}

var breaks = strings.NewReplacer("_", "_<wbr>", "/", "/<wbr>", "-", "-<wbr>")

// Write executes the template of t with this name, "page" for the whole page. It removes
// characters that a page must not contain.
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

// Data returns an image file of this kind, png or jpeg, as a data: address for a page.
func Data(kind string, file []byte) template.URL {
	return template.URL("data:image/" + kind + ";base64," + base64.StdEncoding.EncodeToString(file))
}

// A Picture is a thumbnail on a page, with what stands below it.
type Picture struct {
	Source        template.URL // "" where there is no picture
	Width, Height int          // in pixels; 0 where nobody knows
	Alt           string
	Name, Sub     string
	Mark          string // best, rival or ""
}

// A Group is pictures under a heading, such as those of a person. The template "group" shows it.
type Group struct {
	Title    string
	Address  template.URL // of the title; "" for none
	Count    string
	Caption  string // "" for nothing
	Pictures []Picture
}

// Thumb returns img as a picture without texts: a JPEG file of this quality, 1 … 100.
func Thumb(img image.Image, quality int) (Picture, error) {
	file, err := JPEG(img, quality)
	size := img.Bounds().Size()
	return Picture{Source: Data("jpeg", file), Width: size.X, Height: size.Y}, err
}

// Link returns the address of the file at path in a page in a folder: a relative one if there is
// one.
func Link(folder, path string) template.URL {
	absFolder, err := filepath.Abs(folder)
	abs, err2 := filepath.Abs(path)
	if err != nil || err2 != nil {
		return ""
	}
	if rel, err := filepath.Rel(absFolder, abs); err == nil {
		return template.URL((&url.URL{Path: filepath.ToSlash(rel)}).String())
	}
	return template.URL((&url.URL{Scheme: "file", Path: "/" + filepath.ToSlash(abs)}).String())
}
