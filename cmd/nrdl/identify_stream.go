package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"io/fs"
	"iter"
	"runtime"
	"slices"
	"sync"
	"time"

	"gonum.org/v1/gonum/mat"

	"nrdl"
	"nrdl/dataset"
	"nrdl/face"
	"nrdl/internal/hint"
)

// Images are read by as many workers as there are processors, some ahead of the
// one that is next in order, and named in batches.
const (
	ahead     = 64                     // images
	batchSize = 64                     // images or faces; a batch ends with the first of them
	patience  = 200 * time.Millisecond // after which a batch that is not full is named
)

// A sight is an image file and what is seen in it.
type sight struct {
	source
	size  image.Point // of the photograph, upright; zero where images are taken as they are
	faces []answer
}

// An answer is what the model says of a face.
type answer struct {
	view
	said *nrdl.Recognition // nil where the face is refused
	top  []guess
}

// A guess is a person with a score.
type guess struct {
	Name  string  `json:"name"`
	Score float64 `json:"score"`
}

// name is whose face it is, unknown, or "" where it is refused.
func (f answer) name() string {
	switch {
	case f.said == nil:
		return ""
	case !f.said.Known:
		return unknown
	}
	return f.top[0].Name
}

// A job is a sight that will be there when done is closed.
type job struct {
	sight
	done chan struct{}
}

// stream names the faces in sources, of which there are total, or 0 where that
// is not known, and writes the results in their order.
func (i *identification) stream(ctx context.Context, sources iter.Seq[source], total int) error {
	i.progress.begin(i.app, total, i.results != nil)
	defer i.progress.end()
	ctx, cancel := context.WithCancel(ctx)
	var workers sync.WaitGroup
	defer workers.Wait()
	defer cancel()
	next, queue := make(chan *job), make(chan *job, ahead)
	workers.Go(func() {
		defer close(queue)
		defer close(next)
		for s := range sources {
			j := &job{sight{source: s}, make(chan struct{})}
			for _, to := range []chan *job{queue, next} {
				select {
				case to <- j:
				case <-ctx.Done():
					return
				}
			}
		}
	})
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for j := range next {
				i.look(&j.sight)
				close(j.done)
			}
		})
	}
	return i.collect(ctx, queue)
}

// look sees the faces in s.
func (i *identification) look(s *sight) {
	if s.err != nil || i.results.has(s.path) {
		return
	}
	data, err := dataset.ReadFile(s.path)
	if err != nil {
		s.err = fmt.Errorf("read image: %w", err)
		return
	}
	var views []view
	views, s.size, s.err = i.viewer.lookAt(data, s.path)
	s.faces = make([]answer, len(views))
	for k, v := range views {
		s.faces[k].view = v
	}
}

// collect takes what is seen, in the order of queue, in batches.
func (i *identification) collect(ctx context.Context, queue <-chan *job) error {
	var batch []*sight
	var first *job // of those that are not in a batch yet
	faces := 0
	for more := true; more; {
		var idle <-chan time.Time
		if len(batch) > 0 {
			idle = time.After(patience)
		}
		in, done := queue, chan struct{}(nil)
		if first != nil {
			in, done = nil, first.done
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case first, more = <-in:
			if more {
				continue
			}
		case <-done:
			batch = append(batch, &first.sight)
			faces += len(first.faces)
			if first = nil; len(batch) < batchSize && faces < batchSize {
				continue
			}
		case <-idle:
		}
		if err := i.take(ctx, batch); err != nil {
			return err
		}
		batch, faces = batch[:0], 0
	}
	return nil
}

// take names the faces in batch and writes what is wanted of them.
func (i *identification) take(ctx context.Context, batch []*sight) error {
	kept := slices.DeleteFunc(slices.Clone(batch), func(s *sight) bool { return !i.keeps(s) })
	var read []*sight
	for _, s := range kept {
		if s.err == nil {
			read = append(read, s)
		}
	}
	if err := i.recognise(ctx, read); err != nil {
		return err
	}
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if i.draw != "" {
		if err := i.drawAll(ctx, read); err != nil {
			return err
		}
	}
	for _, s := range read {
		i.count(s)
		if i.sorter != nil {
			if err := i.sorter.place(s); err != nil {
				return err
			}
		}
	}
	i.progress.step(len(batch))
	return i.write(kept)
}

// keeps reports whether s has a result, and tells where it cannot be read.
func (i *identification) keeps(s *sight) bool {
	switch {
	case s.err == nil && i.results.claim(s.path):
		i.tally.files++
		return true
	case s.err == nil:
		i.tally.skipped++
		return false
	case s.found && errors.Is(s.err, fs.ErrNotExist):
		if i.watcher == nil {
			i.warn("%s vanished from its folder before it was read", s.path)
		}
		return false
	case i.watcher != nil && !i.watcher.givesUp(s.path):
		return false
	}
	i.tally.files++
	i.tally.failed++
	i.complain(readable(s.err))
	return s.path != ""
}

// recognise fills in what the model says of the faces in batch.
func (i *identification) recognise(ctx context.Context, batch []*sight) error {
	var faces []*answer
	for _, s := range batch {
		for k := range s.faces {
			if s.faces[k].refused == nil {
				faces = append(faces, &s.faces[k])
			}
		}
	}
	if len(faces) == 0 {
		return nil
	}
	x := mat.NewDense(i.viewer.input.Size.Len(), len(faces), nil)
	for j, f := range faces {
		x.SetCol(j, f.sample)
	}
	said, err := i.model.Recognise(ctx, &nrdl.Set{X: x, Input: i.viewer.input})
	if err != nil {
		return err
	}
	for j, f := range faces {
		f.sample = nil
		f.top = i.best(said[j].Scores)
		f.said = &said[j]
		f.said.Scores = nil // top has what is wanted of many
	}
	return nil
}

// best returns the likeliest people, best first, the first of equals first.
func (i *identification) best(scores []float64) []guess {
	all := make([]guess, len(scores))
	for c, name := range i.model.Parts().Classes {
		all[c] = guess{name, scores[c]}
	}
	slices.SortStableFunc(all, func(a, b guess) int { return cmp.Compare(b.Score, a.Score) })
	return slices.Clone(all[:i.top])
}

// errNoFace is why a photograph has no names.
var errNoFace = hint.Add(errors.New("no face found"), "let the face look into the camera, upright, and fill more of the photograph")

// count counts the faces in s and warns of those that are not named.
func (i *identification) count(s *sight) {
	var why []error
	looked := false
	for k, f := range s.faces {
		switch {
		case f.said == nil && len(s.faces) > 1 && i.viewer.which != face.Refuse:
			why = append(why, fmt.Errorf("face %d of %d: %w", k+1, len(s.faces), f.refused))
		case f.said == nil && k == 0:
			why = append(why, f.refused)
		case f.said == nil:
		case f.said.Known:
			looked = true
			i.tally.named++
		default:
			looked = true
			i.tally.unknown++
		}
	}
	if len(s.faces) == 0 {
		why = append(why, errNoFace)
	}
	if !looked && i.single {
		i.tally.failed++
		i.complain(fmt.Errorf("%s: %w", s.path, why[0]))
		return
	}
	for _, err := range why {
		i.warn("%s: %v", s.path, err)
	}
	if !looked {
		i.tally.faceless++
	}
}
