package report

import (
	"bufio"
	"bytes"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/lab/report/plot"
)

// Passes are the terms of the objective of one training, after each pass.
type Passes struct {
	title  string
	terms  []string    // "residual" among them
	values [][]float64 // of each pass; NaN where the file has null
}

const (
	maxPasses = 1 << 20
	maxTerms  = 64
)

// ErrNoPasses is the error of ReadPasses for a file whose first line is no pass of a training.
var ErrNoPasses = errors.New("not the passes of a training")

// ReadPasses reads lines of JSON, one for each pass, as classify.Progress has them. The title
// names the training. An error names the line.
func ReadPasses(r io.Reader, title string) (*Passes, error) {
	p := &Passes{title: title}
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		if n > maxPasses {
			return nil, fmt.Errorf("more than %d passes", maxPasses)
		}
		names, values, err := passLine(lines.Bytes())
		switch {
		case n == 1 && err != nil:
			return nil, fmt.Errorf("%w: %w", ErrNoPasses, err)
		case err != nil:
			return nil, fmt.Errorf("line %d: %w", n, err)
		case n == 1:
			p.terms = names
		case !slices.Equal(names, p.terms):
			return nil, fmt.Errorf("line %d has the terms %q, the first %q", n, names, p.terms)
		}
		p.values = append(p.values, values)
	}
	if err := lines.Err(); err != nil {
		return nil, err
	}
	if len(p.values) == 0 {
		return nil, advice.Add(fmt.Errorf("%w: the file is empty", ErrNoPasses), "only methods that make passes have some")
	}
	return p, nil
}

// passLine returns the terms of a line in their order, without iter.
func passLine(line []byte) (names []string, values []float64, err error) {
	var all map[string]*float64
	if err := json.Unmarshal(line, &all); err != nil {
		return nil, nil, err
	}
	if all["iter"] == nil || len(all) < 2 || len(all) > maxTerms {
		return nil, nil, errors.New("a pass has iter, the residual, and terms of the objective")
	}
	for d := json.NewDecoder(bytes.NewReader(line)); ; {
		token, err := d.Token()
		if err != nil {
			break // the object has ended
		}
		if name, ok := token.(string); ok && name != "iter" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		v := math.NaN()
		if all[name] != nil {
			v = *all[name]
		}
		values = append(values, v)
	}
	return names, values, nil
}

// Figures returns the objective and the residual against the pass.
func (p *Passes) Figures() (all []*Figure) {
	lines, residual := objective(&Label{}, p.terms, p.values)
	for _, line := range lines { // what is left out of the curves is no missing value in the table
		if t := slices.Index(p.terms, line.Name); t >= 0 {
			for n, values := range p.values {
				if math.IsNaN(line.Y[n]) && !math.IsNaN(values[t]) {
					line.Y[n] = 0
				}
			}
		}
	}
	sample := append(slices.Clone(passes), float64(len(p.values)))
	add := func(name, what, caption string, series ...plot.Series) {
		f := &Figure{
			Name: name, Title: fmt.Sprintf("%s: %s against the pass", p.title, what),
			Axes:   plot.Axes{Title: p.title, X: "pass", Y: what, LogY: true},
			Series: series, sample: sample,
		}
		f.describe(caption)
		all = append(all, f)
	}
	if len(lines) > 0 {
		add("objective", "objective", "Its terms, with their weights, after each pass."+descent(lines), lines...)
	}
	if len(residual.Y) > 0 {
		add("residual", "residual", "The quantity of the stopping test. The fit ends once it is below the tolerance.", residual)
	}
	return all
}

// PassFormats are what Write writes: a page of the figures as html or md, the first figure
// alone as svg, or all numbers as csv.
var PassFormats = []string{"html", "md", "svg", "csv"}

// Write writes the passes in one of PassFormats.
func (p *Passes) Write(w io.Writer, format string) error {
	if format == "csv" {
		return p.csv(w)
	}
	figures := p.Figures()
	if len(figures) == 0 {
		return errors.New("no pass has a value to draw")
	}
	d := &document{Title: "Training of " + p.title}
	d.add(2, "Objective", figureBlocks(figures)...)
	switch format {
	case "", "html":
		return writeHTML(w, d)
	case "md":
		return writeMarkdown(w, d, nil)
	case "svg":
		svg, err := figures[0].SVG()
		if err == nil {
			_, err = w.Write(svg)
		}
		return err
	}
	return advice.Unknown("format of the passes of a training", format, PassFormats)
}

// csv writes a line for each pass. What has no value is empty.
func (p *Passes) csv(w io.Writer) error {
	out := csv.NewWriter(w)
	_ = out.Write(append([]string{"pass"}, p.terms...)) // Error says it
	for n, values := range p.values {
		row := []string{strconv.Itoa(n + 1)}
		for _, v := range values {
			text := ""
			if !math.IsNaN(v) {
				text = strconv.FormatFloat(v, 'g', -1, 64)
			}
			row = append(row, text)
		}
		_ = out.Write(row)
	}
	out.Flush()
	return out.Error()
}

// Figures returns the figures of the report.
func (r *Report) Figures(o Options) (all []*Figure) {
	for _, s := range r.document(o).Sections {
		for _, b := range s.Blocks {
			all = append(all, b.Figures...)
		}
	}
	return all
}
