package service

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"nrdl.example/nrdl"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/face"
	"nrdl.example/nrdl/frontend"
	"nrdl.example/nrdl/openset"
	"nrdl.example/nrdl/service/store"
)

// An engine keeps a snapshot of each collection in memory.
type engine struct {
	store  *store.Store
	inputs []*input // the first is that of new collections, the last is built in

	mostGrouped int // faces of nobody at a time

	mu  sync.Mutex
	all map[string]*collection
}

// newEngine returns an engine with the network that is built in, and with another one for
// new collections unless that is empty. search finds the faces.
func newEngine(s *store.Store, other frontend.Pipeline, search *face.Search) *engine {
	e := &engine{store: s, inputs: []*input{newInput(frontend.Embedding, search)}, mostGrouped: mostGrouped, all: map[string]*collection{}}
	if other.Embedder != nil {
		if o := newInput(other, search); o.space != e.inputs[0].space {
			e.inputs = append([]*input{o}, e.inputs...)
		}
	}
	return e
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
	input  *input
	live   *nrdl.Recogniser // its names are ids; nil: fewer than two people have faces
	grown  *nrdl.Recogniser // live without what strangers tell of its threshold
	judged *nrdl.Recogniser // live, or what it would be with the strangers if they made it useless
	people map[string]store.Person
	owner  map[string]string // of the faces that live has: the person by face
	asked  map[string]bool   // events that hooks ask for

	strangers map[string]store.Sample // by face

	grouping sync.Mutex
	clusters []Cluster // of the faces of nobody; nil before somebody asks
	suspects []Cluster // faces whose labels may be wrong, the same
}

// of returns the snapshot of the collection with this id, as it is in the database, or as
// it was a moment ago if another request is at making the next one.
func (e *engine) snapshot(ctx context.Context, id string) (*snapshot, error) {
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
	if _, err := e.snapshot(ctx, id); err != nil { // makes the first one
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
	in, err := e.input(now.Space)
	if err != nil {
		return nil, err
	}
	since := int64(0)
	if last != nil && last.input == in {
		since = last.Seq
	}
	changes, err := e.store.Changes(ctx, now.ID, in.space, since)
	if err != nil {
		return nil, err
	}
	if changes.Space != now.Space { // meanwhile
		return e.next(ctx, last, changes.Collection)
	}
	next := &snapshot{Collection: changes.Collection, input: in, people: map[string]store.Person{}, owner: map[string]string{}, asked: map[string]bool{}, strangers: map[string]store.Sample{}}
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
		next.people, next.owner, next.strangers = maps.Clone(last.people), maps.Clone(last.owner), maps.Clone(last.strangers)
	}
	for _, p := range changes.People {
		next.people[p.ID] = p
	}
	var gone []string // IDs in live
	var added []store.Sample
	for _, s := range changes.Samples {
		if s.Person == store.Stranger {
			next.strangers[s.Face] = s
			continue
		}
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
	for _, id := range changes.Removed {
		if was := next.owner[id]; was != "" {
			gone = append(gone, was+"/"+id)
		}
		delete(next.owner, id)
		delete(next.people, id)
		delete(next.strangers, id)
	}
	switch {
	case (changes.All || last.grown == nil || len(gone) > 0) && fewPeople(next.owner): // else there are more than before
	case changes.All:
		next.grown, err = e.trained(ctx, next, added)
	case last.grown == nil: // as few had faces before
		return e.next(ctx, nil, now)
	default:
		next.grown, err = e.grown(ctx, last.grown, next, added, gone)
	}
	if err == nil {
		next.judged, err = next.calibrated(ctx)
		next.live = next.judged
	}
	if err == nil && next.useless() != nil {
		next.live = next.grown
	}
	return next, err
}

// mostJudged bounds the time in which strangers are compared with all people after each
// change: strangers times people.
const mostJudged = 4e6

// calibrated is what has grown with the threshold that follows from the strangers too, the
// first of them if they are many.
func (s *snapshot) calibrated(ctx context.Context) (*nrdl.Recogniser, error) {
	if s.grown == nil || s.grown.Model().Calibration == nil || len(s.strangers) == 0 {
		return s.grown, nil
	}
	ids := slices.Sorted(maps.Keys(s.strangers))
	var some []store.Sample
	for _, id := range ids[:min(len(ids), max(1, mostJudged/s.grown.Model().Len()))] {
		some = append(some, s.strangers[id])
	}
	images, err := s.input.images(some)
	if err != nil {
		return nil, err
	}
	how := s.grown.Model().Calibration.How()
	how.FPIR = s.FPIR
	return s.grown.Calibrate(ctx, how, images)
}

// useless says why strangers do not count for the threshold: with them nearly no enrolled
// face would get its name, as when they are people of the collection. It is nil where they do.
func (s *snapshot) useless() error {
	if s.judged == s.grown || s.grown.Model().Usable() != nil {
		return nil
	}
	return s.judged.Model().Usable()
}

// uselessAt says why a rate of strangers would make a threshold useless that is not.
func (s *snapshot) uselessAt(ctx context.Context, fpir float64) error {
	if s.live == nil || s.live.Model().Calibration == nil || s.live.Model().Usable() != nil {
		return nil
	}
	how := s.live.Model().Calibration.How()
	how.FPIR = fpir
	with, err := s.live.Calibrate(ctx, how, nil)
	if err != nil {
		return err
	}
	return with.Model().Usable()
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

// trained returns what recognises the people of samples, without strangers.
func (e *engine) trained(ctx context.Context, next *snapshot, samples []store.Sample) (*nrdl.Recogniser, error) {
	images, err := next.input.images(samples)
	if err != nil {
		return nil, err
	}
	o := nrdl.Defaults(images)
	o.Pipeline.Embedder, o.Detect.By = next.input.Embedder, next.input.cut.By
	decide := openset.Default
	decide.FPIR = next.FPIR
	o.OpenSet = &decide
	o.ShortlistAbove = math.MaxInt // reviews and statistics compare each face with all people
	return nrdl.Train(ctx, images, o)
}

// grown returns live with other faces, which equals what is trained on all of them.
func (e *engine) grown(ctx context.Context, live *nrdl.Recogniser, next *snapshot, added []store.Sample, gone []string) (*nrdl.Recogniser, error) {
	if len(added) > 0 {
		more, err := next.input.images(added)
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
	if c := live.Model().Calibration; c != nil && c.FPIR != next.FPIR {
		how := c.How()
		how.FPIR = next.FPIR
		return live.Calibrate(ctx, how, nil)
	}
	return live, nil
}

// identify returns the faces in an image file and what the snapshot says of them, with
// what nrdl.Photo calls details if they are asked for.
func (e *engine) identify(ctx context.Context, s *snapshot, data []byte, details bool) (nrdl.Result, error) {
	if s.live == nil {
		find := s.input.find
		find.Thumbs = details
		seen, size, err := face.Decode(ctx, data, "photo", true, face.All, find)
		r := nrdl.Result{Size: size}
		for _, f := range seen {
			r.Smaller = f.Smaller
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
