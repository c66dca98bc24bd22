package report

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"sync"

	"nrdl.example/nrdl/doc"
	"nrdl.example/nrdl/internal/legible"
)

var (
	//go:embed page.html.tmpl
	pageText string
	//go:embed page.css
	pageStyle string

	page = sync.OnceValue(func() *template.Template {
		return template.Must(template.New("page").Funcs(template.FuncMap{
			"notes": numbers,
			"style": func() template.CSS { return template.CSS(pageStyle) }, // ours, and constant
			"image": func(png []byte) template.URL {
				return template.URL("data:image/png;base64," + base64.StdEncoding.EncodeToString(png))
			},
			"svg":  drawing,
			"term": define,
			"about": func(title string) string {
				text, _ := doc.Define(title)
				return text
			},
			"numbers": (*Figure).numbers,
			"lines":   oneLine,
		}).Parse(pageText))
	})
)

// writeHTML writes d as one page that needs nothing else: no network, no
// script.
func writeHTML(w io.Writer, d *document) error {
	var b bytes.Buffer
	if err := page().Execute(&b, d); err != nil {
		return err
	}
	_, err := io.WriteString(w, legible.Printable(b.String()))
	return err
}

// drawing is the figure, or why there is none: what is not finite or not
// positive may leave no point.
func drawing(f *Figure) template.HTML {
	svg, err := f.SVG()
	if err != nil {
		return template.HTML("<p>" + template.HTMLEscapeString(err.Error()) + "</p>")
	}
	return template.HTML(svg) // drawn by us, its texts escaped
}
