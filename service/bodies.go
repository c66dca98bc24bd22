package service

import (
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
)

// Each stretch of a body has to arrive within slow. Where memory is short, a body whose
// stretch takes longer than hurry gives its room to another one.
const (
	stretch = 10_000 // bytes
	slow    = 10 * time.Second
	hurry   = 250 * time.Millisecond
)

// A bodyError says why a body is not read further. It is a timeout to huma.
type bodyError struct{ error }

func (bodyError) Timeout() bool   { return true }
func (bodyError) Temporary() bool { return true }
func (e bodyError) Unwrap() error { return e.error }

var (
	errSlow   = bodyError{huma.NewError(http.StatusRequestTimeout, "the body of the request arrives too slowly: send it again")}
	errNoRoom = bodyError{errBusy}
)

// A bodies has the bodies of all requests. They count for memory as they arrive, whatever
// they announce, until the answer begins.
type bodies struct {
	most, mostEach int64 // bytes of all, and of one actor

	mu   sync.Mutex
	held int64
	of   map[string]int64 // by actor
	all  map[*arriving]struct{}
}

func newBodies(most, largest int64) *bodies {
	return &bodies{most: most, mostEach: max(most/2, min(largest, most)), of: map[string]int64{}, all: map[*arriving]struct{}{}}
}

// An arriving is the body of a request. Its fields are guarded by bodies.mu, but the first
// ones, which stay as they are.
type arriving struct {
	io.ReadCloser
	bodies  *bodies
	control *http.ResponseController
	req     *request
	end     time.Time // when all of it has to be there

	streams bool // what arrives is not kept, or not any more
	actor   string
	held    int64
	ended   bool // another one has its room

	waits bool      // a read waits for the client
	since time.Time // of the stretch, without the time in which nobody reads
	left  time.Time // when the last read ended
	bytes int64     // of the stretch
}

// receive returns the body of a request, of which everything has to be there after a time.
func (b *bodies) receive(w http.ResponseWriter, body io.ReadCloser, req *request, long time.Duration, streams bool) *arriving {
	at := time.Now()
	a := &arriving{ReadCloser: body, bodies: b, control: http.NewResponseController(w), req: req, end: at.Add(long), streams: streams, since: at, left: at}
	a.until(at.Add(slow)) // also if nobody reads it
	b.mu.Lock()
	defer b.mu.Unlock()
	b.all[a] = struct{}{}
	return a
}

// until sets the time at which a read fails; a test has none.
func (a *arriving) until(t time.Time) { _ = a.control.SetReadDeadline(t) }

func (a *arriving) Read(p []byte) (int, error) {
	if !a.begin() {
		return 0, errSlow
	}
	n, err := a.ReadCloser.Read(p)
	return n, a.came(int64(n), err)
}

func (a *arriving) begin() bool {
	a.bodies.mu.Lock()
	defer a.bodies.mu.Unlock()
	if a.ended {
		return false
	}
	a.since = a.since.Add(time.Since(a.left))
	a.waits = true
	until := a.since.Add(slow)
	if a.end.Before(until) {
		until = a.end
	}
	a.until(until)
	return true
}

// came counts what a read has returned.
func (a *arriving) came(n int64, err error) error {
	b := a.bodies
	b.mu.Lock()
	defer b.mu.Unlock()
	a.waits, a.left = false, time.Now()
	if a.bytes += n; a.bytes >= stretch {
		a.since, a.bytes = a.left, 0
	}
	switch {
	case a.ended, errors.Is(err, os.ErrDeadlineExceeded):
		return errSlow
	case !a.streams && !b.reserve(a, n):
		return errNoRoom
	case errors.Is(err, io.EOF):
		a.until(time.Time{}) // from now on only the client's leaving is waited for
	}
	return err
}

// reserve takes room for n more bytes of a, from slow bodies if there is none.
func (b *bodies) reserve(a *arriving, n int64) bool {
	a.actor = a.req.actor
	for {
		own := b.of[a.actor]+n > b.mostEach
		if !own && b.held+n <= b.most {
			break
		}
		var slowest *arriving
		for o := range b.all {
			if o.waits && o.held > 0 && (!own || o.actor == a.actor) && a.left.Sub(o.since) > hurry && (slowest == nil || o.since.Before(slowest.since)) {
				slowest = o
			}
		}
		if slowest == nil {
			return false
		}
		slowest.ended = true
		b.count(slowest, -slowest.held)
		slowest.until(time.Unix(1, 0)) // its read returns
	}
	b.count(a, n)
	return true
}

// count adds n bytes to what a body holds.
func (b *bodies) count(a *arriving, n int64) {
	a.held, b.held = a.held+n, b.held+n
	if b.of[a.actor] += n; b.of[a.actor] == 0 {
		delete(b.of, a.actor)
	}
}

// release gives the room of a body back; what still arrives is not kept.
func (a *arriving) release() {
	if a == nil {
		return
	}
	a.bodies.mu.Lock()
	defer a.bodies.mu.Unlock()
	a.streams = true
	a.bodies.count(a, -a.held)
	delete(a.bodies.all, a)
}
