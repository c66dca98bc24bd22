package report

import (
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/lab/experiment"
	"nrdl.example/nrdl/lab/report/plot"
)

// OpenSetFormat returns the format for WriteOpenSet, html or md, by the
// extension of path.
func OpenSetFormat(path string) (string, error) {
	switch ext := strings.ToLower(filepath.Ext(path)); ext {
	case ".html", ".htm":
		return "html", nil
	case ".md":
		return "md", nil
	}
	return "", advice.Add(fmt.Errorf("%s: the ending says no format", path), "end it in .html or .md")
}

// WriteOpenSet writes an open-set result: identification rates, ROC and the
// reliability of probabilities, as a self-contained page or, without figures,
// as Markdown or text.
func WriteOpenSet(w io.Writer, r *experiment.OpenSetResult, data, format string) error {
	d := &document{Title: "Open set: " + data, Sections: openSetSections(r, 2)}
	if !r.Input.SeesImages() {
		d.speakOfSamples(nil)
	}
	switch format {
	case "html":
		return writeHTML(w, d)
	case "md":
		return writeMarkdown(w, d, nil)
	case "text":
		return writeText(w, d)
	}
	return errors.New("an open set is written as a page, as Markdown or as text")
}

func openSetSections(r *experiment.OpenSetResult, level int) []section {
	fpir, by := percentWords(r.Calibrate.FPIR), "by leaving people out"
	if r.LawThresholds {
		by = "from the scores of impostors that were measured for the network, and from the enrolled people"
	}
	return []section{
		{ID: "identified", Title: "Who is identified", Level: level, Blocks: []block{
			{Text: openSetWords(r)},
			{Table: identifiedTable(r)},
			{Figures: []*Figure{rocFigure(r)}},
		}},
		{ID: "threshold", Title: "The threshold of training", Level: level, Blocks: []block{
			{Text: fmt.Sprintf(
				"The target FPIR was %s. Training chose the threshold %s. The FPIR on strangers who were not in the training "+
					"was %s (%s to %s in a draw). %s of the faces of enrolled people were identified; without a threshold, the best "+
					"guess is right for %s.",
				fpir, by, spreadWords(r.FPIR), percentWords(r.FPIR.Min), percentWords(r.FPIR.Max),
				spreadWords(r.IdentificationRate), spreadWords(r.ClosedSet)) + promise(r)},
		}},
		{ID: "reliability", Title: "What a probability is worth", Level: level, Blocks: []block{
			{Text: fmt.Sprintf(
				"Of the faces that a model is, say, 70 %% sure of, 70 %% should be named rightly. The expected calibration error, "+
					"the mean difference between the probability and the share that is right, is %.1f ± %.1f points over the draws. "+
					"Strangers count %s of all faces, as the calibration assumes.",
				100*r.ECE, 100*r.ECESD, percentWords(r.Calibrate.Prior))},
			{Table: reliabilityTable(r)},
			{Figures: []*Figure{reliabilityFigure(r)}},
		}},
	}
}

func openSetWords(r *experiment.OpenSetResult) string {
	others := ""
	if r.OtherFaces > 0 {
		others = fmt.Sprintf(" and %d images of others", r.OtherFaces)
	}
	return fmt.Sprintf(
		"%s on %v, %s with %s enrolled (split %s); the faces of %d others%s are strangers'. A face counts as identified "+
			"where the best guess is right and its score lies above the threshold that lets the given share of strangers "+
			"pass. Mean ± standard deviation over the draws, in percent.",
		r.Method, r.Input, legible.Count(len(r.Draws), "draw"), legible.People(r.People), r.Split, r.Strangers, others)
}

func identifiedTable(r *experiment.OpenSetResult) *table {
	t := &table{Caption: "Identified, by the score that decides", Head: heads("score")}
	for _, fpir := range experiment.FPIRs {
		t.Head = append(t.Head, head{Title: percentWords(fpir), Sub: "FPIR"})
	}
	t.Head = append(t.Head, head{Title: "equal error"})
	best := make([]float64, len(experiment.FPIRs))
	for _, s := range r.Scores {
		for i, v := range s.Identified {
			best[i] = max(best[i], v.Mean)
		}
	}
	for _, s := range r.Scores {
		row := []cell{{Text: s.Name}}
		for i, v := range s.Identified {
			row = append(row, cell{Text: tenths(100 * v.Mean), Spread: tenths(100 * v.SD), Best: v.Mean == best[i]})
		}
		row = append(row, cell{Text: tenths(100 * s.EER.Mean), Spread: tenths(100 * s.EER.SD)})
		t.Rows = append(t.Rows, row)
	}
	return t
}

