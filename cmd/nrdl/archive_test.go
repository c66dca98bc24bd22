package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/server"
	"nrdl.example/nrdl/server/api"
	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

// The export of a collection and the address of the collection make the same model, with the names that
// were given on the page.
func TestTrainOnCollection(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	nrdl := func(want int, args ...string) string {
		t.Helper()
		status, _, story := nrdlIn(t, dir, args...)
		if status != want {
			t.Fatalf("%q: %d\n%s", args, status, story)
		}
		return story
	}
	drawnTo(t, dir, "240x320")
	db, err := store.Open(t.Context(), filepath.Join(dir, "data", "nrdl.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	search, err := face.OpenSearch("cascade")
	if err != nil {
		t.Fatal(err)
	}
	service := httptest.NewServer(server.New(db, server.Options{Search: search}))
	defer service.Close()
	send := func(path, kind string, body io.Reader) string {
		t.Helper()
		a, err := http.Post(service.URL+"/v1/collections"+path, kind, body)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Body.Close()
		var made struct{ ID, Detail string }
		if err := json.NewDecoder(a.Body).Decode(&made); err != nil || a.StatusCode != http.StatusOK {
			t.Fatal(a.Status, err, made.Detail)
		}
		return made.ID
	}
	family := send("", "application/json", strings.NewReader(`{"name":"family"}`))
	photos, err := filepath.Glob(filepath.Join(dir, "drawn", "people", "*", "*.jpg"))
	if err != nil || len(photos) != 6 {
		t.Fatal(photos, err)
	}
	ids := map[string]string{}
	for _, photo := range photos {
		name := filepath.Base(filepath.Dir(photo))
		if ids[name] == "" {
			ids[name] = send("/"+family+"/people", "application/json", strings.NewReader(`{"name":"`+name+`"}`))
		}
		var form bytes.Buffer
		w := multipart.NewWriter(&form)
		part, _ := w.CreateFormFile("photo", "a.jpg")
		data, err := os.ReadFile(photo)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = part.Write(data)
		w.Close()
		send("/"+family+"/people/"+ids[name]+"/faces", w.FormDataContentType(), &form)
	}
	export, err := http.Get(service.URL + "/v1/collections/" + family + "/export")
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(export.Body)
	export.Body.Close()
	if err != nil || os.WriteFile(filepath.Join(dir, "all.tar"), text, 0o600) != nil {
		t.Fatal(err)
	}
	if story := nrdl(succeeded, "train", "all.tar", "-o", "file.nrdl"); !strings.Contains(story,
		"3 people (person001, person002, person003), 6 faces") {
		t.Error(story)
	}
	nrdl(succeeded, "train", service.URL+"/family", "-o", "http.nrdl")
	nrdl(succeeded, "identify", "file.nrdl", "drawn/others/person001.jpg")
	if story := nrdl(failed, "train", service.URL+"/nobody", "-o", "x.nrdl"); !strings.Contains(story, `no collection "nobody"`) {
		t.Error(story)
	}
	secret, err := api.CreateKey(context.Background(), db, store.Key{Name: "me", Scopes: []string{"admin"}}, nil)
	if err != nil || os.WriteFile(filepath.Join(dir, "key.txt"), []byte(secret+"\n"), 0o600) != nil {
		t.Fatal(err)
	}
	if story := nrdl(failed, "train", service.URL+"/family", "-o", "x.nrdl"); !strings.Contains(story, "--key-file FILE") {
		t.Error(story)
	}
	nrdl(succeeded, "train", service.URL+"/family", "-o", "key.nrdl", "--key-file", "key.txt")
	for _, name := range []string{"http.nrdl", "key.nrdl"} {
		one, err := os.ReadFile(filepath.Join(dir, name))
		other, err2 := os.ReadFile(filepath.Join(dir, "file.nrdl"))
		if err != nil || err2 != nil || !bytes.Equal(one, other) {
			t.Errorf("%s is another model: %v, %v", name, err, err2)
		}
	}

	promisesAlike(t, filepath.Join(dir, "file.nrdl"), service.URL+"/v1/collections/"+family)
	importsModel(t, dir)
	identifiesByService(t, dir, service.URL)

	// Another archive is the folder that it holds, with what lies in a folder of its own.
	for _, name := range []string{"photos.zip", "photos.tar"} {
		archived(t, filepath.Join(dir, name), photos, filepath.Join(dir, "drawn"))
		if story := nrdl(succeeded, "train", name, "-o", name+".nrdl", "--detector", "cascade"); !strings.Contains(story,
			"3 people (person001, person002, person003), 6 faces") {
			t.Error(story)
		}
	}
}

// promisesAlike wants of a collection the limit of strangers who get a name that the model of its faces tells.
func promisesAlike(t *testing.T, model, collection string) {
	t.Helper()
	r, err := faces.Open(model)
	if err != nil {
		t.Fatal(err)
	}
	a, err := http.NewRequest(http.MethodGet, collection+"/calibration", nil)
	if err != nil {
		t.Fatal(err)
	}
	key, err := os.ReadFile(filepath.Join(filepath.Dir(model), "key.txt"))
	if err != nil {
		t.Fatal(err)
	}
	a.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(key)))
	answer, err := http.DefaultClient.Do(a)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	var c people.Calibration
	if err := json.NewDecoder(answer.Body).Decode(&c); err != nil || c.Strangers == nil {
		t.Fatal(err, answer.Status)
	}
	m := r.Model()
	if limit, want := m.Calibration.StrangerLimit(m.Impostors()), c.Strangers.AtLarge.High; limit != want ||
		!strings.Contains(m.Promise(), "fewer than 1 in "+legible.AtLeast(1/want)+" ") {
		t.Errorf("the model says %v, %q, and the service %v", limit, m.Promise(), want)
	}
}

