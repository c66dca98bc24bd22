package main

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"nrdl.example/nrdl/faces/results"
)

// identifiesByService wants of the collection family of a service, whose key is in key.txt, what the model of its
// export, file.nrdl, says of the same photographs.
func identifiesByService(t *testing.T, dir, address string) {
	t.Helper()
	nrdl := func(want int, args ...string) (out, story string) {
		t.Helper()
		status, out, story := nrdlIn(t, dir, args...)
		if status != want {
			t.Fatalf("%q: %d\n%s", args, status, story)
		}
		return out, story
	}
	to := []string{"--to", address + "/family", "--key-file", "key.txt", "drawn/others"}
	for _, form := range [][]string{{}, {"--json"}} { // others round a second time
		own, _ := nrdl(succeeded, append([]string{"identify", "file.nrdl", "drawn/others", "--detector", "cascade"}, form...)...)
		asked, _ := nrdl(succeeded, append(append([]string{"identify"}, to...), form...)...)
		own, asked = withoutModels(t, own), withoutModels(t, asked)
		if asked != own || strings.Count(own, "person00") < 3 {
			t.Errorf("%q: the service answers\n%s\nand the model of its export\n%s", form, asked, own)
		}
	}
	_, story := nrdl(succeeded, append([]string{
		"identify", "--html", "to.html", "--sort", "sorted", "--draw", "boxes",
		"-o", "to.jsonl",
	}, to...)...)
	text, err := os.ReadFile(filepath.Join(dir, "to.html"))
	if page := string(text); err != nil || !strings.Contains(page, "person002") || !strings.Contains(page, "data:image/jpeg") {
		t.Error(err, len(page), story)
	}
	for _, path := range []string{"sorted/person001", "boxes/person001.jpg", "to.jsonl"} {
		if _, err := os.Stat(filepath.Join(dir, path)); err != nil {
			t.Error(err)
		}
	}
	nrdl(succeeded, append([]string{"album", "-o", "album"}, to...)...)
	text, err = os.ReadFile(filepath.Join(dir, "album/people/person001/index.html"))
	if page := string(text); err != nil || !strings.Contains(page, "person001.jpg") || strings.Contains(page, "nrdl add") ||
		strings.Contains(page, "nrdl people") {
		t.Error(err, page)
	}
	sidecar := filepath.Join(dir, "drawn/others/person001.jpg.xmp")
	nrdl(succeeded, append([]string{"identify", "--tags"}, to...)...)
	if text, err := os.ReadFile(sidecar); err != nil || !strings.Contains(string(text), "person001") {
		t.Error(err, string(text))
	}
	nrdl(succeeded, append([]string{"identify", "--tags=remove"}, to...)...)
	if _, err := os.Stat(sidecar); err == nil {
		t.Error("the sidecar is still there")
	}
	if _, story := nrdl(failed, "identify", "--to", address+"/family", "drawn/others"); !strings.Contains(story, "--key-file FILE") {
		t.Error(story)
	}
	if _, story := nrdl(failed, "identify", "--to", address+"/nobody", "--key-file", "key.txt",
		"drawn/others"); !strings.Contains(story, "it has family") {
		t.Error(story)
	}
	if _, story := nrdl(misused, append([]string{"identify", "file.nrdl"}, to...)...); !strings.Contains(story,
		"leave the model out: nrdl identify --to") {
		t.Error(story)
	}
}

// withoutModels are lines without what a service does not say: of JSON, the model, and how a photograph is stored.
func withoutModels(t *testing.T, lines string) string {
	t.Helper()
	if !strings.HasPrefix(lines, "{") {
		return lines
	}
	var all strings.Builder
	for line := range strings.Lines(lines) {
		var o results.Object
		if err := json.Unmarshal([]byte(line), &o); err != nil || o.Model == "" {
			t.Fatal(err, line)
		}
		o.Model, o.Stored, o.Orientation = "", nil, 0
		if err := results.Write(&all, o); err != nil {
			t.Fatal(err)
		}
	}
	return all.String()
}

// A photograph goes to the service that is named, and nowhere else: an address that leads to another one, that is
// no service, or that answers no longer, is an error with a next step.
func TestIdentifySendsNowhereElse(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	drawnTo(t, dir, "240x320")
	var elsewhere atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere.Add(1) }))
	defer other.Close()
	list := func(w http.ResponseWriter) { _, _ = io.WriteString(w, `{"items":[{"id":"1","name":"family"}]}`) }
	services := map[string]struct {
		handler http.HandlerFunc
		hint    string
	}{
		"the list leads away": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, other.URL+r.URL.Path, http.StatusTemporaryRedirect)
		}, "if you trust it"},
		"no service": {
			func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") },
			"it is the address that the service prints",
		},
		"a proxy without one": {
			func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) },
			"it is the address that the service prints",
		},
		"the photo leads away": {func(w http.ResponseWriter, r *http.Request) {
			answer(w, r, list, func() { http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect) })
		}, "it is the address that the service prints"},
		"the service goes away": {func(w http.ResponseWriter, r *http.Request) {
			answer(w, r, list, func() { panic(http.ErrAbortHandler) })
		}, "is the service started"},
	}
	for name, s := range services {
		service := httptest.NewServer(s.handler)
		status, out, story := nrdlIn(t, dir, "identify", "--to", service.URL+"/family", "drawn/others")
		service.Close()
		if status != failed || out != "" || strings.Count(story, "nrdl: error: ") != 1 || !strings.Contains(story, s.hint) {
			t.Errorf("%s: %d %s%s", name, status, out, story)
		}
	}
	if n := elsewhere.Load(); n > 0 {
		t.Errorf("%d requests went to another address", n)
	}
}

// answer answers the list of collections, and anything else by identify.
func answer(w http.ResponseWriter, r *http.Request, list func(http.ResponseWriter), identify func()) {
	if r.Method == http.MethodGet {
		list(w)
		return
	}
	_, _ = io.Copy(io.Discard, r.Body)
	identify()
}
