package server

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

// A target is an operation of the API.
type target struct{ method, path string }

// targets are all operations, in one order.
func targets(v *Service) (all []target) {
	for path, item := range v.Description.OpenAPI().Paths {
		for method, there := range map[string]bool{
			"GET": item.Get != nil, "POST": item.Post != nil,
			"PATCH": item.Patch != nil, "DELETE": item.Delete != nil,
		} {
			if there {
				all = append(all, target{method, path})
			}
		}
	}
	slices.SortFunc(all, func(a, b target) int {
		return cmp.Or(strings.Compare(a.path, b.path), strings.Compare(a.method, b.method))
	})
	return all
}

// FuzzRequests sends bodies, identifiers and queries to every operation: none is answered
// as a fault of the service. An input says which operations it is for by a part of their
// name, so that it stays the same when others are added.
func FuzzRequests(f *testing.F) {
	dir, err := os.MkdirTemp("", "nrdl-fuzz")
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { os.RemoveAll(dir) })
	s, err := store.Open(f.Context(), filepath.Join(dir, "nrdl.db"))
	if err != nil {
		f.Fatal(err)
	}
	f.Cleanup(func() { s.Close() })
	v := New(s, Options{Backups: filepath.Join(dir, "backups"), Body: 1 << 20, Import: 1 << 20, Rate: 1e9})
	people.Load(context.Background(), v.people)
	c, err := s.CreateCollection(f.Context(), "fuzz", "fuzz", 0.01, "")
	if err != nil {
		f.Fatal(err)
	}
	p, _, err := s.CreatePerson(f.Context(), "fuzz", c.ID, "x", store.Known, true)
	if err != nil {
		f.Fatal(err)
	}
	for _, t := range targets(v) {
		for _, body := range []string{
			"", "{}", "[]", "null",
			`{"name":"x","fpir":0.5,"kind":"known","people":["x"],"from":["x"],"faces":["x"],"person":"x","url":"http://x",` +
				`"events":["photo.known"],"scopes":["admin"],"decisions":[{"faces":["x"],"verb":"is","name":"y"}]}`,
		} {
			f.Add(t.method+" "+t.path, c.ID, p.ID, "limit=1&cursor=x&state=doubtful", "application/json", []byte(body))
		}
	}
	for name, data := range hostileImages(f) {
		kind, body := formOf("photo", data)
		f.Add("detect", c.ID, name, "", kind, body)
		kind, body = formOf("archive", data)
		f.Add("import", c.ID, name, "folders=people", kind, body)
	}
	f.Add("GET /v1/collections/{collection}/people", "\x00/../..", "\xff", "limit=-1&cursor=%00", "", []byte(nil))
	f.Add("verify", c.ID, p.ID, "", "multipart/form-data; boundary=x",
		[]byte("--x\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\n--x--"))

	f.Fuzz(func(t *testing.T, which, collection, other, query, kind string, body []byte) {
		for _, o := range targets(v) {
			if which == "" || !strings.Contains(o.method+" "+o.path, which) || o.path == "/v1/keys" && o.method == "POST" ||
				o.path == "/v1/collections/{collection}" && o.method == "DELETE" && collection == c.ID {
				continue // with a key, all that follows would be refused
			}
			sendDrawn(t, v, o.method, o.path, collection, other, query, kind, body)
		}
	})
}

// sendDrawn sends a request to an operation and fails unless the answer is as described.
func sendDrawn(t *testing.T, v *Service, method, path, collection, other, query, kind string, body []byte) {
	if path == "/v1/events" { // its answer has no end
		return
	}
	for _, id := range []string{"{person}", "{face}", "{job}", "{hook}", "{key}", "{operation}"} {
		path = strings.ReplaceAll(path, id, other)
	}
	path = strings.ReplaceAll(path, "{collection}", collection)
	r := &http.Request{
		Method: method, URL: &url.URL{Path: path, RawQuery: query}, Header: http.Header{"Content-Type": {kind}, onceHeader: {query}},
		Body: io.NopCloser(bytes.NewReader(body)), ContentLength: int64(len(body)), Host: "localhost",
		RemoteAddr: "127.0.0.1:1", Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}
	w := httptest.NewRecorder()
	if v.ServeHTTP(w, r.WithContext(t.Context())); w.Code >= 500 {
		t.Errorf("%s %q?%q: %d %s", method, path, query, w.Code, w.Body)
	}
	checkAnswer(t, v, r, w.Result(), w.Body.Bytes())
}

// Answers to 1,000 drawn requests, right and wrong ones, are as the description says; with
// NRDL_LONG=1 to 5,000.
func TestDrawnRequests(t *testing.T) {
	t.Parallel()
	const seed = 1
	n := 1000
	if os.Getenv("NRDL_LONG") != "" {
		n = 5000
	}
	c := newClient(t, Options{Backups: t.TempDir(), Rate: 1e9})
	at := c.collection()
	collection := strings.TrimPrefix(at, "/v1/collections/")
	var p Person
	c.do(200, "POST", at+"/people", object{"name": "Ann"}, &p)
	r := rand.New(rand.NewPCG(seed, 0))
	all := targets(c.v)
	texts := []string{
		"x", "", "Ann", "none", "stranger", p.ID, collection, "is", "is_not", "ignore",
		"refit", "regroup", "known", "photo.known", "https://example.com/", "2030-01-01T00:00:00Z",
	}
	names := []string{
		"name", "fpir", "kind", "people", "from", "faces", "person", "url", "events",
		"scopes", "decisions", "expected", "verb", "namesake", "force",
	}
	for range n {
		o := all[r.IntN(len(all))]
		if o.method == "POST" && o.path == "/v1/keys" || o.method == "DELETE" && o.path == "/v1/collections/{collection}" {
			continue
		}
		text := func() string { return texts[r.IntN(len(texts))] }
		fields := object{}
		for range r.IntN(4) {
			values := []any{
				text(),
				[]string{text(), text()},
				r.Float64(), r.IntN(5), true, nil,
				[]object{{"faces": []string{text()}, "verb": text(), "name": text()}},
			}
			fields[names[r.IntN(len(names))]] = values[r.IntN(len(values))]
		}
		body, err := json.Marshal(fields)
		if err != nil {
			t.Fatal(err)
		}
		query := ""
		if r.IntN(2) == 0 {
			query = url.Values{[]string{"limit", "cursor", "state", "order", "people", "new", "search", "kind"}[r.IntN(8)]: {text()}}.Encode()
		}
		sendDrawn(t, c.v, o.method, o.path, []string{collection, collection, "x"}[r.IntN(3)], text(), query, "application/json", body)
		if t.Failed() {
			t.Fatalf("%s %s?%s %s (seed %d)", o.method, o.path, query, body, seed)
		}
	}
}
