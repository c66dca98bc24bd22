package store

import (
	"context"
	"time"
)

// A Request has an Idempotency-Key: it is carried out once, however often it is sent. It is
// identified by Actor and Key.
type Request struct {
	Actor, Key string
	Collection string // id; "" if the request is about no collection
	Route      string
	HasChanges bool
	Status     int // HTTP status of the answer; 0 while there is no answer
	Type       string
	Digest     string // of the body of the request
	Answer     []byte
	start, due int64 // when it began; end of the time in which nobody else may carry it out
}

func (r *Request) columns() []any {
	return []any{&r.Actor, &r.Key, &r.Collection, &r.Route, &r.HasChanges, &r.Status, &r.Type, &r.Digest, &r.Answer, &r.start, &r.due}
}

// IsAbandoned reports whether the lease of r has ended, so that no process carries out r.
func (r *Request) IsAbandoned() bool { return r.due <= now().UnixMicro() }

type requestKey struct{}

// WithRequest returns a context. A change of the Store that is made with it notes, in the same
// transaction, that r has changes.
func WithRequest(ctx context.Context, r *Request) context.Context {
	return context.WithValue(ctx, requestKey{}, r)
}

// noteRequest notes for the request of the context that it has changes. It fails if the
// request has lost its key.
func (t *tx) noteRequest() {
	r, ok := t.ctx.Value(requestKey{}).(*Request)
	if ok && t.exec("UPDATE once SET changed = 1 WHERE actor = $1 AND key = $2 AND at = $3", r.Actor, r.Key, r.start) == 0 {
		t.fail(conflict("another request has this key"))
	}
}

// BeginRequest notes that this process carries out r, and returns nil. If an earlier request of
// the actor has the key, it returns that one, and r must not be carried out. Until the lease ends,
// no other request with this key is carried out; ExtendRequest prolongs it. Once it is over, another
// one may be, unless r has stored an answer or changed something.
func (s Access) BeginRequest(ctx context.Context, r *Request, lease time.Duration) (earlier *Request, err error) {
	err = s.inTx(ctx, r.Actor, func(t *tx) {
		r.start, r.due = t.at.UnixMicro(), t.at.Add(lease).UnixMicro()
		earlier = nil
		for _, e := range rows[Request](t,
			"SELECT actor, key, collection, route, changed, status, type, digest, answer, at, due FROM once WHERE actor = $1 AND key = $2",
			r.Actor, r.Key) {
			stale := e.start < t.at.Add(-ageOfRequests).UnixMicro()
			if !stale && (e.Status != 0 || e.HasChanges || !e.IsAbandoned()) {
				earlier = &e
				return
			}
			t.exec("DELETE FROM once WHERE actor = $1 AND key = $2", r.Actor, r.Key)
		}
		t.exec("INSERT INTO once (actor, key, collection, route, changed, status, type, digest, answer, at, due) VALUES ($1, $2, $3, $4, 0, 0, '', '', $5, $6, $7)",
			r.Actor, r.Key, r.Collection, r.Route, []byte{}, r.start, r.due)
	})
	return earlier, err
}

// ExtendRequest prolongs the lease of r. It returns ErrLost if another request has the key.
func (s Access) ExtendRequest(ctx context.Context, r *Request, lease time.Duration) error {
	n, err := exec(ctx, s.write, "UPDATE once SET due = $4 WHERE actor = $1 AND key = $2 AND at = $3",
		r.Actor, r.Key, r.start, now().Add(lease).UnixMicro())
	if err == nil && n == 0 {
		err = ErrLost
	}
	return err
}

// PutAnswer stores the answer to r.
func (s Access) PutAnswer(ctx context.Context, r *Request) error {
	_, err := s.write.ExecContext(ctx,
		"UPDATE once SET status = $3, type = $4, digest = $5, answer = $6 WHERE actor = $1 AND key = $2 AND at = $7",
		r.Actor, r.Key, r.Status, r.Type, r.Digest, append([]byte{}, r.Answer...), r.start)
	return err
}

// DropRequest removes r, unless r has changes: another request may then have its key.
func (s Access) DropRequest(ctx context.Context, r *Request) error {
	_, err := s.write.ExecContext(ctx, "DELETE FROM once WHERE actor = $1 AND key = $2 AND changed = 0 AND at = $3", r.Actor, r.Key, r.start)
	return err
}
