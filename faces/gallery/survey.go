package gallery

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sort"
	"strings"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/internal/natural"
	"nrdl.example/nrdl/openset"
)

// A Survey says how well the people of a gallery are recognised. In JSON, unknown values are
// null.
type Survey struct {
	People    []*Person `json:"people"`    // one entry a person
	Faces     int       `json:"faces"`     // number of faces
	Held      int       `json:"held"`      // faces that were held out
	Right     int       `json:"right"`     // of Held, with a right best guess
	Known     *int      `json:"known"`     // of Right, with a margin above the threshold
	Threshold *float64  `json:"threshold"` // margin from which on a face gets a name
	Reason    string    `json:"why"`       // why something is null
	Same      []Pair    `json:"-"`         // people who may be one person under two names, by a Review

	// Shares of strangers who are named; absent unless margins are evidence.
	AtLarge    *openset.Share `json:"strangers_at_large,omitempty"`
	Resembling *openset.Share `json:"strangers_like_these,omitempty"` // expected share of strangers like these people who get a name
}

// A Person is an enrolled person.
type Person struct {
	Name    string           `json:"name"`
	Faces   int              `json:"faces"`   // stored; 0 if the model keeps none
	Quality *dataset.Quality `json:"quality"` // mean; the angle without its sign
	Held    int              `json:"held"`    // faces that were held out
	Right   int              `json:"right"`   // of Held, with a right best guess
	Known   *int             `json:"known"`   // of Right, with a margin above the threshold
	Margin  *float64         `json:"margin"`  // mean; that of a wrong best guess counts as negative
	Rival   string           `json:"rival"`   // the person most often confused with, or else the most likely other person
	Note    string           `json:"note"`    // what is lacking

	settings *Settings      // of the gallery; nil: DefaultSettings
	rivals   map[string]int // how often who was the likeliest of the others, wrong guesses counting more than all others
}

// People returns the enrolled people, in the order of the classes, without the
// results of cross-validation.
func (g *Gallery) People() []*Person {
	var all []*Person
	for c, name := range g.Names() {
		p := &Person{Name: name, settings: g.Numbers()}
		if e := g.Enrolled; e != nil {
			groups := e.Groups()
			p.count(groups[c+1]-groups[c], e.qualities(c))
		}
		all = append(all, p)
	}
	return all
}

// Faces counts the faces of a person that g keeps.
func (g *Gallery) Faces(name string) int {
	if g.Enrolled == nil {
		return 0
	}
	return g.Enrolled.Count(name)
}

// count takes in so many faces and the means of their quality; nil if not known.
func (p *Person) count(faces int, quality []dataset.Quality) {
	p.Faces = faces
	if quality == nil {
		return
	}
	var q dataset.Quality
	n := float64(p.Faces)
	for _, one := range quality {
		q.Eyes += one.Eyes / n
		q.Sharpness += one.Sharpness / n
		q.Exposure += one.Exposure / n
		q.Angle += max(one.Angle, -one.Angle) / n
		q.Detection += one.Detection / n
	}
	p.Quality = &q
}

// survey is Survey without the notes of a Review, with the results of holding faces out.
func (g *Gallery) survey(ctx context.Context, holdOut bool,
	progress func(done, total int),
) (s *Survey, results []HeldOutResult, err error) {
	if err := g.ready(ctx); err != nil {
		return nil, nil, fmt.Errorf("survey: %w", err)
	}
	s = &Survey{People: g.People()}
	if c := g.Calibration; c != nil {
		s.Threshold = &c.Threshold
		if c.FollowsLaw() {
			atLarge, like := c.StrangerRates(g.Impostors())
			s.AtLarge, s.Resembling = &atLarge, &like
		}
	}
	if g.Enrolled == nil {
		s.Reason = ErrForgotten.Error()
		return s, nil, nil
	}
	for _, p := range s.People {
		s.Faces += p.Faces
	}
	if holdOut {
		if results, err = s.holdOut(ctx, g, progress); err != nil {
			return nil, nil, err
		}
	}
	for c, p := range s.People {
		p.Note = strings.Join(g.advice(c, p, 0, false), "; ")
	}
	return s, results, nil
}

// holdOut finds how well the model distinguishes the people of g.
func (s *Survey) holdOut(ctx context.Context, g *Gallery, progress func(done, total int)) ([]HeldOutResult, error) {
	results, err := g.HeldOut(ctx, progress)
	if ctx.Err() != nil {
		return nil, err
	}
	if err != nil { // as of a parameter that fewer faces do not allow
		s.Reason = err.Error()
		return nil, nil
	}
	groups := g.Enrolled.Groups()
	for _, r := range results {
		if !r.Stranger {
			s.record(s.People[sort.SearchInts(groups, r.Image+1)-1], r)
		}
	}
	for _, person := range s.People {
		person.sum()
	}
	if s.Held == 0 {
		s.Reason = "nobody has two faces, so that none can be hidden"
	}
	return results, nil
}

