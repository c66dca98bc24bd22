package people

import (
	"context"
	"errors"
	"math"
	"time"

	"nrdl.example/nrdl/server/store"
)

// Load brings all collections into memory, so that the first requests need not wait for it. Until the
// database lists them, it tries again; it stops when ctx ends.
func Load(ctx context.Context, v *Service) {
	all, err := v.store.Collections(ctx, "", math.MaxInt32)
	for ; err != nil && ctx.Err() == nil; all, err = v.store.Collections(ctx, "", math.MaxInt32) {
		Pause(ctx, time.Second, nil)
	}
	outdated := 0
	for _, c := range all {
		if _, err := v.engine.snapshot(ctx, c.ID); err != nil && ctx.Err() == nil && !errors.Is(err, store.ErrNotFound) {
			v.Log.Warn("a collection is not loaded", "collection", c.ID, "error", err.Error())
		}
		if v.engine.isOutdated(c) {
			outdated++
		}
	}
	if outdated > 0 {
		v.Log.Info("another network waits: a refit (Learn again, in Settings) makes new vectors of all faces, and takes its place unless it names fewer of them rightly",
			"collections", outdated)
	}
	if ctx.Err() == nil {
		v.IsLoaded.Store(true)
	}
}

// isOutdated reports whether the faces of a collection are vectors of another network than those of new
// collections.
func (e *engine) isOutdated(c store.Collection) bool {
	in, err := e.input(c.Space)
	return err != nil || in != e.inputs[0]
}

// CollectionResponse is the API form of a collection.
func (v *Service) CollectionResponse(c store.Collection) Collection {
	return Collection{c.ID, c.Name, c.FPIR, c.Created, c.Seq, c.VisitorDays, v.engine.isOutdated(c)}
}
