package api

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"path"
	"slices"
	"strings"

	"nrdl.example/nrdl/server/jobs"
	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

// onceHeader has the key of a request that is carried out once, even if it is sent again.
const (
	onceHeader = "Idempotency-Key"
	longestKey = 200 // characters
)

// Ends of routes: a POST to the first changes nothing; the answers of the second have a secret
// and are not stored.
var (
	harmless = []string{"identify", "verify", "compare", "search", "detect", "session"}
	secret   = []string{"keys", "hooks"}
)

// once answers r by do. If r has the key of an earlier request, it sends the answer to that
// one again instead.
func (v *Service) once(w http.ResponseWriter, r *http.Request, do func(http.ResponseWriter, *http.Request)) {
	key := r.Header.Get(onceHeader)
	if key == "" || r.Method != http.MethodPost || slices.Contains(harmless, path.Base(r.Pattern)) {
		do(w, r)
		return
	}
	if len(key) > longestKey {
		v.fail(w, r, people.Invalid("%s has more than %d characters", onceHeader, longestKey))
		return
	}
	d := newDigest(r.Header.Get("Content-Type"))
	defer d.Close()
	read := struct {
		io.Reader
		io.Closer
	}{io.TeeReader(r.Body, d), r.Body}

	keyed := &store.Request{Actor: requestOf(r.Context()).Actor, Key: key, Collection: r.PathValue("collection"), Route: r.URL.Path}
	earlier, err := v.store.BeginRequest(r.Context(), keyed, v.Lease)
	if err == nil && earlier != nil {
		err = v.replay(w, earlier, r.URL.Path, read, d)
	}
	if err != nil {
		v.fail(w, r, err)
	}
	if err == nil && earlier == nil {
		v.answerOnce(w, r, keyed, read, d, do)
	}
}

// answerOnce answers r by do and stores the answer.
func (v *Service) answerOnce(w http.ResponseWriter, r *http.Request, keyed *store.Request,
	body io.ReadCloser, d *digest, do func(http.ResponseWriter, *http.Request),
) {
	answer := &recorder{ResponseWriter: w, copy: &bytes.Buffer{}}
	ctx, cancel := context.WithCancelCause(store.WithRequest(r.Context(), keyed))
	defer cancel(nil)
	leased := *keyed
	go jobs.Beat(ctx, cancel, v.Lease, func(ctx context.Context) error { return v.store.ExtendRequest(ctx, &leased, v.Lease) })
	inner := r.WithContext(ctx)
	inner.Body = body
	end := context.WithoutCancel(r.Context())
	defer func() {
		if keyed.Status == 0 { // also after a panic
			_ = v.store.DropRequest(end, keyed) // if this fails, the request is not carried out again
		}
	}()
	do(answer, inner)
	if _, err := io.Copy(io.Discard, body); err != nil || answer.status >= 300 || answer.status == 0 {
		return
	}
	keyed.Status, keyed.Type, keyed.Digest, keyed.Answer = answer.status, w.Header().Get("Content-Type"), d.Sum(), answer.copy.Bytes()
	if slices.Contains(secret, path.Base(r.Pattern)) {
		keyed.Answer = nil
	}
	if err := v.store.PutAnswer(end, keyed); err != nil {
		v.Log.Error("answer not kept", "request", requestOf(ctx).ID, "error", err.Error())
	}
}

// replay sends the answer to an earlier request with the same key again.
func (v *Service) replay(w http.ResponseWriter, earlier *store.Request, route string, body io.Reader, d *digest) error {
	switch {
	case earlier.Route != route:
		return coded("idempotency_key_reused", people.Invalid("%s", "another request had this "+onceHeader))
	case earlier.Status == 0 && earlier.HasChanges && earlier.IsAbandoned():
		return coded("answer_lost", people.Clash("%s", "the request with this "+onceHeader+
			" has changed something, and its answer is lost: look what there is, and send another key if something is missing"))
	case earlier.Status == 0:
		return headed(coded("in_progress", people.Clash("%s", "the request with this "+onceHeader+" is being carried out")), "Retry-After", "1")
	}
	if _, err := io.Copy(io.Discard, body); err != nil {
		return asCut(err)
	}
	if d.Sum() != earlier.Digest {
		return coded("idempotency_key_reused", people.Invalid("%s", "another request, with another body, had this "+onceHeader))
	}
	if len(earlier.Answer) == 0 && earlier.Status == http.StatusOK {
		return coded("answer_shown_once",
			people.Clash("%s", "the request with this "+onceHeader+" was carried out, and its answer is shown once"))
	}
	if earlier.Type != "" {
		w.Header().Set("Content-Type", earlier.Type)
	}
	w.Header().Set("Idempotent-Replayed", "true")
	w.WriteHeader(earlier.Status)
	_, err := w.Write(earlier.Answer)
	if errors.Is(err, http.ErrBodyNotAllowed) {
		err = nil
	}
	return err
}

// A digest computes a hash of a body. The hash of a form does not depend on the boundary
// between its parts, which clients choose at random.
type digest struct {
	hash  hash.Hash
	parts *io.PipeWriter // nil unless it is a form
	end   chan struct{}
}

func newDigest(contentType string) *digest {
	d := &digest{hash: sha256.New()}
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil || !strings.HasPrefix(kind, "multipart/") || params["boundary"] == "" {
		return d
	}
	var r *io.PipeReader
	r, d.parts = io.Pipe()
	d.end = make(chan struct{})
	go func() {
		defer close(d.end)
		form := multipart.NewReader(r, params["boundary"])
		for {
			p, err := form.NextPart()
			if err != nil {
				fmt.Fprintf(d.hash, "%v", errors.Is(err, io.EOF))
				break
			}
			fmt.Fprintf(d.hash, "%q %q ", p.FormName(), p.FileName())
			inner := sha256.New()
			_, _ = io.Copy(inner, p) // NextPart returns the error
			d.hash.Write(inner.Sum(nil))
		}
		_, _ = io.Copy(io.Discard, r)
	}()
	return d
}

func (d *digest) Write(b []byte) (int, error) {
	if d.parts != nil {
		return d.parts.Write(b)
	}
	return d.hash.Write(b)
}

// Close ends the goroutine of the digest.
func (d *digest) Close() {
	if d.parts != nil {
		d.parts.Close()
		<-d.end
	}
}

// Sum returns the hash of what was written.
func (d *digest) Sum() string {
	d.Close()
	return hex.EncodeToString(d.hash.Sum(nil))
}
