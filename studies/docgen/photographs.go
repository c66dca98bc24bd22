package main

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/experiment"
)

//go:embed photographs.md.tmpl
var photographsTemplate string

// photographed is what studies/photos writes: Found, Pupils and Large into
// faces.json, the rest into photographs.json.
type photographed struct {
	Found []struct {
		Data                   string
		Photographs, One       int
		None, Several, Refused []string
	}
	Pupils []struct {
		Marks, About string
		Faces, Near  int
		Median, P90  float64
		Far          []string
	}
	Large []struct {
		About                                           string
		Photographs, Before, Now, FalseBefore, FalseNow int
	}
	Named []struct {
		Data, Split, Input  string
		Repeats, People     int
		Accuracy, SD, Least float64
		Right, Of           int
	}
	Open []struct {
		Data, About, Input string
		Found              *experiment.OpenSetResult
	}
}

// photographs makes doc/photographs.md of what is in dir.
func photographs(dir string) (map[string][]byte, error) {
	var p photographed
	for _, name := range []string{"photographs.json", "faces.json"} {
		raw, err := os.ReadFile(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		dec := json.NewDecoder(bytes.NewReader(raw))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&p); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	first := p.Open[0]
	text, err := fill(photographsTemplate, map[string]any{
		"Eyes": dataset.DefaultEyes, "Found": p.found(), "Pupils": p.pupils(), "Missed": p.missed(), "Large": p.large(), "Named": p.named(),
		"Setting": p.setting(), "Scores": p.scores(), "Verdict": p.verdict(), "Thresholds": p.thresholds(),
		"ReliabilityOf": first.About, "Reliability": reliability(first.Found),
	})
	return map[string][]byte{"doc/photographs.md": text}, err
}

// markdownTable has a row of cells each, the first of the head.
func markdownTable(rows ...[]string) string {
	var b strings.Builder
	for i, row := range rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			b.WriteString("| --- |" + strings.Repeat(" ---: |", len(row)-1) + "\n")
		}
	}
	return strings.TrimSuffix(b.String(), "\n")
}

func (p *photographed) found() string {
	rows := [][]string{{"folder", "photographs", "one face", "none", "several", "refused", "exactly one, %"}}
	for _, f := range p.Found {
		rows = append(rows, []string{
			"`" + f.Data + "`", fmt.Sprint(f.Photographs), fmt.Sprint(f.One), fmt.Sprint(len(f.None)), fmt.Sprint(len(f.Several)), fmt.Sprint(len(f.Refused)),
			tenths(float64(f.One) / float64(f.Photographs)),
		})
	}
	return markdownTable(rows...)
}

func (p *photographed) pupils() string {
	rows := [][]string{{"marked", "faces", "within a tenth", "median", "nine of ten within"}}
	for _, m := range p.Pupils {
		rows = append(rows, []string{m.About, fmt.Sprint(m.Faces), fmt.Sprint(m.Near), fmt.Sprintf("%.3f", m.Median), fmt.Sprintf("%.3f", m.P90)})
	}
	return markdownTable(rows...)
}

func (p *photographed) large() string {
	rows := [][]string{{"photographs", "number", "found before", "found now", "false faces before", "now"}}
	for _, l := range p.Large {
		rows = append(rows, []string{l.About, fmt.Sprint(l.Photographs), fmt.Sprint(l.Before), fmt.Sprint(l.Now), fmt.Sprint(l.FalseBefore), fmt.Sprint(l.FalseNow)})
	}
	return markdownTable(rows...)
}

// missed names what was not found, or not well.
func (p *photographed) missed() string {
	var lines []string
	for _, f := range p.Found {
		if len(f.None) > 0 {
			lines = append(lines, fmt.Sprintf("* No face in `%s`: %s.", f.Data, strings.Join(f.None, ", ")))
		}
		if len(f.Several) > 0 {
			lines = append(lines, fmt.Sprintf("* Several in `%s`: %s.", f.Data, strings.Join(f.Several, ", ")))
		}
		if len(f.Refused) > 0 {
			lines = append(lines, fmt.Sprintf("* Refused in `%s`: %s.", f.Data, strings.Join(f.Refused, ", ")))
		}
	}
	for _, m := range p.Pupils {
		if len(m.Far) > 0 {
			lines = append(lines, fmt.Sprintf("* Pupils farther off, of %s: %s.", m.About, strings.Join(m.Far, ", ")))
		}
	}
	return strings.Join(lines, "\n")
}

