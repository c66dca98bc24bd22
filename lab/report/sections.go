package report

import (
	"fmt"
	"slices"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/internal/legible"
)

// termsTitle and repeatTitle are the titles of the sections that are not of a plan.
const termsTitle, repeatTitle = "Terms", "To repeat it"

// document returns r as a document.
func (r *Report) document(o Options) *document {
	d := &document{Title: o.Title}
	if d.Title == "" {
		var names []string
		for _, p := range r.Plans {
			names = append(names, p.Name)
		}
		d.Title = "Results of " + join(names)
	}
	for _, p := range r.Plans {
		d.plan(p)
		d.details(p, o.Times)
	}
	if o.Format == "" || o.Format == "html" { // Markdown is read beside the glossary
		d.add(2, termsTitle, glossary()...)
	}
	d.add(2, repeatTitle, r.repetition(o)...)
	if r.ofVectors() {
		theirs := map[string]bool{}
		for _, p := range r.Plans {
			theirs[p.Purpose] = true
			for _, c := range p.Columns {
				theirs[c.Source.About] = true
			}
		}
		d.speakOfSamples(theirs)
	}
	for i := range d.Sections {
		s := &d.Sections[i]
		s.Folded = s.Level == 3 || s.Title == termsTitle || s.Title == repeatTitle
	}
	d.nameFigures()
	return d
}

// ofVectors reports whether no data set has images or faces.
func (r *Report) ofVectors() bool {
	for _, p := range r.Plans {
		for _, c := range p.Columns {
			if s := c.Source; s.Synthetic != nil || s.Path == "" || !s.Input.Same(dataset.Frame{}) {
				return false
			}
		}
	}
	return len(r.Plans) > 0
}

// speakOfSamples replaces the words for faces by those for samples of any kind, but not
// into the texts theirs, those of a plan.
func (d *document) speakOfSamples(theirs map[string]bool) {
	say := func(texts ...*string) {
		for _, t := range texts {
			if !theirs[*t] {
				*t = legible.OfSamples(*t)
			}
		}
	}
	for i := range d.Sections {
		say(&d.Sections[i].Title)
		for j := range d.Sections[i].Blocks {
			b := &d.Sections[i].Blocks[j]
			say(&b.Text)
			for k := range b.Items {
				say(&b.Items[k].Text)
			}
			if b.Table != nil {
				say(&b.Table.Caption)
				for k := range b.Table.Head {
					say(&b.Table.Head[k].Title, &b.Table.Head[k].Sub)
				}
			}
			for _, f := range b.Figures {
				say(&f.Title, &f.Caption, &f.Alt, &f.Axes.Title, &f.Axes.X, &f.Axes.Y)
			}
		}
	}
}

// plan adds the section of p that one opens it for: a sentence, the rates with their legend, and
// one figure. Everything else is in details.
func (d *document) plan(p *Plan) {
	var blocks []block
	if s := p.Advice(); s != "" {
		blocks = append(blocks, block{Items: []item{{"Which method to take", s}}})
	}
	blocks = append(blocks, p.rates(false)...)
	blocks = append(blocks, block{Text: p.legend()})
	p.first = p.rankFigure()
	if drawn := slices.Concat(p.curves(), p.varied(), p.heatMaps(), p.traces()); p.first == nil && len(drawn) > 0 {
		p.first = drawn[0]
	}
	if p.first != nil {
		blocks = append(blocks, block{Figures: []*Figure{p.first}})
	}
	d.add(2, p.Name, blocks...)
}

// others are the figures without the one that stands first.
func (p *Plan) others(figures []*Figure) []block {
	return figureBlocks(slices.DeleteFunc(figures, func(f *Figure) bool { return p.first != nil && f.Title == p.first.Title }))
}

// details adds the other sections of p. Timed is the plan whose times are printed.
func (d *document) details(p *Plan, timed string) {
	var about []block
	if p.Purpose != "" {
		about = append(about, block{Text: p.Purpose})
	}
	d.add(3, "What is compared", slices.Concat(about, []block{{Text: p.overview()}}, d.unsaid(p.Name, p.contestants()))...)
	d.add(3, "Rates in some of the settings", p.rates(true)...)
	d.add(3, "Tests", p.remarks()...)
	if p.averaged() {
		d.add(3, "Ranks", p.ranks()...)
	}
	d.add(3, "Rates against what varies", p.others(slices.Concat(p.curves(), p.varied(), p.heatMaps()))...)
	d.add(3, "Objective", p.others(p.traces())...)
	d.add(3, "Time and memory", p.cost(timed)...)
	if t := p.tuned(); t != nil {
		d.add(3, "Tuned parameters", block{Table: t},
			block{Text: "Ranges and lists are over the runs. Validation rates are means over the folds of the training part, " +
				"those of the chosen parameters optimistic, since they were chosen by them; no test image was looked at."})
	}
	if t := p.confused(); t != nil {
		d.add(3, "Most confused people", block{Table: t})
	}
	title, why := "Data sets", []block(nil)
	if sentence, t := p.differences(); sentence != "" {
		title, why = "What differs from the paper, and why", []block{{Text: sentence}}
		if t != nil {
			why = append(why, block{Table: t})
		}
	}
	d.add(3, title, append(why, d.unsaid(p.Name, p.abouts())...)...)
}

