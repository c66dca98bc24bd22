package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/lab/experiment"
	"nrdl.example/nrdl/method"
)

// fits is the kind of tasks that make the fits of a search. In a piece, a configuration learns
// from all folds but one; the result is its errors in that one.
const fits = "tune"

// A fitSpec is the spec of fits.
type fitSpec struct {
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

// A fitResult is the result of a fit.
type fitResult struct {
	Wrong int      `json:"wrong"`           // errors in the fold
	Err   *failure `json:"error,omitempty"` // why the configuration cannot be trained
}

// Tune searches for parameters as experiment.Tune does, but the workers of c make the fits.
// version is the version of the program; workers of another version refuse. tell is called with
// the status every second; it may be nil. When ctx ends, the fits stay on the server, and a later
// call with the same search continues with them.
func (c *Cluster) Tune(ctx context.Context, train *dataset.Images, in frontend.Pipeline, m classify.Method,
	s experiment.Search, o experiment.TuneObserver, version string, tell func(Status),
) (t experiment.Tuned, err error) {
	defer wrap(&err, "on workers")
	params, err := method.Marshal(m)
	if err != nil {
		return t, err
	}
	hash := train.Hash()
	if err := c.offerSet(ctx, hash, train); err != nil {
		return t, err
	}
	spec, err := json.Marshal(fitSpec{hash, in.ForImages(train.Frame), m.Name(), params, s})
	if err != nil {
		return t, err
	}
	k, err := c.begin(ctx, task{Kind: fits, Spec: spec, Version: version}, "", true, tell)
	if err != nil {
		return t, err
	}
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	j := &judge{coordinator: k, ctx: inner, cancel: cancel}
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

// A judge is an experiment.Fitter that has workers make the fits.
type judge struct {
	*coordinator
	ctx     context.Context
	cancel  context.CancelCauseFunc
	results pending[fitResult]
}

// use takes the result of a fit. A killed coordinator may have handed it out.
func (j *judge) use(key string, data []byte) (bool, error) {
	var r fitResult
	if err := json.Unmarshal(data, &r); err != nil {
		j.warn("a worker sent what is no result of a fit: %v", err)
		return true, nil
	}
	j.results.deliver(key, r)
	return true, nil
}

// Expect implements experiment.Fitter.
func (j *judge) Expect(set []string, fold int) {
	f := fit{set, fold}
	key := f.key()
	if _, isNew := j.results.channel(key); !isNew {
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
	ch, _ := j.results.channel(fit{set, fold}.key())
	select {
	case <-ctx.Done():
		return 0, context.Cause(ctx)
	case r := <-ch:
		ch <- r // for the next call
		return r.Wrong, r.Err.err()
	}
}

// fitMaker makes fits.
type fitMaker struct{ judge *experiment.Fits }

func newFitMaker(ctx context.Context, w *Worker, spec json.RawMessage) (maker, error) {
	s, err := decodeJSON[fitSpec](spec)
	if err != nil {
		return nil, err
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
	f, err := decodeJSON[fit](data)
	if err != nil {
		return nil, err
	}
	wrong, err := m.judge.Wrong(ctx, f.Set, f.Fold)
	if cause := context.Cause(ctx); cause != nil {
		return nil, cause
	}
	if err != nil {
		return m.fail("", err)
	}
	return json.Marshal(fitResult{Wrong: wrong})
}

func (fitMaker) fail(_ string, err error) ([]byte, error) {
	return json.Marshal(fitResult{Err: failureOf(err)})
}
