package jobs

import (
	"context"
	"encoding/json"
	"errors"
	"math"

	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/server/people"
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
	r := v.people.Refit(c.Space)
	result := &RefitResult{}
	s, err := v.resume(j, 0, result)
	if err != nil {
		return nil, err
	}
	if err := v.embedAll(ctx, s, r, &result.Embedded); err != nil {
		return nil, err
	}
	left, err := v.store.CountVectors(ctx, j.Collection, r.Space())
	if err != nil {
		return nil, err
	}
	result.Without = left.ToMake + left.Without
	changes, err := v.store.Changes(ctx, j.Collection, r.Space(), 0)
	if err != nil {
		return nil, err
	}
	result.Verdict, result.Decision = "first", "swapped"
	if r.HasNetwork() {
		if err := compareRefit(ctx, result, r, changes); err != nil {
			return nil, err
		}
	}
	if result.Verdict == "worse" && request.Kind != kindAccepted {
		result.Decision = "needed"
		return result, nil
	}
	if r.IsNeeded(c.Space) {
		if err := v.store.SetSpace(store.WithStep(ctx, j, j.Done, j.Total, people.AsJSON(result)), j.Actor, j.Collection, r.Space()); err != nil {
			return nil, err
		}
		s.ended(j.Done)
	}
	// Requests that began earlier may have enrolled faces by the former network.
	return result, v.embedAll(ctx, s, r, &result.Embedded)
}

// PreviewRefit says what a refit of a collection would change.
func (v *Service) PreviewRefit(ctx context.Context, collection string) (p RefitPreview, err error) {
	c, err := v.store.Collection(ctx, collection)
	if err != nil {
		return p, err
	}
	r := v.people.Refit(c.Space)
	n, err := v.store.CountVectors(ctx, collection, r.Space())
	if err != nil {
		return p, err
	}
	p = RefitPreview{IsOutdated: r.IsNeeded(c.Space), Faces: n.Faces, ToEmbed: n.ToMake, Without: n.Without, People: n.People}
	p.Seconds, err = r.Seconds(ctx, n.ToMake, func() ([]byte, error) {
		first, err := v.store.FacesWithoutVector(ctx, collection, r.Space(), "", 1)
		if err != nil || len(first) == 0 {
			return nil, err
		}
		return v.store.Crop(ctx, collection, first[0])
	})
	if errors.Is(err, store.ErrNotFound) {
		err = nil // it was deleted meanwhile
	}
	return p, err
}

// embedAll makes the vectors of crops that have none of the network of r, and counts them in n.
func (v *Service) embedAll(ctx context.Context, s steps, r *people.Refit, n *int) error {
	const together = 100
	for after := ""; ; {
		faces, err := v.store.FacesWithoutVector(ctx, s.j.Collection, r.Space(), after, together)
		if err != nil {
			return err
		}
		for _, id := range faces {
			after = id
			crop, err := v.store.Crop(ctx, s.j.Collection, id)
			if errors.Is(err, store.ErrNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			vector, err := r.Vector(ctx, crop)
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err != nil {
				continue // the crop cannot be used by this network
			}
			*n++
			s.total = max(s.total, s.j.Done+1)
			err = v.store.PutVector(s.in(ctx, s.j.Done+1), s.j.Collection, id, r.Space(), vector)
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

// compareRefit sets in result how the live recogniser and one that is trained on changes
// recognise held-out faces.
func compareRefit(ctx context.Context, result *RefitResult, r *people.Refit, changes store.Changes) error {
	live, candidate, err := r.Recognisers(ctx, changes)
	if err != nil || live == nil {
		return err
	}
	if candidate == nil {
		result.Verdict = "worse" // a person would be missing
		return nil
	}
	before, err := heldOut(ctx, live)
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
	right, namedStrangers map[string]bool // IDs: with the right name; of strangers with a name
}

func heldOut(ctx context.Context, r *faces.Recogniser) (*tally, error) {
	m := r.Model()
	all, err := m.HeldOut(ctx, nil)
	if err != nil {
		return nil, err
	}
	t := &tally{right: map[string]bool{}, namedStrangers: map[string]bool{}}
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
				t.namedStrangers[id] = true
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
	cost := differ(after.namedStrangers, before.namedStrangers)
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

// Decide accepts or discards the result of a refit that is worse, by verb.
func (v *Service) Decide(ctx context.Context, collection, id, verb string) (store.Job, error) {
	j, err := v.Job(ctx, collection, id)
	if err != nil {
		return j, err
	}
	var result RefitResult
	hasResult := j.Kind == kindRefit && j.State == store.Succeeded && json.Unmarshal(j.Result, &result) == nil
	switch {
	case hasResult && verb == "accept" && result.Decision != "needed" && result.Decision != "discarded":
		return j, nil // it is live already
	case !hasResult || result.Decision != "needed":
		return j, people.Clash("the job does not wait for a decision")
	}
	result.Decision = verb + "ed"
	if verb == "accept" { // new faces have no vectors yet
		request := JobRequest{Kind: kindAccepted}
		if _, err := v.Enqueue(ctx,
			store.Job{Collection: j.Collection, Kind: kindRefit, Key: kindAccepted, Payload: people.AsJSON(request)}); err != nil {
			return j, err
		}
	}
	if err := v.store.SetResult(ctx, people.CallerOf(ctx).Actor, j, verb+" refit", people.AsJSON(result)); err != nil {
		return j, err
	}
	return v.Job(ctx, collection, id)
}

// kindAccepted is the kind, in its payload, of a refit that replaces the live recogniser even if
// it is worse.
const kindAccepted = "accepted"
