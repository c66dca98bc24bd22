package service

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/fvbommel/sortorder"
	"gonum.org/v1/gonum/mat"

	"nrdl"
	"nrdl/classify"
	"nrdl/dataset"
	"nrdl/face"
	"nrdl/frontend"
	"nrdl/openset"
	"nrdl/service/store"
)

// An engine keeps a snapshot of each collection in memory.
type engine struct {
	store *store.Store
	in    frontend.Pipeline // how faces become vectors
	find  face.Cut          // for faces that are found only: small, and no network runs
	space string            // of the vectors in the store

	mu  sync.Mutex
	all map[string]*collection
}

func newEngine(s *store.Store) *engine {
	in := frontend.Embedding
	in.Frame = in.Embedder.Frame()
	find := face.Cut{Frame: dataset.Frame{Size: dataset.Size{Height: 8, Width: 8}, Eyes: in.Frame.Eyes}, Network: true}
	return &engine{store: s, in: in, find: find, space: in.Frame.String() + " sha256=" + in.Frame.Embedding.Digest, all: map[string]*collection{}}
}

// A collection has the last snapshot that was made.
type collection struct {
	making sync.Mutex
	last   atomic.Pointer[snapshot]
}

// A snapshot is the state of a collection after a change. It is immutable.
type snapshot struct {
	store.Collection
	live   *nrdl.Recogniser // its names are ids; nil: fewer than two people have faces
	people map[string]store.Person
	owner  map[string]string // of the faces that live has: the person by face
}

// of returns the snapshot of the collection with this id, as it is in the database, or as
// it was a moment ago if another request is at making the next one.
func (e *engine) of(ctx context.Context, id string) (*snapshot, error) {
	now, err := e.store.Collection(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		e.mu.Lock()
		delete(e.all, id) // it may have been there
		e.mu.Unlock()
	}
	if err != nil {
		return nil, err
	}
	e.mu.Lock()
	c := e.all[id]
	if c == nil {
		c = &collection{}
		e.all[id] = c
	}
	e.mu.Unlock()
	last := c.last.Load()
	if last != nil && last.Seq >= now.Seq {
		return last, nil
	}
	if last == nil {
		c.making.Lock()
	} else if !c.making.TryLock() {
		return last, nil
	}
	defer c.making.Unlock()
	return e.renew(ctx, c, id)
}

// publish makes the snapshot after a change, so that the next request sees it.
func (e *engine) publish(ctx context.Context, id string) error {
	if _, err := e.of(ctx, id); err != nil { // makes the first one
		return err
	}
	e.mu.Lock()
	c := e.all[id]
	e.mu.Unlock()
	if c == nil {
		return nil // deleted meanwhile
	}
	c.making.Lock()
	defer c.making.Unlock()
	_, err := e.renew(ctx, c, id)
	return err
}

// renew makes a new snapshot of c, which is being made, if there was a change.
func (e *engine) renew(ctx context.Context, c *collection, id string) (*snapshot, error) {
	last := c.last.Load()
	now, err := e.store.Collection(ctx, id)
	if err != nil || last != nil && last.Seq >= now.Seq {
		return last, err
	}
	now, people, samples, err := e.store.Samples(ctx, id, e.space, false)
	if err != nil {
		return nil, err
	}
	next := &snapshot{Collection: now, people: map[string]store.Person{}, owner: map[string]string{}}
	for _, p := range people {
		next.people[p.ID] = p
	}
	for _, s := range samples {
		next.owner[s.Face] = s.Person
	}
	if next.live, err = e.recogniser(ctx, last, next, samples); err != nil {
		return nil, err
	}
	c.last.Store(next)
	return next, nil
}

// recogniser returns what recognises the people of samples: the last one where that has
// them already, one that grew from it where only faces were added, or one that is
// trained. All three are equal.
func (e *engine) recogniser(ctx context.Context, last, next *snapshot, samples []store.Sample) (*nrdl.Recogniser, error) {
	people := map[string]bool{}
	for _, p := range next.owner {
		people[p] = true
	}
	if len(people) < classify.LeastClasses {
		return nil, nil
	}
	if last == nil || last.live == nil || slices.ContainsFunc(samples, func(s store.Sample) bool { return last.owner[s.Face] != s.Person && last.owner[s.Face] != "" }) || !containsAll(next.owner, last.owner) {
		images, err := e.images(samples)
		if err != nil {
			return nil, err
		}
		o := nrdl.Defaults(images)
		decide := openset.Default
		decide.FAR = next.FPIR
		o.OpenSet = &decide
		return nrdl.Train(ctx, images, o)
	}
	live := last.live
	added := slices.DeleteFunc(slices.Clone(samples), func(s store.Sample) bool { return last.owner[s.Face] != "" })
	if len(added) > 0 {
		more, err := e.images(added)
		if err != nil {
			return nil, err
		}
		if live, _, err = live.EnrolAll(ctx, more, false); err != nil {
			return nil, err
		}
	}
	if c := live.Model().Calibration; c != nil && c.FAR != next.FPIR {
		how := c.How()
		how.FAR = next.FPIR
		return live.Calibrate(ctx, how, nil)
	}
	return live, nil
}

