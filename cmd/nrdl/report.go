package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/cmd/nrdl/internal/console"
	"nrdl.example/nrdl/cmd/nrdl/wording"
	"nrdl.example/nrdl/internal/kit/atomicfile"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/lab/experiment"
	"nrdl.example/nrdl/lab/report"
	"nrdl.example/nrdl/method"
)

// reporting is the flags of report.
type reporting struct {
	output string
	format string
	title  string

	figures string // folder
}

func (a *app) reportCmd() *cobra.Command {
	var r reporting
	c := &cobra.Command{
		Use:  "report RUNS.jsonl... [flags]",
		Args: cli.Arguments(1, -1),
		RunE: func(c *cobra.Command, args []string) error {
			if !c.Flags().Changed("format") {
				r.format = formatOf(r.output)
			}
			return a.writeReport(c.Context(), args, r)
		},
		ValidArgsFunction: cli.Files("jsonl", "gz"),
	}
	f := c.Flags()
	f.StringVarP(&r.output, "output", "o", "", "`FILE` to write (default report.html; standard output for other formats)")
	f.StringVarP(&r.format, "format", "f", "html", "one of "+strings.Join(report.Formats, ", "))
	f.StringVar(&r.figures, "figures", "", "write each figure as an SVG file into the folder `DIR` too")
	f.StringVar(&r.title, "title", "", "`TEXT` above the page")
	cli.Complete(c, "format", cli.Words(report.Formats...))
	cli.Complete(c, "figures", cli.Folders)
	return c
}

// formatOf is the format for a file of this name: also one that no report has, so that a page
// is not taken for a picture.
func formatOf(path string) string {
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".tex":
		return "latex"
	case ".md", ".csv", ".json", ".svg", ".png", ".pdf", ".eps", ".jpg", ".txt":
		return ext[1:]
	}
	return "html"
}

// check completes r, and returns an error if its file cannot be written.
func (r *reporting) check(paths []string) error {
	if r.output == "" && r.format == "html" {
		r.output = "report.html"
	}
	if r.output == "" {
		return nil
	}
	if path := cli.SameFile(r.output, paths...); path != "" {
		return cli.Misuse("the report would take the place of the records %s", path)
	}
	return atomicfile.Check(r.output)
}

func (a *app) writeReport(ctx context.Context, paths []string, r reporting) error {
	if err := r.check(paths); err != nil {
		return err
	}
	if passes, err := readPasses(paths); err == nil {
		return a.writePasses(ctx, passes, r)
	} else if !errors.Is(err, report.ErrNoPasses) {
		return err
	}
	if err := cli.OneOf("format", r.format, report.Formats); err != nil {
		return advice.Add(err, "a report is one of %s; --figures DIR writes each figure as an SVG file", strings.Join(report.Formats, ", "))
	}
	records, err := a.readRecords(paths)
	if err != nil {
		return err
	}
	o := report.Options{Format: r.format, Title: r.title, Commands: wording.Report(records, paths, r.format), Repeat: wording.Evaluate}
	page, err := report.New(records)
	if err != nil {
		return err
	}
	for _, p := range page.Plans {
		if p.Superseded > 0 {
			a.Warn("plan %s: %s left out, since there are later ones of the same method, data set and repeat",
				p.Name, legible.Count(p.Superseded, "record"))
		}
	}
	if err := a.writeFigures(ctx, page.Figures(o), r.figures); err != nil {
		return err
	}
	var text bytes.Buffer
	if err := page.Write(&text, o); err != nil {
		return err
	}
	if r.output == "" {
		a.Print("%s", console.Raw(text.String())) // package report leaves out what is hidden
		return nil
	}
	size, err := atomicfile.Write(ctx, r.output, func(w io.Writer) error { _, err := text.WriteTo(w); return err })
	if err != nil {
		return err
	}
	a.Print("wrote %s: %s, %s\n", r.output, legible.Count(len(records), "record"), console.Megabytes(size))
	if r.format == "html" {
		a.Next("open %s in a browser", legible.ShellWord(r.output))
	}
	return nil
}

// readPasses reads the file that train --trace writes, if there is one path and it is one.
func readPasses(paths []string) (*report.Passes, error) {
	if len(paths) != 1 {
		return nil, report.ErrNoPasses
	}
	f, err := os.Open(paths[0])
	if err != nil {
		return nil, fmt.Errorf("%w: %w", report.ErrNoPasses, err) // readRecords says it
	}
	defer f.Close()
	p, err := report.ReadPasses(f, strings.TrimSuffix(filepath.Base(paths[0]), filepath.Ext(paths[0])))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", paths[0], err)
	}
	return p, nil
}

// writePasses writes the curves of one training.
func (a *app) writePasses(ctx context.Context, p *report.Passes, r reporting) error {
	if err := a.writeFigures(ctx, p.Figures(), r.figures); err != nil {
		return err
	}
	format := r.format
	if err := cli.OneOf("format", format, report.PassFormats); err != nil {
		return fmt.Errorf("the passes of a training: %w", err)
	}
	if r.output == "" {
		return p.Write(a.Results, format)
	}
	return a.write(ctx, r.output, func(w io.Writer) error { return p.Write(w, format) })
}

// writeFigures writes the figures into the folder dir, unless that is "".
func (a *app) writeFigures(ctx context.Context, figures []*report.Figure, dir string) error {
	if dir == "" {
		return nil
	}
	if err := atomicfile.MakeFolder(dir); err != nil {
		return fmt.Errorf("figures: %w", err)
	}
	for _, f := range figures {
		svg, err := f.SVG()
		if err != nil {
			return err
		}
		if err := a.write(ctx, filepath.Join(dir, f.Name+".svg"), func(w io.Writer) error { _, err := w.Write(svg); return err }); err != nil {
			return err
		}
	}
	return nil
}

// readRecords reads the records of several files.
func (a *app) readRecords(paths []string) (all []experiment.Record, err error) {
	for _, path := range paths {
		some, err := experiment.ReadRecordsFile(path, func(s string) { a.Warn("%s", s) })
		if err != nil {
			return nil, err
		}
		if len(some) == 0 {
			a.Warn("%s has no records", path)
		}
		all = append(all, some...)
	}
	return all, nil
}

func (a *app) compareCmd() *cobra.Command {
	var asJSON, asCSV bool
	c := &cobra.Command{
		Use:  "compare OLD.jsonl NEW.jsonl",
		Args: cli.Arguments(2, 2),
		RunE: func(_ *cobra.Command, args []string) error {
			old, err := a.readRecords(args[:1])
			if err != nil && slices.ContainsFunc(method.Names(), func(n string) bool { return strings.EqualFold(n, args[0]) }) {
				err = advice.Add(err, "records of bench are compared here; to compare methods: nrdl evaluate DATA --method %s",
					strings.ToLower(strings.Join(args, ",")))
			}
			if err != nil {
				return err
			}
			now, err := a.readRecords(args[1:])
			if err != nil {
				return err
			}
			changes, err := report.CompareRecords(old, now)
			switch {
			case err != nil:
				return err
			case asJSON:
				err = a.printJSON(changes)
			case asCSV:
				err = changes.WriteCSV(a.Results)
			default:
				err = changes.Write(a.Results)
			}
			return errors.Join(err, changes.Check())
		},
		ValidArgsFunction: cli.Files("jsonl", "gz"),
	}
	c.Flags().BoolVar(&asJSON, "json", false, "write one object")
	c.Flags().BoolVar(&asCSV, "csv", false, "write one line per row")
	c.MarkFlagsMutuallyExclusive("json", "csv")
	return c
}
