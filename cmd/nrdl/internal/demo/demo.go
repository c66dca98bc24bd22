// Package demo shows what the project does on faces of people who do not exist.
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
	"strings"
	"text/tabwriter"
	"time"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl"
	"nrdl.example/nrdl/cmd/nrdl/internal/console"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/experiment"
	"nrdl.example/nrdl/internal/atomicfile"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/internal/picture"
	"nrdl.example/nrdl/lettering"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/openset"
	"nrdl.example/nrdl/report/plot"
	"nrdl.example/nrdl/synthetic"
)

// A Demo trains on some faces of drawn people and identifies the others.
type Demo struct {
	*console.Console
	Observe func() (o nrdl.Observer, done func()) // of a training
	Dir     string                                // for the model and the pictures
	Faces   synthetic.Faces

	train, test *dataset.Images
	table       *tabwriter.Writer
	results     []result
	curves      []plot.Series // of the residuals of iterative methods
}

// trainingFaces is the number of training faces of each person.
const trainingFaces = 10

// contestants are the methods of the demo with what is set. The model of the
// last is kept: NRDL with NRC's coder, which stops early; drawn faces are
// recognised better so than by the exact solution, which NRDL takes by default.
var contestants = []struct{ method, set string }{
	{"crc", ""}, {"nrc", ""}, {"nrdl", ""}, {"nrdl", "coder.solver=admm"},
}

// Run compares several methods on drawn faces, prints how many strangers the last method
// reports as unknown, and writes its model, two pictures and a page to Dir. If it fails before it
// has written anything, it removes a folder that it made.
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
	model, sheet, atoms, page := filepath.Join(d.Dir, "people.nrdl"), filepath.Join(d.Dir, "faces.png"), filepath.Join(d.Dir, "atoms.png"), filepath.Join(d.Dir, "demo.html")
	for _, path := range []string{model, sheet, atoms, page} {
		if err := atomicfile.Check(path); err != nil {
			return err
		}
	}
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
	if r, err = d.strangers(ctx, r); err != nil {
		return err
	}
	if err := d.write(ctx, r, model, sheet, atoms); err != nil {
		return err
	}
	if err := d.writePage(ctx, page, sheet, atoms); err != nil {
		return err
	}
	d.Print("\n%s: all of this as a page for a browser, with curves of the training\n", page)
	d.Print("%s: training faces, and test faces with their result: right (green) or wrong (red)\n", sheet)
	d.Print("%s: atoms that NRDL learned\n", atoms)
	d.Print("%s: its model\n\ntry next:\n", model)
	d.Print("  nrdl data synth people\n  nrdl identify %s people/%s --top 3\n", legible.ShellWord(model), d.test.Classes[0])
	return nil
}

// summary says what is drawn.
func (d *Demo) summary() string {
	return fmt.Sprintf("%d people who do not exist, %d training faces of each, %d test faces", d.Faces.People, trainingFaces, len(d.test.Labels()))
}

// draw draws the people and divides their faces.
func (d *Demo) draw(ctx context.Context) error {
	start := time.Now()
	set, err := d.Faces.Draw(ctx)
	if err != nil {
		return err
	}
	d.Tell("drew %s in %s", console.Contents(set), legible.Seconds(time.Since(start)))
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
func (d *Demo) contest(ctx context.Context) (r *nrdl.Recogniser, err error) {
	for _, c := range contestants {
		m, err := method.Named(c.method)
		if err != nil {
			return nil, err
		}
		name := c.method
		if path, value, ok := strings.Cut(c.set, "="); ok {
			name += " --set " + c.set
			if m, err = method.Set(m, path, value); err != nil {
				return nil, err
			}
		}
		o, done := d.Observe()
		if c.method == "nrdl" && c.set == "" { // the other differs in the test only
			o.Watch = d.watched(name, o.Watch)
		}
		start := time.Now()
		r, err = nrdl.Train(ctx, d.train, nrdl.Options{Method: m, Observer: o})
		done()
		if err != nil {
			return nil, err
		}
		took := time.Since(start)
		d.Tell("%s: %s in %s", name, console.Ended(r.Model().Parts().Trained), legible.Seconds(took))
		run, err := experiment.Judge(ctx, r.Model().Model, d.test)
		if err != nil {
			return nil, err
		}
		run.FitSeconds = took.Seconds()
		d.row(name, run)
	}
	return r, nil
}

// demoFolds keeps the calibration short.
const demoFolds = 3

// strangers returns r with a threshold, and prints how many faces of other people and of its
// own people it reports as unknown.
func (d *Demo) strangers(ctx context.Context, r *nrdl.Recogniser) (*nrdl.Recogniser, error) {
	how := openset.Default
	how.Folds = demoFolds
	r, err := r.Calibrate(ctx, how, nil)
	if err != nil {
		return nil, err
	}
	others := d.Faces
	others.Seed++
	unknown, err := others.Draw(ctx)
	if err != nil {
		return nil, err
	}
	far, err := share(ctx, r, unknown)
	if err != nil {
		return nil, err
	}
	known, err := share(ctx, r, d.test)
	if err != nil {
		return nil, err
	}
	d.Print("\nfaces of %d other people: the last method reports %s %% as unknown; test faces of its own people: %s %%\n",
		others.People, legible.Percent(1-far), legible.Percent(1-known))
	return r, nil
}

// share returns what part of the faces of set r names.
func share(ctx context.Context, r *nrdl.Recogniser, set *dataset.Images) (float64, error) {
	faces, err := r.Model().Identify(ctx, set)
	named := 0
	for _, f := range faces {
		if f.Known {
			named++
		}
	}
	return float64(named) / float64(len(faces)), err
}

func (d *Demo) row(name string, r experiment.Run) {
	d.results = append(d.results, resultOf(name, r))
	fmt.Fprintf(d.table, "%s\t%d\t%s\t%s\t  %s\n", legible.Percent(float64(r.N-r.Wrong)/float64(r.N)), r.Wrong,
		legible.Took(r.FitSeconds), legible.Took(r.CodeSeconds), name)
}

// write writes the pictures and the model.
func (d *Demo) write(ctx context.Context, r *nrdl.Recogniser, model, sheet, atoms string) error {
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
func (d *Demo) writeFaces(ctx context.Context, r *nrdl.Recogniser, path string) error {
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
