package server

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"math"

	"github.com/danielgtaylor/huma/v2"

	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/server/store"
)

// refit is a job that makes vectors of all crops by the network for new collections, trains on
// them, and compares the result with the live recogniser. It replaces that one unless it is
// worse; then a user decides.
func (v *Service) refit(ctx context.Context, j *store.Job) (*RefitResult, error) {
	var request JobRequest
	if err := json.Unmarshal(j.Payload, &request); err != nil {
		return nil, err
	}
	c, err := v.store.Collection(ctx, j.Collection)
	if err != nil {
		return nil, err
	}
	to := v.engine.inputs[0]
	from, err := v.engine.input(c.Space)
	if err != nil {
		from = nil // without its network, there is no live recogniser
	}
	result := &RefitResult{}
	s, err := v.resume(j, 0, result)
	if err != nil {
		return nil, err
	}
	if err := v.embedAll(ctx, s, from, to, &result.Embedded); err != nil {
		return nil, err
	}
	changes, err := v.store.Changes(ctx, j.Collection, to.space, 0)
	if err != nil {
		return nil, err
	}
	result.Verdict, result.Decision = "first", "swapped"
	if from != nil {
		live, err := v.engine.snapshot(ctx, j.Collection)
		if err != nil {
			return nil, err
		}
		if err := v.compareRefit(ctx, result, live, to, changes); err != nil {
			return nil, err
		}
	}
	if result.Verdict == "worse" && request.Kind != kindAccepted {
		result.Decision = "needed"
		return result, nil
	}
	if c.Space != to.space && (c.Space != "" || from != to) {
		if err := v.store.SetSpace(store.WithStep(ctx, j, j.Done, j.Total, asJSON(result)), j.Actor, j.Collection, to.space); err != nil {
			return nil, err
		}
		s.ended(j.Done)
	}
	// Requests that began earlier may have enrolled faces by the former network.
	return result, v.embedAll(ctx, s, from, to, &result.Embedded)
}

// embedAll makes the vectors of crops that have none of the network of to, and counts them in n.
func (v *Service) embedAll(ctx context.Context, s steps, from, to *input, n *int) error {
	const together = 100
	for after := ""; ; {
		faces, err := v.store.FacesWithoutVector(ctx, s.j.Collection, to.space, after, together)
		if err != nil {
			return err
		}
		for _, id := range faces {
			after = id
			crop, err := v.store.Crop(ctx, s.j.Collection, id)
			if errors.Is(err, store.ErrNotFound) || err == nil && len(crop) == 0 {
				continue
			}
			if err != nil {
				return err
			}
			s.v.giveWay(ctx)
			vector, err := to.embed(ctx, from, crop)
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err != nil {
				continue // the crop cannot be used by this network
			}
			*n++
			s.total = max(s.total, s.j.Done+1)
			err = v.store.PutVector(s.in(ctx, s.j.Done+1), s.j.Collection, id, to.space, vector)
			if err != nil && !errors.Is(err, store.ErrNotFound) {
				return err
			}
			s.ended(s.j.Done + 1)
		}
		if len(faces) < together {
			return nil
		}
	}
}

