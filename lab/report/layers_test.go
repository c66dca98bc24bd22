package report

import (
	"bytes"
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

// A method has the same colour in each figure of a report, whatever stands beside it, and lines of one
// figure differ.
func TestMethodsKeepTheirColours(t *testing.T) {
	all := append(made{plan: "few", methods: []string{"nrdl", "src"}, data: faces[:1], repeats: 2}.records(t),
		made{plan: "many", methods: []string{"crc", "fddl", "lda", "nrdl", "src"}, data: faces[:1], repeats: 2}.records(t)...)
	looks := map[string]int{}
	for _, p := range arranged(t, all).Plans {
		f := &Figure{}
		for _, l := range p.Labels {
			if before := looks[l.Method]; before != 0 && before != l.look {
				t.Errorf("%s: look %d in %s, %d before", l.Method, l.look, p.Name, before)
			}
			looks[l.Method] = l.look
			for range 3 { // variants of the method
				f.line(l.Name, l.look, []float64{0, 1}, func(int) *Cell { return &Cell{N: 1, Mean: 50} })
			}
		}
		seen := map[int]bool{}
		for i, s := range f.Series {
			if seen[s.Look] || (s.Look-p.Labels[i/3].look)%plot.Inks != 0 {
				t.Errorf("%s: line %d has look %d", p.Name, i, s.Look)
			}
			seen[s.Look] = true
		}
	}
	if len(looks) != 5 {
		t.Errorf("looks %v", looks)
	}
}
