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
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/danielgtaylor/huma/v2"
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
	store  *store.Store
	inputs []*input // the first is that of new collections, the last is built in

	mu  sync.Mutex
	all map[string]*collection
}

// An input is how faces become vectors.
type input struct {
	frontend.Pipeline
	find  face.Cut // for faces that are found only: small, and no network runs
	space string   // of the vectors in the store
}

func newInput(in frontend.Pipeline) *input {
	in.Frame = in.Embedder.Frame()
	find := face.Cut{Frame: dataset.Frame{Size: dataset.Size{Height: 8, Width: 8}, Eyes: in.Frame.Eyes}, Network: true}
	return &input{in, find, in.Frame.String() + " sha256=" + in.Frame.Embedding.Digest}
}

// ParseInput reads a Pipeline with a network, for Options.Input.
func ParseInput(text string) (frontend.Pipeline, error) {
	in, err := frontend.Parse(text)
	if err == nil && in.Embedder == nil {
		err = fmt.Errorf("input %q has no network: use embedding, or embedding:FILE.onnx", text)
	}
	return in, err
}

// newEngine returns an engine with the network that is built in, and with another one for
// new collections unless that is empty.
func newEngine(s *store.Store, other frontend.Pipeline) *engine {
	e := &engine{store: s, inputs: []*input{newInput(frontend.Embedding)}, all: map[string]*collection{}}
	if other.Embedder != nil {
		if o := newInput(other); o.space != e.inputs[0].space {
			e.inputs = append([]*input{o}, e.inputs...)
		}
	}
	return e
}

// input returns that of a space, "" for the one that is built in.
func (e *engine) input(space string) (*input, error) {
	if space == "" {
		return e.inputs[len(e.inputs)-1], nil
	}
	for _, in := range e.inputs {
		if in.space == space {
			return in, nil
		}
	}
	return nil, huma.Error409Conflict("the faces of the collection are vectors of a network that the service does not have: start it with --input for that one, or refit the collection")
}

// inputOf returns the input of a collection.
func (e *engine) inputOf(ctx context.Context, collection string) (*input, error) {
	c, err := e.store.Collection(ctx, collection)
	if err != nil {
		return nil, err
	}
	return e.input(c.Space)
}

// A collection has the last snapshot that was made.
type collection struct {
	making sync.Mutex
	last   atomic.Pointer[snapshot]
}

// A snapshot is the state of a collection after a change. It is immutable.
type snapshot struct {
	store.Collection
	by     *input
	live   *nrdl.Recogniser // its names are ids; nil: fewer than two people have faces
	people map[string]store.Person
	owner  map[string]string // of the faces that live has: the person by face
	asked  map[string]bool   // events that hooks ask for

	grouping sync.Mutex
	clusters []Cluster // of the faces of nobody; nil before somebody asks
	suspects []Cluster // faces whose labels may be wrong, the same
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
	next, err := e.next(ctx, last, now)
	if err != nil {
		return nil, err
	}
	c.last.Store(next)
	return next, nil
}

