// Package demo shows what the project does on photographs and faces of people who do not exist.
package demo

import (
	"context"
	"errors"
	"fmt"
	"image/png"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/cmd/nrdl/internal/console"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/lettering"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/internal/kit/atomicfile"
	"nrdl.example/nrdl/internal/kit/picture"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/lab/experiment"
	"nrdl.example/nrdl/lab/report/plot"
	"nrdl.example/nrdl/method"
)

// A Demo names faces in drawn photographs, and compares methods on drawn faces.
type Demo struct {
	*console.Console
	Observe func() (o faces.Observer, done func()) // of a training
	Dir     string                                 // for photographs, models, pictures and the page
	Faces   synthetic.Faces

	train, test *dataset.Images
	table       *tabwriter.Writer
	text        string  // of the photographs
	photos      []photo // with boxes and names
	results     []result
	curves      []plot.Series // of the residuals of iterative methods
}

// trainingFaces is the number of training faces of each person.
const trainingFaces = 10

// contestants are the methods of the demo with what is set. NRDL has NRC's coder, which stops
// early; drawn faces are recognised better so than by the exact solution, which NRDL takes by
// default and which a verbose demo tests too.
var contestants = []struct{ method, set, name string }{
	{"crc", "", "CRC"}, {"nrc", "", "NRC"}, {"nrdl", "coder.solver=admm", "NRDL, stopped coder"},
}

// Run names the faces in drawn photographs, compares several methods on drawn faces, and writes
// photographs, models, two pictures and a page to Dir. If it fails before it has written
// anything, it removes a folder that it made.
func (d *Demo) Run(ctx context.Context) (err error) {
	switch made := os.Mkdir(d.Dir, 0o777); {
	case made == nil:
		defer func() {
			if err != nil {
				_ = os.Remove(d.Dir) // only while it is empty
			}
		}()
	case !errors.Is(made, fs.ErrExist):
		return atomicfile.Error(d.Dir, made)
	}
	if err := atomicfile.MakeFolder(d.Dir); err != nil {
		return err
	}
	in := func(name string) string { return filepath.Join(d.Dir, name) }
	model, nrdlModel, sheet, atoms, page := in("people.nrdl"), in("faces.nrdl"), in("faces.png"), in("atoms.png"), in("demo.html")
	for _, path := range []string{model, nrdlModel, sheet, atoms, page} {
		if err := atomicfile.Check(path); err != nil {
			return err
		}
	}
	if err := d.names(ctx, model); err != nil {
		return err
	}
	if err := d.methods(ctx, nrdlModel, sheet, atoms); err != nil {
		return err
	}
	if err := d.writePage(ctx, page, sheet, atoms); err != nil {
		return err
	}
	d.Print("\n%s: all of this as a page for a browser, with the photographs, faces and curves\n", page)
	d.Next("open %s, then nrdl data synth drawn --photos (photographs to try every command on)", legible.ShellWord(page))
	return nil
}

