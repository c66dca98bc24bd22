package people

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/internal/natural"
	"nrdl.example/nrdl/server/store"
)

// IDPattern is the form of ids.
const IDPattern = `[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`

// AnID matches an id.
var AnID = regexp.MustCompile(`^` + IDPattern + `$`)

// A Person is a person of a collection.
type Person struct {
	ID      string    `json:"id"`
	Name    string    `json:"name"`
	Kind    string    `json:"kind" enum:"known,ignored" doc:"The faces of ignored people are reported as unknown"`
	Faces   int       `json:"faces"`
	Created time.Time `json:"created"`

	Portrait string `json:"portrait,omitempty" doc:"The face that was chosen, or the one with the best crop"`
	LastSeen *Sight `json:"last_seen,omitempty" doc:"When and where identify recognised the person last"`

	Born      string   `json:"born,omitempty" doc:"Date of birth, 2015-03-28, 2015-03 or 2015"`
	Different []string `json:"different,omitempty" doc:"Ids of people who look alike and are somebody else"`
}

// PersonResponse is the API form of a person.
func PersonResponse(p store.Person) Person {
	response := Person{ID: p.ID, Name: p.Name, Kind: p.Kind, Faces: p.Faces, Created: p.Created, Born: p.Born, Portrait: p.Portrait}
	if p.Differs != "" {
		response.Different = strings.Split(p.Differs, ",")
	}
	return response
}

// A Ref names a person.
type Ref struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// A PersonChange has what is to be changed of a person.
type PersonChange struct {
	Name string `json:"name,omitempty" maxLength:"400"`
	Kind string `json:"kind,omitempty" enum:"known,ignored"`

	Namesake bool `json:"namesake,omitempty" doc:"Somebody else may have the name; otherwise the answer is 409 with the id of that person"`

	Born     *string `json:"born,omitempty" doc:"Date of birth, 2015-03-28, 2015-03 or 2015; empty: not known. Photographs that were taken more than two days before it do not show the person" maxLength:"10"`
	Portrait *string `json:"portrait,omitempty" doc:"Id of a face of the person, which stands for the person in lists; empty: the one with the best crop" maxLength:"36"`

	Different *[]string `json:"different,omitempty" doc:"Ids of people who look alike and are somebody else: a face has to be clearly more similar to this person to get the name" maxItems:"100"`
}

// Apply sets in p what f says.
func (f PersonChange) Apply(p *store.Person) error {
	if f.Name != "" {
		if err := dataset.CheckName(f.Name); err != nil {
			return Unusable(err)
		}
	}
	p.Name, p.Kind = cmp.Or(f.Name, p.Name), cmp.Or(f.Kind, p.Kind)
	if f.Born != nil {
		if _, err := gallery.ParseBorn(*f.Born); *f.Born != "" && err != nil {
			return Unusable(err)
		}
		p.Born = *f.Born
	}
	if f.Portrait != nil {
		if *f.Portrait != "" && !AnID.MatchString(*f.Portrait) {
			return Invalid("%.40q is not the id of a face", *f.Portrait)
		}
		p.Portrait = *f.Portrait
	}
	if f.Different != nil {
		for _, id := range *f.Different {
			if !AnID.MatchString(id) || id == p.ID {
				return Invalid("%.40q is not the id of another person", id)
			}
		}
		p.Differs = strings.Join(*f.Different, ",")
	}
	return nil
}

// CheckName returns an error for a name that no person can have.
func CheckName(name string) error {
	if err := dataset.CheckName(name); err != nil {
		return Unusable(err)
	}
	return nil
}

// Sorted returns the people of a kind, "" for all, with search in their name, in an order.
func (v *Service) Sorted(ctx context.Context, collection, search, order, kind string) ([]store.Person, error) {
	s, err := v.engine.snapshot(ctx, collection)
	if err != nil {
		return nil, err
	}
	return s.sorted(search, order, kind), nil
}

// sorted returns the people of a kind, "" for all, with search in their name.
func (s *snapshot) sorted(search, order, kind string) []store.Person {
	fold := cases.Fold()
	search = plain(fold.String(search))
	var all []store.Person
	names := map[string]string{}
	for id, p := range s.people {
		if name := fold.String(p.Name); strings.Contains(plain(name), search) && (kind == "" || p.Kind == kind) {
			names[id] = name
			all = append(all, p)
		}
	}
	slices.SortFunc(all, func(a, b store.Person) int {
		switch {
		case order == "faces" && a.Faces != b.Faces:
			return b.Faces - a.Faces
		case order != "id" && names[a.ID] != names[b.ID]:
			return natural.Compare(names[a.ID], names[b.ID])
		}
		return strings.Compare(a.ID, b.ID)
	})
	return all
}

// plain is a text without the accents of its letters, so that Zoe finds Zoë.
func plain(text string) string {
	without := strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Mn, r) {
			return -1
		}
		return r
	}, norm.NFD.String(text))
	return norm.NFC.String(without)
}

// addPortraits sets the portrait of each person: the face that was chosen, if it is still of the person, or
// the one with the best crop.
func addPortraits(ctx context.Context, s *store.Store, collection string, people []Person) error {
	var ids []string
	index, chosen := map[string]*Person{}, map[string]string{}
	for i, p := range people {
		ids = append(ids, p.ID)
		index[p.ID], chosen[p.ID], people[i].Portrait = &people[i], p.Portrait, ""
	}
	faces, err := s.FacesWithCrop(ctx, collection, ids)
	best := map[string]float64{}
	for _, f := range faces {
		var q dataset.Quality
		if err := json.Unmarshal(f.Quality, &q); err != nil {
			return err
		}
		const enough = 60 // pixels between the eyes, above which a crop gets no better
		if chosen[f.Person] == f.ID {
			best[f.Person], index[f.Person].Portrait = math.Inf(1), f.ID
		} else if value := 1 + min(q.Eyes, enough)*q.Sharpness*q.Exposure; value > best[f.Person] {
			best[f.Person], index[f.Person].Portrait = value, f.ID
		}
	}
	return err
}