// record counts the result r for person p.
func (s *Survey) record(p *Person, r HeldOutResult) {
	if p.Held == 0 {
		p.Margin, p.rivals = new(float64), map[string]int{}
		if s.Threshold != nil {
			p.Known = new(int)
		}
		if s.Threshold != nil && s.Known == nil {
			s.Known = new(int)
		}
	}
	p.Held++
	s.Held++
	if !r.Right {
		*p.Margin -= r.Margin
		p.rivals[r.Rival] += wrongWeight
		return
	}
	p.rivals[r.Rival]++
	*p.Margin += r.Margin
	p.Right++
	s.Right++
	if s.Threshold != nil && r.Margin >= *s.Threshold {
		*p.Known++
		*s.Known++
	}
}

// wrongWeight is the weight of a wrong name, relative to that of a second place, in the
// choice of the rival.
const wrongWeight = 1000

// sum takes the mean of the margins and finds the rival, the first in natural
// order of equals.
func (p *Person) sum() {
	if p.Held == 0 {
		return
	}
	*p.Margin /= float64(p.Held)
	for name, n := range p.rivals {
		largest := p.rivals[p.Rival]
		if n > largest || n == largest && natural.Compare(name, p.Rival) < 0 {
			p.Rival = name
		}
	}
}

// Tested says in words how well the faces of g, of which s is the survey, are recognised: as
// g.Tested, or how many are most similar to their own person where g names everybody.
func (s *Survey) Tested(g *Gallery) string {
	if tested := g.Tested(); tested != "" {
		return "test: " + tested
	}
	return fmt.Sprintf("test: each of %s was hidden once: %d are most similar to their own person", legible.Count(s.Held, "face"), s.Right)
}

// QualityText describes the mean quality of the faces of p: "good", or what is below the
// limits of the Settings, such as "small, blurred"; "" if it is not known.
func (p *Person) QualityText() string {
	q, limits := p.Quality, cmp.Or(p.settings, &DefaultSettings)
	if q == nil {
		return ""
	}
	var words []string
	if q.Eyes < limits.Eyes {
		words = append(words, "small")
	}
	if q.Sharpness < limits.Sharpness {
		words = append(words, "blurred")
	}
	if q.Exposure < limits.Exposure {
		words = append(words, "badly lit")
	}
	if words == nil {
		return "good"
	}
	return strings.Join(words, ", ")
}

// advice says what the photographs of p, person c, lack by their number, their quality and the
// faces that were held out, of which so many have a wrong label. Somebody who is there twice is
// confused with themselves, which more photographs do not mend.
func (g *Gallery) advice(c int, p *Person, mislabelled int, twice bool) (all []string) {
	s := g.Numbers()
	if p.Held > 0 && !twice && float64(p.Right+mislabelled) < s.Confused*float64(p.Held) {
		all = append(all, fmt.Sprintf("confused with %s: add photographs of both", p.Rival))
	}
	return append(all, s.quality(p.Faces, g.Enrolled.qualities(c))...)
}

// Survey describes the people of g. With holdOut it also measures by cross-validation how well
// each person is recognised, and the notes name the images whose labels look wrong. Where g
// shortlists it names none, as all faces would have to be compared with each other. Progress is
// called after each fold; may be nil.
func (g *Gallery) Survey(ctx context.Context, holdOut bool, progress func(done, total int)) (*Survey, error) {
	if !holdOut || g.Enrolled == nil || g.Shortlists() {
		s, _, err := g.survey(ctx, holdOut, progress)
		return s, err
	}
	review, err := g.Review(ctx, progress)
	if err != nil {
		return nil, err
	}
	return &review.Survey, nil
}

// toSee names the images of the person with this name that look mislabelled.
func (r *Review) toSee(name string) (all []string) {
	for _, s := range r.Suspects {
		if s.Person == name {
			all = append(all, fmt.Sprintf("see whether %s shows %s", s.ID, cmp.Or(s.Other, "somebody else")))
		}
	}
	if n := len(all) - maxNoted; n > 0 {
		all = append(all[:maxNoted], fmt.Sprintf("and %d more", n))
	}
	return all
}

// Others returns the people who may be the person with this name under another one.
func (s *Survey) Others(name string) (all []string) {
	for _, p := range s.Same {
		switch name {
		case p.A:
			all = append(all, p.B)
		case p.B:
			all = append(all, p.A)
		}
	}
	return all
}

// Mislabelled counts the photographs of the person with this name whose label is probably wrong.
func (r *Review) Mislabelled(name string) (n int) {
	for i := range r.Suspects {
		if s := &r.Suspects[i]; s.Person == name && s.Probable() {
			n++
		}
	}
	return n
}

// Halves reports whether s is one of only two photographs of its person, which do not look like one
// person: nobody can tell which is wrong.
func (r *Review) Halves(s Suspect) bool {
	i := slices.IndexFunc(r.People, func(p *Person) bool { return p.Name == s.Person })
	return i >= 0 && len(s.Part) > 0 && len(s.Part) == r.People[i].Faces
}

// Probable reports whether the label of s is more probably wrong than right, or, where no
// probability is known, whether the model would name somebody else.
func (s *Suspect) Probable() bool { return s.Probability == nil || *s.Probability >= 0.5 }

// maxNoted bounds the images that the advice for a person names.
const maxNoted = 3
