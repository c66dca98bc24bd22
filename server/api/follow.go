package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"net/http"
	"slices"
	"sync"
	"time"

	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

// followRoute is the route that tells a page when to ask again. A page asks for it as long as it is
// open, so it is logged only if it failed.
const followRoute = "GET /v1/events"

// present remembers for a moment what collections there are: many clients may follow them.
type present struct {
	mu   sync.Mutex
	time time.Time
	all  []store.Collection
}

// collections returns the collections that a key for only, none for all, may see, at most a second
// old.
func (p *present) collections(ctx context.Context, db *store.Store, only []string) ([]store.Collection, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.time) >= time.Second {
		all, err := db.Collections(ctx, "", math.MaxInt32)
		if err != nil {
			return nil, err
		}
		p.all, p.time = all, time.Now()
	}
	var some []store.Collection
	for _, c := range p.all {
		if len(only) == 0 || slices.Contains(only, c.ID) {
			some = append(some, c)
		}
	}
	return some, nil
}

// stateOf is the same for collections that have the same ids, names and versions.
func stateOf(all []store.Collection) string {
	hash := sha256.New()
	for _, c := range all {
		fmt.Fprintf(hash, "%s %q %d\n", c.ID, c.Name, c.Seq)
	}
	return hex.EncodeToString(hash.Sum(nil)[:8])
}

// follow sends an event when a collection has changed, until the time of a request is over: then the
// client asks again by itself.
func (v *Service) follow(w http.ResponseWriter, r *http.Request) error {
	seen, only := r.Header.Get("Last-Event-ID"), requestOf(r.Context()).key.Collections
	all, err := v.present.collections(r.Context(), v.store, only)
	if err != nil {
		return err
	}
	out, done, err := v.stream(w)
	if err != nil {
		return err
	}
	defer done()
	for err == nil {
		state := stateOf(all)
		if state != seen {
			out.event(state, "collections", struct{}{})
			seen = state
		}
		if !out.wait(r.Context(), time.Second, v.Stopping) {
			return nil
		}
		all, err = v.present.collections(r.Context(), v.store, only)
	}
	return nil // the client comes back, and gets the error then
}

// A stream sends events to a client.
type stream struct {
	*patient
	last time.Time // when something was sent
}

// stream begins to send events. The caller calls done in the end.
func (v *Service) stream(w http.ResponseWriter) (s *stream, done func(), err error) {
	if !v.following.TryAcquire(1) {
		return nil, nil, errBusy
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no") // for nginx
	s = &stream{&patient{w, http.NewResponseController(w)}, time.Now()}
	fmt.Fprint(s, "retry: 1000\n\n")
	return s, func() { v.following.Release(1) }, nil
}

// event sends one with an id, after which the client asks next.
func (s *stream) event(id, name string, data any) {
	fmt.Fprintf(s, "id: %s\nevent: %s\ndata: %s\n\n", id, name, people.AsJSON(data))
	s.last = time.Now()
}

// wait waits for a time. It reports whether the stream goes on.
func (s *stream) wait(ctx context.Context, d time.Duration, stopping <-chan struct{}) bool {
	const quiet = 15 * time.Second
	if time.Since(s.last) > quiet {
		fmt.Fprint(s, ": still there\n\n")
		s.last = time.Now()
	}
	if s.control.Flush() != nil {
		return false
	}
	people.Pause(ctx, d, stopping)
	select {
	case <-stopping:
		return false
	case <-ctx.Done():
		return false
	default:
		return true
	}
}
