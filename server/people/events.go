package people

import (
	"context"

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
	Faces []PhotoFace `json:"faces"`
}

// notifyHooks adds messages about the faces of a photograph for the hooks that ask for them.
func (v *Service) notifyHooks(ctx context.Context, s *snapshot, p Photograph) {
	var content PhotoEvent
	happened := map[string]bool{} // events
	for _, f := range p.Faces {
		v.Count("nrdl_faces_identified_total", "decision", f.Decision)
		o := PhotoFace{Decision: f.Decision, Probability: f.Probability}
		if f.Person != nil {
			o.Person = *f.Person
		}
		content.Faces = append(content.Faces, o)
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
