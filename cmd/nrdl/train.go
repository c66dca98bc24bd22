package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/cmd/nrdl/internal/console"
	"nrdl.example/nrdl/cmd/nrdl/internal/threshold"
	"nrdl.example/nrdl/cmd/nrdl/wording"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/internal/kit/atomicfile"
	"nrdl.example/nrdl/internal/legible"
)

func (a *app) trainCmd() *cobra.Command {
	t := &training{}
	c := &cobra.Command{
		Use:  "train DATA -o MODEL [flags]",
		Args: cli.Arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			if t.output == "" {
				return advice.Add(cli.Misuse("train needs -o MODEL, the file to write"), "for example: nrdl train %s -o model.nrdl",
					legible.ShellWord(args[0]))
			}
			if dataset.IsImage(t.output) {
				return advice.Add(cli.Misuse("-o %s is the name of an image", t.output), "for example: nrdl train %s -o model.nrdl",
					legible.ShellWord(args[0]))
			}
			return a.train(c.Context(), args[0], t)
		},
		ValidArgsFunction: completeData,
	}
	t.chooses = true
	t.learning.register(c)
	splitVar(c, &t.split, "the training images")
	c.Flags().StringVarP(&t.output, "output", "o", "", "`MODEL` file to write")
	t.strangers.register(c)
	c.Flags().BoolVar(&t.forget, "forget", false, "do not store the faces in the model: people cannot be added to it later")
	c.Flags().BoolVar(&t.byReference, "by-reference", false,
		"with --input embedding:FILE.onnx: store the digest of the network, not the network; FILE.onnx must then be beside "+
			"the model or in a folder that NRDL_NETWORKS names")
	c.Flags().StringVar(&t.trace, "trace", "", "`FILE` for the terms of the objective, one line of JSON per pass (slower)")
	a.keyFile.register(c, "where DATA is the address of a collection")
	a.registerWriting(c, &t.force)
	cli.Complete(c, "output", cli.Files("nrdl"))
	cli.Complete(c, "trace", cli.Files("jsonl"))
	return c
}

// A training is the flags of train.
type training struct {
	learning
	split         dataset.Split // zero: all
	output, trace string
	strangers     calibration
	forget        bool
	byReference   bool
	force         bool
}

func (a *app) train(ctx context.Context, data string, t *training) error {
	if err := t.check(); err != nil {
		return err
	}
	unlock, err := lockModel(t.output)
	if err != nil {
		return err
	}
	defer unlock()
	s, err := a.trainingSet(ctx, data, t)
	if err != nil {
		return err
	}
	o, done := a.observer("learning")
	a.Wording = wording.Command{Model: t.output}
	var trace passTrace
	if s.Observer = o; t.trace != "" {
		s.Watch = trace.watch(o.Watch)
	}
	start := time.Now()
	r, err := faces.Train(ctx, s.images, s.Options)
	done()
	if err != nil {
		return fmt.Errorf("%s: %w", data, err)
	}
	a.tellTrained(r, t.output, time.Since(start))
	if err := r.Model().Usable(); err != nil && !t.force && usableAt(t.output) {
		return refused(t.output, err)
	}
	old := modelAt(t.output)
	if err := a.writeTrained(ctx, r, t, &trace, old != nil); err != nil {
		return err
	}
	if old != nil {
		a.warnOfLost(old, r, t.output, data)
	}
	if err := a.tellOutcome(ctx, r, t.output, data); err != nil {
		return err
	}
	switch {
	case t.trace == "":
	case trace.passes == 0:
		a.Tell("wrote %s, which is empty: the method makes no passes", t.trace)
	default:
		a.Tell("wrote %s, %s; to draw them: nrdl report %s", t.trace, console.Passes(trace.passes), legible.ShellWord(t.trace))
	}
	return nil
}

// check returns an error if the files of t cannot be written.
func (t *training) check() error {
	for _, path := range []string{t.output, t.trace} {
		if path != "" {
			if err := atomicfile.Check(path); err != nil {
				return err
			}
		}
	}
	if info, err := os.Stat(t.output); err == nil && info.Mode().IsRegular() && info.Size() > 0 && modelAt(t.output) == nil {
		return advice.Add(cli.Misuse("--output %s is a file, and no model, which would replace it", t.output),
			"name another file, or delete this one")
	}
	if t.trace != "" && (filepath.Clean(t.output) == filepath.Clean(t.trace) || cli.SameFile(t.output, t.trace) != "") {
		return cli.Misuse("--output and --trace are the same file, %s", t.output)
	}
	return nil
}

// trainingSet reads the images of data on which t trains, and returns them with its options.
func (a *app) trainingSet(ctx context.Context, data string, t *training) (*studied, error) {
	s, err := a.study(ctx, data, &t.learning)
	if err != nil {
		return nil, err
	}
	columns, err := t.split.Train(s.images, t.seed)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", data, err)
	}
	if t.split != (dataset.Split{}) {
		s.images = s.images.Select(columns)
		if s.Options, err = t.options(s.images); err != nil {
			return nil, err
		}
		a.Tell("training on %s (split %v)", console.Contents(s.images), t.split)
	}
	a.warnOfCopies(s.images)
	if s.auto {
		if err := a.choose(ctx, data, s, columns, &t.learning); err != nil {
			return nil, fmt.Errorf("%s: %w", data, err)
		}
	}
	if a.Verbose || t.chosen(data) || s.images.Frame.Embedding.IsZero() {
		a.tellOptions(s, &t.learning)
	}
	s.OpenSet, s.Forget = t.strangers.options(), t.forget
	if s.Pipeline.Embedder != nil && t.byReference {
		s.Pipeline.Embedder = s.Pipeline.Embedder.ByReference()
	}
	return s, nil
}

