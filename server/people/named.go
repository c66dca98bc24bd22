package people

import (
	"context"
	"errors"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/server/store"
)

// AddNamed adds the face in the photograph that a form has in a field to the person with a name, who is
// created if there is none, and returns the id of the face. It refuses several faces
// if it is not clear which one is meant, and a known face for a new person.
func (v *Service) AddNamed(ctx context.Context, collection, name string, form Form, field string) (id string, err error) {
	if err := dataset.CheckName(name); err != nil {
		return "", Unusable(err)
	}
	in, err := v.engine.inputOf(ctx, collection)
	if err != nil {
		return "", err
	}
	data, err := form.File(field)
	if err != nil {
		return "", err
	}
	seen, photo, why, err := v.Memory.find(ctx, in, data, selection{})
	if err != nil {
		return "", err
	}
	if why != "" {
		return "", Unusable(errors.New(why))
	}
	person, err := v.store.PersonByName(ctx, collection, name)
	if err != nil {
		return "", err
	}
	s, err := v.engine.snapshot(ctx, collection)
	if err != nil {
		return "", err
	}
	seen, refused, err := s.meant(ctx, person, seen)
	if err != nil {
		return "", err
	}
	var faces []store.NewFace
	if len(seen) > 0 {
		faces, refused = in.newFaces(seen, store.Upload)
	}
	if len(faces) == 0 {
		return "", Unusable(errors.New(refused[0].Why))
	}
	if err := s.checkNew(ctx, person, faces); err != nil {
		return "", err
	}
	if person, err = v.personNamed(ctx, collection, name); err != nil {
		return "", err
	}
	var added Added
	if err := v.add(ctx, &added, s, person, photo, faces); err != nil {
		return "", err
	}
	return added.Faces[0].ID, v.engine.publish(ctx, collection)
}

// personNamed returns the id of the person with a name, who is created if there is none.
func (v *Service) personNamed(ctx context.Context, collection, name string) (string, error) {
	p, _, err := v.store.CreatePerson(ctx, CallerOf(ctx).Actor, collection, name, store.Known, false)
	var there *store.Conflict
	if errors.As(err, &there) && there.ID != "" {
		return there.ID, nil
	}
	return p.ID, err
}

// RemoveNamed deletes the faces of the people with a name, and returns their number.
func (v *Service) RemoveNamed(ctx context.Context, collection, name string) (deleted int, err error) {
	s, err := v.engine.snapshot(ctx, collection)
	if err != nil {
		return 0, err
	}
	for id, p := range s.people {
		if p.Name != name {
			continue
		}
		const limit = 100_000
		faces, err := v.store.Faces(ctx, collection, &id, "", limit)
		if err != nil {
			return deleted, err
		}
		var ids []string
		for _, f := range faces {
			ids = append(ids, f.ID)
		}
		if len(ids) > 0 {
			if err := v.store.DeleteFaces(ctx, CallerOf(ctx).Actor, collection, nil, ids); err != nil {
				return deleted, err
			}
		}
		deleted += len(ids)
	}
	return deleted, v.engine.publish(ctx, collection)
}
