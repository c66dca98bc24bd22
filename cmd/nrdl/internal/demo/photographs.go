package demo

import (
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"iter"
	"os"
	"path/filepath"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/cmd/nrdl/internal/output"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/internal/kit/atomicfile"
	"nrdl.example/nrdl/internal/kit/page"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/lab/experiment"
	"nrdl.example/nrdl/lab/report/plot"
)

// Photographs are those that a Demo draws: few and small, so that it does not take long.
var Photographs = synthetic.Photographs{People: 4, PerPerson: 3, Size: dataset.Size{Height: 360, Width: 480}, Seed: 52, Smile: 0.7}

// A photo is a photograph with boxes and names.
type photo struct {
	Source template.URL
	Alt    string
}

// names draws photographs, trains a model on those of single people, writes it to the file
// model, and names the faces in the others, which it draws with boxes and names.
func (d *Demo) names(ctx context.Context, model string) error {
	drawn, boxes := filepath.Join(d.Dir, "photographs"), filepath.Join(d.Dir, "named")
	bar := d.NewBar("drawing")
	err := Photographs.Write(ctx, drawn, func(done, total int) { bar.Show(float64(done)/float64(total), fmt.Sprintf("%d of %d", done, total)) })
	bar.Clear()
	if err != nil {
		return err
	}
	o, done := d.Observe()
	defer done()
	images, err := faces.Read(ctx, filepath.Join(drawn, "people"), faces.ReadOptions{Observer: faces.Observer{Progress: o.Progress}})
	if err != nil {
		return err
	}
	r, err := faces.Train(ctx, images, faces.Defaults(images))
	done()
	if err != nil {
		return err
	}
	if err := r.Save(ctx, model); err != nil {
		return err
	}
	others := filepath.Join(drawn, "others")
	files, err := dataset.PhotoFiles(others)
	if err != nil {
		return err
	}
	draw := output.Drawings{Dir: boxes}
	named, unknown := 0, 0
	for result, err := range r.IdentifyAll(ctx, photosOf(files)) {
		if err != nil {
			return err
		}
		file := filepath.Base(result.Photo.Name)
		if err := draw.Draw(ctx, result, file); err != nil {
			return err
		}
		for _, f := range result.Faces {
			if f.Known {
				named++
			} else if f.Rejected == nil {
				unknown++
			}
		}
		data, err := os.ReadFile(filepath.Join(boxes, file))
		if err != nil {
			return fmt.Errorf("demo: %w", err)
		}
		d.photos = append(d.photos, photo{page.Data("jpeg", data), file})
	}
	d.text = fmt.Sprintf("%d photographs of %d people who do not exist were drawn. From %d of them nrdl learned their faces. In the other %d it found %s, gave %d of them a name, and left %d unknown: those of strangers should be",
		Photographs.Len(), Photographs.People, images.Len(), len(files), legible.Count(named+unknown, "face"), named, unknown)
	d.Print("%s.\n%s: the photographs with boxes and names\n\n", d.text, boxes)
	return d.Out.Flush() // the rest takes longer
}

// photosOf are the photographs in files.
func photosOf(files []dataset.File) iter.Seq[faces.Photo] {
	return func(yield func(faces.Photo) bool) {
		for _, f := range files {
			if !yield(faces.Photo{Name: f.Path}) {
				return
			}
		}
	}
}

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
		Text     string
		Photos   []photo
		Title    string
		Results  []result
		Curve    template.HTML
		Pictures []template.URL
	}{Text: d.text, Photos: d.photos, Title: d.summary(), Results: d.results, Curve: template.HTML(curve)} // its texts are escaped
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