func (p *photographed) named() string {
	rows := [][]string{{"folder", "people", "split", "named rightly, %", "least", "input"}}
	for _, n := range p.Named {
		rate := tenths(n.Accuracy)
		if n.Repeats > 1 {
			rate += " ± " + tenths(n.SD)
		}
		rows = append(rows, []string{"`" + n.Data + "`", fmt.Sprint(n.People), fmt.Sprintf("%s, %d×", n.Split, n.Repeats), fmt.Sprintf("%s (%d of %d)", rate, n.Right, n.Of), tenths(n.Least), "`" + n.Input + "`"})
	}
	return markdownTable(rows...)
}

func (p *photographed) setting() string {
	r := p.Open[0].Found
	return fmt.Sprintf("Here people of `%s` are drawn to be enrolled, %d times; all others in it and %d photographs of `photos/lfw_strangers`, one per person, are strangers. No photograph of a stranger was seen in training.",
		p.Open[0].Data, len(r.Draws), r.OtherFaces)
}

// scores has the identification rates at 1 %.
func (p *photographed) scores() string {
	head := []string{"enrolled"}
	for _, s := range p.Open[0].Found.Scores {
		head = append(head, s.Name)
	}
	rows := [][]string{head}
	for _, o := range p.Open {
		row := []string{o.About}
		for i, s := range o.Found.Scores {
			v := s.Identified[atOnePercent]
			text := tenths(v.Mean) + " ± " + tenths(v.SD)
			if best(o.Found) == i {
				text = "**" + tenths(v.Mean) + "** ± " + tenths(v.SD)
			}
			row = append(row, text)
		}
		rows = append(rows, row)
	}
	return markdownTable(rows...)
}

// atOnePercent is where FPIRs has 1 %.
const atOnePercent = 1

// best is the score with the highest rate at 1 %.
func best(r *experiment.OpenSetResult) (at int) {
	for i, s := range r.Scores {
		if s.Identified[atOnePercent].Mean > r.Scores[at].Identified[atOnePercent].Mean {
			at = i
		}
	}
	return at
}

// verdict says in how many settings the margin is the best at 1 %.
func (p *photographed) verdict() string {
	wins, worst := 0, 0.0
	for _, o := range p.Open {
		i := best(o.Found)
		if i == 0 {
			wins++
			continue
		}
		worst = max(worst, o.Found.Scores[i].Identified[atOnePercent].Mean-o.Found.Scores[0].Identified[atOnePercent].Mean)
	}
	words := fmt.Sprintf("At 1 %% the margin is the best in %d of %d settings", wins, len(p.Open))
	if worst > 0 {
		words += fmt.Sprintf(", and in the others at most %s points behind the best", tenths(worst))
	}
	return words + ". The models decide by it, as its law for strangers is known: of the other scores the tail would have to be seen, which takes more strangers than a training set has. Where codes are not negative, the share of the sums of coefficients is another way to say their concentration. *Combined* is a logistic regression on all of them, learnt from the faces of the other draws, more than any training set can offer."
}

func (p *photographed) thresholds() string {
	rows := [][]string{{"enrolled", "strangers named, %", "from … to", "identified, %", "of, where nobody is unknown", "ECE, points"}}
	for _, o := range p.Open {
		r := o.Found
		rows = append(rows, []string{
			o.About, hundredths(r.FPIR.Mean) + " ± " + hundredths(r.FPIR.SD), hundredths(r.FPIR.Least) + " … " + hundredths(r.FPIR.Most),
			tenths(r.Identified.Mean) + " ± " + tenths(r.Identified.SD), tenths(r.ClosedSet.Mean), tenths(r.ECE) + " ± " + tenths(r.ECESD),
		})
	}
	return markdownTable(rows...)
}

func reliability(r *experiment.OpenSetResult) string {
	rows := [][]string{{"said, %", "mean", "right", "share of faces"}}
	n := len(r.Reliability)
	for i, b := range r.Reliability {
		rows = append(rows, []string{fmt.Sprintf("%d … %d", 100*i/n, 100*(i+1)/n), tenths(b.Said), tenths(b.Right), tenths(b.Share)})
	}
	return markdownTable(rows...)
}

func tenths(share float64) string { return fmt.Sprintf("%.1f", 100*share) }

func hundredths(share float64) string { return fmt.Sprintf("%.2f", 100*share) }
