package demo

import (
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"os"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/experiment"
	"nrdl.example/nrdl/internal/atomicfile"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/internal/page"
	"nrdl.example/nrdl/report/plot"
)

var (
	//go:embed page.html.tmpl
	pageText string
	//go:embed page.css
	pageStyle string

	demoPage = page.New(pageText, pageStyle, nil)
)

// A result is the bar of a method.
type result struct {
	Name, Percent string
	Share         template.CSS // of the width
}

func resultOf(name string, r experiment.Run) result {
	right := float64(r.N-r.Wrong) / float64(r.N)
	return result{name, legible.Percent(right) + " %", template.CSS(fmt.Sprintf("width:%.2f%%", 100*right))}
}

// watched returns a Watch that adds the residual of each pass to the curve called name, and
// then calls next unless that is nil.
func (d *Demo) watched(name string, next classify.Watch) classify.Watch {
	d.curves = append(d.curves, plot.Series{Name: name})
	at := len(d.curves) - 1
	return func(p classify.Progress) {
		c := &d.curves[at]
		c.X, c.Y = append(c.X, float64(p.Iter)), append(c.Y, p.Residual)
		if next != nil {
			next(p)
		}
	}
}

// writePage writes the page at path: the photographs with names, how often each method is right,
// how NRDL converges, and the pictures in the files atoms and sheet.
func (d *Demo) writePage(ctx context.Context, path, sheet, atoms string) error {
	curve, err := plot.Lines(plot.Axes{Title: "The residual of each pass", X: "pass", Y: "residual", LogY: true}, d.curves)
	if err != nil {
		return err
	}
	content := struct {
		Told     string
		Photos   []photo
		Title    string
		Results  []result
		Curve    template.HTML
		Pictures []template.URL
	}{Told: d.told, Photos: d.photos, Title: d.summary(), Results: d.results, Curve: template.HTML(curve)} // its texts are escaped
	for _, file := range []string{sheet, atoms} {
		data, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("demo: %w", err)
		}
		content.Pictures = append(content.Pictures, page.Data("png", data))
	}
	_, err = atomicfile.Write(ctx, path, func(w io.Writer) error { return page.Write(w, demoPage, "page", content) })
	return err
}