func containsAll(all, some map[string]string) bool {
	for k := range some {
		if all[k] == "" {
			return false
		}
	}
	return true
}

// images are samples as a data set, in the order in which enrolling puts them.
func (e *engine) images(samples []store.Sample) (*dataset.Images, error) {
	slices.SortFunc(samples, func(a, b store.Sample) int {
		switch {
		case a.Person == b.Person && sortorder.NaturalLess(a.Face, b.Face), a.Person != b.Person && sortorder.NaturalLess(a.Person, b.Person):
			return -1
		case a.Face == b.Face:
			return 0
		}
		return 1
	})
	x := mat.NewDense(e.in.Frame.Len(), len(samples), nil)
	labels, ids := make([]string, len(samples)), make([]string, len(samples))
	quality := make([]dataset.Quality, len(samples))
	for j, s := range samples {
		if len(s.Vector) != e.in.Frame.Len() {
			return nil, fmt.Errorf("face %s has %d numbers", s.Face, len(s.Vector))
		}
		for i, v := range s.Vector {
			x.Set(i, j, float64(v))
		}
		labels[j], ids[j] = s.Person, s.Person+"/"+s.Face
		if err := json.Unmarshal(s.Quality, &quality[j]); err != nil {
			return nil, fmt.Errorf("face %s: %w", s.Face, err)
		}
	}
	images, err := dataset.NewImages(x, labels, ids, nil, e.in.Frame)
	if err == nil {
		images.Quality = quality
	}
	return images, err
}

// A found face is one of a photograph.
type found struct {
	face.Seen
	crop []byte // PNG; nil if it was refused
}

// look finds the faces in an image file, the largest first, with their vectors; if whole,
// the image is one face as it is.
func (e *engine) look(ctx context.Context, data []byte, whole bool) ([]found, image.Point, error) {
	kept := &face.Keeping{Embedder: e.in.Embedder}
	seen, size, err := face.Decode(ctx, data, "photo", !whole, face.All, face.Cut{Frame: e.in.Frame, Embedder: kept})
	if err != nil {
		return nil, size, err
	}
	all := make([]found, len(seen))
	for i, s := range seen {
		all[i].Seen = s
		if s.Refused == nil {
			if all[i].crop, err = encode(kept.Face(s.Values), e.in.Embedder.Input()); err != nil {
				return nil, size, err
			}
		}
	}
	return all, size, nil
}

// encode returns the red, green and blue values of a crop as a PNG.
func encode(rgb []float32, size dataset.Size) ([]byte, error) {
	n := size.Len()
	if len(rgb) != 3*n {
		return nil, errors.New("the network has not seen this face")
	}
	img := image.NewNRGBA(image.Rect(0, 0, size.Width, size.Height))
	at := func(i int) uint8 { return uint8(max(0, min(rgb[i]+0.5, 255))) }
	for i := range n {
		img.SetNRGBA(i%size.Width, i/size.Width, color.NRGBA{at(i), at(n + i), at(2*n + i), 255})
	}
	var b bytes.Buffer
	err := png.Encode(&b, img)
	return b.Bytes(), err
}

// identify returns the faces in an image file and what the snapshot says of them, with
// what nrdl.Photo calls details if they are asked for.
func (e *engine) identify(ctx context.Context, s *snapshot, data []byte, details bool) (nrdl.Result, error) {
	if s.live == nil {
		find := e.find
		find.Thumbs = details
		seen, size, err := face.Decode(ctx, data, "photo", true, face.All, find)
		r := nrdl.Result{Size: size}
		for _, f := range seen {
			r.Faces = append(r.Faces, nrdl.Face{Box: f.Face.Box, Detected: f.Face, Rejected: f.Refused, Thumb: f.Thumb})
		}
		return r, err
	}
	one := func(yield func(nrdl.Photo) bool) {
		yield(nrdl.Photo{Name: "photo", Load: func() ([]byte, error) { return data, nil }, Details: details})
	}
	for r, err := range s.live.IdentifyAll(ctx, one) {
		return r, err
	}
	return nrdl.Result{}, cmp.Or(context.Cause(ctx), errors.New("no result"))
}
