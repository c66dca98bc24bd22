package people

import (
	"context"
	"time"

	"nrdl.example/nrdl/server/store"
)

// A PhotoFace is a face of a photograph in a message.
type PhotoFace struct {
	Decision    string   `json:"decision"`
	Person      string   `json:"person,omitempty"`
	Probability *float64 `json:"probability"`
}

// A PhotoEvent is the content of a message about a photograph.
type PhotoEvent struct {
	Faces     []PhotoFace `json:"faces"`
	Source    string      `json:"source,omitempty"`
	Reference string      `json:"reference,omitempty"`
}

// A Sighting is a photograph that Identify has looked at.
type Sighting struct {
	Collection string // id
	Time       time.Time
	Photograph Photograph // shared: it is only read
}

// tell calls Seen, and adds messages about the faces of a photograph for the hooks that ask for them.
func (v *Service) tell(ctx context.Context, s *snapshot, p Photograph) {
	at := time.Now().UTC().Truncate(time.Microsecond) // as the store keeps it
	v.Seen(Sighting{s.ID, at, p})
	content := PhotoEvent{Faces: []PhotoFace{}, Source: p.Source, Reference: p.Reference}
	happened := map[string]bool{"photo.none": len(p.Faces) == 0} // events
	for _, f := range p.Faces {
		v.Count("nrdl_faces_identified_total", "decision", f.Decision)
		o := PhotoFace{Decision: f.Decision, Probability: f.Probability}
		if f.Person != nil {
			o.Person = *f.Person
		}
		content.Faces = append(content.Faces, o)
		if f.Decision == "known" {
			v.sightings.note(s.ID, store.Visit{ID: o.Person, At: at, Source: p.Source, Reference: p.Reference})
		}
		happened["photo.known"] = happened["photo.known"] || f.Decision == "known"
		happened["photo.unknown"] = happened["photo.unknown"] || f.Decision == "unknown" || f.Decision == "doubtful"
	}
	for event, yes := range happened {
		if !yes || !s.events[event] {
			continue
		}
		if err := v.store.Emit(ctx, s.ID, store.Event{Event: event, Photo: AsJSON(content)}); err != nil {
			v.Log.Error("message not sent", "request", CallerOf(ctx).ID, "error", err.Error())
		}
	}
}
