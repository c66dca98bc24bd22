package faces

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/kit/atomicfile"
	"nrdl.example/nrdl/internal/kit/regular"
)

// Former returns the path of the file in which Replace keeps the version before of the model file
// at path.
func Former(path string) string { return path + ".bak" }

// Replace is Save that first keeps the file at path, if there is one, as Former(path), for Undo. The
// version before that is lost. It copies the file, also where Save appends to it.
func (r *Recogniser) Replace(ctx context.Context, path string) error {
	if r.m == nil {
		return errEmpty
	}
	if err := noContext(ctx); err != nil {
		return err
	}
	_, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return r.Save(ctx, path)
	case err == nil && r.m.Shortlists():
		if err = atomicfile.Copy(ctx, path, Former(path)); err == nil {
			err = r.Save(ctx, path)
		}
	case err == nil:
		_, err = atomicfile.Replace(ctx, path, Former(path), r.Write)
	}
	return err
}

// Undo exchanges the model file at path and the version before, which Replace has kept, and returns
// the model that is at path then. Undo again takes that back. It is an error if no version was
// kept, or if that is not a model that can be read.
func Undo(ctx context.Context, path string) (*Recogniser, error) {
	if err := noContext(ctx); err != nil {
		return nil, err
	}
	former, _, err := regular.Open(Former(path))
	if err == nil {
		former.Close()
		_, err = Open(Former(path))
	}
	if errors.Is(err, fs.ErrNotExist) {
		return nil, advice.Add(fmt.Errorf("%s has no version before: %s is not there", path, Former(path)),
			"add, move, remove, rename, calibrate and train keep one")
	} else if err != nil {
		return nil, err
	}
	if _, err = atomicfile.Replace(ctx, path, Former(path), atomicfile.Content(Former(path))); err != nil {
		return nil, err
	}
	return Open(path)
}
