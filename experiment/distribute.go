package experiment

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/dataset"
)

// Work is the set of runs that a Bench delegates to Distribute.
type Work struct {
	Plan *Plan
	Keys []string                   // of the runs without a record, in the order of the plan
	Data map[string]*dataset.Images // the data sets as the runs read them, by a name that a Runner knows
	Hash map[string]string          // of Data
	// Keep stores the record of a run, unless there is one. It is safe for concurrent use.
	Keep func(*Record) error
}

// work returns the pending runs of b.
func (b *bench) work() Work {
	w := Work{Plan: b.plan, Data: map[string]*dataset.Images{}, Hash: map[string]string{}}
	pending := map[string]*job{}
	for _, j := range b.pending {
		w.Keys, pending[j.key] = append(w.Keys, j.key), j
	}
	for key, s := range b.sets {
		w.Data[key.String()], w.Hash[key.String()] = s.set, s.hash
	}
	var mu sync.Mutex
	w.Keep = func(r *Record) error {
		mu.Lock()
		defer mu.Unlock()
		j := pending[r.Key]
		if j == nil {
			return nil
		}
		delete(pending, r.Key)
		return b.keep(j, r)
	}
	return w
}

func (k setKey) String() string { return k.data.name + " " + k.images }

// A Runner makes single runs of a plan for a Bench in another process. It is safe for
// concurrent use.
type Runner struct {
	bench Bench
	plan  *Plan
	jobs  map[string]*job
	hash  map[string]string
	fetch func(ctx context.Context, hash string) (*dataset.Images, error)
	meter meter

	mu     sync.Mutex // guards what follows
	sets   map[setKey]*loadedSet
	recent []*bench // one for each setting whose faces are kept, the last used last
}

// Runner returns a Runner for the runs of p. Hash has the hashes of the data sets, as Work
// has them. If the Databases of b do not have a data set with its hash, fetch gets it;
// fetch may be nil.
func (b *Bench) Runner(p *Plan, hash map[string]string, fetch func(ctx context.Context, hash string) (*dataset.Images, error)) (*Runner, error) {
	settings, err := p.settings()
	if err != nil {
		return nil, err
	}
	r := &Runner{
		bench: *b, plan: p, jobs: map[string]*job{}, hash: hash, fetch: fetch,
		meter: meter{alone: b.Jobs <= 1}, sets: map[setKey]*loadedSet{},
	}
	if r.bench.Databases == nil {
		r.bench.Databases = &Databases{}
	}
	for _, s := range settings {
		for _, j := range s.jobs {
			r.jobs[j.key] = j
		}
	}
	return r, nil
}

// ErrNoRun is returned for a key that no run of the plan has.
var ErrNoRun = errors.New("the plan has no such run: is this another version of nrdl?")

// Run makes the run with that key. If the run fails, the record has the error.
// An error of Run itself is about the data, the key, or ctx.
func (r *Runner) Run(ctx context.Context, key string) (*Record, error) {
	j := r.jobs[key]
	if j == nil {
		return nil, ErrNoRun
	}
	b, err := r.prepare(ctx, j.setting)
	if err != nil {
		return nil, err
	}
	record := b.do(ctx, j)
	return record, context.Cause(ctx)
}

// Fail returns a record for the run with that key, which failed with err.
func (r *Runner) Fail(key string, err error) (*Record, error) {
	j := r.jobs[key]
	if j == nil {
		return nil, ErrNoRun
	}
	b, failed := r.prepare(context.Background(), j.setting)
	if failed != nil {
		return nil, failed
	}
	return b.failed(j, err), nil
}

// failed returns the record of j with the error err.
func (b *bench) failed(j *job, err error) *Record {
	r := j.record(b.sets[j.data.plannedKey()], b.sets[j.dataKey()].set.Frame)
	r.Cost = b.cost()
	r.fail(err)
	return r
}

// cachedSettings is the number of settings for which a Runner keeps the faces, in addition
// to those of the runs at the same time.
const cachedSettings = 1

// prepare returns a bench with the data and the faces for the runs of s.
func (r *Runner) prepare(ctx context.Context, s *setting) (*bench, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.IndexFunc(r.recent, func(b *bench) bool { return b.faceSets[s] != nil }); i >= 0 {
		b := r.recent[i]
		r.recent = append(slices.Delete(r.recent, i, i+1), b)
		return b, nil
	}
	b := &bench{Bench: &r.bench, plan: r.plan, meter: &r.meter, sets: map[setKey]*loadedSet{}}
	for _, key := range []setKey{s.dataKey(), s.data.plannedKey()} {
		if r.sets[key] == nil {
			set, err := r.open(ctx, s, key)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.data.name, err)
			}
			r.sets[key] = set
		}
		b.sets[key] = r.sets[key]
	}
	b.faceSets = map[*setting]*shared{s: b.prepare(context.WithoutCancel(ctx), s)} // other runs need them too
	if r.recent = append(r.recent, b); len(r.recent) > cachedSettings+r.bench.Jobs {
		r.recent = slices.Delete(r.recent, 0, 1)
	}
	return b, nil
}

// open opens the data set of s for that key. It is an error if it has another hash.
func (r *Runner) open(ctx context.Context, s *setting, key setKey) (*loadedSet, error) {
	images, embedder := s.data.images, dataset.Embedder(nil)
	if key == s.dataKey() {
		if images = s.images(); !images.Embedding.IsZero() {
			embedder = s.input.Embedder
		}
	}
	want := r.hash[key.String()]
	set, err := r.bench.Databases.open(ctx, s.data.source(), images, embedder)
	if cause := context.Cause(ctx); cause != nil {
		return nil, cause
	}
	if err == nil && set.hash != want {
		err = advice.Add(fmt.Errorf("the content of %s is not the one of the bench", s.data.path), "give %v with the same files", advice.Folders)
	}
	if err == nil || r.fetch == nil {
		return set, err
	}
	fetched, failed := r.fetch(ctx, want)
	if failed != nil {
		return nil, fmt.Errorf("%w; and it cannot be fetched: %w", err, failed)
	}
	if set = (&loadedSet{fetched, fetched.Hash()}); set.hash != want {
		return nil, errors.New("the fetched content is not the one of the bench")
	}
	return set, nil
}
