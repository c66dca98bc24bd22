package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"
	"gonum.org/v1/gonum/mat"

	"nrdl"
	"nrdl/dataset"
	"nrdl/experiment"
	"nrdl/internal/atomicfile"
	"nrdl/internal/hint"
	"nrdl/report"
)

// openSet is the flags of evaluate --open-set.
type openSet struct {
	on        bool
	enrolled  float64
	strangers string
	given     int
	calibrate calibration
	output    string
}

// openSetFlags have no meaning without --open-set.
var openSetFlags = []string{"enrolled", "strangers", "given", "fpir", "strangers-share", "calibrate", "output"}

func (o *openSet) register(c *cobra.Command) {
	c.Flags().BoolVar(&o.on, "open-set", false, "enrol a part of the people, and take the others as strangers: identification rate and false accepts")
	o.enrolled = 0.5
	numberVar(c, &o.enrolled, "enrolled", "", aShare(false), "with --open-set: `SHARE` of the people who are enrolled, drawn anew in each run")
	c.Flags().StringVar(&o.strangers, "strangers", "", "with --open-set: `DIR` of photographs of further strangers")
	numberVar(c, &o.given, "given", "", inRange(0, many), "with --strangers: `N` of them, drawn anew in each run, calibrate the model, the others judge it")
	o.calibrate.register(c)
	c.Flags().StringVarP(&o.output, "output", "o", "", "with --open-set: page to write, `FILE.html` or .md, with ROC and reliability diagram")
	complete(c, "strangers", completeFolders)
	complete(c, "output", completeFiles("html", "md"))
}

// check reports flags that do not go together.
func (o *openSet) check(c *cobra.Command) error {
	if !o.on {
		for _, flag := range openSetFlags {
			if c.Flags().Changed(flag) {
				return hint.Add(misuse("--%s has no meaning without --open-set", flag), "add --open-set to judge by people who are not enrolled")
			}
		}
		return nil
	}
	switch {
	case c.Flags().Changed("model"):
		return hint.Add(misuse("--open-set with --model: it learns models of its own"), "leave out --model")
	case o.calibrate.folds == 0:
		return misuse("--calibrate 0 with --open-set: nobody would be unknown")
	case o.given > 0 && o.strangers == "":
		return hint.Add(misuse("--given %d without --strangers", o.given), "--strangers DIR has the photographs of strangers that are divided")
	}
	if o.output != "" {
		if _, err := report.OpenSetFormat(o.output); err != nil {
			return usageError{err}
		}
	}
	return nil
}

// evaluateOpenSet is evaluate with --open-set.
func (a *app) evaluateOpenSet(ctx context.Context, data string, e *evaluation) error {
	in, _, choose, err := e.learn.seeing(data)
	if err != nil {
		return err
	}
	if choose {
		return hint.Add(misuse("--input auto with --open-set"), "let evaluate choose an input first, and name it")
	}
	if e.open.output != "" {
		if err := atomicfile.Check(e.open.output); err != nil {
			return err
		}
	}
	set, in, err := a.openFor(ctx, data, in, &e.learn.input)
	if err != nil {
		return err
	}
	people := int(e.open.enrolled*float64(len(set.Classes)) + 0.5)
	if !e.learn.input.chosen() {
		in = forPeople(in, people)
	}
	m, err := e.learn.configured(in)
	if err != nil {
		return err
	}
	o := experiment.OpenSet{
		Split: e.split.Split, Enrolled: e.open.enrolled, Repeats: e.repeats, Seed: e.learn.seed,
		Input: in, Calibrate: e.open.calibrate.how(), Given: e.open.given,
	}
	if e.open.strangers != "" {
		if o.Strangers, err = a.furtherStrangers(ctx, e.open.strangers, in, e.learn.input.find); err != nil {
			return err
		}
	}
	a.tellInput(in)
	a.tellMethod(m, e.learn)
	result, err := experiment.JudgeOpenSet(ctx, set, m, o, func(d experiment.OpenSetDraw) {
		a.tell("seed %d: %s %% of %d faces identified, %s %% of %d faces of strangers named", d.Seed,
			percent(d.Identified), d.Test, percent(d.FAR), d.Strangers)
	})
	if err != nil {
		return fmt.Errorf("%s: %w", data, err)
	}
	if err := a.writeOpenSet(ctx, result, data, e.open.output); err != nil {
		return err
	}
	if e.json {
		return a.printJSON(result)
	}
	a.printOpenSet(result)
	return nil
}

