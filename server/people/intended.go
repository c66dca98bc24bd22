package people

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/results"
	"nrdl.example/nrdl/server/store"
)

// A Warning is of a face that was added to a person, and that the collection takes for another one.
type Warning struct {
	Face   string `json:"face,omitempty" doc:"Id of the face that was added"`
	Person string `json:"person" doc:"Id of the person that the collection takes it for; empty for a damaged file"`
	Name   string `json:"name"`
	Why    string `json:"why"`

	index int // of the face among those that were added
}

// meant returns the face of a photograph that shows a person, as far as the collection knows, and why each
// face is refused where that is not clear: nobody guesses.
func (s *snapshot) meant(ctx context.Context, person string, seen []Found) (one []Found, refused []Refusal, err error) {
	if len(seen) < 2 {
		return seen, nil, nil
	}
	all, which := make([]faces.Face, len(seen)), -1
	if s.live != nil {
		if all, which, err = s.live.Meant(ctx, person, seenOf(seen)); err != nil {
			return nil, nil, err
		}
	}
	if which >= 0 {
		return seen[which : which+1], nil, nil
	}
	for i, f := range seen {
		who := "it is unknown"
		switch {
		case f.Reason != nil:
			who = "it cannot be used: " + f.Reason.Error()
		case all[i].Known:
			who = "the collection takes it for " + s.people[all[i].Name].Name
		}
		refused = append(refused, Refusal{
			Box: results.NewDetection(f.Face).Box,
			Why: fmt.Sprintf("one of %d faces, and nothing says which one is meant: %s; send its box", len(seen), who),
		})
	}
	return nil, refused, nil
}

func seenOf(all []Found) []face.Seen {
	seen := make([]face.Seen, len(all))
	for i, f := range all {
		seen[i] = f.Seen
	}
	return seen
}

// takenFor returns a warning for each of the faces, to be added to a person, that the collection takes for
// another person.
func (s *snapshot) takenFor(ctx context.Context, person string, faces []store.NewFace) (all []Warning, err error) {
	for at, f := range faces {
		of := cmp.Or(f.Person, person)
		if s.live == nil || of == "" || of == store.Stranger || f.Space != s.input.space { // the network may have changed meanwhile
			continue
		}
		values := make([]float64, len(f.Vector))
		for i, x := range f.Vector {
			values[i] = float64(x)
		}
		named, _, err := s.live.Meant(ctx, of, []face.Seen{{Values: values}})
		if err != nil {
			return nil, err
		}
		if is := named[0].Name; named[0].Known && is != of {
			all = append(all, Warning{
				index: at, Person: is, Name: s.people[is].Name,
				Why: fmt.Sprintf("the collection takes the face for %s: if that is right, undo the operation", s.people[is].Name),
			})
		}
	}
	return all, nil
}

// checkNew is an error if the faces are to be of somebody who is new, and the collection takes one of them
// for a person that it knows.
func (s *snapshot) checkNew(ctx context.Context, person string, faces []store.NewFace) error {
	if slices.Contains(slices.Collect(maps.Values(s.owner)), person) {
		return nil
	}
	warnings, err := s.takenFor(ctx, cmp.Or(person, "somebody new"), faces)
	if err != nil || len(warnings) == 0 {
		return err
	}
	return Unusable(errors.New("the face is that of " + warnings[0].Name +
		", as the collection says: add it in the page, if it is somebody else"))
}
