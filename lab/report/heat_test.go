package report

import (
	"fmt"
	"strings"
	"testing"

	"nrdl.example/nrdl/lab/experiment"
)

// Records of two varied parameters become a map in every format, with the best cell and the
// rate of the method as it is.
func TestHeatMaps(t *testing.T) {
	one := rated(t, faces[2:3], 1, map[string]int{"crc": 12}, nil)[0]
	records := []experiment.Record{one}
	for i, a := range []string{"0.1", "1", "10"} {
		for j, b := range []string{"2", "4"} {
			r := one
			r.Label = fmt.Sprintf("CRC, kappa=%s, other=%s", a, b)
			r.Key = r.Label
			r.Variation = &experiment.Variation{Path: "kappa", Value: a, Second: &experiment.Variation{Path: "other", Value: b}}
			wrong(&r, 20-4*i-2*j)
			if i+j > 0 { // one is missing
				records = append(records, r)
			}
		}
	}
	page := written(t, records, Options{})
	for _, want := range []string{
		"CRC on PIE, random:10: rate against kappa and other",
		"colours from 91.0 (palest) to 96.0 (darkest). The best, 95.0, has kappa = 10 and other = 4.", "CRC as it is has 94.0.",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	p := arranged(t, records).Plans[0]
	if figures := p.rankFigure(); figures != nil {
		t.Errorf("pairs of parameters are drawn with their ranks: %v", figures)
	}
	for format, want := range map[string][]string{
		"md":    {"| 2 | — | 92.0 | 94.0 |", "| 4 | 91.0 | 93.0 | **95.0** |"},
		"latex": {`\cellcolor{blue!45}{\textbf{95.0}}`, `\cellcolor{blue!5}{91.0}`, "other"},
	} {
		text := written(t, records, Options{Format: format})
		for _, w := range want {
			if !strings.Contains(text, w) {
				t.Errorf("%s has no %q:\n%s", format, w, text[strings.Index(text, "kappa and"):][:600])
			}
		}
	}
}

// Where the same parameter of several methods is varied, each data set has a figure with a
// line for each.
func TestParametersOfSeveralMethods(t *testing.T) {
	var records []experiment.Record
	for _, r := range rated(t, faces[2:3], 2, map[string]int{"fddl": 12, "nrdl": 20}, nil) {
		for _, v := range []string{"2", "4"} {
			r := r
			r.Variation = &experiment.Variation{Path: "atoms", Value: v}
			r.Label += ", atoms=" + v
			r.Key += v
			records = append(records, r)
		}
	}
	all := arranged(t, records).Plans[0].varied()
	if len(all) != 1 || len(all[0].Series) != 2 || all[0].Series[0].Name != "FDDL" || all[0].Axes.X != "atoms" ||
		!strings.HasPrefix(all[0].Title, "PIE") {
		t.Errorf("%+v", all)
	}
}

// The ranking of families has the best of each, and its critical difference is smaller.
func TestFamilies(t *testing.T) {
	records := rated(t, faces, 3, map[string]int{"nrc": 5, "knrc": 9, "crc": 30, "kcrc": 35, "lrc": 50, "src": 40}, nil)
	p := arranged(t, records).Plans[0]
	var names []string
	for _, i := range p.Families.order() {
		names = append(names, p.Labels[i].Name)
	}
	if got := strings.Join(names, " "); got != "NRC CRC SRC LRC" {
		t.Errorf("families %s", got)
	}
	if !(p.Families.CD < p.Ranking.CD) {
		t.Errorf("critical differences %v and %v", p.Families.CD, p.Ranking.CD)
	}
	if s := p.familyRanks(); !strings.Contains(s, "NRC 1.00, CRC 2.00, SRC 3.00 and LRC 4.00") {
		t.Error(s)
	}
}