// A passTrace collects a line of JSON for each pass of a training.
type passTrace struct {
	lines  bytes.Buffer
	passes int
}

// watch returns a Watch that adds each pass to p, and then calls next unless that is nil.
func (p *passTrace) watch(next classify.Watch) classify.Watch {
	enc := json.NewEncoder(&p.lines)
	return func(progress classify.Progress) {
		if next != nil {
			next(progress)
		}
		p.passes++
		_ = enc.Encode(progress) // Progress has a JSON form, and a buffer takes it
	}
}

// writeTrained writes the model r and the trace, or neither. It keeps the model that is there for
// undo if keep is set.
func (a *app) writeTrained(ctx context.Context, r *faces.Recogniser, t *training, trace *passTrace, keep bool) error {
	model, err := atomicfile.Prepare(ctx, t.output, r.Write)
	if err != nil {
		return err
	}
	defer model.Discard()
	if t.trace != "" {
		if _, err := atomicfile.Write(ctx, t.trace, func(w io.Writer) error { _, err := trace.lines.WriteTo(w); return err }); err != nil {
			return err
		}
	}
	if keep {
		if err := atomicfile.Copy(ctx, t.output, faces.Former(t.output)); err != nil {
			return err
		}
	}
	if err := model.Commit(); err != nil {
		return err
	}
	if keep {
		if err := a.record(ctx, r, t.output); err != nil {
			a.WarnOf(err)
		}
	}
	a.Tell("wrote %s, %s", t.output, console.Megabytes(model.Size))
	return nil
}

// tellTrained tells how the training of r, which will be at path, ended, and what
// its threshold does.
func (a *app) tellTrained(r *faces.Recogniser, path string, took time.Duration) {
	m := r.Model()
	tell := a.Tell
	if m.Impostors() != nil { // which the class means follow from at once
		tell = a.Detail
	}
	tell("%s in %s", console.Ended(m.Parts().Outcome), legible.Seconds(took))
	if m.Impostors() == nil && !m.Embedding.IsZero() && m.Law() != nil {
		a.Warn("the measured similarities of network %s hold for its cosines only, not with this method or projection: "+
			"the margin decides, and more people of the model may be unknown", m.Embedding.Name)
		a.Hint("leave out --method and --project")
	}
	if !m.Embedding.IsZero() && m.Law() == nil {
		a.Hint("the margin decides, as network %s was not measured with these settings: nrdl network measure FILE.onnx FACES does that",
			m.Embedding.Name)
	}
	switch {
	case m.Calibration != nil:
		threshold.Threshold(a.Console, m, path)
	case m.OpenSet == nil: // none was asked for
		a.Tell("the model has no threshold")
		a.Hint("to enable unknown: %s", threshold.Enabling(m, path))
	}
}

// tellOutcome says of r, which is at path, which labels look wrong, how well the people are
// recognised, and what to do next: after a training on data, or after a change where that is "".
func (a *app) tellOutcome(ctx context.Context, r *faces.Recogniser, path, data string) error {
	m := r.Model()
	review, err := a.quickReview(ctx, m)
	if err != nil {
		return err
	}
	if review != nil {
		threshold.Suspects(a.Console, review, path, data)
	}
	threshold.Summary(a.Console, m, path, review, data == "")
	return nil
}

// quickReview reviews m; it returns nil where that would take long.
func (a *app) quickReview(ctx context.Context, m *gallery.Gallery) (*gallery.Review, error) {
	const many = 2000 // people; a review of more takes long, as it does without the law of a network
	if m.Impostors() == nil || m.Enrolled == nil || m.Shortlists() || len(m.Names()) > many {
		return nil, nil
	}
	step, done := a.Stages("looking for wrong names in the model")
	defer done()
	return m.Review(ctx, func(done, total int) { step("testing how people are recognised", done, total) })
}

// warnOfCopies tells which images are exactly alike. Where two people share one,
// a label is wrong, and no method can tell which.
func (a *app) warnOfCopies(set *dataset.Images) {
	names := func(group []int) (all []string) {
		for _, j := range group {
			all = append(all, set.ID(j))
		}
		return all
	}
	info := dataset.Describe(set)
	for _, group := range info.Conflicts {
		a.Warn("different people have the same image, so a label is wrong: %s", legible.Abridged(names(group)))
	}
	var copies []string
	for _, group := range info.Duplicates {
		if set.ClassOf(group[0]) == set.ClassOf(group[len(group)-1]) {
			copies = append(copies, strings.Join(names(group), " = "))
		}
	}
	if len(copies) > 0 {
		a.Tell("the same image is there more than once: %s", legible.Abridged(copies))
	}
}
