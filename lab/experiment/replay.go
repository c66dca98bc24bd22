package experiment

import (
	"context"
	"errors"
	"fmt"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/frontend/embedding"
	"nrdl.example/nrdl/method"
)

// A Rerun is a run that was repeated from its record.
type Rerun struct {
	Train   *dataset.Images
	Test    *dataset.Images
	Columns []int // of Test in the whole set
	Model   *frontend.Model
	Record  Record // of the repeated run
}

// Replay repeats the run of r with its data, split, seeds and parameters. It uses tuned
// parameters without the search. It is an error if the data have changed.
func Replay(ctx context.Context, l *Databases, r Record) (*Rerun, error) {
	again, err := replay(ctx, l, r)
	if err != nil {
		return nil, fmt.Errorf("repeat %s on %s: %w", r.Label, r.Dataset.Name, err)
	}
	return again, nil
}

func replay(ctx context.Context, l *Databases, r Record) (*Rerun, error) {
	if r.Error != "" {
		return nil, errors.New("it is a run that failed")
	}
	if r.Method == ProgramMethod {
		return nil, errors.New("it is the run of an external program, which makes no model")
	}
	m, err := method.Named(r.Method)
	if err != nil {
		return nil, err
	}
	if m, err = method.Unmarshal(m, r.Params); err != nil {
		return nil, err
	}
	split, err := dataset.ParseSplit(r.Split)
	if err != nil {
		return nil, err
	}
	set, err := l.open(ctx, r.Dataset, r.Dataset.Input, nil)
	if err != nil {
		return nil, err
	}
	if set.hash != r.Dataset.Hash {
		return nil, advice.Add(errors.New("the data are not those of the record"), "they have changed since, or another folder is meant")
	}
	var in frontend.Pipeline
	if r.Input != nil {
		in = *r.Input
		var embedder dataset.Embedder
		if !in.Embedding.IsZero() {
			e, err := embedding.Restore(in.Frame, nil, nil)
			if err != nil {
				return nil, err
			}
			embedder = e
		}
		if set, err = l.open(ctx, r.Dataset, in.Frame, embedder); err != nil {
			return nil, err
		}
	}
	f, err := divide(ctx, set.set, in, split, r.Seed, corruption{r.Noise, r.Occlusion, r.CorruptionSeed})
	if err != nil {
		return nil, err
	}
	again := &Rerun{Train: f.images, Columns: f.judge, Record: r.identity()}
	if again.Model, err = learnAndCount(ctx, m, f, &again.Record, r.Trace != nil); err != nil {
		return nil, err
	}
	again.Test, err = f.test()
	return again, err
}