// unsaid returns those items of a plan that no plan before has, and names the plans that have
// the others.
func (d *document) unsaid(plan string, items []item) (blocks []block) {
	if d.plans == nil {
		d.plans = map[item]string{}
	}
	var fresh []item
	var before []string
	for _, i := range items {
		if in := d.plans[i]; in == "" {
			d.plans[i] = plan
			fresh = append(fresh, i)
		} else if in != plan && !slices.Contains(before, in) {
			before = append(before, in)
		}
	}
	if len(fresh) > 0 {
		blocks = append(blocks, block{Items: fresh})
	}
	if len(before) > 0 {
		blocks = append(blocks, block{Text: "What is not listed here is explained with " + join(before) + "."})
	}
	return blocks
}

// add adds a section that has blocks.
func (d *document) add(level int, title string, blocks ...block) {
	if len(blocks) > 0 {
		d.Sections = append(d.Sections, section{ID: fmt.Sprintf("s%d", len(d.Sections)+1), Title: title, Level: level, Blocks: blocks})
	}
}

// nameFigures gives every figure a name for its file.
func (d *document) nameFigures() {
	n := 0
	for _, s := range d.Sections {
		for _, b := range s.Blocks {
			for _, f := range b.Figures {
				n++
				f.Name = fmt.Sprintf("figure-%02d", n)
			}
		}
	}
}

// overview counts the runs, methods and settings of p.
func (p *Plan) overview() string {
	runs, failed, taken, threads := 0, 0, 0.0, 1
	for r := range p.all {
		runs++
		threads = max(threads, r.Cost.Threads)
		taken += r.Cost.FitSeconds + r.Cost.CodeSeconds + r.Cost.TuneSeconds
		if r.Error != "" {
			failed++
		}
	}
	s := fmt.Sprintf("%s of %s in %s", legible.Count(runs, "run"), p.methods(), legible.Count(len(p.Columns), "setting"))
	if failed > 0 {
		s += fmt.Sprintf("; %d failed", failed)
	}
	each := "one thread"
	if threads > 1 {
		each = "at most " + legible.Count(threads, "thread")
	}
	s += "; " + span(taken) + " of learning, naming and tuning by the clock, each run on " + each + "."
	switch {
	case p.allTuned():
		s += " Parameters are chosen by cross-validation on the training images."
	case p.tuned() == nil:
		s += " Nothing was tuned: methods have their defaults, or the values of presets and of the plan, which may suit one better than another."
	}
	if untuned := p.untuned(); len(untuned) > 0 && p.tuned() != nil {
		s += " Not tuned: " + few(untuned) + "."
	}
	return s
}

// methods counts the methods of p, and its labels where they are more.
func (p *Plan) methods() string {
	names := map[string]bool{}
	for _, l := range p.Labels {
		names[l.Method] = true
	}
	s := legible.Count(len(names), "method")
	if len(p.Labels) > len(names) {
		s += fmt.Sprintf(" (%s)", legible.Count(len(p.Labels), "variant"))
	}
	return s
}

// untuned are the names of the labels without a run with tuned parameters. A label whose values
// vary is named once.
func (p *Plan) untuned() (names []string) {
	for _, l := range p.Labels {
		if !l.HasTuning && !slices.Contains(names, l.Base()) {
			names = append(names, l.Base())
		}
	}
	return names
}

// span formats a duration in a suitable unit.
func span(seconds float64) string {
	switch {
	case seconds < 100:
		return fmt.Sprintf("%.0f s", seconds)
	case seconds < 100*60:
		return fmt.Sprintf("%.0f min", seconds/60)
	}
	return fmt.Sprintf("%.1f h", seconds/3600)
}

// rankFigure returns the diagram of the average ranks, nil unless it separates some methods.
func (p *Plan) rankFigure() *Figure {
	k := &p.Ranking
	if !p.averaged() || k.Friedman == nil || slices.Max(k.Mean)-slices.Min(k.Mean) < k.CD {
		return nil
	}
	f := &Figure{Title: "Plan " + p.Name + ": average ranks", ranks: p.drawnRanks()}
	if len(f.ranks.Labels) < 2 {
		return nil
	}
	for _, i := range f.ranks.Labels {
		f.rankNames = append(f.rankNames, p.Labels[i].Name)
	}
	f.Caption = fmt.Sprintf(
		"1 is best in all settings. A bar joins methods between which these settings cannot decide: their ranks are closer "+
			"than the critical difference, %.2f of %d ranks (Demšar, 2006).", k.CD, len(k.Labels))
	if len(f.ranks.Labels) < len(k.Labels) {
		f.Caption += " Pairs of varied parameters are ranked, too; maps show them."
	}
	var words []string
	for _, i := range f.ranks.order() {
		words = append(words, fmt.Sprintf("%s %s", p.Labels[i].Name, fixed(k.meanRank(i), 2)))
	}
	f.Alt = f.Title + ": " + few(words) + "."
	return f
}

// ranks returns the test over columns.
func (p *Plan) ranks() (blocks []block) {
	if s := p.overall(); s != "" {
		blocks = append(blocks, block{Text: s})
	}
	for _, s := range []string{p.familyRanks(), p.leftOut()} {
		if s != "" {
			blocks = append(blocks, block{Text: s})
		}
	}
	return blocks
}

func figureBlocks(figures []*Figure) []block {
	if len(figures) == 0 {
		return nil
	}
	return []block{{Figures: figures}}
}
