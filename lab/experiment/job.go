package experiment

import (
	"context"
	"time"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
)

// record returns the record of j before the run. Seen is the frame with which the input
// reads set.
func (j *job) record(set *loadedSet, seen dataset.Frame) *Record {
	c, d := j.contestant, j.data
	r := &Record{
		Key: j.key, Plan: j.plan.Name, About: j.plan.Description, Study: j.plan.Study,
		Dataset: d.source(),
		Split:   j.split.String(), Noise: j.noise, Occlusion: j.occlusion, Repeat: j.repeat, Seed: j.fit(), CorruptionSeed: j.corruption().seed,
		Method: j.method.Name(), Label: c.label, Explanation: c.description, Variation: c.variation, Params: j.params,
	}
	r.Dataset.Input, r.Dataset.Hash = set.set.Frame, set.hash
	if !j.input.IsZero() {
		in := j.input.ForImages(j.images())
		if !in.Embedding.IsZero() {
			in = j.input.ForImages(seen)
		} else if in.Size == (dataset.Size{}) {
			in = j.input.ForImages(set.set.Frame)
		}
		r.Input = &in
	}
	if p, ok := lookup(j.plan.published, c.id, d.name); ok {
		r.Published = &p
	}
	r.Note, _ = lookup(j.plan.notes, c.id, d.name)
	return r
}

// identity returns r without results.
func (r *Record) identity() Record {
	return Record{
		Key: r.Key, Plan: r.Plan, About: r.About, Study: r.Study, Dataset: r.Dataset, Split: r.Split, Noise: r.Noise, Occlusion: r.Occlusion,
		Repeat: r.Repeat, Seed: r.Seed, CorruptionSeed: r.CorruptionSeed, Method: r.Method, Label: r.Label,
		Explanation: r.Explanation, Input: r.Input, Variation: r.Variation,
		Params: r.Params, Published: r.Published, Note: r.Note, Cost: r.Cost,
	}
}

// fail makes r the record of a run that failed.
func (r *Record) fail(err error) {
	*r = r.identity()
	r.Error = err.Error()
	if h := advice.Text(err); h != "" {
		r.Error += " (" + h + ")"
	}
}

// learn tunes if j asks for it, trains, and only then reads the test images and counts
// errors. It sets the results in r.
func (j *job) learn(ctx context.Context, f *faces, r *Record) error {
	m := j.method
	if s := j.contestant.tune; s != nil {
		search := *s
		search.Seed = r.Seed
		start := time.Now()
		tuned, err := Tune(ctx, f.images, j.input, m, search, TuneObserver{})
		if err != nil {
			return err
		}
		m, r.Cost.TuneSeconds = tuned.Method, time.Since(start).Seconds()
		r.Tuning = &Tuning{search, tuned.Best, tuned.Trials}
		if r.Params, err = marshal(m); err != nil {
			return err
		}
	}
	_, err := learnAndCount(ctx, m, f, r, j.contestant.trace)
	return err
}

// learnAndCount trains, reads the test images, and counts errors. It sets the results in
// r.
func learnAndCount(ctx context.Context, m classify.Method, f *faces, r *Record, trace bool) (*frontend.Model, error) {
	fit := classify.Run{Seed: r.Seed}
	if trace {
		r.Trace = &Trace{}
		fit.Watch = r.Trace.watch
	}
	one, model, err := f.run(ctx, m, fit)
	if err != nil {
		return nil, err
	}
	r.SplitHash, r.Train, r.Passes, r.Status, r.Residual = f.splitHash, one.Train, one.Passes, one.Status, one.Residual
	r.Cost.FitSeconds, r.Cost.CodeSeconds = one.FitSeconds, one.CodeSeconds
	r.count(f.judge, f.people(), one.BestGuesses)
	return model, nil
}

// watch adds a pass to t.
func (t *Trace) watch(p classify.Progress) {
	terms := p.Terms()
	if t.Terms == nil {
		t.Terms = []string{"residual"}
		for _, term := range terms {
			t.Terms = append(t.Terms, term.Name)
		}
	}
	row := []float64{p.Residual}
	for _, term := range terms {
		row = append(row, term.Value)
	}
	t.Values = append(t.Values, row)
}
