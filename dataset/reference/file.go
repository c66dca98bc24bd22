package reference

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"nrdl.example/nrdl/dataset"
)

// CheckFile opens the data set at path and compares it with a database. The argument with
// is the name of the database, the path of a data set, or "" for the most similar database. Images of a
// folder or a list are resized to the size of the other set. Warn may be nil.
func CheckFile(ctx context.Context, path, with string, warn func(string)) (*Result, error) {
	open := func(path string, size dataset.Size) (*dataset.Images, error) {
		if dataset.IsMatrix(path) {
			size = dataset.Size{} // its own
		}
		return dataset.Open(ctx, path, dataset.Options{Frame: dataset.Frame{Size: size}, Warn: warn})
	}
	var db *Database
	var size dataset.Size
	if with != "" {
		known, unknown := Named(with)
		if db = known; unknown != nil {
			if _, err := os.Stat(with); errors.Is(err, fs.ErrNotExist) {
				return nil, unknown
			}
			if dataset.IsMatrix(path) && !dataset.IsMatrix(with) {
				set, err := open(path, size)
				if err != nil {
					return nil, err
				}
				size = set.Frame.Size
			}
			other, err := open(with, size)
			if err != nil {
				return nil, err
			}
			db = Of(with, other)
		}
		if size = db.Size; db.isAR() && dataset.IsMatrix(path) {
			size = dataset.Size{} // any
		}
	}
	set, err := open(path, size)
	if err != nil {
		return nil, err
	}
	r, err := Check(set, db)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if db == nil && !dataset.IsMatrix(path) && set.Frame.Size != r.Database.Size {
		if set, err = open(path, r.Database.Size); err != nil {
			return nil, err
		}
		return Check(set, r.Database)
	}
	return r, nil
}

// WriteText writes r as text.
func (r *Result) WriteText(w io.Writer) error {
	db := r.Database
	if db.isAR() {
		return r.writeAR(w)
	}
	fmt.Fprintf(w, "compared   with %s: %d people, %d images of %s\n", db.Title, len(db.Images), db.total(), sized(db))
	fmt.Fprintf(w, "found      %d people, %d images, of which %d are the same up to brightness and contrast\n", r.People, r.Images, r.Matches)
	for _, s := range r.Differences {
		fmt.Fprintf(w, "differs    %s\n", s)
	}
	verdict := "different"
	if r.Same {
		verdict = "the same pixels in the same order"
	}
	_, err := fmt.Fprintf(w, "result     %s (checksum %s, expected %s)\n", verdict, r.Hash, db.Hash)
	return err
}
