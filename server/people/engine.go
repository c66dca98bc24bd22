package people

import (
	"context"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/openset"
	"nrdl.example/nrdl/server/store"
)

// An engine keeps a snapshot of each collection in memory.
type engine struct {
	store  *store.Store
	inputs []*input // the first is for new collections, the last is built in

	mu  sync.Mutex
	all map[string]*collection
}

// newEngine returns an engine with the network that is built in and, unless it is zero, other for
// new collections. search finds the faces.
func newEngine(s *store.Store, other frontend.Pipeline, search *face.Search) *engine {
	e := &engine{store: s, inputs: []*input{newInput(frontend.Embedding, search)}, all: map[string]*collection{}}
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

// A collection has its newest snapshot.
type collection struct {
	renewal sync.Mutex // is locked while a snapshot is made
	last    atomic.Pointer[snapshot]
	unnamed unnamedFaces
}

// A snapshot is the state of a collection after a change. It is immutable.
type snapshot struct {
	store.Collection
	input  *input
	people map[string]store.Person
	owner  map[string]string // person of each face that has one
	events map[string]bool   // that hooks ask for

	// The names of these are ids. They are nil if too few people have faces (fewPeople).
	live          *faces.Recogniser       // one of the next two
	base          *faces.Recogniser       // its threshold does not depend on the faces of strangers
	withStrangers *faces.Recogniser       // its threshold does; it is not live if the threshold is useless
	strangers     map[string]store.Sample // by face

	grouping sync.Mutex
	clusters []Cluster // of faces without a person; nil before the first request
	suspects []Cluster // faces with labels that may be wrong; nil before the first request
	visitors []Visitor // nil before the first request
}

// snapshot returns the snapshot of the collection with this id. While another request makes a
// new snapshot, it returns the one before, unless that has faces or people who were removed since:
// nobody gets the name of a person who was erased, also not by another process.
func (e *engine) snapshot(ctx context.Context, id string) (*snapshot, error) {
	now, err := e.store.Collection(ctx, id)
	if errors.Is(err, store.ErrNotFound) {
		e.mu.Lock()
		delete(e.all, id) // it may have existed
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
		c.renewal.Lock()
	} else if !c.renewal.TryLock() {
		if removed, err := e.store.Removed(ctx, id, last.Seq, last.has); err != nil || !removed {
			return last, err
		}
		c.renewal.Lock()
	}
	defer c.renewal.Unlock()
	return e.renew(ctx, c, id)
}

// has reports whether s has the face or person with this id.
func (s *snapshot) has(id string) bool {
	_, person := s.people[id]
	return person || s.owner[id] != ""
}

// publish makes the snapshot after a change, so that the next request finds the change.
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
	c.renewal.Lock()
	defer c.renewal.Unlock()
	_, err := e.renew(ctx, c, id)
	return err
}

// renew makes a new snapshot of c if there was a change. The caller has locked c.renewal.
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

// next returns the snapshot of a collection. It applies the changes since the last snapshot; if
// last is nil or has another space, it reads the whole collection.
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
	next := &snapshot{
		Collection: changes.Collection, input: in, people: map[string]store.Person{},
		owner: map[string]string{}, events: map[string]bool{}, strangers: map[string]store.Sample{},
	}
	hooks, err := e.store.Hooks(ctx, now.ID)
	if err != nil {
		return nil, err
	}
	for _, h := range hooks {
		for _, event := range h.Events {
			next.events[event] = true
		}
	}
	if !changes.All {
		next.people, next.owner, next.strangers = maps.Clone(last.people), maps.Clone(last.owner), maps.Clone(last.strangers)
	}
	added, removed := next.apply(changes)
	if !changes.All && len(added)+len(removed)+len(changes.People) == 0 && next.recognisesAs(last, changes.Samples) {
		next.base, next.withStrangers, next.live = last.base, last.withStrangers, last.live
		return next, nil
	}
	switch {
	case (changes.All || last.base == nil || len(removed) > 0) && fewPeople(next.owner, in): // otherwise there are at least as many as before
	case changes.All:
		next.base, err = e.train(ctx, next, added)
	case last.base == nil: // there were too few people before
		return e.next(ctx, nil, now)
	default:
		next.base, err = e.update(ctx, last.base, next, added, removed)
	}
	if err == nil {
		next.withStrangers, err = next.calibrate(ctx)
		next.live = next.withStrangers
	}
	if err == nil && next.useless() != nil {
		next.live = next.base
	}
	if err == nil && next.live != nil {
		next.live = next.knowing(next.live)
	}
	return next, err
}

// recognisesAs reports whether s, after a change of faces of nobody, people staying as they are, recognises as last does.
func (s *snapshot) recognisesAs(last *snapshot, changed []store.Sample) bool {
	return s.FPIR == last.FPIR && len(s.strangers) == len(last.strangers) &&
		!slices.ContainsFunc(changed, func(o store.Sample) bool { return o.Person == store.Stranger })
}

// knowing returns r with what is known of people beside their faces: with the dates alone where
// pairs cannot be distinguished.
func (s *snapshot) knowing(r *faces.Recogniser) *faces.Recogniser {
	f := &gallery.Facts{Birthdays: map[string]time.Time{}}
	for id, p := range s.people {
		if born, err := gallery.ParseBorn(p.Born); err == nil {
			f.Birthdays[id] = born
		}
		for _, other := range strings.FieldsFunc(p.Differs, func(r rune) bool { return r == ',' }) {
			f.Different = append(f.Different, [2]string{id, other})
		}
	}
	if len(f.Birthdays)+len(f.Different) == 0 {
		return r
	}
	if known, err := r.WithFacts(f); err == nil {
		return known
	}
	f.Different = nil
	known, _ := r.WithFacts(f) // dates alone are no error
	return known
}

