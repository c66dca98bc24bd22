package service

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

	"github.com/danielgtaylor/huma/v2"

	"nrdl.example/nrdl/service/store"
)

// onceHeader names a request that is to be carried out once, however often it is sent.
const onceHeader = "Idempotency-Key"

// Routes whose POST changes nothing, and those whose answers have a secret, which is not
// stored.
var (
	harmless = []string{"identify", "verify", "detect", "session"}
	secret   = []string{"keys", "hooks"}
)

// once runs do, which answers r, or answers as it did when a request with the same key
// was sent before.
func (v *Service) once(w http.ResponseWriter, r *http.Request, do func(http.ResponseWriter, *http.Request)) {
	key := r.Header.Get(onceHeader)
	if key == "" || r.Method != http.MethodPost || slices.Contains(harmless, path.Base(r.Pattern)) {
		do(w, r)
		return
	}
	const longest = 200
	if len(key) > longest {
		v.fail(w, r, huma.Error422UnprocessableEntity(fmt.Sprintf("%s has more than %d characters", onceHeader, longest)))
		return
	}
	d := newDigest(r.Header.Get("Content-Type"))
	defer d.Close()
	read := struct {
		io.Reader
		io.Closer
	}{io.TeeReader(r.Body, d), r.Body}

	o := &store.Request{Actor: by(r.Context()).actor, Key: key, Collection: r.PathValue("c"), Route: r.URL.Path}
	was, err := v.store.BeginRequest(r.Context(), o, v.Lease)
	switch {
	case err != nil:
		v.fail(w, r, err)
		return
	case was != nil:
		if err := v.again(w, was, r.URL.Path, read, d); err != nil {
			v.fail(w, r, err)
		}
		return
	}
	answer := &capture{ResponseWriter: w}
	ctx, cancel := context.WithCancelCause(store.WithRequest(r.Context(), o))
	defer cancel(nil)
	held := *o
	go v.beat(ctx, cancel, func(ctx context.Context) error { return v.store.ExtendRequest(ctx, &held, v.Lease) })
	r2 := r.WithContext(ctx)
	r2.Body = read
	end := context.WithoutCancel(r.Context())
	defer func() {
		if o.Status == 0 { // also after a panic
			_ = v.store.DropRequest(end, o) // it stays, at worst
		}
	}()
	do(answer, r2)
	if _, err := io.Copy(io.Discard, read); err != nil || answer.status >= 300 || answer.status == 0 {
		return
	}
	o.Status, o.Type, o.Digest, o.Answer = answer.status, w.Header().Get("Content-Type"), d.Sum(), answer.body.Bytes()
	if slices.Contains(secret, path.Base(r.Pattern)) {
		o.Answer = nil
	}
	if err := v.store.PutAnswer(end, o); err != nil {
		v.Log.Error("answer not kept", "request", by(r.Context()).id, "error", err.Error())
	}
}

// again answers a request with the key of another one.
func (v *Service) again(w http.ResponseWriter, was *store.Request, route string, body io.Reader, d *digest) error {
	switch {
	case was.Route != route:
		return huma.Error422UnprocessableEntity("another request had this " + onceHeader)
	case was.Status == 0 && was.HasChanges && was.IsAbandoned():
		return huma.Error409Conflict("the request with this " + onceHeader + " has changed something, and its answer is lost: look what there is, and send another key if something is missing")
	case was.Status == 0:
		return huma.ErrorWithHeaders(huma.Error409Conflict("the request with this "+onceHeader+" is being carried out"), http.Header{"Retry-After": {"1"}})
	}
	if _, err := io.Copy(io.Discard, body); err != nil {
		return asCut(err)
	}
	if d.Sum() != was.Digest {
		return huma.Error422UnprocessableEntity("another request, with another body, had this " + onceHeader)
	}
	if len(was.Answer) == 0 && was.Status == http.StatusOK {
		return huma.Error409Conflict("the request with this " + onceHeader + " was carried out, and its answer is shown once")
	}
	if was.Type != "" {
		w.Header().Set("Content-Type", was.Type)
	}
	w.Header().Set("Idempotent-Replayed", "true")
	w.WriteHeader(was.Status)
	_, err := w.Write(was.Answer)
	if errors.Is(err, http.ErrBodyNotAllowed) {
		err = nil
	}
	return err
}

// A capture keeps an answer beside sending it.
type capture struct {
	http.ResponseWriter
	status int
	body   bytes.Buffer
}

func (c *capture) WriteHeader(status int) {
	if c.status == 0 {
		c.status = status
	}
	c.ResponseWriter.WriteHeader(status)
}

func (c *capture) Write(b []byte) (int, error) {
	if c.status == 0 {
		c.status = http.StatusOK
	}
	c.body.Write(b)
	return c.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (c *capture) Unwrap() http.ResponseWriter { return c.ResponseWriter }

// A digest is of the content of a body, and of a form without the boundary between its
// parts, which a client chooses at random.
type digest struct {
	hash  hash.Hash
	parts *io.PipeWriter // nil unless it is a form
	ended chan struct{}
}

func newDigest(contentType string) *digest {
	d := &digest{hash: sha256.New()}
	kind, params, err := mime.ParseMediaType(contentType)
	if err != nil || !strings.HasPrefix(kind, "multipart/") || params["boundary"] == "" {
		return d
	}
	var r *io.PipeReader
	r, d.parts = io.Pipe()
	d.ended = make(chan struct{})
	go func() {
		defer close(d.ended)
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

// Close ends what computes the digest.
func (d *digest) Close() {
	if d.parts != nil {
		d.parts.Close()
		<-d.ended
	}
}

// Sum returns the digest of what was written.
func (d *digest) Sum() string {
	d.Close()
	return hex.EncodeToString(d.hash.Sum(nil))
}
