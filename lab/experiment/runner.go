package experiment

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"time"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/internal/blas"
)

// A Runner makes single runs of a plan for a Bench, which may be in another process. It is safe
// for concurrent use.
type Runner struct {
	bench    Bench
	plan     *Plan
	settings []*setting
	jobs     map[string]*job
	hash     map[string]string // nil: any data will do
	fetch    func(ctx context.Context, hash string) (*dataset.Images, error)
	meter    meter

	mu     sync.Mutex // guards what follows
	sets   map[setKey]*loadedSet
	recent []*prepared // the last used last
}

// setKey identifies a data set and the way in which its images are read.
type setKey struct {
	data   *plannedData
	images string
}

func (s *setting) dataKey() setKey {
	in := s.images()
	return setKey{s.data, in.String() + in.Embedding.Digest}
}

// plannedKey is the key of the data set as the plan describes it, without the size that
// an input may need.
func (d *plannedData) plannedKey() setKey { return setKey{d, d.images.String()} }

func (k setKey) String() string { return k.data.name + " " + k.images }

// Runner returns a Runner for the runs of p. Hash has the hashes of the data sets, as Work
// has them. If the Databases of b do not have a data set with its hash, fetch gets it;
// fetch may be nil.
func (b *Bench) Runner(p *Plan, hash map[string]string,
	fetch func(ctx context.Context, hash string) (*dataset.Images, error),
) (*Runner, error) {
	settings, err := p.settings()
	if err != nil {
		return nil, err
	}
	r := &Runner{
		bench: *b, plan: p, settings: settings, jobs: map[string]*job{}, hash: hash, fetch: fetch,
		meter: meter{alone: b.Jobs <= 1}, sets: map[setKey]*loadedSet{},
	}
	if r.bench.Databases == nil {
		r.bench.Databases = &Databases{}
	}
	for _, s := range settings {
		for _, j := range s.jobs {
			if p, ok := j.method.(Program); ok {
				j.method, j.refusal = p.permit(b.Programs)
			}
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
	return r.run(ctx, context.WithoutCancel(ctx), j)
}

// run is Run for j. What several runs of a setting share, as the faces of the data, is made under
// the context all: it goes on when this run is cancelled.
func (r *Runner) run(ctx, all context.Context, j *job) (*Record, error) {
	if j.refusal != nil {
		return nil, j.refusal
	}
	p, err := r.prepare(ctx, all, j.setting)
	if err != nil {
		return nil, err
	}
	return p.do(ctx, j), context.Cause(ctx)
}

// Fail returns a record for the run with that key, which failed with err.
func (r *Runner) Fail(key string, err error) (*Record, error) {
	j := r.jobs[key]
	if j == nil {
		return nil, ErrNoRun
	}
	p, failed := r.prepare(context.Background(), context.Background(), j.setting)
	if failed != nil {
		return nil, failed
	}
	return p.failed(j, err), nil
}

// prepared has the data of a setting: as the plan describes them, and as the input of the
// setting reads them. The faces are made once, at the first use.
type prepared struct {
	runner               *Runner
	setting              *setting
	plannedSet, inputSet *loadedSet
	faces                func() (*faces, error)
}

// cachedSettings is the number of settings for which a Runner keeps the faces, in addition
// to those of the runs at the same time.
const cachedSettings = 1

// prepare returns the data and the faces for the runs of s.
func (r *Runner) prepare(ctx, all context.Context, s *setting) (*prepared, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if i := slices.IndexFunc(r.recent, func(p *prepared) bool { return p.setting == s }); i >= 0 {
		p := r.recent[i]
		r.recent = append(slices.Delete(r.recent, i, i+1), p)
		return p, nil
	}
	planned, input, err := r.load(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.data.name, err)
	}
	p := &prepared{r, s, planned, input, sync.OnceValues(func() (*faces, error) {
		return divide(all, input.set, s.input, s.split, s.fit(), s.corruption())
	})}
	if r.recent = append(r.recent, p); len(r.recent) > cachedSettings+r.bench.Jobs {
		r.recent = slices.Delete(r.recent, 0, 1)
	}
	return p, nil
}

// forget releases the faces of s.
func (r *Runner) forget(s *setting) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.recent = slices.DeleteFunc(r.recent, func(p *prepared) bool { return p.setting == s })
}

// load opens the data set of s twice, each only once for all settings.
func (r *Runner) load(ctx context.Context, s *setting) (planned, input *loadedSet, err error) {
	for _, key := range []setKey{s.data.plannedKey(), s.dataKey()} {
		if r.sets[key] == nil {
			set, err := r.read(ctx, s, key)
			if err != nil {
				return nil, nil, err
			}
			r.sets[key] = set
		}
	}
	return r.sets[s.data.plannedKey()], r.sets[s.dataKey()], nil
}

// read reads the data set of s for that key. It is an error if it has another hash.
func (r *Runner) read(ctx context.Context, s *setting, key setKey) (*loadedSet, error) {
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
	if err == nil && r.hash != nil && set.hash != want {
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

// do makes one run. An error of the run is in the record.
func (p *prepared) do(ctx context.Context, j *job) *Record {
	r := p.record(j)
	peak := p.runner.meter.start()
	faces, err := p.faces()
	if err == nil {
		run, done := ctx, func() {}
		if limit := p.runner.plan.Limit; limit > 0 {
			run, done = context.WithTimeoutCause(ctx, limit, fmt.Errorf("the run took longer than %v, the time limit of the plan", limit))
		}
		err = j.learn(run, faces, r)
		if cause := context.Cause(run); err != nil && cause != nil {
			err = cause
		}
		done()
	}
	if err == nil {
		_, err = r.Line() // as of one with a value that is not finite
	}
	if err != nil {
		r.fail(err)
	}
	if r.Cost.PeakBytes, r.Cost.BaseBytes = peak(); r.Method == ProgramMethod {
		r.Cost.PeakBytes, r.Cost.BaseBytes = 0, 0 // of this process, not of the program's
	}
	r.Cost.EndTime = time.Now().UTC().Truncate(time.Millisecond)
	return r
}

// record returns the record of j before the run.
func (p *prepared) record(j *job) *Record {
	r := j.record(p.plannedSet, p.inputSet.set.Frame)
	r.Cost = p.runner.bench.cost()
	return r
}

// failed returns the record of j with the error err.
func (p *prepared) failed(j *job, err error) *Record {
	r := p.record(j)
	r.fail(err)
	return r
}

// cost returns the fields of Cost that all records of b have in common.
func (b *Bench) cost() Cost {
	return Cost{
		Jobs: max(b.Jobs, 1), Threads: blas.Threads(), BLAS: blas.Current().String(), Version: b.Version,
		Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH,
	}
}
