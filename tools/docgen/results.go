package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"nrdl.example/nrdl/cmd/nrdl/wording"
	"nrdl.example/nrdl/lab/experiment"
	"nrdl.example/nrdl/lab/report"
	"nrdl.example/nrdl/method"
)

// planNames are those whose records are kept, in the order of the document. Each
// has its records in lab/experiment/results, as PLAN.jsonl.gz.
var planNames = []string{"paper", "authors", "tuned", "open", "noise", "convergence", "ablation", "atoms", "sensitivity", "cost", "further"}

//go:embed results.md.tmpl
var resultsTemplate string

//go:embed costs.json
var costText []byte // minutes of processor time of a run that was not made, by plan, label and data set

// results are the records of the plans that have been run.
type results struct {
	plans   []string // names of the plans
	records map[string][]experiment.Record
	inputs  string // what inputs reach, a table
}

func readResults(dir string) (*results, error) {
	r := &results{records: map[string][]experiment.Record{}}
	for _, name := range planNames {
		records, err := experiment.ReadRecordsFile(filepath.Join(dir, name+".jsonl.gz"), nil)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		r.plans = append(r.plans, name)
		r.records[name] = records
	}
	if len(r.plans) == 0 {
		return nil, fmt.Errorf("no records in %s", dir)
	}
	var err error
	r.inputs, err = reachedTable(dir)
	return r, err
}

// all are the records of every plan.
func (r *results) all() []experiment.Record {
	var all []experiment.Record
	for _, name := range r.plans {
		all = append(all, r.records[name]...)
	}
	return all
}

// commands are those that make the records.
func (r *results) commands() []string {
	var lines []string
	for _, name := range r.plans {
		lines = append(lines, fmt.Sprintf("nrdl bench %s -o %s.jsonl -j %d --data DIR", name, name, jobs(r.records[name])))
	}
	return append(lines, "nrdl report "+strings.Join(r.plans, ".jsonl ")+".jsonl -o results.html")
}

// jobs is how many runs were made at a time, at most.
func jobs(records []experiment.Record) int {
	maxJobs := 1
	for i := range records {
		maxJobs = max(maxJobs, records[i].Cost.Jobs)
	}
	return maxJobs
}

// files are the documents, by their paths in the module: the page, the same in
// Markdown with its figures, and the rates as data.
func (r *results) files() (map[string][]byte, error) {
	files := map[string][]byte{}
	page, err := report.New(r.all())
	if err != nil {
		return nil, err
	}
	o := report.Options{Title: "Results", Commands: r.commands(), Repeat: wording.Evaluate, Times: "cost"}
	var html bytes.Buffer
	if err := page.Write(&html, o); err != nil {
		return nil, err
	}
	files["doc/results.html"] = html.Bytes()
	var figures []report.Figure
	o.Format, o.Link = "md", func(f report.Figure) string {
		figures = append(figures, f)
		return strings.TrimPrefix(figurePath(f), resultsFolder)
	}
	var md bytes.Buffer
	if err := page.Write(&md, o); err != nil {
		return nil, err
	}
	for _, f := range figures {
		if files[figurePath(f)], err = f.SVG(); err != nil {
			return nil, fmt.Errorf("figure %s: %w", f.Name, err)
		}
	}
	for _, s := range sectionsOf(md.String()) {
		files[resultsFolder+s.file()] = []byte("# Results: " + s.title + "\n\n" + generatedComment + "\n\n" + s.text + "\n")
	}
	files[resultsFolder+"presets.md"] = []byte("# Presets\n\n" + generatedComment +
		"\n\nWhat the presets change of the defaults; the plans `paper` and `noise` use them, and `nrdl methods NAME` lists them.\n\n" +
		presets())
	if files["doc/results.md"], err = r.document(page, figures); err != nil {
		return nil, err
	}
	for _, name := range r.plans {
		var rates bytes.Buffer
		if err := report.Write(&rates, r.records[name], report.Options{Format: "json"}); err != nil {
			return nil, err
		}
		files["lab/experiment/results/"+name+".json"] = rates.Bytes()
	}
	return files, nil
}

// resultsFolder has the figures and the pages of single plans.
const (
	resultsFolder    = "doc/results/"
	generatedComment = "<!-- Made by go generate from the records in lab/experiment/results; do not edit. -->"
)

func figurePath(f report.Figure) string { return resultsFolder + f.Name + ".svg" }

// A pageSection is a section of a report that gets a page of its own.
type pageSection struct{ title, text string }