// furtherStrangers reads the images at path as in sees those of a data set.
// Images without a face become black ones: they count, and nobody is named in
// them.
func (a *app) furtherStrangers(ctx context.Context, path string, in nrdl.Input, find faceFlags) (*nrdl.Set, error) {
	if !in.Images().Fixed().ArePixels() {
		return nil, hint.Add(errors.New("--strangers needs data that are images"), "vectors of strangers can be people of the data set")
	}
	files, err := dataset.Images(a.databases("").Find(path))
	if err != nil {
		return nil, err
	}
	v := &viewer{input: in.Images(), detect: !in.Eyes.IsZero(), which: "largest"}
	set, err := a.views(ctx, v, files, "reading "+path)
	if err != nil {
		return nil, err
	}
	if set == nil {
		return nil, fmt.Errorf("no usable face in %s", path)
	}
	a.tell("read %s: %d faces of strangers in %d images", path, len(set.IDs), len(files))
	if without := len(files) - len(set.IDs); without > 0 { // black images are at the end
		set.X = set.X.Grow(0, without).(*mat.Dense)
	}
	return &nrdl.Set{X: set.X, Input: set.Input}, nil
}

func (a *app) writeOpenSet(ctx context.Context, r *experiment.OpenSetResult, data, path string) error {
	if path == "" {
		return nil
	}
	format, err := report.OpenSetFormat(path)
	if err != nil {
		return err
	}
	size, err := atomicfile.Write(ctx, path, func(w io.Writer) error { return report.WriteOpenSet(w, r, data, format) })
	if err == nil {
		a.tell("wrote %s, %s", path, megabytes(size))
	}
	return err
}

func (a *app) printOpenSet(r *experiment.OpenSetResult) {
	others := ""
	if r.OtherFaces > 0 {
		others = fmt.Sprintf(" and %d further faces", r.OtherFaces)
	}
	a.print("%s: %d people enrolled (split %s), strangers: %d people%s, %s\n\n", r.Method, r.People, r.Split, r.Strangers, others, plural(len(r.Draws), "draw"))
	w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(w, "identified %, at\t")
	for _, far := range experiment.FalseAccepts {
		fmt.Fprintf(w, "%v %% false accepts\t", 100*far)
	}
	fmt.Fprintln(w, "equal error %\t")
	for _, s := range r.Scores {
		fmt.Fprintf(w, "%s\t", s.Name)
		for _, v := range s.Identified {
			fmt.Fprintf(w, "%s\t", spread(v))
		}
		fmt.Fprintf(w, "%s\t\n", spread(s.EER))
	}
	w.Flush() // errors surface when out is flushed
	a.print("\nthreshold of training for %v %%: false accepts %s %% (%s to %s), identified %s %%; without a threshold %s %%\n",
		100*r.Calibrate.FAR, spread(r.FAR), percent(r.FAR.Least), percent(r.FAR.Most), spread(r.Identified), spread(r.ClosedSet))
	a.printPromise(r)
	a.print("expected calibration error %.2f ± %.2f points\n\n", 100*r.ECE, 100*r.ECESD)
	fmt.Fprintln(w, "stated %\tright %\tshare of faces %\t")
	for _, b := range r.Reliability {
		if b.Faces > 0 {
			fmt.Fprintf(w, "%s\t%s\t%s\t\n", percent(b.Said), percent(b.Right), percent(b.Share))
		}
	}
	w.Flush()
}

// printPromise says what the thresholds and the probabilities of training are worth.
func (a *app) printPromise(r *experiment.OpenSetResult) {
	bears := 0.0
	for _, d := range r.Draws {
		bears = max(bears, d.Bears)
	}
	if bears > r.Calibrate.FAR {
		a.print("so few faces allow no reliable threshold for %[2]v %%: the rate may be %[1]s %% or more\n", percent(bears), 100*r.Calibrate.FAR)
	}
	if r.Named.Faces == 0 {
		return
	}
	a.print("of the named faces %s %% have the right name; the mean stated probability is %s %%", percent(r.Named.Right), percent(r.Named.Said))
	if r.Surest > 0 {
		a.print("; the highest for a named stranger is %s %%", percent(r.Surest))
	}
	a.print("\n")
}

func spread(s experiment.Spread) string {
	return fmt.Sprintf("%s ± %s", percent(s.Mean), percent(s.SD))
}
