package experiment

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/frontend"
	"nrdl.example/nrdl/frontend/projection"
	"nrdl.example/nrdl/internal/blas"
	"nrdl.example/nrdl/method"
)

// A Bench makes the runs of plans and stores their records.
type Bench struct {
	Databases *Databases // nil: data sets are opened by their paths as they are
	Jobs      int        // runs at a time, ≥ 1; linear algebra in each uses the threads of the process
	Retry     bool       // repeat runs whose record is an error
	Version   string     // of the program, for the records
	// Distribute makes the runs in other processes; if it is nil, this process makes them.
	// It returns when all records are stored.
	Distribute func(ctx context.Context, w Work) error
	// Warn is called with warnings; may be nil. Progress is called once at the
	// start and after every run, never by two goroutines at once; may be nil.
	Warn     func(string)
	Progress func(Progress)
}

// Progress is the progress of a Bench.
type Progress struct {
	Total  int           // runs of the plan
	Done   int           // with a record, including older ones
	Failed int           // of Done
	New    int           // of Done, made by this call
	Left   time.Duration // estimated time to the end; 0 if not known yet
	Last   *Record       // the last finished run; nil at the start
}

// Run makes the runs of p that are missing in the records at path, and appends
// their records. A failed run becomes a record with its error. When ctx ends,
// unfinished runs leave no record; the next call of Run makes them. If a data
// set is missing or p cannot split it, no run is made and no file is written.
func (b *Bench) Run(ctx context.Context, p *Plan, path string) (Progress, error) {
	if b.Databases == nil {
		withData := *b
		withData.Databases = &Databases{}
		b = &withData
	}
	settings, err := p.settings()
	if err != nil {
		return Progress{}, err
	}
	state := &bench{Bench: b, plan: p, meter: &meter{alone: b.Jobs <= 1}}
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		old, err := ReadRecordsFile(path, nil)
		if err != nil {
			return Progress{}, err
		}
		if err := samePlan(old, p, path); err != nil {
			return Progress{}, err
		}
		if state.resume(ctx, settings, old); len(state.pending) == 0 {
			state.report(nil)
			return state.progress, nil
		}
	}
	if err := canHold(path); err != nil {
		return Progress{}, err
	}
	if err := state.open(ctx, settings); err != nil {
		return Progress{}, err
	}
	store, old, err := OpenStore(path, b.Warn)
	if err != nil {
		return Progress{}, err
	}
	defer store.Close()
	state.store = store
	state.resume(ctx, settings, old)
	if err := state.sameData(old); err != nil {
		return state.progress, err
	}
	state.report(nil)
	if b.Distribute != nil {
		err = b.Distribute(ctx, state.work())
	} else {
		err = state.run(ctx)
	}
	return state.progress, err
}