func (s pageSection) file() string {
	return strings.ReplaceAll(strings.ToLower(s.title), " ", "-") + ".md"
}

// sectionsOf divides a report in Markdown at its headings of level 2. Those of level 3 become
// level 2.
func sectionsOf(md string) (all []pageSection) {
	for _, s := range strings.Split(md, "\n## ")[1:] {
		title, text, _ := strings.Cut(s, "\n")
		// Tables of hundreds of rows that are looked up, not read, are in doc/results.html alone.
		parts := slices.DeleteFunc(strings.Split(text, "\n### "), func(part string) bool {
			return strings.HasPrefix(part, "Tuned parameters\n") || strings.HasPrefix(part, "Most confused people\n")
		})
		text = strings.Join(parts, "\n### ")
		text = strings.Trim(strings.ReplaceAll(text, "\n### ", "\n## "), "\n")
		if len(all) > 0 { // the first page has these sentences, so the others refer to it
			text = signs.ReplaceAllString(text, "\n\nThe tests are those of [paper](paper.md#tests).")
			text = families.ReplaceAllString(text, "Families are those of [paper](paper.md#ranks). $1")
			text = caption.ReplaceAllString(text, "Critical difference: $1.")
		}
		all = append(all, pageSection{title, text})
	}
	return all
}

// Paragraphs that are the same in each plan.
var (
	signs    = regexp.MustCompile(`\n\n\\~: not significantly different from it, which[^\n]*`)
	families = regexp.MustCompile(`A family is methods that are variants of one another: [^\n]{120,}?\. (The one with)`)
	caption  = regexp.MustCompile(
		`1 is best in all settings\. A bar joins methods between which these settings cannot decide: their ranks are closer than the critical difference, ([\d.]+ of \d+ ranks) \(Demšar, 2006\)\.`)
)

// document is the page with the rates of the paper's table 2, a figure, and links.
func (r *results) document(page *report.Report, figures []report.Figure) ([]byte, error) {
	table, err := overviewTable(page, false)
	if err != nil {
		return nil, err
	}
	published, err := overviewTable(page, true)
	if err != nil {
		return nil, err
	}
	first := figures[0]
	figure := fmt.Sprintf("![%s](results/%s.svg)\n\n%s. %s", first.Alt, first.Name, first.Title, first.Caption)
	return fill(resultsTemplate, map[string]any{
		"Table": strings.TrimSpace(table), "Published": strings.TrimSpace(published), "Figure": figure,
		"Learned": learned(r.records["ablation"]), "Fewer": fewer(r.records["atoms"]), "Sensitive": sensitive(r.records["sensitivity"]),
	})
}

// presets is the table of what the presets change.
func presets() string {
	var b strings.Builder
	b.WriteString("| method | database | parameter | from |\n| --- | --- | --- | --- |\n")
	for _, m := range method.All() {
		for _, name := range method.PresetNames() {
			for _, v := range method.PresetValues(m, name) {
				fmt.Fprintf(&b, "| `%s` | `%s` | `%s=%s` | %s |\n", m.Name(), name, v.Path, v.Value, cell(v.Source))
			}
		}
	}
	return b.String()
}

// overview says what the rates of the paper's table 2 can tell, for doc/research.md.
func (r *results) overview() (string, error) {
	page, err := report.New(r.all())
	if err != nil {
		return "", err
	}
	paper, tuned := planOf(page, "paper"), planOf(page, "tuned")
	if paper == nil {
		return "", errors.New("the records of the plan paper are missing")
	}
	var b strings.Builder
	fmt.Fprintf(&b, "* **A point.** %s\n", cell(onePoint(paper)))
	fmt.Fprintf(&b, "* **Published parameters, presets or defaults.** %s%s\n", cell(paper.Advice()), averageRanks(paper))
	if tuned != nil {
		fmt.Fprintf(&b, "* **All tuned with the same budget.** %s%s\n", cell(tuned.Advice()), averageRanks(tuned))
	}
	if further := planOf(page, "further"); further != nil {
		var rates []string
		for _, name := range []string{"ProCRC", "NRC", "FDDL", "NRDL (refit)", "NRDL", "LDA"} {
			if c := counterpart(further, name, "ar"); c != nil {
				rates = append(rates, fmt.Sprintf("%s %s", name, points(c.Mean)))
			}
		}
		fmt.Fprintf(&b, "* **Another set.** The order is that of these five sets. On AR ([further](results/further.md), percent): %s.\n",
			strings.Join(rates, ", "))
	}
	if rates := means(r.records["authors"]); len(rates) > 0 {
		fmt.Fprintf(&b,
			"* **The split of the authors' program** (Extended Yale B, `authors:20`). NRDL has %s %%, with the query coder "+
				"of the program %s %%; printed is 96.3 %%.\n", points(rates["NRDL"]), points(rates["NRDL (authors' coder)"]))
	}
	return b.String(), nil
}