// methods compares methods on drawn faces, and writes the model of the last one and its pictures.
func (d *Demo) methods(ctx context.Context, model, sheet, atoms string) error {
	if err := d.draw(ctx); err != nil {
		return err
	}
	d.Print("%s\n\n", d.summary())
	d.table = tabwriter.NewWriter(d.Out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(d.table, "right %\twrong\ttrain time\ttest time\t  method")
	d.nearest()
	r, err := d.contest(ctx)
	if err != nil {
		return err
	}
	if err := d.table.Flush(); err != nil {
		return err
	}
	return d.write(ctx, r, model, sheet, atoms)
}

// summary says what is drawn.
func (d *Demo) summary() string {
	return fmt.Sprintf("Methods, without a network, on small drawn faces: %d people, %d training faces of each, %d test faces", d.Faces.People, trainingFaces, len(d.test.Labels()))
}

// draw draws the people and divides their faces.
func (d *Demo) draw(ctx context.Context) error {
	start := time.Now()
	set, err := d.Faces.Draw(ctx)
	if err != nil {
		return err
	}
	d.Detail("drew %s in %s", console.Contents(set), legible.Seconds(time.Since(start)))
	split, err := dataset.ParseSplit(fmt.Sprintf("first:%d", trainingFaces))
	if err != nil {
		return err
	}
	train, test, err := split.Apply(set, 0)
	if err != nil {
		return err
	}
	d.train, d.test = set.Select(train), set.Select(test)
	return nil
}

// nearest judges the nearest neighbour.
func (d *Demo) nearest() {
	start := time.Now()
	wrong := 0
	labels := d.test.Labels()
	for j, c := range experiment.Nearest(d.train, d.test.X) {
		if c != labels[j] {
			wrong++
		}
	}
	d.row("1-NN", experiment.Run{Wrong: wrong, N: len(labels), CodeSeconds: time.Since(start).Seconds()})
}

// contest tests the contestants and returns the model of the last one, without a
// threshold.
func (d *Demo) contest(ctx context.Context) (r *faces.Recogniser, err error) {
	all := contestants
	if exact := all[len(all)-1]; d.Verbose {
		exact.set, exact.name = "", "NRDL"
		all = slices.Insert(slices.Clone(all), len(all)-1, exact)
	}
	for i, c := range all {
		m, err := method.Named(c.method)
		if err != nil {
			return nil, err
		}
		if path, value, ok := strings.Cut(c.set, "="); ok {
			if m, err = method.Set(m, path, value); err != nil {
				return nil, err
			}
		}
		o, done := d.Observe()
		if i == len(all)-1 {
			o.Watch = d.watched(c.name, o.Watch)
		}
		start := time.Now()
		r, err = faces.Train(ctx, d.train, faces.Options{Method: m, Observer: o})
		done()
		if err != nil {
			return nil, err
		}
		took := time.Since(start)
		d.Detail("%s: %s in %s", c.name, console.Ended(r.Model().Parts().Trained), legible.Seconds(took))
		run, err := experiment.Judge(ctx, r.Model().Model, d.test)
		if err != nil {
			return nil, err
		}
		run.FitSeconds = took.Seconds()
		d.row(c.name, run)
	}
	return r, nil
}

func (d *Demo) row(name string, r experiment.Run) {
	d.results = append(d.results, resultOf(name, r))
	fmt.Fprintf(d.table, "%s\t%d\t%s\t%s\t  %s\n", legible.Percent(float64(r.N-r.Wrong)/float64(r.N)), r.Wrong,
		legible.Took(r.FitSeconds), legible.Took(r.CodeSeconds), name)
}

// write writes the pictures and the model.
func (d *Demo) write(ctx context.Context, r *faces.Recogniser, model, sheet, atoms string) error {
	if err := d.writeFaces(ctx, r, sheet); err != nil {
		return err
	}
	p, pictured := r.Model().Parts(), d.pictured()
	opt := picture.DefaultSheet
	opt.Title = fmt.Sprintf("Atoms that NRDL learned, of %d of %d people", pictured, len(p.Classes))
	opt.Groups, opt.Captions = p.Groups[:pictured+1], p.Classes[:pictured]
	opt.Side, opt.Range = thumb, picture.Full
	if err := writeSheet(ctx, atoms, p.D, d.train.Frame.Size, opt); err != nil {
		return err
	}
	return r.Save(ctx, model)
}

// thumb is the height of a face in the pictures.
const thumb = 64

// pictured returns how many people are in the pictures.
func (d *Demo) pictured() int { return min(d.Faces.People, 12) }

// writeFaces draws for each person the training faces, then the test faces
// with a mark for how r names them.
func (d *Demo) writeFaces(ctx context.Context, r *faces.Recogniser, path string) error {
	named, err := r.Model().Predict(ctx, d.test)
	if err != nil {
		return err
	}
	opt, pictured := picture.DefaultSheet, d.pictured()
	opt.Title = fmt.Sprintf("%d of %d people: %d training faces, then test faces: right (green) or wrong (red)",
		pictured, len(d.train.Classes), trainingFaces)
	opt.Groups, opt.Captions = []int{0}, d.train.Classes[:pictured]
	opt.Side, opt.Columns, opt.Range = thumb, d.Faces.PerPerson, picture.Grey
	size, _ := d.train.X.Dims()
	x := mat.NewDense(size, pictured*d.Faces.PerPerson, nil)
	add := func(set *dataset.Images, j int, mark picture.Mark) {
		x.SetCol(len(opt.Marks), mat.Col(nil, j, set.X))
		opt.Marks = append(opt.Marks, mark)
	}
	for c := range pictured {
		for j := d.train.Groups[c]; j < d.train.Groups[c+1]; j++ {
			add(d.train, j, picture.Plain)
		}
		for j := d.test.Groups[c]; j < d.test.Groups[c+1]; j++ {
			mark := picture.Wrong
			if named[j] == c {
				mark = picture.Right
			}
			add(d.test, j, mark)
		}
		opt.Groups = append(opt.Groups, len(opt.Marks))
	}
	return writeSheet(ctx, path, x, d.train.Frame.Size, opt)
}

func writeSheet(ctx context.Context, path string, x *mat.Dense, in dataset.Size, opt picture.SheetOptions) error {
	opt.Letters, opt.Heading = lettering.Regular, lettering.Bold
	img, err := picture.Sheet(x, picture.Size(in), opt)
	if err != nil {
		return err
	}
	_, err = atomicfile.Write(ctx, path, func(w io.Writer) error { return png.Encode(w, img) })
	return err
}
