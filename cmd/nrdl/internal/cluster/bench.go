package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/lab/experiment"
)

// runs is the kind of tasks that make the runs of a plan. A piece is a run, and its result is
// a record.
const runs = "bench"

// A runSpec is the spec of runs.
type runSpec struct {
	Plan string            `json:"plan"` // its name
	Text json.RawMessage   `json:"text"`
	Hash map[string]string `json:"hash"` // of each data set

	Programs map[string]string `json:"programs,omitempty"` // Plan.Digests
}

// Bench returns a function for experiment.Bench.Distribute: it has the workers of c make the runs.
// path is the file of the records. version is the version of the program; workers of another
// version refuse. tell is called with the status every second; it may be nil. When ctx ends, the
// runs stay in the queue, and a later call for the same plan and path continues with them.
func (c *Cluster) Bench(path, version string, tell func(Status)) func(context.Context, experiment.Work) error {
	return func(ctx context.Context, w experiment.Work) error { return c.bench(ctx, path, version, w, tell) }
}

func (c *Cluster) bench(ctx context.Context, path, version string, w experiment.Work, tell func(Status)) (err error) {
	defer wrap(&err, "bench on workers")
	for name, hash := range w.Hash {
		if err := c.offerSet(ctx, hash, w.Data[name]); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	spec, err := json.Marshal(runSpec{w.Plan.Name, w.Plan.Text(), w.Hash, w.Plan.Digests()})
	if err != nil {
		return err
	}
	k, err := c.begin(ctx, task{Kind: runs, Spec: spec, Version: version}, path, true, tell)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() { // if this is interrupted, the next bench puts the rest
		for _, key := range w.Keys {
			if err := k.put(ctx, key, nil); err != nil {
				cancel(err)
			}
		}
	}()
	missing := map[string]bool{} // keys without a record
	for _, key := range w.Keys {
		missing[key] = true
	}
	err = k.receive(ctx, func(key string) bool { return missing[key] }, func(key string, data []byte) (bool, error) {
		r, err := experiment.DecodeRecord(data)
		if err != nil || r.Key != key {
			k.warn("a worker sent what is no record of %s: %v", key, err)
			return true, nil
		}
		delete(missing, key)
		return len(missing) > 0, w.Keep(&r)
	})
	if err != nil {
		return err
	}
	k.end(ctx)
	return nil
}

// runMaker makes runs.
type runMaker struct {
	*experiment.Runner
	observer func(*experiment.Record) // may be nil
}

func newRunMaker(_ context.Context, w *Worker, spec json.RawMessage) (maker, error) {
	p, err := decodeJSON[runSpec](spec)
	if err != nil {
		return nil, err
	}
	plan, err := experiment.ParseSentPlan(p.Text, p.Plan, p.Programs)
	if err != nil {
		return nil, junk(err)
	}
	plan.Name = p.Plan
	bench := w.Bench
	if bench.Programs == nil { // whoever may publish names programs, and who starts the worker allows them
		bench.Programs = map[string]string{}
	}
	r, err := bench.Runner(plan, p.Hash, w.fetchSet)
	return &runMaker{r, w.Done}, err
}

func (m *runMaker) make(ctx context.Context, key string, _ []byte) ([]byte, error) {
	r, err := m.Run(ctx, key)
	if errors.Is(err, experiment.ErrNoRun) {
		return nil, junk(err)
	}
	return m.line(r, err)
}

func (m *runMaker) fail(key string, err error) ([]byte, error) { return m.line(m.Fail(key, err)) }

func (m *runMaker) line(r *experiment.Record, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	if m.observer != nil {
		m.observer(r)
	}
	return r.Line()
}

// offerSet puts a data set with a hash on the server, for workers.
func (c *Cluster) offerSet(ctx context.Context, hash string, set *dataset.Images) error {
	return c.offer(ctx, setFile(hash), func() ([]byte, error) { return encode(ctx, set) })
}

// fetchSet returns the data set with a hash from the server.
func (c *Cluster) fetchSet(ctx context.Context, hash string) (*dataset.Images, error) {
	data, err := c.file(ctx, setFile(hash), maxSet)
	if err != nil {
		return nil, fmt.Errorf("fetch data: %w", err)
	}
	return decode(ctx, data)
}

func setFile(hash string) string { return "data-" + hash + ".npz" }

// encode returns a data set as a .npz file.
func encode(ctx context.Context, set *dataset.Images) (data []byte, err error) {
	err = withTempFile(func(path string) error {
		if err := dataset.Save(ctx, path, set); err != nil {
			return err
		}
		data, err = os.ReadFile(path)
		return err
	})
	return data, err
}

// decode returns the data set that encode has written.
func decode(ctx context.Context, data []byte) (set *dataset.Images, err error) {
	err = withTempFile(func(path string) error {
		if err := os.WriteFile(path, data, 0o600); err != nil {
			return err
		}
		set, err = dataset.Open(ctx, path, dataset.Options{})
		return err
	})
	return set, err
}

// withTempFile calls do with the path of a .npz file in a folder that is removed afterwards.
func withTempFile(do func(path string) error) error {
	folder, err := os.MkdirTemp("", "nrdl")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	return do(filepath.Join(folder, "set.npz"))
}
