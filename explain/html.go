package explain

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"image/png"
	"io"
	"math"

	"nrdl.example/nrdl/doc"
	"nrdl.example/nrdl/internal/page"
)

var (
	//go:embed page.html.tmpl
	pageText string
	//go:embed page.css
	pageStyle string

	whyPage = page.New(pageText, pageStyle, template.FuncMap{
		"term": func(name string) (string, error) {
			text, ok := doc.Define(name)
			if !ok {
				return "", fmt.Errorf("the glossary does not have %q", name)
			}
			return text, nil
		},
		"extent": func(c chart, b bar) template.CSS {
			return span(math.Min(c.Zero, b.To), math.Abs(b.To-c.Zero))
		},
		"at": func(c chart) template.CSS { return span(c.Line, 0) },
		"label": func(c chart) template.CSS { // inside the chart wherever the line is
			return template.CSS(fmt.Sprintf("left:%.2f%%;transform:translateX(-%.2[1]f%%)", 100*c.Line))
		},
	})
)

// span is where something lies on the width of a chart.
func span(left, width float64) template.CSS {
	return template.CSS(fmt.Sprintf("left:%.2f%%;width:%.2f%%", 100*left, 100*width))
}

// HTML writes p as one self-contained page, without scripts.
func (p *Page) HTML(w io.Writer) error {
	sections, err := p.sections()
	if err != nil {
		return err
	}
	return page.Write(w, whyPage, "page", struct {
		Title    string
		Sections []section
	}{p.Title, sections})
}

// quality is that of the pictures of a page that are shorter as JPEG.
const quality = 90

// Source returns the picture as a data URI, PNG or JPEG, whichever is shorter.
func (s figure) Source() (template.URL, error) {
	var lossless bytes.Buffer
	if err := png.Encode(&lossless, s.img); err != nil {
		return "", err
	}
	lossy, err := page.JPEG(s.img, quality)
	if err != nil || len(lossy) < lossless.Len() {
		return page.Data("jpeg", lossy), err
	}
	return page.Data("png", lossless.Bytes()), nil
}
