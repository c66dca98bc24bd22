package people

import (
	"cmp"
	"context"
	"time"

	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/server/store"
)

// A Refit makes the vectors of a collection by the network for new collections.
type Refit struct {
	v             *Service
	present, next *input // present: nil if the service does not have the network
}

// Refit returns a Refit of a collection whose vectors are in a space.
func (v *Service) Refit(space string) *Refit {
	from, err := v.engine.input(space)
	if err != nil {
		from = nil // without its network, there is no live recogniser
	}
	return &Refit{v, from, v.engine.inputs[0]}
}

// Space names the network of the new vectors.
func (r *Refit) Space() string { return r.next.space }

// HasNetwork reports whether the service has the network of the present vectors.
func (r *Refit) HasNetwork() bool { return r.present != nil }

// IsNeeded reports whether vectors in a space are those of another network.
func (r *Refit) IsNeeded(space string) bool {
	return space != r.next.space && (space != "" || r.present != r.next)
}

// Vector returns the vector of a crop. It waits a little while somebody waits for an answer.
func (r *Refit) Vector(ctx context.Context, crop []byte) ([]float32, error) {
	r.v.Memory.giveWay(ctx)
	begin := time.Now()
	values, err := r.next.embed(ctx, r.present, crop)
	if err == nil {
		r.next.perCrop.Store(int64(time.Since(begin)))
	}
	return values, err
}

// Seconds returns about how long the network takes for n crops, by the last one that it has seen, or else
// by this one. It is 0 if the network cannot use that.
func (r *Refit) Seconds(ctx context.Context, n int, crop func() ([]byte, error)) (float64, error) {
	if n > 0 && r.next.perCrop.Load() == 0 {
		data, err := crop()
		if err != nil {
			return 0, err
		}
		for range 2 { // the first time includes that the network is loaded
			if _, err := r.Vector(ctx, data); ctx.Err() != nil {
				return 0, context.Cause(ctx)
			} else if err != nil {
				return 0, nil
			}
		}
	}
	return float64(n) * time.Duration(r.next.perCrop.Load()).Seconds(), nil
}

// Recognisers returns the recogniser of the collection that is in use, nil if too few people are enrolled,
// and one that is trained on all that changes have, nil if a person would be missing.
func (r *Refit) Recognisers(ctx context.Context, changes store.Changes) (live, candidate *faces.Recogniser, err error) {
	live, err = r.v.Recogniser(ctx, changes.ID)
	if err != nil || live == nil {
		return nil, nil, err
	}
	next := &snapshot{Collection: changes.Collection, input: r.next, people: map[string]store.Person{}, strangers: map[string]store.Sample{}}
	people, samples := map[string]bool{}, []store.Sample{}
	for _, s := range changes.Samples {
		if s.Person == store.Stranger {
			next.strangers[s.Face] = s
			continue
		}
		people[s.Person] = true
		samples = append(samples, s)
	}
	if len(people) < live.Model().Len() {
		return live, nil, nil
	}
	if next.base, err = r.v.engine.train(ctx, next, samples); err != nil {
		return nil, nil, err
	}
	candidate, err = next.calibrate(ctx)
	return live, candidate, err
}

// embed returns the vector of a crop that was made for the network of from; nil is an unknown
// network, for which faces are taken to be cut out as for e.
func (e *input) embed(ctx context.Context, from *input, crop []byte) ([]float32, error) {
	if from == nil || from.cutAs(e) {
		seen, _, err := e.look(ctx, crop, selection{isCrop: true})
		if err == nil {
			err = seen[0].Reason
		}
		if err != nil {
			return nil, err
		}
		return float32s(seen[0].Values), nil
	}
	photo, err := dataset.DecodeColour(ctx, crop, "crop")
	if err != nil {
		return nil, err
	}
	size, eyes := from.Embedder.Input(), from.Frame.Eyes
	w, h, inner := float64(size.Width), float64(size.Height), cmp.Or(from.Frame.Crop, 1)
	apart, y := w*eyes.Distance/inner, h*(0.5+(eyes.Height-0.5)/inner)
	pupils := [2]face.Point{{X: (w - apart) / 2, Y: y}, {X: (w + apart) / 2, Y: y}}
	values, err := face.Cut{Frame: e.Frame, Embedder: e.Embedder}.Values(ctx, photo, face.Face{Pupils: pupils})
	return float32s(values), err
}

// cutAs reports whether e and other take the same crops of faces.
func (e *input) cutAs(other *input) bool {
	a, b := e.Frame, other.Frame
	return a.Eyes == b.Eyes && a.Crop == b.Crop && a.Embedding.Alignment == b.Embedding.Alignment &&
		e.Embedder.Input() == other.Embedder.Input()
}
