package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/fvbommel/sortorder"
	"github.com/spf13/cobra"

	"nrdl"
	"nrdl/method"
)

func (a *app) peopleCmd() *cobra.Command {
	var asJSON, list bool
	c := &cobra.Command{
		Use:   "people MODEL",
		Short: "List the people of a model, and how well each is recognised",
		Long: `people lists the people of a model: the number of stored faces, their quality, and
how well each person is recognised. For the latter, faces are held out in turn
(cross-validation) and then identified: right counts the faces whose best guess is
the person, known those of them above the threshold; the others would be ` + unknown + `.
rival is the person who is most often confused with this one, or comes closest.

train and calibrate print a share of known faces too. It is usually lower, because
they leave out people as well.`,
		Example: `  nrdl people people.nrdl
  nrdl people people.nrdl --list
  nrdl people people.nrdl --json`,
		Args: arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return a.people(c.Context(), args[0], asJSON, list)
		},
		ValidArgsFunction: completeModel,
	}
	c.Flags().BoolVar(&asJSON, "json", false, "write an object with all numbers")
	c.Flags().BoolVar(&list, "list", false, "print names and faces only, without the cross-validation, which is slow for many people")
	return c
}

// A resident is what people says of a person. What is not known is null.
type resident struct {
	Name    string        `json:"name"`
	Faces   int           `json:"faces"`
	Quality *nrdl.Quality `json:"quality"` // means; the angle without its sign
	Held    int           `json:"held"`    // faces that were held out
	Right   int           `json:"right"`   // of them named rightly
	Known   *int          `json:"known"`   // of these with a margin above the threshold
	Margin  *float64      `json:"margin"`  // mean, of those named rightly less those named wrongly
	Rival   string        `json:"rival"`   // taken for most often, or likeliest but for the person
	Note    string        `json:"note"`

	rivals map[string]int // how often who was the likeliest of the others, wrong guesses counting more than all others
}

// A residency is what people says of a model.
type residency struct {
	People    []*resident `json:"people"`
	Faces     int         `json:"faces"`
	Held      int         `json:"held"`
	Right     int         `json:"right"`
	Known     *int        `json:"known"`
	Threshold *float64    `json:"threshold"` // null where the model names everybody
	Why       string      `json:"why"`       // why something is not known
}

func (a *app) people(ctx context.Context, path string, asJSON, list bool) error {
	m, err := loadModel(path)
	if err != nil {
		return err
	}
	p := m.Parts()
	r := &residency{}
	if p.Calibration != nil {
		r.Threshold = &p.Calibration.Threshold
	}
	for _, name := range p.Classes {
		r.People = append(r.People, &resident{Name: name})
	}
	switch images := p.Enrolled; {
	case images == nil:
		r.Why = nrdl.ErrForgotten.Error()
	default:
		r.count(images)
		if !list {
			if err := a.holdOut(ctx, m, r); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
		}
		r.note(list)
	}
	if asJSON {
		return a.printJSON(r)
	}
	return a.printPeople(r)
}

// count counts faces and takes the means of their quality.
func (r *residency) count(images *nrdl.Set) {
	for c, p := range r.People {
		lo, hi := images.Groups[c], images.Groups[c+1]
		p.Faces = hi - lo
		r.Faces += p.Faces
		if images.Quality == nil {
			continue
		}
		var q nrdl.Quality
		n := float64(p.Faces)
		for _, one := range images.Quality[lo:hi] {
			q.Eyes += one.Eyes / n
			q.Sharpness += one.Sharpness / n
			q.Exposure += one.Exposure / n
			q.Angle += max(one.Angle, -one.Angle) / n
			q.Detection += one.Detection / n
		}
		p.Quality = &q
	}
}

// holdOut finds how well the people of m are told apart.
func (a *app) holdOut(ctx context.Context, m *nrdl.Model, r *residency) error {
	by, err := method.Of(m)
	if err != nil {
		return err
	}
	p := m.Parts()
	step, done := a.count("holding faces out")
	verdicts, err := m.HeldOut(ctx, by, step)
	done()
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		r.Why = err.Error()
		a.warn("cross-validation is not possible: %v", err)
		return nil
	}
	for _, v := range verdicts {
		if !v.Stranger {
			r.judge(r.People[p.Enrolled.ClassOf(v.Image)], v)
		}
	}
	for _, person := range r.People {
		person.sum()
	}
	if r.Held == 0 {
		r.Why = "nobody has two faces, so that none can be held out"
	}
	return nil
}

// judge counts v for p.
func (r *residency) judge(p *resident, v nrdl.HeldOutResult) {
	if p.Held == 0 {
		p.Margin, p.rivals = new(float64), map[string]int{}
		if r.Threshold != nil {
			p.Known = new(int)
		}
		if r.Threshold != nil && r.Known == nil {
			r.Known = new(int)
		}
	}
	p.Held++
	r.Held++
	if !v.Right {
		*p.Margin -= v.Margin
		p.rivals[v.Rival] += wrongCounts
		return
	}
	p.rivals[v.Rival]++
	*p.Margin += v.Margin
	p.Right++
	r.Right++
	if r.Threshold != nil && v.Margin >= *r.Threshold {
		*p.Known++
		*r.Known++
	}
}

// wrongCounts is how much more a wrong name says of who is alike than a second
// place does.
const wrongCounts = 1000

// sum takes the mean of the margins and finds the rival, the first in natural
// order of equals.
func (p *resident) sum() {
	if p.Held == 0 {
		return
	}
	*p.Margin /= float64(p.Held)
	for name, n := range p.rivals {
		most := p.rivals[p.Rival]
		if n > most || n == most && sortorder.NaturalCompare(name, p.Rival) < 0 {
			p.Rival = name
		}
	}
}

// What calls for a note.
const (
	fewFaces  = 3   // fewer are few
	seldom    = 0.8 // share of held-out faces named rightly, below which a person is confused
	blurred   = 0.18
	badlyLit  = 0.94
	smallEyes = 30 // pixels between the pupils
)

// seenAs says in words how well faces of that quality are seen: where they are
// among the worst one in a hundred of Georgia Tech and LFW (face.DefaultLimits).
func seenAs(q *nrdl.Quality) string {
	var words []string
	if q.Eyes < smallEyes {
		words = append(words, "small")
	}
	if q.Sharpness < blurred {
		words = append(words, "blurred")
	}
	if q.Exposure < badlyLit {
		words = append(words, "badly lit")
	}
	if words == nil {
		return "good"
	}
	return strings.Join(words, ", ")
}

// note says what should be done about a person.
func (r *residency) note(list bool) {
	for _, p := range r.People {
		var notes []string
		switch {
		case p.Faces == 1 && !list:
			notes = append(notes, "1 face, which cannot be held out: add more")
		case p.Faces < fewFaces:
			notes = append(notes, faceCount(p.Faces)+": add more")
		}
		if p.Held > 0 && float64(p.Right) < seldom*float64(p.Held) {
			notes = append(notes, "taken for "+p.Rival+": add more, or look whether all are right")
		}
		if p.Quality != nil && seenAs(p.Quality) != "good" {
			notes = append(notes, seenAs(p.Quality)+": add better photographs")
		}
		p.Note = strings.Join(notes, "; ")
	}
}
