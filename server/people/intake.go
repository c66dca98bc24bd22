package people

import (
	"context"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/server/store"
)

// An Intake takes many photographs and faces into a collection, for a job.
type Intake struct {
	v          *Service
	input      *input
	collection string

	latest      *snapshot // for known, of when there were so many photographs
	photographs int
}

// Intake returns an Intake of a collection.
func (v *Service) Intake(ctx context.Context, collection string) (*Intake, error) {
	in, err := v.engine.inputOf(ctx, collection)
	return &Intake{v: v, input: in, collection: collection}, err
}

// Space names the network of the vectors.
func (i *Intake) Space() string { return i.input.space }

// Has reports whether a photograph was added before.
func (i *Intake) Has(ctx context.Context, data []byte) (bool, error) {
	return hasPhoto(ctx, i.v.store, i.collection, data)
}

// Find finds the faces in an image file, the largest first, also small ones with all; or why says that
// there is none. If the decoder panics, the file is refused. It waits a little while somebody waits for
// an answer. Warnings are what is wrong with a file that is used all the same.
func (i *Intake) Find(ctx context.Context, data []byte,
	all bool,
) (seen []Found, photo *store.Photo, why string, warnings []string, err error) {
	defer func() {
		if p := recover(); p != nil {
			why = "the image cannot be read"
		}
	}()
	i.v.Memory.giveWay(ctx)
	o := selection{}
	if all {
		o.faces = face.Every
	}
	ctx, noted := noting(ctx)
	seen, photo, why, err = i.v.Memory.find(ctx, i.input, data, o)
	return seen, photo, why, noted(), err
}

// NewFaces are the faces among seen that can be used, and why the others cannot.
func (i *Intake) NewFaces(seen []Found) ([]store.NewFace, []Refusal) {
	return i.input.newFaces(seen, store.Import)
}

// known is a snapshot of the collection that is renewed when the number of added photographs has doubled:
// a new one for each photograph would take the square of the time.
func (i *Intake) known(ctx context.Context, added int) (*snapshot, error) {
	if i.latest != nil && added < 2*i.photographs {
		return i.latest, nil
	}
	s, err := i.v.engine.snapshot(ctx, i.collection)
	i.latest, i.photographs = s, max(1, added)
	return s, err
}

// Meant returns the face of a photograph that shows a person, as far as the collection knows when a number
// of photographs was added; none if that is not clear.
func (i *Intake) Meant(ctx context.Context, person string, seen []Found, added int) (one []Found, err error) {
	s, err := i.known(ctx, added)
	if err != nil {
		return nil, err
	}
	one, _, err = s.meant(ctx, person, seen)
	return one, err
}

// TakenFor returns a warning for each face of a photograph, of a person or of its own, that the collection
// takes for somebody else.
func (i *Intake) TakenFor(ctx context.Context, person string, faces []store.NewFace, added int) ([]Warning, error) {
	s, err := i.known(ctx, added)
	if err != nil {
		return nil, err
	}
	return s.takenFor(ctx, person, faces)
}

// Complete sets the vector of a face of an export, whose vector is in a space, or says why the face
// cannot be used.
func (i *Intake) Complete(ctx context.Context, f *store.NewFace, space string) (why string) {
	if len(f.Crop) > 0 {
		want := i.input.Embedder.Input()
		if size, err := dataset.ImageSize(f.Crop, "crop"); err != nil || size.X != want.Width || size.Y != want.Height {
			return "the crop is not one of the network of the collection"
		}
	}
	if space == i.input.space && f.Vector != nil {
		if err := i.input.check(f.Vector); err != nil {
			return err.Error()
		}
		return ""
	}
	if len(f.Crop) == 0 {
		return "the vector is of another network, and there is no crop"
	}
	seen, _, err := i.input.look(ctx, f.Crop, selection{isCrop: true})
	if err != nil || seen[0].Reason != nil {
		return "the crop cannot be used"
	}
	f.Vector = float32s(seen[0].Values)
	return ""
}
