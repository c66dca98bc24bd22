package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/term"

	"nrdl.example/nrdl/cmd/nrdl/internal/buildinfo"
	"nrdl.example/nrdl/cmd/nrdl/internal/console"
	"nrdl.example/nrdl/cmd/nrdl/internal/photolist"
	"nrdl.example/nrdl/cmd/nrdl/internal/watchdir"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
)

// A photoResult is an image file with what the model says of it.
type photoResult struct {
	photolist.Source
	faces.Result
}

// stream names the faces in sources, of which there are total, or 0 where that
// is not known, and writes the results in their order.
func (i *identification) stream(ctx context.Context, sources iter.Seq[photolist.Source], total int) error {
	show, shown := i.progress(total)
	defer shown()
	i.drawJobs.SetLimit(runtime.GOMAXPROCS(0))
	var mu sync.Mutex
	var queue []photolist.Source // those that are being looked at, in order
	photos := func(yield func(faces.Photo) bool) {
		for s := range sources {
			if s.Err == nil && !i.file.Claim(s.Path) {
				i.tally.skippedFiles++
				i.useRecorded(ctx, s)
				show()
				continue
			}
			mu.Lock()
			queue = append(queue, s)
			mu.Unlock()
			photo := faces.Photo{Name: s.Path, Details: i.page != nil}
			if i.album != nil {
				photo.Decoded = i.album.Thumb(ctx, s.Path)
			}
			if s.Err != nil {
				photo.Load = func() ([]byte, error) { return nil, s.Err }
			}
			if !yield(photo) {
				return
			}
		}
	}
	all, done, err := i.namer(ctx, photos)
	if err != nil {
		return err
	}
	defer done()
	for result, err := range all {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if errors.As(err, new(lostError)) {
			return errors.Join(err, i.drawJobs.Wait())
		}
		mu.Lock()
		s := queue[0]
		queue = queue[1:]
		mu.Unlock()
		if err := i.take(ctx, &photoResult{s, result}, err); err != nil {
			return err
		}
		show()
	}
	return i.drawJobs.Wait()
}

// namer names the faces in photos: here, by workers, or by a service.
func (i *identification) namer(
	ctx context.Context, photos iter.Seq[faces.Photo],
) (all iter.Seq2[faces.Result, error], done func(), err error) {
	if i.collection != nil {
		return i.collection.IdentifyAll(ctx, photos), func() {}, nil
	}
	cluster, tell, err := i.cluster(ctx, i.nats)
	if cluster == nil || err != nil {
		return i.r.IdentifyAll(ctx, photos), func() {}, err
	}
	return cluster.IdentifyAll(ctx, i.r, i.find, photos, cmp.Or(i.output, "nrdl-identify"), buildinfo.Read().Line(), tell), cluster.Close, nil
}

// take writes what is wanted of p, which could not be read where err is not nil.
func (i *identification) take(ctx context.Context, p *photoResult, err error) error {
	p.Err = err
	if err != nil {
		if i.failed(p) {
			return i.write(p)
		}
		i.file.Unclaim(p.Path)
		return nil
	}
	i.tally.files++
	if i.draw != "" {
		i.drawJobs.Go(func() error { return p.unlessVanished(i.drawings.Draw(ctx, p.Result, p.Relative), "drawn", i.Warn) })
	}
	if i.tagger != nil {
		i.drawJobs.Go(func() error {
			err := i.tagger.write(ctx, p.Source, i.tagger.of(p.Result), i.Complain)
			if i.watcher != nil && i.tagger.Embed {
				i.watcher.Wrote(p.Path)
			}
			return p.unlessVanished(err, "tagged", i.Warn)
		})
	}
	if i.page != nil && i.collection != nil {
		i.drawJobs.Go(func() error { return i.page.AddRecorded(ctx, p.Result, p.Path) })
	}
	i.count(p)
	if i.sorter != nil {
		if err := p.unlessVanished(i.place(p), "sorted", i.Warn); err != nil {
			return err
		}
	}
	return i.write(p)
}

// write writes the result p.
func (i *identification) write(p *photoResult) error {
	if i.page != nil && (i.collection == nil || p.Err != nil) {
		if err := i.page.Add(p.Result, p.Err); err != nil {
			return err
		}
	}
	if err := i.results(p.Result, p.Err); err != nil || i.file != nil {
		return err
	}
	return i.Results.Flush()
}

