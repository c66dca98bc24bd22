package server

import (
	"context"
	"errors"
	"slices"
	"sync"

	"nrdl.example/nrdl/faces/dataset"
)

// noting returns a context under which it is noted what is wrong with image files that are used all
// the same, and a function that returns what was noted.
func noting(ctx context.Context) (context.Context, func() []string) {
	var mu sync.Mutex
	var all []string
	ctx = dataset.WithWarnings(ctx, func(err error) {
		mu.Lock()
		defer mu.Unlock()
		if alone := errors.Unwrap(err); alone != nil { // without the name, which stands for all files
			err = alone
		}
		all = append(all, err.Error())
	})
	return ctx, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(all)
	}
}

// note adds to the warnings of the result what is to be said about a file.
func (i *importer) note(file string, warnings ...string) {
	const most = 500
	for _, why := range warnings {
		if len(i.result.Warnings) < most {
			i.result.Warnings = append(i.result.Warnings, RefusedFile{i.shown(file), why})
		}
	}
}
