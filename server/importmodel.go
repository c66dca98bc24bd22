package server

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/openset"
	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

// unfinished marks the name of a collection whose model is not read to its end.
const unfinished = " (unfinished import)"

// ImportModel makes a collection with this name of the people and the vectors of a model. It returns how many
// people and faces it has now; or 0 if there is a collection with this name, which stays as it is, or if these
// people were imported before: who was renamed or deleted since then does not come back. An import that was
// interrupted begins again.
func (v *Service) ImportModel(ctx context.Context, name string, g *gallery.Gallery) (subjects, faces int, err error) {
	if err := CheckModel(g); err != nil {
		return 0, 0, err
	}
	images := g.Images()
	space, err := v.people.SpaceOf(people.SpaceFor(images.Frame))
	if err != nil {
		return 0, 0, advice.Add(fmt.Errorf("the faces of the model are vectors of another network: %w", err),
			"give the service that network: --input embedding:FILE.onnx")
	}
	fpir := openset.Default.FPIR
	if o := g.Options(); o != nil {
		fpir = o.FPIR
	}
	if _, err := people.ChangedCollection(store.Collection{}, name, &fpir); err != nil {
		return 0, 0, err
	}
	identity := images.Hash()
	if before, err := v.store.IsAudited(ctx, importing, identity); err != nil || before {
		return 0, 0, err
	}
	id, err := v.emptyCollection(ctx, name, fpir, space)
	if err != nil || id == "" {
		return 0, 0, err
	}
	for k, person := range images.Classes {
		p, _, err := v.store.CreatePerson(ctx, "local", id, person, store.Known, false)
		if err != nil {
			return 0, 0, fmt.Errorf("person %q: %w", person, err)
		}
		var added []store.NewFace
		for j := images.Groups[k]; j < images.Groups[k+1]; j++ {
			f := store.NewFace{Face: store.Face{Source: store.Vector}, Space: space}
			for _, x := range mat.Col(nil, j, images.X) {
				f.Vector = append(f.Vector, float32(x))
			}
			if images.Quality != nil {
				f.Quality = people.AsJSON(images.Quality[j])
			}
			added = append(added, f)
		}
		if _, err := v.store.AddFaces(ctx, "local", id, nil, p.ID, added); err != nil {
			return 0, 0, err
		}
		subjects, faces = subjects+1, faces+len(added)
	}
	if err := v.store.SetCollection(ctx, "local", store.Collection{ID: id, Name: name, FPIR: fpir}); err != nil {
		return 0, 0, err
	}
	return subjects, faces, v.store.Note(ctx, "local", importing, identity)
}

// importing is the verb of ImportModel in the audit log.
const importing = "import model"

// CheckModel is an error if ImportModel cannot read the model, whatever the service.
func CheckModel(g *gallery.Gallery) error {
	switch images := g.Images(); {
	case images == nil:
		return advice.Add(errors.New("the model has forgotten the faces that it was trained on"), "train it again without --forget")
	case images.Frame.Embedding.IsZero():
		return advice.Add(errors.New("the model has pixels of faces, and the service keeps vectors of a network"),
			"train it again with --input embedding")
	}
	return nil
}

// emptyCollection makes a collection for ImportModel; "" if one with this name is there.
func (v *Service) emptyCollection(ctx context.Context, name string, fpir float64, space string) (id string, err error) {
	all, err := v.store.Collections(ctx, "", math.MaxInt32)
	if err != nil {
		return "", err
	}
	for _, c := range all {
		switch c.Name {
		case name:
			return "", nil
		case name + unfinished:
			if err := v.store.DeleteCollection(ctx, "local", c.ID); err != nil {
				return "", err
			}
		}
	}
	c, err := v.store.CreateCollection(ctx, "local", name+unfinished, fpir, space)
	return c.ID, err
}
