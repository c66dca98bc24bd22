package people

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"gonum.org/v1/gonum/floats"

	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/server/store"
)

// A Sight says when somebody was seen, and where.
type Sight struct {
	Time      time.Time `json:"time"`
	Source    string    `json:"source,omitempty" doc:"The camera, as the request to identify had it"`
	Reference string    `json:"reference,omitempty" doc:"What the client called the photograph"`
}

// SightOf is the API form of a visit.
func SightOf(v store.Visit) Sight { return Sight{v.At, v.Source, v.Reference} }

// A VisitorFace is a face that was not recognised, and was kept.
type VisitorFace struct {
	Face string `json:"face" doc:"Id"`
	Sight
	Expires time.Time `json:"expires" doc:"When it is deleted, at the latest an hour later, unless it gets a name"`
}

// A Visitor is faces of one person, as far as people can be distinguished, who was not recognised.
type Visitor struct {
	Faces []VisitorFace `json:"faces" doc:"The latest first"`
	Guess *Guess        `json:"guess,omitempty" doc:"Who it may be; missing if nobody is enrolled who is not ruled out"`
}

// visiting keeps who was seen, and who was not recognised.
type visiting struct {
	store  *store.Store
	engine *engine
	log    *slog.Logger
	wait   time.Duration // for the database

	sightings sightings
	recently  recently
}

// Visitors returns the visitors of a collection, the latest first.
func (v *visiting) Visitors(ctx context.Context, collection string) ([]Visitor, error) {
	s, err := v.engine.snapshot(ctx, collection)
	if err != nil {
		return nil, err
	}
	s.grouping.Lock()
	defer s.grouping.Unlock()
	if s.visitors == nil {
		s.visitors, err = v.engine.visitors(ctx, s)
	}
	return s.visitors, err
}

func (e *engine) visitors(ctx context.Context, s *snapshot) ([]Visitor, error) {
	visits, err := e.store.Visits(ctx, s.ID)
	if err != nil {
		return nil, err
	}
	samples, err := e.store.VisitorSamples(ctx, s.ID, s.input.space)
	if err != nil {
		return nil, err
	}
	groups, err := s.group(ctx, samples)
	if err != nil {
		return nil, err
	}
	of, all := map[string]int{}, make([]Visitor, len(groups))
	for i, g := range groups {
		for _, f := range g.Faces {
			of[f] = i
		}
	}
	for _, o := range visits { // the latest first
		if i, ok := of[o.ID]; ok {
			all[i].Faces = append(all[i].Faces, VisitorFace{o.ID, SightOf(o), o.At.AddDate(0, 0, s.VisitorDays)})
		}
	}
	all = slices.DeleteFunc(all, func(o Visitor) bool { return len(o.Faces) == 0 })
	slices.SortStableFunc(all, func(a, b Visitor) int { return b.Faces[0].Time.Compare(a.Faces[0].Time) })
	denied, err := e.store.Denied(ctx, s.ID)
	if err != nil {
		return nil, err
	}
	guesses := map[string]*Guess{}
	err = s.guessEach(ctx, samples, denied, func(o store.Sample, g *Guess) { guesses[o.Face] = g })
	for i := range all {
		for _, f := range all[i].Faces {
			if g := guesses[f.Face]; g != nil && (all[i].Guess == nil || *g.Margin > *all[i].Guess.Margin) {
				all[i].Guess = g
			}
		}
	}
	return all, err
}

// again is the time in which one face of a visitor is kept from each source.
const again = time.Minute

// recently are the faces of visitors that were kept a short time ago.
type recently struct {
	mu  sync.Mutex
	all []kept
}

type kept struct {
	collection, source string
	at                 time.Time
	vector             []float64
}

// isNew notes a vector of a face, unless the source has sent another face a short time ago that is by chance
// as similar for at most the share of strangers who may be named. Faces of one time are of one photograph, and
// so of several people.
func (r *recently) isNew(s *snapshot, source string, at time.Time, vector []float64) bool {
	law := s.input.Law()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.all = slices.DeleteFunc(r.all, func(k kept) bool { return at.Sub(k.at) > again })
	for _, k := range r.all {
		if law != nil && !k.at.Equal(at) && k.collection == s.ID && k.source == source && len(k.vector) == len(vector) &&
			law.FMR(1, min(floats.Dot(k.vector, vector), 1)) <= s.FPIR {
			return false
		}
	}
	if len(r.all) < store.MaxVisitors {
		r.all = append(r.all, kept{s.ID, source, at, vector})
	}
	return true
}

// keep keeps the faces of a photograph that were not recognised, if the collection does. Those of people
// who are ignored are not kept.
func (v *visiting) keep(ctx context.Context, s *snapshot, data []byte, r faces.Result, p Photograph, found []Found) error {
	seen := store.Visit{At: time.Now().UTC(), Source: p.Source, Reference: p.Reference}
	var some []Found
	for i, f := range p.Faces {
		isIgnored := r.Faces[i].Known && f.Decision == "unknown" && len(f.Top) > 0 && s.people[f.Top[0].ID].Kind == store.Ignored
		if f.Decision != "known" && i < len(found) && found[i].Reason == nil && !isIgnored && v.recently.isNew(s, p.Source, seen.At, found[i].Values) {
			some = append(some, found[i])
		}
	}
	all, _ := s.input.newFaces(some, store.Upload)
	if len(all) == 0 {
		return nil
	}
	for i := range all {
		all[i].Visit = &seen
	}
	photo := &store.Photo{SHA256: Digests(data)[0], Width: r.Size.X, Height: r.Size.Y}
	return v.store.AddVisitors(ctx, CallerOf(ctx).Actor, s.ID, photo, all)
}

