package jobs

import (
	"context"
	"fmt"
	"path"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

// ofFolder returns the face in seen that shows the person with the name of the folder of a file, and the
// person, who is added if there is none; added is then 1. If it is not clear which face is meant, why says so.
func (i *importer) ofFolder(ctx context.Context, file string,
	seen []people.Found,
) (one []people.Found, person string, added int, why string, err error) {
	name, err := dataset.TagName(path.Base(path.Dir(file)))
	if err != nil || name == "." {
		return nil, "", 0, "the folder of the file is no name of a person", nil
	}
	if person, err = i.store.PersonByName(ctx, i.steps.j.Collection, name); err != nil {
		return nil, "", 0, "", err
	}
	if one, err = i.intake.Meant(ctx, person, seen, i.result.Photos); err != nil {
		return nil, "", 0, "", err
	}
	if len(one) == 0 {
		return nil, "", 0,
			fmt.Sprintf("it shows %d faces, and nothing says which one is %s: add it in the page of the person", len(seen), name), nil
	}
	person, isNew, err := i.called(ctx, name)
	if isNew {
		added = 1
	}
	return one, person, added, "", err
}

// warn notes in the result which of the faces of a photograph, of a person or each of its own, the collection
// takes for somebody else.
func (i *importer) warn(ctx context.Context, file, person string, faces []store.NewFace) error {
	if !i.request.Folders && !i.request.Tags {
		return nil
	}
	warnings, err := i.intake.TakenFor(ctx, person, faces, i.result.Photos)
	for _, w := range warnings {
		i.note(file, w.Why)
	}
	return err
}
