package api

import (
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"nrdl.example/nrdl/server/people"
)

// Limits of bodies.
const (
	partSize = 10_000                 // bytes
	hurry    = 250 * time.Millisecond // if memory is short, a body that takes longer for a part gives its memory to another one

	// What is left of a body when its answer is written. Many clients read no answer before they
	// have sent all, and a connection that is closed meanwhile takes the answer from them.
	restTimes  = 4                // as many bytes as the body may have
	restPart   = 256 << 10        // net/http itself reads up to so many bytes; of a longer rest, each part of this size ...
	restPause  = 5 * time.Second  // ... has to arrive in this time
	restWithin = 30 * time.Second // and all in this
)

// A bodyError says why the rest of a body is not read. huma takes it for a timeout.
type bodyError struct{ error }

func (bodyError) Timeout() bool   { return true }
func (bodyError) Temporary() bool { return true }
func (e bodyError) Unwrap() error { return e.error }

var (
	errSlow   = bodyError{people.Failed(http.StatusRequestTimeout, "the body of the request arrives too slowly: send it again")}
	errNoRoom = bodyError{errBusy}
)

// bodies bounds the memory of the bodies of all requests. Their bytes count when they arrive,
// until the answer begins.
type bodies struct {
	limit, maxEach int64         // bytes of all, and of one actor
	partTime       time.Duration // for a part to arrive

	mu      sync.Mutex
	bytes   int64
	byActor map[string]int64
	all     map[*arriving]struct{}
}

// inUse returns the bytes that are in memory.
func (b *bodies) inUse() int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.bytes
}

func newBodies(limit, largest int64, partTime time.Duration) *bodies {
	return &bodies{
		limit: limit, maxEach: max(limit/2, min(largest, limit)), partTime: partTime,
		byActor: map[string]int64{}, all: map[*arriving]struct{}{},
	}
}

// An arriving is the body of a request. The fields after the first group are guarded by
// bodies.mu.
type arriving struct {
	io.ReadCloser
	bodies  *bodies
	control *http.ResponseController
	req     *request
	end     time.Time // deadline of the whole body

	isComplete bool  // no more of it can be read
	total      int64 // bytes that were read
	isStreamed bool  // its bytes are not kept in memory, or no longer
	actor      string
	bytes      int64 // in memory
	isEvicted  bool  // another body has got its memory

	isWaiting bool      // a read waits for the client
	partStart time.Time // without the time between two reads
	lastRead  time.Time // its end
	partBytes int64
}

// receive returns the body of a request, which has to arrive within limit.
func (b *bodies) receive(w http.ResponseWriter, body io.ReadCloser, req *request, limit time.Duration, streams bool) *arriving {
	start := time.Now()
	a := &arriving{
		ReadCloser: body, bodies: b, control: http.NewResponseController(w), req: req,
		end: start.Add(limit), isStreamed: streams, partStart: start, lastRead: start,
	}
	a.setDeadline(start.Add(b.partTime)) // also if nobody reads it
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all[a] = struct{}{}
	return a
}

// setDeadline sets the time at which a read fails. Connections of some tests have none.
func (a *arriving) setDeadline(t time.Time) { _ = a.control.SetReadDeadline(t) }

func (a *arriving) Read(p []byte) (int, error) {
	if !a.begin() {
		return 0, errSlow
	}
	n, err := a.ReadCloser.Read(p)
	return n, a.count(int64(n), err)
}

func (a *arriving) begin() bool {
	a.bodies.mu.Lock()
	defer a.bodies.mu.Unlock()
	if a.isEvicted {
		return false
	}
	a.partStart = a.partStart.Add(time.Since(a.lastRead))
	a.isWaiting = true
	deadline := a.partStart.Add(a.bodies.partTime)
	if a.end.Before(deadline) {
		deadline = a.end
	}
	a.setDeadline(deadline)
	return true
}

// count counts the n bytes that a read has returned with err, and returns the error of the read.
func (a *arriving) count(n int64, err error) error {
	b := a.bodies
	b.mu.Lock()
	defer b.mu.Unlock()
	a.isWaiting, a.lastRead = false, time.Now()
	a.total += n
	a.isComplete = a.isComplete || err != nil || a.isEvicted
	if a.partBytes += n; a.partBytes >= partSize {
		a.partStart, a.partBytes = a.lastRead, 0
	}
	switch {
	case a.isEvicted, errors.Is(err, os.ErrDeadlineExceeded):
		return errSlow
	case !a.isStreamed && !b.reserve(a, n):
		return errNoRoom
	case errors.Is(err, io.EOF):
		a.setDeadline(time.Time{}) // the next reads only notice that the client leaves
	}
	return err
}

// reserve takes memory for n more bytes of a, if necessary from slow bodies.
func (b *bodies) reserve(a *arriving, n int64) bool {
	a.actor = a.req.Actor
	for {
		actorFull := b.byActor[a.actor]+n > b.maxEach
		if !actorFull && b.bytes+n <= b.limit {
			break
		}
		var slowest *arriving
		for o := range b.all {
			isSlow := o.isWaiting && o.bytes > 0 && a.lastRead.Sub(o.partStart) > hurry
			if isSlow && (!actorFull || o.actor == a.actor) && (slowest == nil || o.partStart.Before(slowest.partStart)) {
				slowest = o
			}
		}
		if slowest == nil {
			return false
		}
		slowest.isEvicted = true
		b.add(slowest, -slowest.bytes)
		slowest.setDeadline(time.Unix(1, 0)) // its read returns
	}
	b.add(a, n)
	return true
}

// add adds n to the bytes of a body.
func (b *bodies) add(a *arriving, n int64) {
	a.bytes, b.bytes = a.bytes+n, b.bytes+n
	if b.byActor[a.actor] += n; b.byActor[a.actor] == 0 {
		delete(b.byActor, a.actor)
	}
}

// release frees the memory of a body. Bytes that arrive later are not kept.
func (a *arriving) release() {
	if a == nil {
		return
	}
	a.bodies.mu.Lock()
	defer a.bodies.mu.Unlock()
	a.isStreamed = true
	a.bodies.add(a, -a.bytes)
	delete(a.bodies.all, a)
}

// finish reads and discards the rest of the body of r after its answer, until stop is closed. The body may
// have limit bytes. The bytes and seconds of the rest are bounded, so that nobody can hold connections by
// it.
func (a *arriving) finish(r *http.Request, limit int64, stop <-chan struct{}) {
	switch {
	case a == nil, a.isComplete, r.ContentLength >= 0 && r.ContentLength-a.total < restPart:
		return
	case a.total == 0 && r.Header.Get("Expect") != "": // the client was not asked to send it
		return
	case a.control.Flush() != nil:
		return
	}
	end := time.Now().Add(restWithin)
	for left := restTimes * limit; left > 0 && time.Now().Before(end); left -= restPart {
		select {
		case <-stop:
			return
		default:
			a.setDeadline(time.Now().Add(restPause))
		}
		if _, err := io.CopyN(io.Discard, a.ReadCloser, restPart); err != nil {
			return
		}
	}
}
