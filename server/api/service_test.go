package api

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"testing"
	"testing/iotest"
	"time"

	"golang.org/x/time/rate"

	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

// zeros are endless.
type zeros struct{}

func (zeros) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// A body that arrives too slowly ends with 408, also for operations that take JSON, and what
// others have sent meanwhile is not lost.
func TestSlowBodies(t *testing.T) {
	t.Parallel()
	v := newBodies(100, 100, 10*time.Second)
	req := &request{Caller: people.Caller{Actor: "a"}}
	w := httptest.NewRecorder()
	first, second := v.receive(w, io.NopCloser(zeros{}), req, time.Minute, false), v.receive(w, io.NopCloser(zeros{}), req, time.Minute, false)
	read := func(a *arriving, n int) error { _, err := a.Read(make([]byte, n)); return err }
	if err := read(first, 60); err != nil {
		t.Fatal(err)
	}
	if err := read(second, 60); err != errNoRoom { // nobody is slow
		t.Fatal(err)
	}
	first.isWaiting, first.partStart = true, time.Now().Add(-time.Second) // as while a read waits
	if err := read(second, 60); err != nil {
		t.Fatal(err)
	}
	if err := read(first, 1); err != errSlow {
		t.Fatal(err)
	}
	if v.bytes != 60 || v.byActor["a"] != 60 {
		t.Fatalf("%d bytes are held", v.bytes)
	}
	second.release()
	if err := read(second, 500); err != nil { // is not kept
		t.Fatal(err)
	}
	first.release()
	if v.bytes != 0 || len(v.byActor) != 0 || len(v.all) != 0 {
		t.Fatalf("%+v", v)
	}
}

// Whoever has gone is told so; whose request the service has ended may send it again.
func TestEndedRequests(t *testing.T) {
	t.Parallel()
	v := &Service{}
	v.Log = slog.New(slog.DiscardHandler)
	for cause, want := range map[error]int{nil: clientGone, store.ErrLost: http.StatusServiceUnavailable} {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(cause)
		if got := v.answerTo(ctx, ctx.Err()).GetStatus(); got != want {
			t.Errorf("%v: %d, not %d", cause, got, want)
		}
	}
}

// Who begins logins without end stops nobody else, and addresses without end take no memory without end.
func TestLoginLimit(t *testing.T) {
	t.Parallel()
	v := &Service{}
	v.Rate, v.Burst, v.limiters = 0, 1, map[string]*rate.Limiter{}
	from := func(peer, forwarded string) bool {
		r := httptest.NewRequest(http.MethodGet, loginPath, nil)
		r.RemoteAddr = peer
		if forwarded != "" {
			r.Header.Set("X-Forwarded-For", forwarded)
		}
		return v.loginLimiter(r).Allow()
	}
	for i, one := range []struct {
		peer, forwarded string
		want            bool
	}{
		{"203.0.113.1:1", "", true},
		{"203.0.113.1:2", "", false},
		{"203.0.113.1:3", "198.51.100.9", false}, // it is no proxy of ours
		{"203.0.113.2:1", "", true},
		{"127.0.0.1:1", "203.0.113.3", true},
		{"127.0.0.1:1", "198.51.100.7, 203.0.113.3", false}, // what the client itself has sent does not count
		{"127.0.0.1:1", "203.0.113.4", true},
	} {
		if got := from(one.peer, one.forwarded); got != one.want {
			t.Errorf("%d: %t, not %t", i, got, one.want)
		}
	}
	for i := range 20_000 {
		from(fmt.Sprintf("198.18.%d.%d:1", i/256, i%256), "")
	}
	if len(v.limiters) > 4096 {
		t.Errorf("%d limiters", len(v.limiters))
	}
}

// One key does not hold the room of others.
func TestRoomOfOneKey(t *testing.T) {
	t.Parallel()
	v := newBodies(100, 10, 10*time.Second)
	w := httptest.NewRecorder()
	body := func(actor string) *arriving {
		return v.receive(w, io.NopCloser(zeros{}), &request{Caller: people.Caller{Actor: actor}}, time.Minute, false)
	}
	read := func(a *arriving, n int) error { _, err := a.Read(make([]byte, n)); return err }
	if err := read(body("a"), 50); err != nil {
		t.Fatal(err)
	}
	if err := read(body("a"), 1); err != errNoRoom {
		t.Fatal(err)
	}
	if err := read(body("b"), 50); err != nil {
		t.Fatal(err)
	}
	if err := read(body("c"), 1); err != errNoRoom {
		t.Fatal(err)
	}
}

// A part is read to the byte, whatever its length, and an error is not taken for its end.
func TestReadPieces(t *testing.T) {
	t.Parallel()
	all := make([]byte, 3<<20)
	for i := range all {
		all[i] = byte(i * 7)
	}
	for _, n := range []int{0, 1, 1 << 20, 1<<20 + 1, 2 << 20, len(all)} {
		got, err := readPieces(iotest.HalfReader(bytes.NewReader(all[:n])))
		if err != nil || !bytes.Equal(got, all[:n]) {
			t.Errorf("%d bytes: %d, %v", n, len(got), err)
		}
		if _, err := readPieces(io.MultiReader(bytes.NewReader(all[:n]), iotest.ErrReader(io.ErrUnexpectedEOF))); !errors.Is(err,
			io.ErrUnexpectedEOF) {
			t.Errorf("%d bytes, cut: %v", n, err)
		}
	}
}

// Each code of an error is documented.
func TestCodesAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../doc/service.md")
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, c := range codes {
		all = append(all, c)
	}
	for _, glob := range []string{"*.go", "../*/*.go"} {
		files, err := filepath.Glob(glob)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range files {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range regexp.MustCompile(`(?:coded\("|\bCode: "|\.Code = "|&Failure\{[^"]*, ")([a-z_]+)"`).FindAllSubmatch(data, -1) {
				all = append(all, string(m[1]))
			}
		}
	}
	for _, c := range all {
		if !bytes.Contains(text, []byte("`"+c+"`")) {
			t.Errorf("doc/service.md does not have the code %s", c)
		}
	}
}