// importsModel makes a collection of file.nrdl, by serve, which has the same people and vectors; a second start
// changes nothing.
func importsModel(t *testing.T, dir string) {
	t.Helper()
	start := []string{"serve", "imported", "--import", "file.nrdl", "--listen", "127.0.0.1:0"}
	for _, want := range []string{
		`imported file.nrdl: 3 people and 6 faces are the collection "file"`,
		`file.nrdl is not imported: it was imported before, or there is a collection "file"`,
	} {
		if status, story := served(t, dir, start); status != succeeded || !strings.Contains(story, want) {
			t.Errorf("%d %s", status, story)
		}
	}
	db, err := store.Open(t.Context(), filepath.Join(dir, "imported", "nrdl.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	service := httptest.NewServer(server.New(db, server.Options{}))
	defer service.Close()
	if status, _, story := nrdlIn(t, dir, "train", service.URL+"/file", "-o", "back.nrdl"); status != succeeded {
		t.Fatal(story)
	}
	before, err := faces.Open(filepath.Join(dir, "file.nrdl"))
	after, err2 := faces.Open(filepath.Join(dir, "back.nrdl"))
	if err = errors.Join(err, err2); err != nil {
		t.Fatal(err)
	}
	a, b := before.Model().Images(), after.Model().Images()
	if !slices.Equal(a.Classes, b.Classes) || !mat.EqualApprox(a.X, b.X, 1e-6) {
		t.Errorf("%v, and %v came back", a.Classes, b.Classes)
	}
	// Who is deleted does not come back when the service starts again, under no name.
	all, err := db.Collections(t.Context(), "", 2)
	if err == nil {
		err = db.DeleteCollection(t.Context(), "me", all[0].ID)
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"file", "other"} {
		if people, _, err := server.New(db, server.Options{}).ImportModel(t.Context(), name, before.Model()); err != nil || people != 0 {
			t.Errorf("%s: %d people, %v", name, people, err)
		}
	}
	for _, c := range []struct {
		train []string
		want  string
	}{
		{[]string{"--input", "embedding", "--forget"}, "train it again without --forget"},
		{[]string{"--input", "pixels"}, "train it again with --input embedding"},
	} {
		args := append([]string{"train", "drawn/people", "-o", "not.nrdl", "--detector", "cascade", "--force"}, c.train...)
		if status, _, story := nrdlIn(t, dir, args...); status != succeeded {
			t.Fatal(story)
		}
		status, _, story := nrdlIn(t, dir, "serve", "new", "--import", "not.nrdl", "--listen", "127.0.0.1:0")
		if status != failed || !strings.Contains(story, c.want) {
			t.Errorf("%d %s", status, story)
		}
		if _, err := os.Stat(filepath.Join(dir, "new")); err == nil {
			t.Error("a folder is left")
		}
	}
}

// archived writes files, by their paths below root, to the archive at path.
func archived(t *testing.T, path string, files []string, root string) {
	t.Helper()
	var b bytes.Buffer
	z, ta := zip.NewWriter(&b), tar.NewWriter(&b)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name, _ := filepath.Rel(root, file)
		var w io.Writer = ta
		if filepath.Ext(path) == ".zip" {
			w, err = z.Create(name)
		} else {
			err = ta.WriteHeader(&tar.Header{Name: name, Mode: 0o600, Size: int64(len(data))})
		}
		if err == nil {
			_, err = w.Write(data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if filepath.Ext(path) == ".zip" {
		z.Close()
	} else {
		ta.Close()
	}
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// Nothing of an archive is written outside its folder.
func TestUnpackStaysInside(t *testing.T) {
	dir := t.TempDir()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	if err := w.WriteHeader(&tar.Header{Name: "../x", Mode: 0o600, Size: 1}); err != nil {
		t.Fatal(err)
	}
	_, _ = w.Write([]byte("x"))
	w.Close()
	at, into := filepath.Join(dir, "a.tar"), filepath.Join(dir, "into")
	if err := os.WriteFile(at, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(into, 0o700); err != nil {
		t.Fatal(err)
	}
	err := unpack(t.Context(), at, into)
	if _, there := os.Stat(filepath.Join(dir, "x")); err == nil || there == nil {
		t.Errorf("%v, %v", err, there)
	}
}

// An archive whose files are much larger than it is refused before they fill the disk.
func TestUnpackIsBounded(t *testing.T) {
	dir := t.TempDir()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	f, err := w.Create("zeros.jpg")
	for range 2 * minUnpacked >> 20 {
		if err == nil {
			_, err = f.Write(make([]byte, 1<<20))
		}
	}
	at := filepath.Join(dir, "a.zip")
	if err := errors.Join(err, w.Close(), os.WriteFile(at, b.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
	into := filepath.Join(dir, "into")
	if err := os.Mkdir(into, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unpack(t.Context(), at, into); err == nil {
		t.Errorf("%d bytes have become %d", b.Len(), 2*minUnpacked)
	}
	if info, err := os.Stat(filepath.Join(into, "zeros.jpg")); err != nil || info.Size() > minUnpacked+int64(maxRatio*b.Len()) {
		t.Errorf("%v, %v", info, err)
	}
}