// failed tells that p cannot be read, and reports whether that is its result: what
// vanished from a folder has none, nor what may still be written.
func (i *identification) failed(p *photoResult) bool {
	switch {
	case p.Folder != "" && errors.Is(p.Err, fs.ErrNotExist):
		if i.watcher == nil {
			i.Warn("%s vanished from its folder before it was read", p.Path)
		}
		return false
	case i.watcher != nil && !i.watcher.GivesUp(p.Path):
		return false
	}
	i.tally.files++
	i.tally.failedFiles++
	i.Complain(readable(p.Err))
	return p.Path != ""
}

// place links to p from the folders of those who are in it.
func (i *identification) place(p *photoResult) error {
	var people []string
	other := dataset.NoFaceFolder
	for _, f := range p.Faces {
		switch {
		case f.Rejection != nil:
		case f.Known:
			people = append(people, f.Name)
		default:
			other = faces.Unknown
		}
	}
	return i.sorter.Place(p.Path, people, other)
}

// unlessVanished returns err, or warns where it is because the image of p is no
// longer in its folder. A file can be missing in the output as well.
func (p *photoResult) unlessVanished(err error, done string, warn func(string, ...any)) error {
	if p.Folder == "" || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if _, gone := os.Stat(p.Path); !errors.Is(gone, fs.ErrNotExist) {
		return err
	}
	warn("%s vanished from its folder before it was %s", p.Path, done)
	return nil
}

// count counts the faces in p and warns of those that are not named.
func (i *identification) count(p *photoResult) {
	var why []error
	looked := false
	i.tally.smaller += p.Smaller
	for k, f := range p.Faces {
		if f.TrainedID != "" {
			i.tally.trainedFaces++
		}
		if f.LostName != "" {
			i.tally.losses++
		}
		switch {
		case f.Rejection != nil && len(p.Faces) > 1 && i.find.Which != face.Refuse:
			why = append(why, fmt.Errorf("face %d of %d: %w", k+1, len(p.Faces), f.Rejection))
		case f.Rejection != nil && k == 0:
			why = append(why, f.Rejection)
		case f.Rejection != nil:
		case f.Known:
			looked = true
			i.tally.namedFaces++
		default:
			looked = true
			i.tally.unknownFaces++
		}
	}
	if len(p.Faces) == 0 {
		why = append(why, face.ErrNoFace)
	}
	if !looked && i.single {
		i.tally.failedFiles++
		i.Complain(fmt.Errorf("%s: %w", p.Path, why[0]))
		return
	}
	for _, err := range why {
		i.Warn("%s: %v", p.Path, err)
	}
	if !looked {
		i.tally.faceless++
	}
}

// follow names the images in the watched folder until ctx ends.
func (i *identification) follow(ctx context.Context) error {
	i.watcher = watchdir.New(i.watchFolder, i.skip...)
	defer func() { i.watcher = nil }()
	for {
		start := time.Now()
		ready, again, errs := i.watcher.Poll(start)
		took := time.Since(start)
		for _, err := range errs {
			i.Complain(readable(err))
		}
		for _, path := range again {
			i.file.Unclaim(path)
		}
		if len(ready) > 0 {
			if err := i.stream(ctx, slices.Values(photolist.In(i.watchFolder, ready, true)), len(ready)); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			i.endless = true
			return context.Cause(ctx)
		case <-time.After(watchdir.Pause(took)):
		}
	}
}

// fewImages need no bar.
const fewImages = 10

// progress returns what shows that one image more is done, of total, 0 where that
// is not known, unless both the log and the results go to a terminal.
func (i *identification) progress(total int) (show, done func()) {
	alone := i.file != nil || !term.IsTerminal(int(os.Stdout.Fd()))
	if i.Terminal && (!alone || total > 0 && total <= fewImages) {
		return func() {}, func() {}
	}
	bar, start, n := i.NewBar("naming"), time.Now(), 0
	bar.Show(0, "")
	return func() {
		n++
		took := time.Since(start)
		rate := float64(n) / took.Seconds()
		if total == 0 {
			bar.Show(0, fmt.Sprintf("%d · %.0f/s", n, rate))
			return
		}
		part := float64(n) / float64(total)
		left := time.Duration(float64(took) * (1 - part) / part)
		bar.Show(part, fmt.Sprintf("%d of %d · %.0f/s · %s left", n, total, rate, console.About(left)))
	}, bar.Clear
}

// A tally counts image files.
type tally struct {
	files        int // that were there and are not skipped
	skippedFiles int // named in RESULTS before
	failedFiles  int // of files: unreadable
	faceless     int // of files: nobody to look at
	namedFaces   int // faces
	unknownFaces int // faces
	trainedFaces int // faces: the model was trained on them
	smaller      int // faces: left out
	losses       int // faces that lost a name to another one of the photograph
}
