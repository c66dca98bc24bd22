package dataset

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"runtime"
	"sync"

	"gonum.org/v1/gonum/mat"

	"nrdl"
	"nrdl/internal/hint"
)

// maxElements bounds a data set: 8 GiB of numbers.
const maxElements = 1 << 30

// A reading is many images being read at once.
type reading struct {
	ctx   context.Context
	paths []string
	names []string // for errors, before them; nil for none
	in    nrdl.Input
	x     *mat.Dense // in.Len()×len(paths)

	mu       sync.Mutex
	next     int // the image to read next
	done     int
	failed   int // the first image that could not be read, in the order of paths
	err      error
	progress func(done, total int)
}

// readAll reads the images at paths on all processors; image j is column j of
// the result. The error is that of the first image, in this order, that
// cannot be read; names, if not nil, stand before it.
func readAll(ctx context.Context, paths, names []string, opt Options) (*mat.Dense, error) {
	in := opt.images()
	if len(paths) > maxElements/in.Len() {
		return nil, hint.Add(fmt.Errorf("%d images of %v are too many to hold", len(paths), in.Size), "choose a smaller size")
	}
	r := &reading{
		ctx: ctx, paths: paths, names: names, in: in, x: mat.NewDense(in.Len(), len(paths), nil),
		failed: len(paths), progress: opt.Progress,
	}
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(paths)) {
		wg.Go(r.work)
	}
	wg.Wait()
	if err := context.Cause(ctx); err != nil {
		return nil, fmt.Errorf("read images: %w", err)
	}
	if r.err != nil {
		return nil, r.advise()
	}
	return r.x, nil
}

// advise adds what to do about the image that could not be read.
func (r *reading) advise() error {
	switch {
	case hint.Of(r.err) != "":
		return r.err
	case errors.Is(r.err, fs.ErrNotExist):
		return hint.Add(r.err, "the paths of a list are relative to the folder of the list")
	case errors.Is(r.err, fs.ErrPermission):
		return hint.Add(r.err, "make the file readable")
	}
	return hint.Add(r.err, "remove the file, or replace it by an image that opens")
}

func (r *reading) work() {
	for {
		j := r.take()
		if j < 0 {
			return
		}
		v, err := ReadImage(r.paths[j], r.in)
		if err == nil {
			r.x.SetCol(j, v)
		}
		r.report(j, err)
	}
}

// take returns the next image to read, or -1. Images are taken in order:
// those before one that failed have been taken.
func (r *reading) take() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.next == len(r.paths) || r.err != nil || r.ctx.Err() != nil {
		return -1
	}
	r.next++
	return r.next - 1
}

func (r *reading) report(j int, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		if j < r.failed {
			r.failed, r.err = j, err
			if r.names != nil {
				r.err = fmt.Errorf("%s: %w", r.names[j], err)
			}
		}
		return
	}
	r.done++
	if r.progress != nil {
		r.progress(r.done, len(r.paths))
	}
}

// count writes a number of things: 1 image, 2 images.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}
