package people

import (
	"cmp"
	"context"
	"slices"

	"nrdl.example/nrdl/server/store"
)

// A SurePerson is a known person with faces of nobody yet that surely show the person.
type SurePerson struct {
	Ref
	Faces []SureFace `json:"faces" doc:"The surest first"`
}

// A SureFace is a face that surely shows a person.
type SureFace struct {
	Face        string  `json:"face"`
	Probability float64 `json:"probability"`

	photo string
}

// Sure returns the faces of nobody yet that show a known person with a probability of at least so much,
// the people with most of them first. Of one photograph a person has one face.
func (v *Service) Sure(ctx context.Context, collection string, probability float64) ([]SurePerson, error) {
	all := []SurePerson{}
	s, err := v.engine.snapshot(ctx, collection)
	if err != nil || s.live == nil {
		return all, err
	}
	found, photos := map[string]*SurePerson{}, map[[2]string]SureFace{}
	err = v.engine.eachGuess(ctx, s, func(o store.Sample, g *Guess) {
		if g.Decision != "known" || g.Probability == nil || *g.Probability < probability || s.people[g.ID].Kind != store.Known {
			return
		}
		f := SureFace{o.Face, *g.Probability, o.Photo}
		if key := [2]string{g.ID, o.Photo}; o.Photo != "" {
			if other, ok := photos[key]; ok && other.Probability >= f.Probability {
				return
			}
			photos[key] = f
		}
		if found[g.ID] == nil {
			found[g.ID] = &SurePerson{Ref: g.Ref}
		}
		found[g.ID].Faces = append(found[g.ID].Faces, f)
	})
	for id, p := range found {
		p.Faces = slices.DeleteFunc(p.Faces, func(f SureFace) bool {
			return f.photo != "" && photos[[2]string{id, f.photo}].Face != f.Face
		})
		slices.SortStableFunc(p.Faces, func(a, b SureFace) int { return cmp.Compare(b.Probability, a.Probability) })
		all = append(all, *p)
	}
	slices.SortFunc(all, func(a, b SurePerson) int {
		return cmp.Or(len(b.Faces)-len(a.Faces), cmp.Compare(a.Name, b.Name), cmp.Compare(a.ID, b.ID))
	})
	return all, err
}

// AcceptSure gives the faces of Sure to their people, only those of faces if there are any, and returns
// what it gave, with the one operation that undoes it; "" for nothing.
func (v *Service) AcceptSure(ctx context.Context, collection string, probability float64, faces []string) ([]SurePerson, string, error) {
	all, err := v.Sure(ctx, collection, probability)
	if err != nil {
		return nil, "", err
	}
	given := []SurePerson{}
	to := map[string][]string{}
	for _, p := range all {
		p.Faces = slices.DeleteFunc(p.Faces, func(f SureFace) bool { return faces != nil && !slices.Contains(faces, f.Face) })
		for _, f := range p.Faces {
			to[p.ID] = append(to[p.ID], f.Face)
		}
		if len(p.Faces) > 0 {
			given = append(given, p)
		}
	}
	if len(given) == 0 {
		return given, "", nil
	}
	operation, err := v.store.GiveFaces(ctx, CallerOf(ctx).Actor, collection, to)
	return given, operation, v.Publish(ctx, collection, err)
}
