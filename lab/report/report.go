// Package report makes tables, figures and pages from the records of runs.
//
// New arranges records into a Report: a Plan for each plan, with its Columns (a
// data set with a split and a corruption), its Labels (methods as they took
// part) and a Cell for each pair. New computes all statements about them: the
// best, significance, ranks, differences from published rates. Write only
// formats them. Equal records give equal bytes, in whatever order parallel runs
// ended.
//
// Rates are in percent and their differences in points, except in a Record.
//
// Experimental: this package may change in any version.
package report

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/lab/experiment"
)

// level is the significance level of the tests.
const level = experiment.Level

// Formats lists the values of Options.Format: a page, GitHub Markdown, one line
// per cell, tables for booktabs, and the rates as data.
var Formats = []string{"html", "md", "csv", "latex", "json"}

// Options are options of a report.
type Options struct {
	Format   string   // one of Formats; "" is html
	Title    string   // of the page; "" for one of the plans' names
	Commands []string // that made the records
	// Repeat returns a command that repeats the run of a record, or ""; nil for none.
	Repeat func(r *experiment.Record) string
	// Link returns the address of the file of a figure, for Markdown. If it is
	// nil, figures are left out, but not their numbers.
	Link func(f Figure) string
	// Times is the plan whose times are printed; if it is "", those of every plan whose runs
	// were made alike.
	Times string
}

// Write writes a report of records, of one or several plans, to w.
func Write(w io.Writer, records []experiment.Record, o Options) error {
	r, err := New(records)
	if err != nil {
		return err
	}
	return r.Write(w, o)
}

// Write writes r to w.
func (r *Report) Write(w io.Writer, o Options) error {
	var err error
	switch o.Format {
	case "", "html":
		err = writeHTML(w, r.document(o))
	case "md":
		err = writeMarkdown(w, r.document(o), o.Link)
	case "latex":
		err = execute(w, latexTemplate(), r.document(o)) // the tables, for \input
	case "csv":
		err = r.writeCSV(w)
	case "json":
		err = r.Rates().write(w)
	default:
		err = advice.Unknown("format", o.Format, Formats)
	}
	if err != nil {
		return fmt.Errorf("write report: %w", err)
	}
	return nil
}

// A Report is the evaluation of records.
type Report struct {
	Plans []*Plan // in the order of the first record of each
}

// A Plan is the evaluation of the records of one plan.
type Plan struct {
	first *Figure // that stands below the main tables

	Name           string
	Purpose        string // what it is for, from the records
	Study          bool   // it looks into one method, and recommends none
	Columns        []*Column
	Labels         []*Label
	Cells          [][]*Cell // Cells[label][column]
	Ranking        Ranking
	Families       Ranking  // of the best label of each family of methods; without labels if that is all of Ranking
	AmbiguousRates []string // titles of data sets whose published rates belong to one of several columns, unknown which
	Superseded     int      // records left out because the same run has a later one
}

// New arranges records. It is an error if there are none.
func New(records []experiment.Record) (*Report, error) {
	if len(records) == 0 {
		return nil, advice.Add(errors.New("report: no records"), "%v makes them", advice.RunPlan)
	}
	r := &Report{}
	byPlan := map[string][]*experiment.Record{}
	for i := range records {
		rec := &records[i]
		if byPlan[rec.Plan] == nil {
			r.Plans = append(r.Plans, &Plan{Name: rec.Plan})
		}
		byPlan[rec.Plan] = append(byPlan[rec.Plan], rec)
	}
	for _, p := range r.Plans {
		p.arrange(byPlan[p.Name])
	}
	r.look()
	return r, nil
}

// arrange fills in p from its records.
func (p *Plan) arrange(records []*experiment.Record) {
	records = slices.Clone(records)
	slices.SortStableFunc(records, later)
	columns, labels := map[columnKey]*Column{}, map[string]*Label{}
	type run struct {
		column columnKey
		label  string
		repeat int
	}
	last := map[run]*experiment.Record{}
	for _, rec := range records { // the later of equals replaces the former
		p.Purpose, p.Study = rec.About, rec.Study
		key := run{keyOf(rec), rec.Label, rec.Repeat}
		if last[key] != nil {
			p.Superseded++
		}
		last[key] = rec
		if columns[key.column] == nil {
			columns[key.column] = newColumn(rec)
			p.Columns = append(p.Columns, columns[key.column])
		}
		columns[key.column].addRepeat(rec)
		if labels[rec.Label] == nil {
			labels[rec.Label] = newLabel(rec)
			p.Labels = append(p.Labels, labels[rec.Label])
		}
		labels[rec.Label].HasTuning = labels[rec.Label].HasTuning || rec.Tuning != nil
	}
	slices.SortFunc(p.Columns, compareColumns)
	slices.SortFunc(p.Labels, compareLabels)
	name(p.Columns)
	p.Cells = make([][]*Cell, len(p.Labels))
	for i, l := range p.Labels {
		for _, c := range p.Columns {
			var runs []*experiment.Record
			for _, repeat := range c.Repeats {
				if rec := last[run{c.key, l.Name, repeat}]; rec != nil {
					runs = append(runs, rec)
				}
			}
			p.Cells[i] = append(p.Cells[i], newCell(c, runs))
		}
	}
	p.placePublished()
	for j := range p.Columns {
		p.compare(j)
	}
	p.rank()
}

// all yields the records of p without superseded ones, by column, then label, then repeat.
func (p *Plan) all(yield func(*experiment.Record) bool) {
	for j := range p.Columns {
		for i := range p.Labels {
			for _, rec := range p.Cells[i][j].records {
				if !yield(rec) {
					return
				}
			}
		}
	}
}

// label is the index of the first label of a method without anything varied,
// or −1.
func (p *Plan) label(method string) int {
	return slices.IndexFunc(p.Labels, func(l *Label) bool { return l.Method == method && l.Variation == nil })
}