// next returns the snapshot of a collection, from the last one and what changed since, or
// from all there is if last is nil or of another space.
func (e *engine) next(ctx context.Context, last *snapshot, now store.Collection) (*snapshot, error) {
	by, err := e.input(now.Space)
	if err != nil {
		return nil, err
	}
	since := int64(0)
	if last != nil && last.by == by {
		since = last.Seq
	}
	changes, err := e.store.Changes(ctx, now.ID, by.space, since)
	if err != nil {
		return nil, err
	}
	if changes.Space != now.Space { // meanwhile
		return e.next(ctx, last, changes.Collection)
	}
	next := &snapshot{Collection: changes.Collection, by: by, people: map[string]store.Person{}, owner: map[string]string{}, asked: map[string]bool{}}
	hooks, err := e.store.Hooks(ctx, now.ID)
	if err != nil {
		return nil, err
	}
	for _, h := range hooks {
		for _, event := range h.Events {
			next.asked[event] = true
		}
	}
	if !changes.All {
		next.people, next.owner = maps.Clone(last.people), maps.Clone(last.owner)
	}
	for _, p := range changes.People {
		next.people[p.ID] = p
	}
	var gone []string // IDs in live
	var added []store.Sample
	for _, s := range changes.Samples {
		was := next.owner[s.Face]
		if was == s.Person {
			continue
		}
		if was != "" {
			gone = append(gone, was+"/"+s.Face)
		}
		if delete(next.owner, s.Face); s.Person != "" {
			next.owner[s.Face] = s.Person
			added = append(added, s)
		}
	}
	for _, id := range changes.Gone {
		if was := next.owner[id]; was != "" {
			gone = append(gone, was+"/"+id)
		}
		delete(next.owner, id)
		delete(next.people, id)
	}
	switch {
	case (changes.All || last.live == nil || len(gone) > 0) && fewPeople(next.owner): // else there are more than before
	case changes.All:
		next.live, err = e.trained(ctx, next, added)
	case last.live == nil: // as few had faces before
		if changes, err = e.store.Changes(ctx, now.ID, by.space, 0); err == nil && changes.Seq == next.Seq {
			next.live, err = e.trained(ctx, next, changes.Samples)
		} else if err == nil {
			return e.next(ctx, nil, now)
		}
	default:
		next.live, err = e.grown(ctx, last.live, next, added, gone)
	}
	return next, err
}

// fewPeople reports whether the owners of faces are too few to recognise somebody.
func fewPeople(owner map[string]string) bool {
	people := map[string]bool{}
	for _, p := range owner {
		if people[p] = true; len(people) >= classify.LeastClasses {
			return false
		}
	}
	return true
}

// trained returns what recognises the people of samples.
func (e *engine) trained(ctx context.Context, next *snapshot, samples []store.Sample) (*nrdl.Recogniser, error) {
	images, err := next.by.images(samples)
	if err != nil {
		return nil, err
	}
	o := nrdl.Defaults(images)
	o.Pipeline.Embedder = next.by.Embedder
	decide := openset.Default
	decide.FAR = next.FPIR
	o.OpenSet = &decide
	return nrdl.Train(ctx, images, o)
}

// grown returns live with other faces, which equals what is trained on all of them.
func (e *engine) grown(ctx context.Context, live *nrdl.Recogniser, next *snapshot, added []store.Sample, gone []string) (*nrdl.Recogniser, error) {
	if len(added) > 0 {
		more, err := next.by.images(added)
		if err != nil {
			return nil, err
		}
		if live, _, err = live.EnrolAll(ctx, more, false); err != nil {
			return nil, err
		}
	}
	if len(gone) > 0 {
		var err error
		if live, err = live.Remove(ctx, gone...); err != nil {
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

// images are samples as a data set, in the order in which enrolling puts them.
func (e *input) images(samples []store.Sample) (*dataset.Images, error) {
	slices.SortFunc(samples, func(a, b store.Sample) int {
		switch {
		case a.Person == b.Person && sortorder.NaturalLess(a.Face, b.Face), a.Person != b.Person && sortorder.NaturalLess(a.Person, b.Person):
			return -1
		case a.Face == b.Face:
			return 0
		}
		return 1
	})
	x := mat.NewDense(e.Frame.Len(), len(samples), nil)
	labels, ids := make([]string, len(samples)), make([]string, len(samples))
	quality := make([]dataset.Quality, len(samples))
	for j, s := range samples {
		if len(s.Vector) != e.Frame.Len() {
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
	images, err := dataset.NewImages(x, labels, ids, nil, e.Frame)
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
func (e *input) look(ctx context.Context, data []byte, whole bool) ([]found, image.Point, error) {
	kept := &face.Keeping{Embedder: e.Embedder}
	seen, size, err := face.Decode(ctx, data, "photo", !whole, face.All, face.Cut{Frame: e.Frame, Embedder: kept})
	if err != nil {
		return nil, size, err
	}
	all := make([]found, len(seen))
	for i, s := range seen {
		all[i].Seen = s
		if s.Refused == nil {
			if all[i].crop, err = encode(kept.Face(s.Values), e.Embedder.Input()); err != nil {
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
		find := s.by.find
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
