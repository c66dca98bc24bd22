package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/lab/experiment"
	"nrdl.example/nrdl/lab/report"
)

// frontendPlans are those of doc/frontends.md, which has their tables.
var frontendPlans = []string{"frontends", "robust"}

//go:embed frontends.md.tmpl
var frontendsTemplate string

// frontends makes doc/frontends.md of the records in dir, and their rates as
// data.
func frontends(dir string) (map[string][]byte, error) {
	files := map[string][]byte{}
	data := map[string]any{"Presets": presetInputs()}
	for _, name := range frontendPlans {
		records, err := experiment.ReadRecordsFile(filepath.Join(dir, name+".jsonl.gz"), nil)
		if errors.Is(err, fs.ErrNotExist) {
			return files, nil
		}
		if err != nil {
			return nil, err
		}
		var rates bytes.Buffer
		if err := report.Write(&rates, records, report.Options{Format: "json"}); err != nil {
			return nil, err
		}
		files["lab/experiment/results/"+name+".json"] = rates.Bytes()
		page, err := report.New(records)
		if err != nil {
			return nil, err
		}
		data[name] = rateTable(page.Plans[0], records)
	}
	var err error
	files["doc/frontends.md"], err = fill(frontendsTemplate, data)
	return files, err
}

// rateTable has a row for each label of p, in the order of the plan, and a column
// for each of its columns.
func rateTable(p *report.Plan, records []experiment.Record) string {
	first := map[string]int{} // record of a label; they are made in the order of the plan
	for i := len(records) - 1; i >= 0; i-- {
		first[records[i].Label] = i
	}
	rows := make([]int, len(p.Labels))
	for i := range rows {
		rows[i] = i
	}
	slices.SortFunc(rows, func(a, b int) int { return first[p.Labels[a].Name] - first[p.Labels[b].Name] })
	var b strings.Builder
	b.WriteString("| |")
	for _, c := range p.Columns {
		fmt.Fprintf(&b, " %s<br>%s |", cell(c.Title), cell(c.Sub))
	}
	b.WriteString("\n| --- |" + strings.Repeat(" ---: |", len(p.Columns)) + "\n")
	for _, i := range rows {
		fmt.Fprintf(&b, "| %s |", cell(p.Labels[i].Name))
		for j := range p.Columns {
			fmt.Fprintf(&b, " %s |", rateAndSpread(p.Cells[i][j]))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// rateAndSpread is a rate in percent with its standard deviation, bold where it
// is the best of its column, and ~ where no test tells it from that.
func rateAndSpread(c *report.Cell) string {
	switch {
	case c == nil || c.N == 0 && c.Failures == 0:
		return "–"
	case math.IsNaN(c.Mean) || c.Failures > 0 || c.MissingRuns > 0:
		return "…"
	}
	text := points(c.Mean)
	if c.Best {
		text = "**" + text + "**"
	}
	if !math.IsNaN(c.SD) {
		text += " ± " + points(c.SD)
	}
	if c.Alike && !c.Best {
		text += " ~"
	}
	return text
}

// reached are the rates of doc/research.md: rows of the plan frontends, and the flags
// of nrdl evaluate that make them.
var reached = []struct{ data, path, grey, greyFlags, words, describedFlags string }{
	{"orl", "sets/orl_56x46.mat", "pixels, F", "--method representation --project fisher:0.3", "faces96", "--input faces96"},
	{
		"gt", "sets/gt_50x40.mat", "pixels, M+F(1)", "--method representation --mirror --project fisher:1",
		"faces96, shifted", `--input "faces96 96x77 fisher:0.3 shift=3"`,
	},
	{
		"yaleb", "sets/yaleb_32x32.mat", "pixels: NRC .1/5, sum rule", "--method representation --set rule=sum",
		"lighting, sum rule", "--input lighting --method representation --set rule=sum",
	},
	{"lfw", "sets/lfw86_32x32.mat", "pixels, M+F", "--method representation --mirror --project fisher:0.3", "faces96", "--input faces96"},
	{
		"lfw96", "photos/lfw86 --crop 0.36", "pixels, M+F", "--input \"96x96 mirror fisher:0.3\" --method representation",
		"faces96", "--input faces96",
	},
	{"pie", "sets/pie_32x32.mat", "pixels, M+F", "--method representation --mirror --project fisher:0.3", "faces96", "--input faces96"},
}

// reachedTable has a row for each split of the databases.
func reachedTable(dir string) (string, error) {
	records, err := experiment.ReadRecordsFile(filepath.Join(dir, "frontends.jsonl.gz"), nil)
	if err != nil {
		return "", err
	}
	page, err := report.New(records)
	if err != nil {
		return "", err
	}
	p := page.Plans[0]
	at := func(label string, column int) (string, error) {
		for i, l := range p.Labels {
			if c := p.Cells[i][column]; l.Name == label && c != nil && c.N > 0 {
				return points(c.Mean), nil
			}
		}
		return "", fmt.Errorf("no rate of %q on %s", label, p.Columns[column].Title)
	}
	var b strings.Builder
	b.WriteString(
		"| `nrdl evaluate` of | NRDL on grey values | best recipe of grey values | hand-made features |\n| --- | ---: | --- | --- |\n")
	for _, r := range reached {
		for j, c := range p.Columns {
			if c.Source.Name != r.data {
				continue
			}
			grey, errG := at(r.grey, j)
			described, errD := at(r.words, j)
			if err := errors.Join(errG, errD); err != nil {
				return "", err
			}
			nrdl, err := at("pixels: NRDL", j)
			if err != nil {
				nrdl = "–" // it is not in the plan there
			}
			fmt.Fprintf(&b, "| `%s --split %s` | %s | **%s** `%s` | **%s** `%s` |\n", r.path, c.Split, nrdl,
				grey, r.greyFlags, described, r.describedFlags)
		}
	}
	return b.String(), nil
}

// presetInputs is the table of the inputs that have names.
func presetInputs() string {
	var b strings.Builder
	b.WriteString("| preset | for | stages |\n| --- | --- | --- |\n")
	for _, p := range frontend.Presets {
		stages := p.Pipeline.String()
		if p.Name == "pixels" {
			stages = "the grey values, in the size of the images"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", p.Name, cell(p.Description), cell(stages))
	}
	return b.String()
}
