package main

import (
	"context"
	"slices"

	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/face"
)

// numbered says in f where face --face of a photograph is, as the faces are listed.
func (f *adding) numbered(ctx context.Context, r *faces.Recogniser, photo string) error {
	find := f.find
	find.Which = face.All
	looking, err := r.With(find, r.Observer)
	if err != nil {
		return err
	}
	for result, err := range looking.IdentifyAll(ctx, slices.Values([]faces.Photo{{Name: photo}})) {
		if err != nil {
			return nil // add reads it again, and says so
		}
		if f.face > len(result.Faces) || result.Faces[f.face-1].Box.Empty() {
			return cli.Misuse("%s has no face %d: it has %d", photo, f.face, len(result.Faces))
		}
		f.find.At = &face.Place{Box: result.Faces[f.face-1].Box}
	}
	return nil
}