// apply applies changes to the people, faces and strangers of s. It returns the faces that a
// recogniser has to add, and the names of those that it has to remove.
func (s *snapshot) apply(changes store.Changes) (added []store.Sample, removed []string) {
	for _, p := range changes.People {
		s.people[p.ID] = p
	}
	removeFace := func(id string) {
		if person := s.owner[id]; person != "" {
			removed = append(removed, person+"/"+id)
		}
		delete(s.owner, id)
	}
	for _, o := range changes.Samples {
		if o.Person == store.Stranger {
			s.strangers[o.Face] = o
			continue
		}
		if s.owner[o.Face] == o.Person {
			continue
		}
		if removeFace(o.Face); o.Person != "" {
			s.owner[o.Face] = o.Person
			added = append(added, o)
		}
	}
	for _, id := range changes.Removals {
		removeFace(id)
		delete(s.people, id)
		delete(s.strangers, id)
	}
	return added, removed
}

// maxStrangers bounds the comparisons of strangers with people after each change: strangers
// times people.
const maxStrangers = 4e6

// calibrate returns s.base with a threshold that depends on the strangers, too: on the first
// ones if they are many.
func (s *snapshot) calibrate(ctx context.Context) (*faces.Recogniser, error) {
	if s.base == nil || s.base.Model().Calibration == nil || len(s.strangers) == 0 {
		return s.base, nil
	}
	ids := slices.Sorted(maps.Keys(s.strangers))
	var some []store.Sample
	for _, id := range ids[:min(len(ids), max(1, maxStrangers/s.base.Model().Len()))] {
		some = append(some, s.strangers[id])
	}
	images, err := s.input.images(some)
	if err != nil {
		return nil, err
	}
	o := s.base.Model().Calibration.Options()
	o.FPIR = s.FPIR
	return s.base.Calibrate(ctx, o, images)
}

// useless returns why the threshold does not depend on the strangers; nil if it does. With
// strangers who are in truth people of the collection, almost no enrolled face would get its
// name.
func (s *snapshot) useless() error {
	if s.withStrangers == s.base || s.base.Model().Usable() != nil {
		return nil
	}
	return s.withStrangers.Model().Usable()
}

// uselessAt returns why a threshold at another rate of strangers would be useless; nil if it
// would not, or if the present one is useless, too.
func (s *snapshot) uselessAt(ctx context.Context, fpir float64) error {
	if s.live == nil || s.live.Model().Calibration == nil || s.live.Model().Usable() != nil {
		return nil
	}
	o := s.live.Model().Calibration.Options()
	o.FPIR = fpir
	changed, err := s.live.Calibrate(ctx, o, nil)
	if err != nil {
		return err
	}
	return changed.Model().Usable()
}

// fewPeople reports whether the owners of faces are too few to recognise somebody: nobody, or one
// person with a network whose impostor distribution is not known.
func fewPeople(owner map[string]string, in *input) bool {
	minPeople := 1
	if in.Law() == nil {
		minPeople = classify.MinClasses
	}
	people := map[string]bool{}
	for _, p := range owner {
		if people[p] = true; len(people) >= minPeople {
			return false
		}
	}
	return true
}

// tooFew says why nobody is recognised where there is no live recogniser.
func (s *snapshot) tooFew() string {
	if len(s.owner) == 0 {
		return "Nobody is enrolled, so nobody can be recognised."
	}
	return "Only one person is enrolled, and how similar strangers are is not known for this network: enrol a second person, or measure the network."
}

// tooAlike says that the people of s are too alike, so that nobody gets a name; "" if they are not.
func (s *snapshot) tooAlike() string {
	if s.live == nil || s.live.Model().Calibration == nil || !s.live.Model().Calibration.TooAlike() {
		return ""
	}
	return "Nobody gets a name: the people of this collection are too alike for this network, and how many strangers would get a name cannot be promised. Strangers may help."
}

// train returns a recogniser of the people of samples.
func (e *engine) train(ctx context.Context, next *snapshot, samples []store.Sample) (*faces.Recogniser, error) {
	images, err := next.input.images(samples)
	if err != nil {
		return nil, err
	}
	o := faces.Defaults(images)
	o.Pipeline.Embedder, o.Pipeline.Measured, o.Detect.Search = next.input.Embedder, next.input.Measured, next.input.cut.Search
	decision := openset.Default
	decision.FPIR = next.FPIR
	o.OpenSet = &decision
	o.ShortlistAbove = math.MaxInt // reviews and statistics compare each face with all people
	return faces.Train(ctx, images, o)
}

// update returns r with the faces added, and without those with the names removed. The result
// equals what train returns for all faces.
func (e *engine) update(ctx context.Context, r *faces.Recogniser, next *snapshot, added []store.Sample,
	removed []string,
) (*faces.Recogniser, error) {
	if len(added) > 0 {
		more, err := next.input.images(added)
		if err != nil {
			return nil, err
		}
		if r, _, err = r.EnrolAll(ctx, more, false); err != nil {
			return nil, err
		}
	}
	if len(removed) > 0 {
		var err error
		if r, err = r.Remove(ctx, removed...); err != nil {
			return nil, err
		}
	}
	if c := r.Model().Calibration; c != nil && c.FPIR != next.FPIR {
		o := c.Options()
		o.FPIR = next.FPIR
		return r.Calibrate(ctx, o, nil)
	}
	return r, nil
}