// bench is the state of a Run.
type bench struct {
	*Bench
	plan  *Plan
	store *Store
	sets  map[setKey]*loadedSet
	meter *meter

	mu       sync.Mutex // guards what follows, and the store
	pending  []*job     // in the order of the plan
	faceSets map[*setting]*shared
	pace     pace
	progress Progress
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

// shared are the faces of a setting. They are made once, and released after the last run
// that needs them.
type shared struct {
	faces func() (*faces, error)
	users int
}

// prepare returns the shared faces of s, which are made at the first use.
func (b *bench) prepare(ctx context.Context, s *setting) *shared {
	return &shared{faces: sync.OnceValues(func() (*faces, error) {
		return divide(ctx, b.sets[s.dataKey()].set, s.input, s.split, s.fit(), s.corruption())
	})}
}

// resume sets the pending jobs: those without a record in old, and those for which a
// different version of the run has a later record, since reports show the latest version.
func (b *bench) resume(ctx context.Context, settings []*setting, old []Record) {
	made, latest := map[string]*Record{}, map[version]*Record{}
	for i := range old {
		r := &old[i]
		made[r.Key] = r
		if v := versionOf(r); latest[v] == nil || !r.Cost.Finished.Before(latest[v].Cost.Finished) {
			latest[v] = r
		}
	}
	b.pending, b.faceSets, b.progress, b.pace = nil, map[*setting]*shared{}, Progress{}, pace{}
	for _, s := range settings {
		for _, j := range s.jobs {
			b.progress.Total++
			r := made[j.key]
			if r != nil && latest[versionOf(r)] == r && (r.Error == "" || !b.Retry) {
				b.progress.Done++
				if r.Error != "" {
					b.progress.Failed++
				}
				b.pace.add(j, r.Cost.seconds())
				continue
			}
			b.pending = append(b.pending, j)
			if b.faceSets[s] == nil {
				b.faceSets[s] = b.prepare(ctx, s)
			}
			b.faceSets[s].users++
		}
	}
}

// open opens the data sets of the settings, and checks that each can be split and
// corrupted as planned.
func (b *bench) open(ctx context.Context, settings []*setting) error {
	b.sets = map[setKey]*loadedSet{}
	for _, s := range settings {
		if err := b.openSets(ctx, s); err != nil {
			return s.data.node.errorf("%w", err)
		}
		set := b.sets[s.dataKey()].set
		if err := checkInput(ctx, set, s.input.ForImages(set.Frame)); err != nil {
			return s.jobs[0].contestant.node.errorf("%w", err)
		}
		if _, _, err := s.split.Apply(set, s.fit()); err != nil {
			return s.data.splitNodes[slices.Index(s.data.splits, s.split)].errorf("%w", err)
		}
		if s.noise+s.occlusion > 0 && !s.input.Embedding.IsZero() {
			err := s.jobs[0].contestant.node.errorf("noise and occlusion are put on images, and the input makes vectors of the photographs of %s", s.data.name)
			return advice.Add(err, `name the data sets that this method meets: "datasets": […]`)
		}
		if s.noise+s.occlusion > 0 && !set.AreImages() {
			return s.data.node.errorf("noise and occlusion need images, and %s does not say their height and width", s.data.name)
		}
		if planned := b.sets[s.data.plannedKey()].set.Frame; s.noise > 0 && !planned.Same(set.Frame) {
			err := s.jobs[0].contestant.node.errorf("noise is put on images of %v, and the input wants them to be %v", planned.Size, set.Frame.Size)
			return advice.Add(err, "leave the size to the data set, or give the data set this size")
		}
		for _, j := range s.jobs {
			if p, ok := j.method.(Program); ok {
				if err := p.Validate(); err != nil {
					return j.contestant.node.errorf("%w", err)
				}
			}
			if err := method.Suits(j.method, s.input.ForImages(set.Frame).Grid()); err != nil {
				return j.contestant.node.errorf("%w", err)
			}
			if err := b.checkTuning(j, set); err != nil {
				return j.contestant.node.errorf("%w", err)
			}
		}
	}
	return nil
}

// openSets opens the data set of s twice: as the input of s reads it, and as the plan
// describes it. It is an error if they do not have the same people.
func (b *bench) openSets(ctx context.Context, s *setting) error {
	for key, images := range map[setKey]dataset.Frame{s.dataKey(): s.images(), s.data.plannedKey(): s.data.images} {
		if b.sets[key] != nil {
			continue
		}
		var embedder dataset.Embedder
		if !images.Embedding.IsZero() {
			embedder = s.input.Embedder
		}
		set, err := b.Databases.open(ctx, s.data.source(), images, embedder)
		if err != nil {
			return err
		}
		b.sets[key] = set
	}
	planned, actual := b.sets[s.data.plannedKey()].set, b.sets[s.dataKey()].set
	for c, person := range planned.Classes {
		if c >= len(actual.Classes) || actual.Classes[c] != person {
			err := fmt.Errorf("%s: no face is found in the images of %s, and all methods need the same people", s.data.name, person)
			return advice.Add(err, "remove these images, or add some in which a face is found")
		}
	}
	return nil
}

// checkInput is an error if in cannot make a sample of the first image of set.
func checkInput(ctx context.Context, set *dataset.Images, in frontend.Pipeline) error {
	if err := in.Validate(); err != nil {
		return err
	}
	in.Mirror = in.Mirror || in.Shift != 0           // either needs images
	in.Projection, in.Shift = projection.Choice{}, 0 // takes more of them
	_, err := in.Prepare(set.Select([]int{0}))
	return err
}

// checkTuning is an error if the training part of j is too small for tuning.
func (b *bench) checkTuning(j *job, set *dataset.Images) error {
	if j.contestant.tune == nil {
		return nil
	}
	learn, _, err := j.split.Apply(set, j.fit())
	if err == nil && len(learn) < 2*len(set.Classes) {
		err = advice.Add(fmt.Errorf("split %v leaves one training image of a person, and tuning holds some out", j.split),
			"tune with at least two training images per person")
	}
	return err
}

// samePlan is an error if a record is of another plan. A run in two plans has the same key
// in both, so a report of one plan would miss the runs that the other plan made.
func samePlan(old []Record, p *Plan, path string) error {
	for i := range old {
		if other := old[i].Plan; other != p.Name {
			err := fmt.Errorf("records %s: they are of the plan %q, not of %q", path, other, p.Name)
			return advice.Add(err, "write to another file with %v", advice.Output)
		}
	}
	return nil
}

// sameData is an error if a data set has changed since the records in the file were made.
func (b *bench) sameData(old []Record) error {
	for key, s := range b.sets {
		d := key.data
		if key != d.plannedKey() {
			continue
		}
		for i := range old {
			r := &old[i]
			if r.Dataset.Name == d.name && r.Dataset.Path == d.path && r.Dataset.Hash != "" && r.Dataset.Hash != s.hash && r.Dataset.Input.Same(s.set.Frame) {
				err := d.node.errorf("%s is not what the records were made with: its content has changed", d.name)
				return advice.Add(err, "write to another file with %v", advice.Output)
			}
		}
	}
	return nil
}

// run makes the pending jobs.
func (b *bench) run(ctx context.Context) error {
	workers, ctx := errgroup.WithContext(ctx)
	workers.SetLimit(max(b.Jobs, 1))
	for _, j := range b.pending {
		workers.Go(func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			r := b.do(ctx, j)
			if ctx.Err() != nil {
				return context.Cause(ctx) // r is not whole
			}
			return b.keep(j, r)
		})
	}
	return workers.Wait()
}

