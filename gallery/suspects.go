package gallery

import (
	"cmp"
	"context"
	"fmt"
	"strings"
)

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
	return review.withNotes(), nil
}

// Suspects returns the images of g whose labels look wrong, the surest first. It is nil if g
// keeps no faces, and where the search would take long: without Impostors, where Survey finds
// suspects by cross-validation, and where g shortlists, as all faces would have to be compared
// with each other.
func (g *Gallery) Suspects(ctx context.Context) ([]Suspect, error) {
	if g.Impostors() == nil || g.Enrolled == nil || g.Shortlists() {
		return nil, nil
	}
	review, err := g.Review(ctx, nil)
	if err != nil {
		return nil, err
	}
	return review.Suspects, nil
}

// withNotes returns the survey of r with the images that look mislabelled in the notes of
// their people.
func (r *Review) withNotes() *Survey {
	of := map[string]*Person{}
	for _, p := range r.People {
		of[p.Name] = p
	}
	notes := map[string][]string{}
	for _, s := range r.Suspects {
		notes[s.Person] = append(notes[s.Person], fmt.Sprintf("see whether %s shows %s", s.ID, s.shown()))
	}
	for name, list := range notes {
		if n := len(list) - mostNoted; n > 0 {
			list = append(list[:mostNoted], fmt.Sprintf("and %d more", n))
		}
		if p := of[name]; p != nil {
			if p.Note != "" {
				list = append(list, p.Note)
			}
			p.Note = strings.Join(list, "; ")
		}
	}
	return &r.Survey
}

// shown says whom the image of s may show.
func (s *Suspect) shown() string { return cmp.Or(s.Other, "somebody else") }

// Probable reports whether the label of s is more probably wrong than right, or, where no
// probability is known, whether the model would name somebody else.
func (s *Suspect) Probable() bool { return s.Probability == nil || *s.Probability >= 0.5 }

// mostNoted bounds the images that a note names.
const mostNoted = 3
