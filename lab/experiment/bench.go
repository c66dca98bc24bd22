package experiment

import (
	"context"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
)

// A Bench makes the runs of plans and stores their records.
type Bench struct {
	Databases *Databases // nil: data sets are opened by their paths as they are
	Jobs      int        // runs at a time, ≥ 1; linear algebra in each uses the threads of the process
	Retry     bool       // repeat runs whose record is an error
	Version   string     // of the program, for the records
	// Programs are the external programs that may be started: their paths, by the command in the
	// plan as Program.String has it. A path is started without arguments and without the
	// environment of this process. nil allows every command of a plan.
	Programs map[string]string
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
	Total    int           // runs of the plan
	Records  int           // with a record, including older ones
	Failures int           // of Done
	New      int           // of Done, made by this call
	TimeLeft time.Duration // estimated time to the end; 0 if not known yet
	Last     *Record       // the last finished run; nil at the start
}

// Run makes the runs of p that are missing in the records at path, and appends
// their records. A failed run becomes a record with its error. When ctx ends,
// unfinished runs leave no record; the next call of Run makes them. If a data
// set is missing or p cannot split it, no run is made and no file is written.
func (b *Bench) Run(ctx context.Context, p *Plan, path string) (Progress, error) {
	runner, err := b.Runner(p, nil, nil)
	if err != nil {
		return Progress{}, err
	}
	state := &bench{Bench: b, runner: runner}
	if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
		old, err := ReadRecordsFile(path, nil)
		if err != nil {
			return Progress{}, err
		}
		if err := samePlan(old, p, path); err != nil {
			return Progress{}, err
		}
		if state.resume(old); len(state.queue) == 0 {
			state.report(nil)
			return state.progress, nil
		}
	}
	if err := canHold(path); err != nil {
		return Progress{}, err
	}
	if err := runner.open(ctx); err != nil {
		return Progress{}, err
	}
	store, old, err := OpenStore(path, b.Warn)
	if err != nil {
		return Progress{}, err
	}
	defer store.Close()
	state.store = store
	state.resume(old)
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
	store  *Store
	runner *Runner

	mu       sync.Mutex       // guards what follows, and the store
	queue    []*job           // in the order of the plan
	counts   map[*setting]int // of pending, without a record yet
	pace     pace
	progress Progress
}

// resume sets the pending jobs: those without a record in old, and those for which a
// different version of the run has a later record, since reports show the latest version.
func (b *bench) resume(old []Record) {
	made, latest := map[string]*Record{}, map[version]*Record{}
	for i := range old {
		r := &old[i]
		made[r.Key] = r
		if v := versionOf(r); latest[v] == nil || !r.Cost.EndTime.Before(latest[v].Cost.EndTime) {
			latest[v] = r
		}
	}
	b.queue, b.counts, b.progress, b.pace = nil, map[*setting]int{}, Progress{}, pace{}
	for _, s := range b.runner.settings {
		for _, j := range s.jobs {
			b.progress.Total++
			r := made[j.key]
			if r != nil && latest[versionOf(r)] == r && (r.Error == "" || !b.Retry) {
				b.progress.Records++
				if r.Error != "" {
					b.progress.Failures++
				}
				b.pace.add(j, r.Cost.seconds())
				continue
			}
			b.queue = append(b.queue, j)
			b.counts[s]++
		}
	}
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
	for key, s := range b.runner.sets {
		d := key.data
		if key != d.plannedKey() {
			continue
		}
		for i := range old {
			r := &old[i]
			if r.Dataset.Name == d.name && r.Dataset.Path == d.path && r.Dataset.Hash != "" && r.Dataset.Hash != s.hash &&
				r.Dataset.Input.Same(s.set.Frame) {
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
	for _, j := range b.queue {
		workers.Go(func() error {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			r, err := b.runner.run(ctx, ctx, j)
			if err != nil {
				return err
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
	if b.counts[j.setting]--; b.counts[j.setting] == 0 {
		b.runner.forget(j.setting)
	}
	b.progress.Records++
	b.progress.New++
	if r.Error != "" {
		b.progress.Failures++
	}
	b.pace.add(j, r.Cost.seconds())
	b.report(r)
	return nil
}

// report calls Progress.
func (b *bench) report(last *Record) {
	b.progress.Last = last
	b.progress.TimeLeft = b.pace.remaining(b.queue[min(b.progress.New, len(b.queue)):], b.Jobs)
	if b.Bench.Progress != nil {
		b.Bench.Progress(b.progress)
	}
}

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
	w := Work{Plan: b.runner.plan, Data: map[string]*dataset.Images{}, Hash: map[string]string{}}
	pending := map[string]*job{}
	for _, j := range b.queue {
		w.Keys, pending[j.key] = append(w.Keys, j.key), j
	}
	for key, s := range b.runner.sets {
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