// sightings are those that are not stored yet, by collection and person.
type sightings struct {
	mu  sync.Mutex
	all map[string]map[string]store.Visit
}

// note notes where people were recognised, unless something later is noted.
func (o *sightings) note(collection string, visits ...store.Visit) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, v := range visits {
		if o.all == nil {
			o.all = map[string]map[string]store.Visit{}
		}
		if o.all[collection] == nil {
			o.all[collection] = map[string]store.Visit{}
		}
		if !o.all[collection][v.ID].At.After(v.At) {
			o.all[collection][v.ID] = v
		}
	}
}

// KeepSightings stores every few seconds when and where people were recognised, until ctx ends: a request to
// identify waits for no disk.
func (v *visiting) KeepSightings(ctx context.Context) {
	const often = 2 * time.Second
	for ctx.Err() == nil {
		Pause(ctx, often, nil)
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), v.wait)
		v.storeSightings(end)
		cancel()
	}
}

// storeSightings stores what is noted. It is noted until it is stored, so that somebody who asks finds it.
func (v *visiting) storeSightings(ctx context.Context) {
	pending := map[string][]store.Visit{}
	v.sightings.mu.Lock()
	for collection, people := range v.sightings.all {
		pending[collection] = slices.Collect(maps.Values(people))
	}
	v.sightings.mu.Unlock()
	for collection, all := range pending {
		if err := v.store.PutSightings(ctx, collection, all); err != nil {
			v.log.Error("when people were seen is not stored yet", "error", err.Error())
			continue
		}
		v.sightings.mu.Lock()
		for _, o := range all {
			if v.sightings.all[collection][o.ID] == o {
				delete(v.sightings.all[collection], o.ID)
			}
		}
		if len(v.sightings.all[collection]) == 0 {
			delete(v.sightings.all, collection)
		}
		v.sightings.mu.Unlock()
	}
}

// addLastSeen sets when and where people were recognised last.
func (v *visiting) addLastSeen(ctx context.Context, collection string, people []Person) error {
	var ids []string
	last := map[string]store.Visit{}
	v.sightings.mu.Lock()
	for _, p := range people {
		ids = append(ids, p.ID)
		last[p.ID] = v.sightings.all[collection][p.ID] // before the store, in which it may be by then
	}
	v.sightings.mu.Unlock()
	stored, err := v.store.Sightings(ctx, collection, ids)
	for _, o := range stored {
		if o.At.After(last[o.ID].At) {
			last[o.ID] = o
		}
	}
	for i, p := range people {
		o := last[p.ID]
		if !o.At.IsZero() {
			people[i].LastSeen = new(SightOf(o))
		}
	}
	return err
}

// Complete sets what a Person has beside what the store keeps with it: portraits, and when each was seen last.
func (v *Service) Complete(ctx context.Context, collection string, people []Person) error {
	if err := addPortraits(ctx, v.store, collection, people); err != nil {
		return err
	}
	return v.addLastSeen(ctx, collection, people)
}

// Waiting counts what waits for somebody to decide.
type Waiting struct {
	Doubtful  *int `json:"doubtful,omitempty" doc:"Faces or groups with a guess; missing if it would take long to count them"`
	Conflicts *int `json:"conflicts,omitempty" doc:"Labels that may be wrong; missing if it would take long to count them"`
	Visitors  int  `json:"visitors" doc:"People who were not recognised, and were kept"`
}

// maxCounted bounds the comparisons for Waiting, unless what it counts is known already.
const maxCounted = 4e6

// CountWaiting counts what waits in a collection.
func CountWaiting(ctx context.Context, v *Service, collection string) (w Waiting, err error) {
	s, err := v.engine.snapshot(ctx, collection)
	if err != nil {
		return w, err
	}
	visitors, err := v.Visitors(ctx, collection)
	if err != nil {
		return w, err
	}
	w.Visitors = len(visitors)
	unnamed, err := v.store.CountUnnamed(ctx, collection)
	if err != nil {
		return w, err
	}
	count := func(state string, comparisons int, isKnown bool) (*int, error) {
		if !isKnown && float64(comparisons) > maxCounted {
			return nil, nil
		}
		all, err := v.Review(ctx, collection, state)
		return new(len(all)), err
	}
	s.grouping.Lock()
	grouped, compared := s.clusters != nil, s.suspects != nil
	s.grouping.Unlock()
	if w.Doubtful, err = count("doubtful", unnamed*(unnamed+len(s.people)), grouped); err != nil {
		return w, err
	}
	w.Conflicts, err = count("conflict", len(s.owner)*len(s.people), compared)
	return w, err
}
