package experiment

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/dataset"
)

// Work are the runs of a plan that a Bench hands to Elsewhere, in place of making them.
type Work struct {
	Plan *Plan
	Keys []string                   // of the runs without a record, in the order of the plan
	Data map[string]*dataset.Images // the data sets as the runs see them, by a name that a Runner knows
	Hash map[string]string          // of Data
	// Keep stores the record of a run, or leaves it out if it is there. It is safe for
	// concurrent use.
	Keep func(*Record) error
}

// work is what b has left.
func (b *bench) work() Work {
	w := Work{Plan: b.plan, Data: map[string]*dataset.Images{}, Hash: map[string]string{}}
	left := map[string]*job{}
	for _, j := range b.left {
		w.Keys, left[j.key] = append(w.Keys, j.key), j
	}
	for key, s := range b.sets {
		w.Data[key.String()], w.Hash[key.String()] = s.set, s.hash
	}
	var mu sync.Mutex
	w.Keep = func(r *Record) error {
		mu.Lock()
		defer mu.Unlock()
		j := left[r.Key]
		if j == nil {
			return nil
		}
		delete(left, r.Key)
		return b.keep(j, r)
	}
	return w
}

func (k setKey) String() string { return k.data.name + " " + k.images }

// A Runner makes single runs of a plan on behalf of a Bench that is elsewhere. It is safe
// for concurrent use.
type Runner struct {
	bench Bench
	plan  *Plan
	jobs  map[string]*job
	hash  map[string]string
	fetch func(ctx context.Context, hash string) (*dataset.Images, error)
	meter meter

	mu     sync.Mutex // guards what follows
	sets   map[setKey]*openSet
	recent []*bench // one for each setting whose faces are kept, the last used last
}

// Runner returns what makes the runs of p on data with these hashes, as Work has them. A
// data set that the Databases of b do not have, or not with this hash, is fetched; fetch
// may be nil.
func (b *Bench) Runner(p *Plan, hash map[string]string, fetch func(ctx context.Context, hash string) (*dataset.Images, error)) (*Runner, error) {
	settings, err := p.settings()
	if err != nil {
		return nil, err
	}
	r := &Runner{
		bench: *b, plan: p, jobs: map[string]*job{}, hash: hash, fetch: fetch,
		meter: meter{alone: b.Jobs <= 1}, sets: map[setKey]*openSet{},
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

// ErrNoRun is of a key that no run of the plan has.
var ErrNoRun = errors.New("the plan has no such run: is this another version of nrdl?")

// Run makes the run of that key. What goes wrong in the run, a panic too, is in the
// record; an error is about the data, the key, or ctx.
func (r *Runner) Run(ctx context.Context, key string) (*Record, error) {
	j := r.jobs[key]
	if j == nil {
		return nil, ErrNoRun
	}
	b, err := r.prepare(ctx, j.setting)
	if err != nil {
		return nil, err
	}
	record := b.survive(ctx, j)
	return record, context.Cause(ctx)
}

// Fail returns the record of the run of that key that failed with err.
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

// failed is the record of j, which failed with err.
func (b *bench) failed(j *job, err error) *Record {
	r := j.record(b.sets[j.data.own()], b.sets[j.set()].set.Frame)
	r.Cost = b.cost()
	r.fail(err)
	return r
}

// survive is do. A run that panics is tried once more; then the panic is the error of
// the record.
func (b *bench) survive(ctx context.Context, j *job) *Record {
	r, panicked := b.recovered(ctx, j)
	if panicked && ctx.Err() == nil {
		r, _ = b.recovered(ctx, j)
	}
	return r
}

func (b *bench) recovered(ctx context.Context, j *job) (r *Record, panicked bool) {
	defer func() {
		if p := recover(); p != nil {
			r, panicked = b.failed(j, fmt.Errorf("the run panicked: %v", p)), true
			b.warn(fmt.Sprintf("%s on %s panicked: %v\n%s", r.Label, r.Dataset.Name, p, debug.Stack()))
		}
	}()
	return b.do(ctx, j), false
}

func (b *Bench) warn(s string) {
	if b.Warn != nil {
		b.Warn(s)
	}
}

// keptFaces is of how many settings, besides those of runs at the same time, a Runner keeps
// the faces.
const keptFaces = 1

// prepare returns what makes the runs of s, with its data.
func (r *Runner) prepare(ctx context.Context, s *setting) (*bench, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.IndexFunc(r.recent, func(b *bench) bool { return b.prepared[s] != nil }); i >= 0 {
		b := r.recent[i]
		r.recent = append(slices.Delete(r.recent, i, i+1), b)
		return b, nil
	}
	b := &bench{Bench: &r.bench, plan: r.plan, meter: &r.meter, sets: map[setKey]*openSet{}}
	for _, key := range []setKey{s.set(), s.data.own()} {
		if r.sets[key] == nil {
			set, err := r.open(ctx, s, key)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", s.data.name, err)
			}
			r.sets[key] = set
		}
		b.sets[key] = r.sets[key]
	}
	b.prepared = map[*setting]*shared{s: b.prepare(context.WithoutCancel(ctx), s)} // other runs need them too
	if r.recent = append(r.recent, b); len(r.recent) > keptFaces+r.bench.Jobs {
		r.recent = slices.Delete(r.recent, 0, 1)
	}
	return b, nil
}

// open opens the data set of s that key stands for, with the wanted hash.
func (r *Runner) open(ctx context.Context, s *setting, key setKey) (*openSet, error) {
	images, by := s.data.images, dataset.Embedder(nil)
	if key == s.set() {
		if images = s.images(); !images.Embedding.IsZero() {
			by = s.input.Embedder
		}
	}
	want := r.hash[key.String()]
	set, err := r.bench.Databases.open(ctx, s.data.path, s.data.drawn, images, by)
	if cause := context.Cause(ctx); cause != nil {
		return nil, cause
	}
	if err == nil && set.hash != want {
		err = advice.Add(fmt.Errorf("the content of %s is not the one of the bench", s.data.path), "give --data with the same files")
	}
	if err == nil || r.fetch == nil {
		return set, err
	}
	fetched, failed := r.fetch(ctx, want)
	if failed != nil {
		return nil, fmt.Errorf("%w; and it cannot be fetched: %w", err, failed)
	}
	if set = (&openSet{fetched, fetched.Hash()}); set.hash != want {
		return nil, errors.New("the fetched content is not the one of the bench")
	}
	return set, nil
}
