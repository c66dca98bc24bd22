package store

import (
	"context"
	"encoding/json"
	"strings"
	"time"
)

// Events that hooks may ask for.
var Events = []string{"faces.added", "person.changed", "person.erased", "job.finished", "photo.known", "photo.unknown", "photo.none"}

// An Event is the content of a message. It has ids and no names.
type Event struct {
	Event      string          `json:"event"`
	Collection string          `json:"collection"`
	At         time.Time       `json:"at"`
	Operation  string          `json:"operation,omitempty"`
	Person     string          `json:"person,omitempty"`
	Faces      []string        `json:"faces,omitempty"`
	Job        string          `json:"job,omitempty"`
	Kind       string          `json:"kind,omitempty"`
	State      string          `json:"state,omitempty"`
	Photo      json.RawMessage `json:"photo,omitempty"` // of photo.known, photo.unknown and photo.none: JSON of the caller of Emit
}

// A Hook is an address that gets messages.
type Hook struct {
	ID, URL string
	Secret  string
	Events  []string
	Names   bool
	Created time.Time
}

func (h *Hook) columns() []any {
	return []any{&h.ID, &h.URL, &h.Secret, (*words)(&h.Events), &h.Names, (*micros)(&h.Created)}
}

const (
	hookColumns = "SELECT id, url, secret, events, names, created FROM hook "
	hookByID    = hookColumns + "WHERE collection = $1 AND id = $2"
)

// CreateHook adds a hook, and returns it with its ID, secret and time.
func (s Queue) CreateHook(ctx context.Context, actor, collection string, h Hook) (Hook, error) {
	h.ID, h.Secret, h.Created = NewID(), newSecret(), now()
	names := 0
	if h.Names {
		names = 1
	}
	return h, s.change(ctx, actor, collection, func(t *tx) {
		t.exec("INSERT INTO hook (collection, id, url, secret, events, names, created) VALUES ($1, $2, $3, $4, $5, $6, $7)",
			collection, h.ID, h.URL, h.Secret, " "+strings.Join(h.Events, " ")+" ", names, h.Created.UnixMicro())
		t.audit("create hook", h.ID)
	})
}

// Hooks returns the hooks of a collection, the oldest first.
func (s Queue) Hooks(ctx context.Context, collection string) ([]Hook, error) {
	return list[Hook](ctx, s.read, hookColumns+"WHERE collection = $1 ORDER BY id", collection)
}

// Hook returns the hook with this id.
func (s Queue) Hook(ctx context.Context, collection, id string) (Hook, error) {
	return one[Hook](ctx, "hook", s.read, hookByID, collection, id)
}

// DeleteHook removes a hook with its messages.
func (s Queue) DeleteHook(ctx context.Context, actor, collection, id string) error {
	return s.change(ctx, actor, collection, func(t *tx) {
		t.must("hook", "DELETE FROM hook WHERE collection = $1 AND id = $2", collection, id)
		t.exec("DELETE FROM job WHERE collection = $1 AND hook = $2", collection, id)
		t.audit("delete hook", id)
	})
}

// Emit adds a message about an event for each hook of a collection that asks for it.
func (s Queue) Emit(ctx context.Context, collection string, e Event) error {
	return s.inTx(ctx, "", func(t *tx) {
		t.collection = collection
		t.emit(e)
	})
}

// emit adds a message for each hook that asks for e.
func (t *tx) emit(e Event) {
	for _, hook := range rows[string](t, "SELECT id FROM hook WHERE collection = $1 AND events LIKE $2", t.collection, "% "+e.Event+" %") {
		t.putMessage(hook, e)
	}
}

func (t *tx) putMessage(hook string, e Event) Job {
	e.Collection, e.At = t.collection, t.at
	body, err := json.Marshal(e)
	t.fail(err)
	return t.putJob(Job{Collection: t.collection, Kind: KindMessage, Hook: hook, Payload: body})
}

// TestHook adds a message with the event ping for a hook, and returns it.
func (s Queue) TestHook(ctx context.Context, collection, hook string) (j Job, err error) {
	err = s.inTx(ctx, "", func(t *tx) {
		t.collection = collection
		row[Hook](t, "hook", hookByID, collection, hook)
		j = t.putMessage(hook, Event{Event: "ping"})
	})
	return j, err
}
