package explain

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"image/png"
	"io"
	"math"

	"nrdl.example/nrdl/doc"
	"nrdl.example/nrdl/internal/kit/page"
)

var (
	//go:embed page.html.tmpl
	pageText string
	//go:embed page.css
	pageStyle string

	whyPage = page.New(pageText, pageStyle, template.FuncMap{
		"term": func(name string) (string, error) {
			text, ok := doc.Define(name)
			if !ok {
				return "", fmt.Errorf("the glossary does not have %q", name)
			}
			return text, nil
		},
		"extent": func(c chart, b bar) template.CSS {
			return span(math.Min(c.Zero, b.End), math.Abs(b.End-c.Zero))
		},
		"at": func(c chart) template.CSS { return span(c.Line, 0) },
		"label": func(c chart) template.CSS { // inside the chart wherever the line is
			return template.CSS(fmt.Sprintf("left:%.2f%%;transform:translateX(-%.2[1]f%%)", 100*c.Line))
		},
	})
)

// span is where something lies on the width of a chart.
func span(left, width float64) template.CSS {
	return template.CSS(fmt.Sprintf("left:%.2f%%;width:%.2f%%", 100*left, 100*width))
}

// HTML writes p as one self-contained page, without scripts.
func (p *Page) HTML(w io.Writer) error {
	sections, err := p.sections()
	if err != nil {
		return err
	}
	return page.Write(w, whyPage, "page", struct {
		Title    string
		Sections []section
	}{p.Title, sections})
}

// quality is that of the pictures of a page that are shorter as JPEG.
const quality = 90

// Picture returns s for a page, as PNG or JPEG, whichever is shorter.
func (s figure) Picture() (page.Picture, error) {
	p := page.Picture{Alt: s.Alt, Name: s.Name, Sub: s.Sub, Mark: string(s.Mark)}
	var lossless bytes.Buffer
	if err := png.Encode(&lossless, s.img); err != nil {
		return p, err
	}
	lossy, err := page.JPEG(s.img, quality)
	if p.Source = page.Data("png", lossless.Bytes()); err == nil && len(lossy) < lossless.Len() {
		p.Source = page.Data("jpeg", lossy)
	}
	return p, err
}

// A chart is the scores of the likeliest people, as bars.
type chart struct {
	Title   string
	Caption string
	Bars    []bar
	Others  string  // who has no bar; "" where everybody has
	Zero    float64 // where the bars begin, as bar.End: at 0
	Line    float64 // where the score of a face that is named begins, as bar.End
	HasLine bool
	Label   string // of the line
}

// A bar is the score of a person.
type bar struct {
	Name, Score string
	End         float64 // where it ends, a share of the width, 0 … 1
	Mark        mark
	Note        string // "" for most
}

func (f *view) chart(people int) chart {
	n := min(people, len(f.order))
	best, last := f.Scores[f.order[0]], f.Scores[f.order[n-1]]
	second := 0.0
	if !f.alone() {
		second = f.Scores[f.rival()]
	}
	c := chart{Title: "The scores", Caption: "Score of each person: " + f.p.Rule.About() + "."}
	if f.byScore() {
		c.Title, c.Caption = "How similar the face is to each person", "1 is the same picture."
	}
	lo, hi := min(0, last), max(0, best)
	if f.byScore() {
		hi = max(hi, 1)
	}
	if f.p.Calibration != nil {
		c.HasLine = true
		line, needed := second+f.p.Calibration.Threshold,
			fmt.Sprintf("its best score exceeds the second by the threshold, %s,", f.number(f.threshold()))
		if f.byScore() {
			line = f.threshold()
		}
		hi = max(hi, line)
		c.Label = fmt.Sprintf("named from %s", f.number(line))
		c.Line = line
		if f.byScore() {
			c.Caption += fmt.Sprintf(
				" From %s on the face gets the name (the line). The similarity with a person counts all photographs of the person "+
					"together, so it may be larger than that with each.", f.number(line))
		} else {
			c.Caption += fmt.Sprintf(" A face is named if %s or more (the line).", needed)
		}
	}
	place := func(v float64) float64 {
		if !(hi > lo) {
			return 0
		}
		return math.Max(0, math.Min(1, (v-lo)/(hi-lo)))
	}
	c.Zero, c.Line = place(0), place(c.Line)
	for i, class := range f.order[:n] {
		b := bar{Name: f.name(class), Score: f.number(f.Scores[class]), End: place(f.Scores[class])}
		b.Mark, b.Note = f.barNote(i)
		c.Bars = append(c.Bars, b)
	}
	if others := len(f.order) - n; others > 0 {
		c.Others = fmt.Sprintf("%d others, %s and less", others, f.number(f.Scores[f.order[n]]))
		if others == 1 {
			c.Others = fmt.Sprintf("1 other, %s", f.number(f.Scores[f.order[n]]))
		}
	}
	return c
}

// barNote is the mark of the bar of the i-th most similar person, and the words beside it.
func (f *view) barNote(i int) (mark, string) {
	switch {
	case i == 0 && f.Known && f.p.Calibration != nil:
		return ofBest, "named"
	case i == 0 && f.alone():
		return ofBest, "the only person"
	case i == 0:
		return ofBest, "most similar"
	case i == 1:
		return ofRival, "the rival"
	}
	return ofNobody, ""
}
