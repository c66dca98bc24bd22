package nrdl

import (
	"context"
	"fmt"

	"nrdl.example/nrdl/gallery"
)

// Suspects returns the images of r whose labels look wrong, the surest first. It is nil
// where that would take another cross-validation (without the impostors of a network),
// where r keeps no faces, and where it shortlists (Options.ShortlistAbove), as all faces would
// have to be compared with each other: Survey knows them of the first.
func (r *Recogniser) Suspects(ctx context.Context) ([]gallery.Suspect, error) {
	if _, err := r.method(); err != nil || r.m.Impostors() == nil || r.m.Enrolled == nil || r.m.Shortlists() {
		return nil, err
	}
	review, err := r.m.Review(ctx, nil)
	if err != nil {
		return nil, err
	}
	return review.Suspects, nil
}

// withNotes returns the survey of r with the images that look mislabelled in the notes of
// their people.
func withNotes(r *gallery.Review) *gallery.Survey {
	of := map[string]*gallery.Person{}
	for _, p := range r.People {
		of[p.Name] = p
	}
	more := map[string]int{}
	for _, s := range r.Suspects {
		p := of[s.Person]
		if p == nil {
			continue
		}
		if more[s.Person]++; more[s.Person] > mostNoted {
			continue
		}
		if p.Note != "" {
			p.Note += "; "
		}
		p.Note += s.ID + " looks mislabelled"
		if s.Other != "" {
			p.Note += ": like " + s.Other
		}
	}
	for name, n := range more {
		if n > mostNoted {
			of[name].Note += fmt.Sprintf("; and %d more", n-mostNoted)
		}
	}
	return &r.Survey
}

// mostNoted bounds the images that a note names.
const mostNoted = 3