// averageRanks is a sentence, after a space, with the average ranks of NRDL and of the two methods
// that it is compared with; "" if NRDL is not ranked.
func averageRanks(p *report.Plan) string {
	ranks := map[string]float64{}
	for n, i := range p.Ranking.Labels {
		ranks[p.Labels[i].Name] = p.Ranking.Mean[n]
	}
	if ranks["NRDL"] == 0 {
		return ""
	}
	return fmt.Sprintf(" The average rank of NRDL is %.2f, that of NRC %.2f, that of CRC %.2f.", ranks["NRDL"], ranks["NRC"], ranks["CRC"])
}

// overviewTable has the rates of the methods of the paper's table 2, with published parameters
// and tuned alike; or if printed is true, the published rates.
func overviewTable(page *report.Report, printed bool) (string, error) {
	paper, tuned := planOf(page, "paper"), planOf(page, "tuned")
	if paper == nil {
		return "", errors.New("the records of the plan paper are missing")
	}
	var minutes map[string]map[string]map[string]float64
	if err := json.Unmarshal(costText, &minutes); err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("| method |")
	for _, c := range paper.Columns {
		fmt.Fprintf(&b, " %s |", cell(c.Source.Title))
	}
	b.WriteString("\n| --- |" + strings.Repeat(" --- |", len(paper.Columns)) + "\n")
	for i, l := range paper.Labels {
		row := fmt.Sprintf("| %s |", cell(l.Name))
		for j, column := range paper.Columns {
			c := paper.Cells[i][j]
			switch {
			case !printed:
				row += fmt.Sprintf(" %s / %s |", rate(c, minutes["paper"][l.Name][column.Source.Name]),
					rate(counterpart(tuned, l.Name, column.Source.Name), minutes["tuned"][l.Name][column.Source.Name]))
			case c.Published == nil:
				row = ""
			default:
				row += fmt.Sprintf(" %.1f |", c.Published.Mean)
			}
			if row == "" {
				break
			}
		}
		if row != "" {
			b.WriteString(row + "\n")
		}
	}
	return b.String(), nil
}

// onePoint says how many images a difference of one point is on each data set of p, and
// what that leaves uncertain.
func onePoint(p *report.Plan) string {
	var sizes, intervals []string
	for j, column := range p.Columns {
		n := 0
		var best *report.Cell
		for i := range p.Labels {
			c := p.Cells[i][j]
			n = max(n, c.Images())
			if c.Best && best == nil {
				best = c
			}
		}
		sizes = append(sizes, fmt.Sprintf("%.4g (%s)", float64(n)/100, column.Source.Title))
		if best == nil {
			continue
		}
		if low, high, ok := best.Interval(); ok {
			intervals = append(intervals, fmt.Sprintf("%.1f %% on %s may be %.1f to %.1f %%", best.Mean, column.Source.Title, low, high))
		}
	}
	s := "One percentage point of a run is so many test images: " + strings.Join(sizes, ", ") + "."
	if len(intervals) > 0 {
		s += " A single run is uncertain: " + strings.Join(intervals, ", ") + " (95 %)."
	}
	return s
}

// planOf is the plan of that name in page, or nil.
func planOf(page *report.Report, name string) *report.Plan {
	for _, p := range page.Plans {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// counterpart is the cell of a label and a data set in p, or nil.
func counterpart(p *report.Plan, label, data string) *report.Cell {
	if p == nil {
		return nil
	}
	for i, l := range p.Labels {
		for j, c := range p.Columns {
			if l.Name == label && c.Source.Name == data {
				return p.Cells[i][j]
			}
		}
	}
	return nil
}

// rate is the rate of c or, where there is none, the minutes that a run takes, in brackets.
func rate(c *report.Cell, minutes float64) string {
	switch {
	case c == nil || math.IsNaN(c.Mean) || c.MissingRuns > 0:
		if minutes == 0 {
			return "–"
		}
		return fmt.Sprintf("(%v min)", minutes)
	case c.Best:
		return "**" + points(c.Mean) + "**"
	}
	return points(c.Mean)
}

// points rounds a rate to a decimal, half away from zero, as the report does.
func points(v float64) string { return fmt.Sprintf("%.1f", math.Round(10*v)/10) }
