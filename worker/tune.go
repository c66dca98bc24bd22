package worker

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/experiment"
	"nrdl.example/nrdl/frontend"
	"nrdl.example/nrdl/method"
)

// fits is the kind of task whose pieces are the fits of a search: a configuration learns
// from all folds but one, and its errors in that one are the result.
const fits = "tune"

// searched is the spec of fits.
type searched struct {
	Hash   string            `json:"hash"` // of the images
	Input  frontend.Pipeline `json:"input"`
	Method string            `json:"method"`
	Params json.RawMessage   `json:"params"`
	Search experiment.Search `json:"search"`
}

// A fit is a piece of fits.
type fit struct {
	Set  []string `json:"set"` // as in experiment.Trial
	Fold int      `json:"fold"`
}

func (f fit) key() string {
	text, _ := json.Marshal(f) // strings and a number
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:12])
}

// A judged is the result of a fit.
type judged struct {
	Wrong int    `json:"wrong"`
	Err   string `json:"error,omitempty"` // why it cannot be trained
	Hint  string `json:"hint,omitempty"`
}

// Tune is experiment.Tune with its fits on the workers of c. version is that of the program.
// Tell, which may be nil, is called with the status every second. When ctx ends, the fits
// stay on the server, and the same search goes on with them.
func (c *Cluster) Tune(ctx context.Context, train *dataset.Images, in frontend.Pipeline, m classify.Method, s experiment.Search, o experiment.TuneObserver, version string, tell func(Status)) (experiment.Tuned, error) {
	tuned, err := c.tune(ctx, train, in, m, s, o, version, tell)
	if err != nil {
		return tuned, fmt.Errorf("on workers: %w", err)
	}
	return tuned, nil
}

func (c *Cluster) tune(ctx context.Context, train *dataset.Images, in frontend.Pipeline, m classify.Method, s experiment.Search, o experiment.TuneObserver, version string, tell func(Status)) (t experiment.Tuned, err error) {
	params, err := method.Marshal(m)
	if err != nil {
		return t, err
	}
	hash := train.Hash()
	if err := c.offerSet(ctx, hash, train); err != nil {
		return t, err
	}
	spec, err := json.Marshal(searched{hash, in.ForImages(train.Frame), m.Name(), params, s})
	if err != nil {
		return t, err
	}
	k, err := c.begin(ctx, task{Kind: fits, Spec: spec, Version: version}, "", true, tell)
	if err != nil {
		return t, err
	}
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	j := &judge{coordinator: k, ctx: inner, cancel: cancel, results: map[string]chan judged{}}
	go func() {
		cancel(k.receive(inner, func(string) bool { return true }, j.use))
	}()
	o.Fitter = j
	if t, err = experiment.Tune(inner, train, in, m, s, o); err != nil {
		return t, err
	}
	k.end(ctx)
	return t, nil
}

// A judge is the experiment.Fitter whose fits workers make.
type judge struct {
	*coordinator
	ctx    context.Context
	cancel context.CancelCauseFunc

	mu      sync.Mutex
	results map[string]chan judged // of fits that are handed out, or have a result
}

// result is where the result of the piece with that key will be; isNew says that nobody
// has asked before.
func (j *judge) result(key string) (ch chan judged, isNew bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	ch, ok := j.results[key]
	if !ok {
		ch = make(chan judged, 1)
		j.results[key] = ch
	}
	return ch, !ok
}

// use takes the result of a fit, also of one that a killed coordinator had handed out.
func (j *judge) use(key string, data []byte) (bool, error) {
	var r judged
	if err := json.Unmarshal(data, &r); err != nil {
		j.warn("a worker sent what is no result of a fit: %v", err)
		return true, nil
	}
	ch, _ := j.result(key)
	select {
	case ch <- r:
	default: // a second one
	}
	return true, nil
}

// Expect implements experiment.Fitter.
func (j *judge) Expect(set []string, fold int) {
	f := fit{set, fold}
	key := f.key()
	if _, isNew := j.result(key); !isNew {
		return
	}
	data, err := json.Marshal(f)
	if err == nil {
		err = j.put(j.ctx, key, data)
	}
	if err != nil {
		j.cancel(err)
	}
}

// Wrong implements experiment.Fitter.
func (j *judge) Wrong(ctx context.Context, set []string, fold int) (int, error) {
	j.Expect(set, fold)
	ch, _ := j.result(fit{set, fold}.key())
	select {
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	case r := <-ch:
		ch <- r
		switch {
		case r.Err == "":
			return r.Wrong, nil
		case r.Hint != "":
			return 0, advice.Add(errors.New(r.Err), "%s", r.Hint)
		}
		return 0, errors.New(r.Err)
	}
}

// fitMaker makes fits.
type fitMaker struct{ judge *experiment.Fits }

func newFitMaker(ctx context.Context, w *Worker, spec json.RawMessage) (maker, error) {
	var s searched
	if err := json.Unmarshal(spec, &s); err != nil {
		return nil, junk(err)
	}
	m, err := method.Named(s.Method)
	if err == nil {
		m, err = method.Unmarshal(m, s.Params)
	}
	if err != nil {
		return nil, junk(err)
	}
	set, err := w.fetchSet(ctx, s.Hash)
	if err != nil {
		return nil, err
	}
	if got := set.Hash(); got != s.Hash {
		return nil, errors.New("the fetched content is not the one of the search")
	}
	set.Frame = s.Input.Frame
	j, err := experiment.NewFits(context.WithoutCancel(ctx), set, s.Input, m, s.Search)
	return fitMaker{j}, err
}

func (m fitMaker) make(ctx context.Context, _ string, data []byte) ([]byte, error) {
	var f fit
	if err := json.Unmarshal(data, &f); err != nil {
		return nil, junk(err)
	}
	wrong, err := m.judge.Wrong(ctx, f.Set, f.Fold)
	if cause := context.Cause(ctx); cause != nil {
		return nil, cause
	}
	if err != nil {
		return m.fail("", err)
	}
	return json.Marshal(judged{Wrong: wrong})
}

func (fitMaker) fail(_ string, err error) ([]byte, error) {
	return json.Marshal(judged{Err: err.Error(), Hint: advice.Text(err)})
}
