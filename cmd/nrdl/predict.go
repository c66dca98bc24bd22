package main

import (
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/internal/legible"
)

// prediction is the flags of predict.
type prediction struct {
	arrays       dataset.Arrays
	scores, json bool
	force        bool
	output       string
}

func (a *app) predictCmd() *cobra.Command {
	p := prediction{arrays: dataset.Arrays{Unlabelled: true}}
	c := &cobra.Command{
		Use:               "predict MODEL SAMPLES",
		Args:              cli.Arguments(2, 2),
		RunE:              func(c *cobra.Command, args []string) error { return a.predict(c.Context(), args[0], args[1], &p) },
		ValidArgsFunction: cli.First(cli.Files("nrdl"), cli.Files("npz", "mat")),
	}
	c.Flags().BoolVar(&p.scores, "scores", false, "add the score of each class")
	c.Flags().BoolVar(&p.json, "json", false, "write JSON Lines, one object per sample")
	forceVar(c, &p.force)
	c.Flags().StringVarP(&p.output, "output", "o", "", "`FILE` to write instead of standard output")
	c.Flags().StringVar(&p.arrays.X, "x", "",
		"`ARRAY` of SAMPLES with the samples (default fea, X, training_feats, testing_feats, or the only one)")
	return c
}

// A predicted is the result for one sample.
type predicted struct {
	Row         int                `json:"row"`                   // from 1 on, in the order of the file
	Class       string             `json:"class"`                 // the best guess; "" for a sample of zeros
	Score       *float64           `json:"score"`                 // of the class; a higher score means more likely
	Known       *bool              `json:"known,omitempty"`       // whether the sample is of Class and not of a stranger, by the threshold
	Probability *float64           `json:"probability,omitempty"` // that Class is right
	Scores      map[string]float64 `json:"scores,omitempty"`      // score of each class, with --scores
}

func (a *app) predict(ctx context.Context, model, path string, p *prediction) error {
	if ext := strings.ToLower(filepath.Ext(p.output)); ext == ".npz" || ext == ".mat" {
		return advice.Add(cli.Misuse("--output %s: predict writes a table as text", p.output), "give NAME.csv, or NAME.jsonl with --json")
	}
	if !dataset.IsMatrix(path) {
		return advice.Add(cli.Misuse("%s is no .npz or .mat file", path), "for photographs: nrdl identify %s", legible.Arguments(model, path))
	}
	r, err := faces.Open(model)
	if err != nil {
		return err
	}
	m := r.Model()
	if err := promised(r, model, p.force); err != nil {
		return err
	}
	if p.scores {
		if m, err = m.Whole(); err != nil {
			return err
		}
	}
	p.arrays.Length = sampleLength(m)
	set, err := a.readLike(ctx, path, r, labels{arrays: p.arrays})
	if err != nil {
		return err
	}
	found, err := m.Identify(ctx, set)
	if err != nil && advice.Text(err) == "" {
		err = advice.Add(err, "give rows as those of the training data; to see these: nrdl data info %s", legible.ShellWord(path))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	var classes []string
	if p.scores {
		classes = m.Names()
	}
	all := make([]predicted, len(found))
	for j := range found {
		all[j] = predictedOf(j+1, &found[j], m.Calibration != nil, classes)
	}
	write := func(w io.Writer) error { return writePredictedCSV(w, all, m.Calibration != nil, classes) }
	if p.json {
		write = func(w io.Writer) error { return writePredictedJSON(w, all) }
	}
	if p.output != "" {
		return a.write(ctx, p.output, write)
	}
	if err := write(a.Results); err != nil || p.json || p.scores {
		return err
	}
	a.Next("nrdl predict %s %s --scores (the score of each class)", legible.ShellWord(model), legible.ShellWord(path))
	return nil
}

// sampleLength is the length of the samples that m takes, or 0 if they may be images of any size.
func sampleLength(m *gallery.Gallery) int {
	if n := m.Frame.Len(); n != 0 || !m.Pipeline.Projection.IsZero() {
		return n
	}
	d, _, _ := m.Dims()
	return d
}

func predictedOf(row int, f *gallery.Face, threshold bool, classes []string) predicted {
	p := predicted{Row: row}
	if f.Class < 0 {
		return p
	}
	p.Class, p.Score = f.Gallery.Names()[f.Class], &f.Scores[f.Class]
	if threshold {
		p.Known = &f.Known
		if !math.IsNaN(f.Probability) {
			p.Probability = &f.Probability
		}
	}
	if classes != nil {
		p.Scores = make(map[string]float64, len(classes))
		for c, name := range classes {
			p.Scores[name] = f.Scores[c]
		}
	}
	return p
}

func writePredictedJSON(w io.Writer, all []predicted) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for i := range all {
		if err := enc.Encode(&all[i]); err != nil {
			return err
		}
	}
	return nil
}

