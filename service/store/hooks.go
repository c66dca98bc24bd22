package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Events that hooks may ask for.
var Events = []string{"faces.added", "person.changed", "person.erased", "job.finished", "photo.known", "photo.unknown"}

// An Event is what a message tells of. It has ids and no names.
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
	Photo      json.RawMessage `json:"photo,omitempty"` // the caller's
}

// A Hook is an address that gets messages.
type Hook struct {
	ID, URL string
	Secret  string
	Events  []string
	Names   bool
	Created time.Time
}

func scanHook(r *sql.Rows) (h Hook, err error) {
	var events string
	var created int64
	err = r.Scan(&h.ID, &h.URL, &h.Secret, &events, &h.Names, &created)
	h.Events, h.Created = strings.Fields(events), timeOf(created)
	return h, err
}

const hookColumns = "SELECT id, url, secret, events, names, created FROM hook "

// CreateHook adds a hook, and fills in what the Store decides on.
func (s *Store) CreateHook(ctx context.Context, actor, collection string, h Hook) (Hook, error) {
	h.ID, h.Secret, h.Created = NewID(), newSecret(), now()
	names := 0
	if h.Names {
		names = 1
	}
	return h, s.change(ctx, actor, collection, func(c *change) error {
		if _, err := c.exec("INSERT INTO hook (collection, id, url, secret, events, names, created) VALUES ($1, $2, $3, $4, $5, $6, $7)",
			h.ID, h.URL, h.Secret, " "+strings.Join(h.Events, " ")+" ", names, h.Created.UnixMicro()); err != nil {
			return err
		}
		return audit(ctx, c.Tx, actor, "create hook", h.ID)
	})
}

// Hooks returns those of a collection, the oldest first.
func (s *Store) Hooks(ctx context.Context, collection string) ([]Hook, error) {
	return list(ctx, s.read, scanHook, hookColumns+"WHERE collection = $1 ORDER BY id", collection)
}

// Hook returns the one with this id.
func (s *Store) Hook(ctx context.Context, collection, id string) (Hook, error) {
	return one(ctx, "hook", s.read, scanHook, hookColumns+"WHERE collection = $1 AND id = $2", collection, id)
}

// DeleteHook removes a hook with its messages.
func (s *Store) DeleteHook(ctx context.Context, actor, collection, id string) error {
	return s.change(ctx, actor, collection, func(c *change) error {
		if err := c.must("hook", "DELETE FROM hook WHERE collection = $1 AND id = $2", id); err != nil {
			return err
		}
		if _, err := c.exec("DELETE FROM job WHERE collection = $1 AND hook = $2", id); err != nil {
			return err
		}
		return audit(ctx, c.Tx, actor, "delete hook", id)
	})
}

// Emit sends an event to the hooks of a collection that ask for it.
func (s *Store) Emit(ctx context.Context, collection string, e Event) error {
	return s.inTx(ctx, func(tx *sql.Tx) error { return emit(ctx, tx, collection, e) })
}

// emit writes a message for each hook that asks for e.
func emit(ctx context.Context, tx *sql.Tx, collection string, e Event) error {
	hooks, err := list(ctx, tx, scanString, "SELECT id FROM hook WHERE collection = $1 AND events LIKE $2", collection, "% "+e.Event+" %")
	if err != nil || len(hooks) == 0 {
		return err
	}
	e.Collection, e.At = collection, now()
	for _, h := range hooks {
		if _, err := putMessage(ctx, tx, collection, h, e); err != nil {
			return err
		}
	}
	return nil
}

func putMessage(ctx context.Context, tx *sql.Tx, collection, hook string, e Event) (Job, error) {
	body, err := json.Marshal(e)
	if err != nil {
		return Job{}, fmt.Errorf("event: %w", err)
	}
	return putJob(ctx, tx, Job{Collection: collection, Kind: KindMessage, Hook: hook, Payload: body})
}

// TestHook sends an event to one hook, whether it asks for it or not, and returns the message.
func (s *Store) TestHook(ctx context.Context, collection, hook string) (j Job, err error) {
	err = s.inTx(ctx, func(tx *sql.Tx) error {
		if _, err := one(ctx, "hook", tx, scanHook, hookColumns+"WHERE collection = $1 AND id = $2", collection, hook); err != nil {
			return err
		}
		j, err = putMessage(ctx, tx, collection, hook, Event{Event: "ping", Collection: collection, At: now()})
		return err
	})
	return j, err
}

// emit is emit of an event of the change.
func (c *change) emit(e Event) error { return emit(c.ctx, c.Tx, c.collection, e) }