func rocFigure(r *experiment.OpenSetResult) *Figure {
	f := &Figure{
		Name: "roc", Title: "Identified over FPIR",
		Axes:    plot.Axes{Title: "identification rate over FPIR", X: "FPIR: strangers named, %", Y: "identified, %", LogX: true},
		Caption: "Identification rate over the share of strangers who are named, mean over the draws.",
	}
	f.Alt = f.Caption
	for _, s := range r.Scores {
		one := plot.Series{Name: s.Name}
		for i, fpir := range experiment.ROCRates {
			one.X = append(one.X, 100*fpir)
			one.Y = append(one.Y, 100*s.ROC[i])
		}
		f.Series = append(f.Series, one)
	}
	for i := 0; i < len(experiment.ROCRates); i += 5 {
		f.sample = append(f.sample, 100*experiment.ROCRates[i])
	}
	return f
}

func reliabilityTable(r *experiment.OpenSetResult) *table {
	t := &table{
		Caption: "Probabilities, and how often they came true, in percent",
		Head:    heads("probability, between", "mean", "right", "share of faces"),
	}
	n := len(r.Reliability)
	for i, b := range r.Reliability {
		name := fmt.Sprintf("%d and %d", 100*i/n, 100*(i+1)/n)
		if b.Faces == 0 {
			t.Rows = append(t.Rows, cells(name, "—", "—", "0"))
			continue
		}
		t.Rows = append(t.Rows, cells(name, tenths(100*b.Probability), tenths(100*b.Right), tenths(100*b.Share)))
	}
	return t
}

func reliabilityFigure(r *experiment.OpenSetResult) *Figure {
	f := &Figure{
		Name: "reliability", Title: "Reliability",
		Axes: plot.Axes{Title: "share named rightly over the probability of the name", X: "probability, %", Y: "right, %"},
		Caption: "How often a guess is right over its probability, all draws together; on the line from corner to corner " +
			"if the probabilities are right.",
	}
	f.Alt = f.Caption
	found, exact := plot.Series{Name: "found"}, plot.Series{Name: "exact", X: []float64{0, 100}, Y: []float64{0, 100}}
	for _, b := range r.Reliability {
		if b.Faces > 0 {
			found.X, found.Y = append(found.X, 100*b.Probability), append(found.Y, 100*b.Right)
		}
	}
	f.Series = []plot.Series{found, exact}
	return f
}

// percentWords formats a fraction in percent: 1 %, 0.1 %.
func percentWords(v float64) string {
	return digits(100*v, 3) + " %"
}

func spreadWords(s experiment.Spread) string {
	if math.IsNaN(s.Mean) {
		return "—"
	}
	return fmt.Sprintf("%.1f ± %.1f %%", 100*s.Mean, 100*s.SD)
}

// promise says, after a space, how reliable the thresholds and the probabilities of training are.
func promise(r *experiment.OpenSetResult) (s string) {
	bears := 0.0
	for _, d := range r.Draws {
		bears = max(bears, d.MinFPIR)
	}
	if bears > r.Calibrate.FPIR {
		s = fmt.Sprintf(" Too few were enrolled to set a threshold for %s; more people, or given photographs of strangers, set it better.",
			percentWords(r.Calibrate.FPIR))
	}
	if r.NamedFaces.Faces > 0 {
		s += fmt.Sprintf(" Of the named faces %s have the right name; their mean probability is %s.",
			percentWords(r.NamedFaces.Right), percentWords(r.NamedFaces.Probability))
		if r.MaxStrangerProbability > 0 {
			s += fmt.Sprintf(" The highest of a named stranger is %s.", percentWords(r.MaxStrangerProbability))
		}
	}
	return s
}