// embed returns the vector of a crop that was made for the network of from; nil is an unknown
// network, for which faces are taken to be cut out as for e.
func (e *input) embed(ctx context.Context, from *input, crop []byte) ([]float32, error) {
	if from == nil || from.cutAs(e) {
		seen, _, err := e.look(ctx, crop, looking{whole: true})
		if err == nil {
			err = seen[0].Refused
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
	return a.Eyes == b.Eyes && a.Crop == b.Crop && a.Embedding.Alignment == b.Embedding.Alignment && e.Embedder.Input() == other.Embedder.Input()
}

// compareRefit sets in result how the live recogniser and one that is trained on changes
// recognise held-out faces.
func (v *Service) compareRefit(ctx context.Context, result *RefitResult, live *snapshot, to *input, changes store.Changes) error {
	next := &snapshot{Collection: changes.Collection, input: to, people: map[string]store.Person{}, strangers: map[string]store.Sample{}}
	people, samples := map[string]bool{}, []store.Sample{}
	for _, s := range changes.Samples {
		if s.Person == store.Stranger {
			next.strangers[s.Face] = s
			continue
		}
		people[s.Person] = true
		samples = append(samples, s)
	}
	if live.live == nil || len(people) < live.live.Model().Len() {
		if live.live != nil {
			result.Verdict = "worse" // a person would be missing
		}
		return nil
	}
	var err error
	if next.base, err = v.engine.train(ctx, next, samples); err != nil {
		return err
	}
	candidate, err := next.calibrate(ctx)
	if err != nil {
		return err
	}
	before, err := heldOut(ctx, live.live)
	if err != nil {
		return err
	}
	after, err := heldOut(ctx, candidate)
	if err != nil {
		return err
	}
	result.Live, result.Candidate, result.Verdict = &before.HeldOut, &after.HeldOut, outcome(before, after)
	return nil
}

// A tally has the results of held-out faces.
type tally struct {
	HeldOut
	right, named map[string]bool // IDs: with the right name; of strangers with a name
}

func heldOut(ctx context.Context, r *faces.Recogniser) (*tally, error) {
	m := r.Model()
	all, err := m.HeldOut(ctx, nil)
	if err != nil {
		return nil, err
	}
	t := &tally{right: map[string]bool{}, named: map[string]bool{}}
	t.Threshold = math.Inf(-1)
	if m.Calibration != nil {
		t.Threshold = m.Calibration.Threshold
	}
	for _, o := range all {
		named := o.Margin >= t.Threshold
		id := m.Enrolled.ID(o.Image)
		switch {
		case o.Stranger:
			t.Strangers++
			if named {
				t.Named++
				t.named[id] = true
			}
			continue
		case named && o.Right:
			t.Right++
			t.right[id] = true
		case named:
			t.Wrong++
		}
		t.Faces++
	}
	t.Threshold = max(t.Threshold, -math.MaxFloat64)
	return t, nil
}

// outcome compares two tallies by the faces that have different results. A difference of up to
// one standard deviation may be chance. The limit is low, since a worse recogniser costs more
// than a question to the user.
func outcome(before, after *tally) string {
	gain := differ(after.right, before.right)
	cost := differ(after.named, before.named)
	switch {
	case gain < 0 || cost > 0:
		return "worse"
	case gain > 0 || cost < 0:
		return "better"
	}
	return "same"
}

// differ returns the sign of len(a) − len(b); 0 if the difference may be chance.
func differ(a, b map[string]bool) int {
	only := func(a, b map[string]bool) (n float64) {
		for k := range a {
			if !b[k] {
				n++
			}
		}
		return n
	}
	x, y := only(a, b), only(b, a)
	switch {
	case math.Abs(x-y) <= math.Sqrt(x+y):
		return 0
	case x > y:
		return 1
	}
	return -1
}

// decideRefit accepts or discards the result of a refit that is worse, by verb.
func (v *Service) decideRefit(ctx context.Context, in *InJob, verb string) (store.Job, error) {
	j, err := v.job(ctx, in)
	if err != nil {
		return j, err
	}
	var result RefitResult
	hasResult := j.Kind == kindRefit && j.State == store.Succeeded && json.Unmarshal(j.Result, &result) == nil
	switch {
	case hasResult && verb == "accept" && result.Decision != "needed" && result.Decision != "discarded":
		return j, nil // it is live already
	case !hasResult || result.Decision != "needed":
		return j, huma.Error409Conflict("the job does not wait for a decision")
	}
	result.Decision = verb + "ed"
	if verb == "accept" { // new faces have no vectors yet
		request := JobRequest{Kind: kindAccepted}
		if _, err := v.enqueue(ctx, store.Job{Collection: j.Collection, Kind: kindRefit, Key: kindAccepted, Payload: asJSON(request)}); err != nil {
			return j, err
		}
	}
	if err := v.store.SetResult(ctx, requestOf(ctx).actor, j, verb+" refit", asJSON(result)); err != nil {
		return j, err
	}
	return v.job(ctx, in)
}

// kindAccepted is the kind, in its payload, of a refit that replaces the live recogniser even if
// it is worse.
const kindAccepted = "accepted"