// keep stores r and reports the progress.
func (b *bench) keep(j *job, r *Record) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.store.Append(*r); err != nil {
		return err
	}
	if b.faceSets[j.setting].users--; b.faceSets[j.setting].users == 0 {
		delete(b.faceSets, j.setting)
	}
	b.progress.Done++
	b.progress.New++
	if r.Error != "" {
		b.progress.Failed++
	}
	b.pace.add(j, r.Cost.seconds())
	b.report(r)
	return nil
}

// report calls Progress.
func (b *bench) report(last *Record) {
	b.progress.Last = last
	b.progress.Left = b.pace.remaining(b.pending[min(b.progress.New, len(b.pending)):], b.Jobs)
	if b.Bench.Progress != nil {
		b.Bench.Progress(b.progress)
	}
}

// do makes one run. An error of the run is in the record.
func (b *bench) do(ctx context.Context, j *job) *Record {
	b.mu.Lock()
	prepare := b.faceSets[j.setting].faces
	b.mu.Unlock()
	set := b.sets[j.data.plannedKey()]
	r := j.record(set, b.sets[j.dataKey()].set.Frame)
	r.Cost = b.cost()
	peak := b.meter.start()
	faces, err := prepare()
	if err == nil {
		run, done := ctx, func() {}
		if limit := b.plan.Limit; limit > 0 {
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
	r.Cost.Finished = time.Now().UTC().Truncate(time.Millisecond)
	return r
}

// cost returns the fields of Cost that all records of b have in common.
func (b *bench) cost() Cost {
	return Cost{
		Jobs: max(b.Jobs, 1), Threads: blas.Threads(), BLAS: blas.Current().String(), Version: b.Version,
		Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH,
	}
}