func writePredictedCSV(w io.Writer, all []predicted, threshold bool, classes []string) error {
	out := csv.NewWriter(w)
	header := []string{"row", "class", "score"}
	if threshold {
		header = append(header, "known", "probability")
	}
	for _, name := range classes {
		header = append(header, "score of "+name)
	}
	_ = out.Write(header) // Error says it
	for i := range all {
		_ = out.Write(all[i].fields(threshold, classes))
	}
	out.Flush()
	return out.Error()
}

// fields are the cells of a line.
func (p *predicted) fields(threshold bool, classes []string) []string {
	number := func(v *float64) string {
		if v == nil {
			return ""
		}
		return strconv.FormatFloat(*v, 'g', -1, 64)
	}
	line := []string{strconv.Itoa(p.Row), p.Class, number(p.Score)}
	if threshold {
		known := ""
		if p.Known != nil {
			known = strconv.FormatBool(*p.Known)
		}
		line = append(line, known, number(p.Probability))
	}
	for _, name := range classes {
		score := ""
		if v, ok := p.Scores[name]; ok {
			score = number(&v)
		}
		line = append(line, score)
	}
	return line
}

func (a *app) transformCmd() *cobra.Command {
	var output string
	arrays := dataset.Arrays{Optional: true}
	c := &cobra.Command{
		Use:  "transform MODEL DATA -o CODES",
		Args: cli.Arguments(2, 2),
		RunE: func(c *cobra.Command, args []string) error {
			if output == "" {
				return advice.Add(cli.Misuse("transform needs -o CODES, the file to write"),
					"for example: nrdl transform %s -o codes.npz", legible.Arguments(args...))
			}
			if ext := strings.ToLower(filepath.Ext(output)); ext != ".npz" && ext != ".mat" {
				return advice.Add(cli.Misuse("--output %s is no .npz or .mat file", output), "write NAME.npz or NAME.mat: codes are not images")
			}
			return a.transform(c.Context(), args[0], args[1], output, arrays)
		},
		ValidArgsFunction: cli.First(cli.Files("nrdl"), completeData),
	}
	c.Flags().StringVarP(&output, "output", "o", "", "`CODES` file to write, .npz or .mat")
	cli.Complete(c, "output", cli.Files("npz", "mat"))
	arraysVar(c, &arrays)
	return c
}

func (a *app) transform(ctx context.Context, model, data, output string, arrays dataset.Arrays) error {
	r, err := faces.Open(model)
	if err != nil {
		return err
	}
	if err := dataset.CheckSave(output); err != nil {
		return err
	}
	arrays.Length = sampleLength(r.Model())
	set, err := a.readLike(ctx, data, r, labels{arrays: arrays})
	if err != nil {
		return err
	}
	codes, err := r.Model().Transform(ctx, set)
	if err != nil {
		return fmt.Errorf("%s: %w", data, err)
	}
	set = &dataset.Images{Samples: set.Samples}
	set.X, set.Grid = codes, classify.Grid{}
	if err := dataset.Save(ctx, output, set); err != nil {
		return err
	}
	k, n := codes.Dims()
	a.Tell("wrote %s: %d codes of %d numbers", output, n, k)
	if len(set.Classes) > 1 {
		a.Next("nrdl evaluate %s (how well methods tell the codes apart)", legible.ShellWord(output))
	}
	return nil
}
