package report

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"nrdl.example/nrdl/lab/report/plot"
)

// What is not folded of a report is at most sixty words, one table with its legend, and one figure.
func TestReportHasTwoLayers(t *testing.T) {
	records := made{plan: "p", methods: []string{"crc", "nrc", "nrdl"}, data: faces[:4], repeats: 3}.records(t)
	r := arranged(t, records)
	d := r.document(Options{})
	words, tables, figures := 0, 0, 0
	for _, s := range d.Sections {
		if s.Folded {
			continue
		}
		for _, b := range s.Blocks {
			words += len(strings.Fields(b.Text))
			for _, i := range b.Items {
				words += len(strings.Fields(i.Term + " " + i.Text))
			}
			if b.Table != nil {
				tables++
			}
			figures += len(b.Figures)
		}
	}
	if words > 95 || tables != 1 || figures > 1 { // sixty, and the legend
		t.Errorf("%d words, %d tables, %d figures", words, tables, figures)
	}
	var page bytes.Buffer
	if err := r.Write(&page, Options{}); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(page.String(), "<details class=\"l"); n < 4 || n != strings.Count(page.String(), "</section></details>") {
		t.Errorf("%d sections are folded", n)
	}
}

// Of one or two settings there are no average ranks, and ranks that do not separate any methods are
// not drawn.
func TestRanksNeedThreeSettings(t *testing.T) {
	for settings, want := range map[int]bool{1: false, 2: false, 3: true} {
		p := arranged(t, made{plan: "p", methods: []string{"crc", "nrc", "nrdl"}, data: faces[:settings], repeats: 3}.records(t)).Plans[0]
		head := p.rates(false)[0].Table.Head
		if got := head[len(head)-1].Title == "average rank"; got != want || p.averaged() != want {
			t.Errorf("%d settings: average rank %v, %v", settings, got, p.averaged())
		}
		if p.rankFigure() != nil {
			t.Errorf("%d settings: equal methods have a diagram of ranks", settings)
		}
	}
}

// A method has the same colour in each figure, whatever stands beside it.
func TestMethodsKeepTheirColours(t *testing.T) {
	colour := func(methods ...string) string {
		var s []plot.Series
		for _, m := range methods {
			s = append(s, plot.Series{Name: m, Look: (&Label{Method: m}).look(), X: []float64{0, 1}, Y: []float64{1, 2}})
		}
		svg, err := plot.Lines(plot.Axes{X: "x", Y: "y"}, s[:1])
		if len(s) > 1 {
			svg, err = plot.Lines(plot.Axes{X: "x", Y: "y"}, s)
		}
		if err != nil {
			t.Fatal(err)
		}
		all := regexp.MustCompile(`stroke-width="1.7"[^>]* stroke="([^"]*)"`).FindAllStringSubmatch(string(svg), -1)
		at := slices.Index(methods, "src")
		return all[at][1]
	}
	alone := colour("src")
	for _, others := range [][]string{{"nrdl", "src"}, {"lda", "crc", "src", "fddl"}, {"src", "sbd2l"}} {
		if got := colour(others...); got != alone {
			t.Errorf("src beside %v is %s, alone %s", others, got, alone)
		}
	}
	f := &Figure{}
	one := func(int) *Cell { return &Cell{N: 1, Mean: 50} }
	for _, name := range []string{"NRDL", "NRDL, tuned", "NRDL, stopped"} {
		f.line(name, (&Label{Method: "nrdl"}).look(), []float64{0, 1}, one)
	}
	if a, b := f.Series[0].Look, f.Series[2].Look; a == b || (a-b)%plot.Inks != 0 {
		t.Errorf("variants have the looks %d and %d", a, b)
	}
}
