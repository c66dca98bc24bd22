package server

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"mime/multipart"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/results"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/server/api"
	"nrdl.example/nrdl/server/jobs"
	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

// drawn is a folder of drawn photographs, made once.
var drawn = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "nrdl-service")
	if err != nil {
		return "", err
	}
	p := synthetic.Photographs{People: 3, PerPerson: 2, Size: dataset.Size{Height: 240, Width: 240}, Seed: 4}
	return dir, p.Write(context.Background(), filepath.Join(dir, "set"), nil)
})

func TestMain(m *testing.M) {
	debug.SetGCPercent(400)             // many small heaps
	_ = flag.Set("test.parallel", "12") // most tests wait for clients, disks or time
	code := m.Run()
	if dir, err := drawn(); err == nil {
		os.RemoveAll(dir)
	}
	os.Exit(code)
}

// photos returns the files of a folder of the drawn ones.
func photos(t *testing.T, folder string) []string {
	t.Helper()
	dir, err := drawn()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "set", filepath.FromSlash(folder), "*.jpg"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %v %v", folder, files, err)
	}
	return files
}

// A client speaks to a service on an empty store.
type client struct {
	*testing.T
	v      *Service
	server *httptest.Server
	key    string
	made   int // collections
	log    *bytes.Buffer
	stop   func() // ends the service
}

func newClient(t *testing.T, o Options) *client {
	t.Helper()
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "nrdl.db"))
	if err != nil {
		t.Fatal(err)
	}
	return serving(t, s, o)
}

// serving is a client of a service on a store, which it closes in the end.
// Faces are found by the cascade alone, the quickest detector, unless the options name one.
func serving(t *testing.T, s *store.Store, o Options) *client {
	t.Helper()
	if o.Search == nil {
		cascade, err := face.OpenSearch("cascade")
		if err != nil {
			t.Fatal(err)
		}
		o.Search = cascade
	}
	c := &client{T: t, log: &bytes.Buffer{}}
	c.start(s, o)
	t.Cleanup(func() { c.stop(); s.Close() })
	return c
}

// start starts a service on a store, until stop.
func (c *client) start(s *store.Store, o Options) {
	o.Log = slog.New(slog.NewJSONHandler(c.log, nil))
	c.v = New(s, o)
	c.server = httptest.NewServer(c.v)
	ctx, stop := context.WithCancel(context.Background())
	var working sync.WaitGroup
	working.Go(func() { c.v.Work(ctx) })
	c.stop = func() { c.server.Close(); stop(); working.Wait() }
	for !c.v.people.IsLoaded.Load() {
		time.Sleep(time.Millisecond)
	}
}

// send sends a request and checks the status. Into, if not nil, gets the answer.
func (c *client) send(want int, method, path string, kind string, body io.Reader, into any) []byte {
	c.Helper()
	r, err := http.NewRequestWithContext(c.Context(), method, c.server.URL+path, body)
	if err != nil {
		c.Fatal(err)
	}
	if kind != "" {
		r.Header.Set("Content-Type", kind)
	}
	if c.key != "" {
		r.Header.Set("Authorization", "Bearer "+c.key)
	}
	a, err := c.server.Client().Do(r)
	if err != nil {
		c.Fatal(err)
	}
	defer a.Body.Close()
	data, err := io.ReadAll(a.Body)
	if err != nil {
		c.Fatal(err)
	}
	if a.StatusCode != want {
		c.Fatalf("%s %s: %d, not %d: %s\n%s", method, path, a.StatusCode, want, data, c.log)
	}
	checkAnswer(c, c.v, r, a, data)
	if want >= 400 && a.Header.Get("Content-Type") != "application/problem+json" {
		c.Fatalf("%s %s: %d is %s", method, path, want, a.Header.Get("Content-Type"))
	}
	if (want == 429 || want == 503) && a.Header.Get("Retry-After") == "" {
		c.Fatalf("%s %s: %d without Retry-After", method, path, want)
	}
	if into != nil {
		if err := json.Unmarshal(data, into); err != nil {
			c.Fatalf("%s %s: %s: %v", method, path, data, err)
		}
	}
	return data
}

// do sends and takes JSON.
func (c *client) do(want int, method, path string, body, into any) {
	c.Helper()
	if body == nil {
		c.send(want, method, path, "", nil, into)
		return
	}
	data, err := json.Marshal(body)
	if err != nil {
		c.Fatal(err)
	}
	c.send(want, method, path, "application/json", bytes.NewReader(data), into)
}

// upload sends files, whose fields are name=path.
func (c *client) upload(want int, path string, into any, files ...string) {
	c.Helper()
	kind, data := c.form(files...)
	c.send(want, "POST", path, kind, bytes.NewReader(data), into)
}

func (c *client) form(files ...string) (string, []byte) {
	c.Helper()
	var b bytes.Buffer
	form := multipart.NewWriter(&b)
	for _, f := range files {
		name, path, _ := strings.Cut(f, "=")
		data, err := os.ReadFile(path)
		if err != nil {
			c.Fatal(err)
		}
		w, err := form.CreateFormFile(name, filepath.Base(path))
		if err != nil {
			c.Fatal(err)
		}
		_, _ = w.Write(data)
	}
	form.Close()
	return form.FormDataContentType(), b.Bytes()
}

type object = map[string]any

// collection creates one and returns its path.
func (c *client) collection() string {
	c.Helper()
	c.made++
	var made Collection
	c.do(200, "POST", "/v1/collections", object{"name": fmt.Sprintf("people %d", c.made)}, &made)
	return "/v1/collections/" + made.ID
}

// enrol creates people of the drawn ones with their photographs, and returns their ids by
// name.
func (c *client) enrol(at string, names ...string) map[string]string {
	c.Helper()
	ids := map[string]string{}
	for _, name := range names {
		var p Person
		c.do(200, "POST", at+"/people", object{"name": name}, &p)
		ids[name] = p.ID
		for _, f := range photos(c.T, "people/"+name) {
			c.add(at, p.ID, f)
		}
	}
	c.publish(at)
	return ids
}

// foundFaces has the faces of photographs, so that all tests find them once.
var foundFaces sync.Map // path and space → func() ([]store.NewFace, store.Photo)

// add adds the faces of a photograph to a person as an upload does; "" is nobody.
func (c *client) add(at, person, path string) {
	c.Helper()
	once, _ := foundFaces.LoadOrStore(path+c.v.people.Space()+c.v.people.Options.Search.String(),
		sync.OnceValues(func() ([]store.NewFace, store.Photo) {
			data, err := os.ReadFile(path)
			if err != nil {
				c.Fatal(err)
			}
			in, err := c.v.people.Intake(context.Background(), filepath.Base(at))
			if err != nil {
				c.Fatal(err)
			}
			seen, photo, why, _, err := in.Find(context.Background(), data, false)
			if err != nil || why != "" {
				c.Fatal(why, err)
			}
			faces, refused := in.NewFaces(seen)
			if len(faces) == 0 || len(refused) > 0 {
				c.Fatalf("%s: %+v", path, refused)
			}
			for i := range faces {
				faces[i].Source = store.Upload
			}
			return faces, *photo
		}))
	faces, photo := once.(func() ([]store.NewFace, store.Photo))()
	if faces = slices.Clone(faces); person != "" {
		faces = faces[:1]
	}
	if _, err := c.v.store.AddFaces(c.Context(), "local", filepath.Base(at), &photo, person, faces); err != nil {
		c.Fatal(err)
	}
}

// publish makes the faces of add visible.
func (c *client) publish(at string) {
	c.Helper()
	if err := c.v.people.Publish(c.Context(), filepath.Base(at), nil); err != nil {
		c.Fatal(err)
	}
}

// What the interface has, as tests read it.
type (
	Added           = people.Added
	AddedStrangers  = people.AddedStrangers
	Calibration     = people.Calibration
	Cluster         = people.Cluster
	Collection      = people.Collection
	Comparisons     = people.Comparisons
	Curve           = people.Curve
	Decided         = people.Decided
	Decision        = people.Decision
	Delivery        = jobs.Delivery
	Detected        = people.Detected
	Detection       = people.Detection
	Done            = api.Done
	EraseResult     = jobs.EraseResult
	Explained       = people.Explained
	Export          = jobs.Export
	ExportResult    = jobs.ExportResult
	ExportedFace    = jobs.ExportedFace
	Face            = people.StoredFace
	HeldOut         = jobs.HeldOut
	Hook            = jobs.Hook
	Identified      = people.Identified
	ImportResult    = jobs.ImportResult
	Job             = jobs.Job
	Operation       = people.Operation
	Person          = people.Person
	Photograph      = people.Photograph
	Progress        = jobs.Progress
	RefitPreview    = jobs.RefitPreview
	RefitResult     = jobs.RefitResult
	RegroupResult   = jobs.RegroupResult
	Removed         = api.Removed
	Search          = people.Search
	ShownIn         = people.ShownIn
	ShownPhotograph = people.ShownPhotograph
	Similar         = people.Similar
	Statistics      = people.Statistics
	TaggedFile      = jobs.TaggedFile
	Verification    = people.Verification
)

const onceHeader = "Idempotency-Key"

// pageFiles are the files of the page.
var pageFiles = os.DirFS("api")

var everybody = []string{"person001", "person002", "person003"}

// What the API says of a face is what nrdl identify --json writes, byte for byte, and ids.
func TestIdentifyIsThatOfTheLibrary(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{Search: face.DefaultSearch})
	at := c.collection()
	ids := c.enrol(at, everybody...)

	images, err := faces.Read(t.Context(), filepath.Dir(filepath.Dir(photos(t, "people/person001")[0])), faces.ReadOptions{})
	if err != nil {
		t.Fatal(err)
	}
	trained, err := faces.Train(t.Context(), images, faces.Defaults(images))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "model")
	if err := trained.Save(t.Context(), file); err != nil {
		t.Fatal(err)
	}
	r, err := faces.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	files := photos(t, "others")[:2] // with people who are known and people who are not
	decisions := map[string]int{}
	for name, err := range r.IdentifyAll(t.Context(), func(yield func(faces.Photo) bool) {
		for _, f := range files {
			if !yield(faces.Photo{Name: f, Load: func() ([]byte, error) { return os.ReadFile(f) }}) {
				return
			}
		}
	}) {
		if err != nil {
			t.Fatal(err)
		}
		var line bytes.Buffer
		if err := results.Write(&line, results.New(name, nil, 5, "")); err != nil {
			t.Fatal(err)
		}
		var want struct {
			Size   json.RawMessage
			Faces  []json.RawMessage
			Reason string
		}
		if err := json.Unmarshal(line.Bytes(), &want); err != nil {
			t.Fatal(err)
		}
		var got struct {
			Size   json.RawMessage
			Faces  []Identified
			Reason string
		}
		c.upload(200, at+"/identify", &got, "photo="+name.Photo.Name)
		if len(got.Faces) != len(want.Faces) || string(got.Size) != string(want.Size) || got.Reason != want.Reason {
			t.Fatalf("%s: %+v\n%s", name.Photo.Name, got, &line)
		}
		for i, g := range got.Faces {
			decisions[g.Decision]++
			if g.Reason == "" || (g.Decision == "refused") != (g.Refused != "") || g.Known != (g.Decision == "known") ||
				g.Known != (g.Person != nil && ids[*g.Name] == *g.Person) {
				t.Errorf("%s: %+v", name.Photo.Name, g)
			}
			for k, o := range g.Top {
				if ids[o.Name] != o.ID || o.ID == "" {
					t.Errorf("%v is not %s", o, ids[o.Name])
				}
				g.Top[k].ID = "" // only here
			}
			if g.Trained != "" {
				t.Errorf("%s: trained on %s", name.Photo.Name, g.Trained)
			}
			face, err := json.Marshal(g.Face)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(face, want.Faces[i]) {
				t.Errorf("%s: identify --json has\n%s, the service\n%s", name.Photo.Name, want.Faces[i], face)
			}
		}
	}
	if decisions["known"] == 0 || decisions["unknown"] == 0 {
		t.Errorf("decisions %v", decisions)
	}

	c.sameAfterStart(at)
}

// recogniser returns that of a collection.
func (c *client) recogniser(at string) *faces.Recogniser {
	c.Helper()
	r, err := c.v.people.Recogniser(c.Context(), filepath.Base(at))
	if err != nil {
		c.Fatal(err)
	}
	return r
}

// sameAfterStart fails unless a service that starts on the store has the Recogniser that this one has grown.
func (c *client) sameAfterStart(at string) {
	c.Helper()
	again, err := people.New(c.v.store, c.v.people.Options).Recogniser(c.Context(), filepath.Base(at))
	if err != nil {
		c.Fatal(err)
	}
	var bits [2]bytes.Buffer
	for i, r := range []*faces.Recogniser{c.recogniser(at), again} {
		if err := r.Write(&bits[i]); err != nil {
			c.Fatal(err)
		}
	}
	if !bytes.Equal(bits[0].Bytes(), bits[1].Bytes()) {
		c.Error("the Recogniser that grew is another one than the one that is trained")
	}
}

// Every change is seen by the next request.
func TestChanges(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	at := c.collection()
	one := "photo=" + photos(t, "people/person001")[0]
	var p Photograph
	is := func(decision, person string) {
		t.Helper()
		p = Photograph{}
		c.upload(200, at+"/identify", &p, one)
		if len(p.Faces) != 1 || decision != "" && p.Faces[0].Decision != decision || decision == "" && p.Faces[0].Decision == "known" ||
			(p.Faces[0].Person != nil) != (person != "") || person != "" && *p.Faces[0].Name != person {
			t.Fatalf("%+v", p)
		}
	}
	is("unknown", "")
	ids := c.enrol(at, "person001")
	is("known", "person001")
	for k, v := range c.enrol(at, "person002", "person003") {
		ids[k] = v
	}
	is("known", "person001")
	person := at + "/people/" + ids["person001"]

	var done Done
	c.do(200, "PATCH", person, object{"name": "Åsa"}, &done)
	is("known", "Åsa")
	c.do(204, "POST", at+"/undo/"+done.Operation, nil, nil)
	is("known", "person001")
	c.do(409, "POST", at+"/undo/"+done.Operation, nil, nil)
	c.do(422, "PATCH", person, object{"name": "a/b"}, nil)

	c.do(200, "PATCH", person, object{"kind": "ignored"}, &done)
	is("unknown", "")
	c.do(204, "POST", at+"/undo/"+done.Operation, nil, nil)

	c.do(200, "POST", at+"/people/"+ids["person002"]+"/merge", object{"from": []string{ids["person001"]}}, &done)
	if c.upload(200, at+"/identify", &p, one); len(p.Faces) != 1 || *p.Faces[0].Guess != "person002" {
		t.Fatalf("%+v", p)
	}
	c.do(404, "GET", person, nil, nil)
	c.do(204, "POST", at+"/undo/"+done.Operation, nil, nil)
	is("known", "person001")

	var faces api.Page[Face]
	c.do(200, "GET", at+"/faces?limit=1&person="+ids["person001"], nil, &faces)
	if len(faces.Items) != 1 || faces.Next == "" {
		t.Fatalf("%+v", faces)
	}
	var rest api.Page[Face]
	c.do(200, "GET", at+"/faces?limit=1&person="+ids["person001"]+"&cursor="+faces.Next, nil, &rest)
	if len(rest.Items) != 1 || rest.Next != "" {
		t.Fatalf("%+v", rest)
	}
	crop := c.send(200, "GET", at+"/faces/"+faces.Items[0].ID+"/crop", "", nil, nil)
	if size, err := dataset.ImageSize(crop, "crop"); err != nil || size.X != frontend.Embedding.Embedder.Input().Width {
		t.Fatalf("crop of %v, %v", size, err)
	}
	all := []string{faces.Items[0].ID, rest.Items[0].ID}
	c.do(200, "POST", at+"/faces/move", object{"faces": all, "person": ""}, &done)
	if is("", ""); len(p.Faces[0].Top) != 2 {
		t.Fatalf("%+v", p)
	}
	c.do(204, "POST", at+"/undo/"+done.Operation, nil, nil)
	c.do(200, "POST", at+"/faces/deny", object{"faces": all[:1], "person": ids["person001"]}, &done)
	c.do(200, "GET", at+"/faces?person=none", nil, &faces)
	if len(faces.Items) != 1 || faces.Items[0].ID != all[0] {
		t.Fatalf("%+v", faces)
	}
	c.do(204, "DELETE", at+"/faces/"+all[0], nil, nil)
	c.do(404, "GET", at+"/faces/"+all[0]+"/crop", nil, nil)

	// A crop and a vector can be enrolled as photographs can.
	at2 := at + "/people/" + ids["person003"] + "/faces"
	path := filepath.Join(t.TempDir(), "crop.png")
	if err := os.WriteFile(path, crop, 0o666); err != nil {
		t.Fatal(err)
	}
	var added Added
	c.upload(200, at2, &added, "crop="+path)
	if len(added.Faces) != 1 || added.Faces[0].Source != "crop" {
		t.Fatalf("%+v", added)
	}
	c.do(204, "POST", at+"/undo/"+added.Operations[0], nil, nil)
	vector := make([]float32, frontend.Embedding.Embedder.Frame().Len())
	vector[3] = 1
	at2 = at + "/people/" + ids["person003"] + "/vectors"
	c.do(200, "POST", at2, object{"vector": vector, "space": c.v.people.Space()}, &added)
	c.do(422, "POST", at2, object{"vector": vector, "space": "other"}, nil)
	c.do(415, "POST", strings.TrimSuffix(at2, "vectors")+"faces", object{"vector": vector, "space": "other"}, nil)
	c.do(422, "POST", at2, object{"vector": vector[1:], "space": c.v.people.Space()}, nil)

	archive := c.send(200, "GET", at+"/people/"+ids["person003"]+"/export", "", nil, nil)
	names := map[string]bool{}
	var exported Export
	for from := tar.NewReader(bytes.NewReader(archive)); ; {
		h, err := from.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if names[h.Name] = true; h.Name == "people.json" {
			if err := json.NewDecoder(from).Decode(&exported); err != nil {
				t.Fatal(err)
			}
		}
	}
	if exported.Faces != 3 || len(names) != 1+3+2 || len(exported.People) != 1 ||
		exported.People[0].Name != "person003" { // one face has no crop
		t.Fatalf("%+v, %v", exported, names)
	}

	c.do(404, "GET", "/v1/nothing", nil, nil)

	var calibration Calibration
	c.do(200, "GET", at+"/calibration", nil, &calibration)
	if calibration.Threshold == nil || calibration.FPIR != 0.01 || calibration.People != 3 || calibration.Strangers == nil {
		t.Fatalf("%+v", calibration)
	}
	before := *calibration.Threshold
	c.do(200, "PATCH", at, object{"fpir": 0.05}, nil)
	c.do(200, "GET", at+"/calibration", nil, &calibration)
	if calibration.FPIR != 0.05 || *calibration.Threshold >= before {
		t.Fatalf("%+v", calibration)
	}
	c.do(422, "PATCH", at, object{"fpir": 0.9}, nil)
	c.do(200, "PATCH", at, object{"fpir": 0.001}, nil) // drawn faces are more alike than people

	var receipt store.Receipt
	c.do(200, "DELETE", person, nil, &receipt)
	if len(receipt.Faces) != 1 {
		t.Fatalf("%+v", receipt)
	}
	if is("", ""); len(p.Faces[0].Top) != 2 {
		t.Fatalf("%+v", p)
	}
	var operations api.Page[Operation]
	c.do(200, "GET", at+"/operations", nil, &operations)
	if len(operations.Items) == 0 {
		t.Fatal("no operations are left")
	}
	for _, secret := range append(everybody, "Åsa", ids["person001"]) {
		if strings.Contains(c.log.String(), secret) {
			t.Errorf("the log has %s", secret)
		}
	}
	c.do(204, "DELETE", at, nil, nil)
	c.do(404, "GET", at, nil, nil)
	c.upload(404, at+"/identify", nil, one)
}

// Faces of nobody are grouped, named and ignored; who somebody is not is kept.
func TestReview(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	at := c.collection()
	ids := c.enrol(at, "person002", "person003")
	review := func(state string) []Cluster {
		t.Helper()
		var p api.Page[Cluster]
		c.do(200, "GET", at+"/review?state="+state, nil, &p)
		return p.Items
	}
	if all := review("cluster"); len(all) != 0 {
		t.Fatalf("%+v", all)
	}
	files := photos(t, "people/person001")
	c.upload(200, at+"/faces", nil, "photo="+files[0], "photo="+files[1])
	all := review("cluster")
	if len(all) != 1 || len(all[0].Faces) != 2 || all[0].Guess == nil {
		t.Fatalf("%+v", all)
	}
	decide := func(want int, d Decision) (made Decided) {
		t.Helper()
		var p api.Page[Decided]
		c.do(want, "POST", at+"/review/decide", object{"decisions": []Decision{d}}, &p)
		if want == 200 {
			made = p.Items[0]
		}
		return made
	}
	decide(422, Decision{Faces: all[0].Faces, Verb: "is"})
	decide(422, Decision{Faces: all[0].Faces, Verb: "likes"})
	decide(404, Decision{Faces: []string{"x"}, Verb: "discard"})
	guess := all[0].Guess.ID
	decide(200, Decision{Faces: all[0].Faces, Verb: "is_not", Person: guess})
	if again := review("cluster"); len(again) != 1 || again[0].Guess != nil && again[0].Guess.ID == guess {
		t.Fatalf("%+v", again)
	}
	made := decide(200, Decision{Faces: all[0].Faces, Verb: "is", Name: "Ann"})
	if len(review("cluster")) != 0 {
		t.Fatal("named faces are still to be reviewed")
	}
	var p Photograph
	c.upload(200, at+"/identify", &p, "photo="+files[0])
	if p.Faces[0].Person == nil || *p.Faces[0].Name != "Ann" || *p.Faces[0].Person != made.Person {
		t.Fatalf("%+v", p)
	}
	c.do(204, "POST", at+"/undo/"+made.Operations[0], nil, nil)
	c.do(404, "GET", at+"/people/"+made.Person, nil, nil)
	decide(200, Decision{Faces: all[0].Faces[:1], Verb: "ignore"})
	c.upload(200, at+"/identify", &p, "photo="+files[0])
	if f := p.Faces[0]; f.Decision != "unknown" || !strings.Contains(f.Reason, "ignored") {
		t.Fatalf("%+v", p)
	}
	decide(200, Decision{Faces: all[0].Faces[1:], Verb: "discard"})
	if all := review("cluster"); len(all) != 0 {
		t.Fatalf("%+v", all)
	}

	more := photos(t, "people/person002")
	c.upload(200, at+"/faces", nil, "photo="+more[0])
	if all := review("doubtful"); len(all) != 1 || all[0].Guess.ID != ids["person002"] || all[0].Guess.Decision != "known" {
		t.Fatalf("%+v", all)
	}
}

// A decision by an old list changes nothing, and the answer says whose the faces are now. No message
// for people has an id in it.
func TestDecisionsByAnOldList(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	at := c.collection()
	files := photos(t, "people/person001")
	c.upload(200, at+"/faces", nil, "photo="+files[0], "photo="+files[1])
	var list api.Page[Face]
	c.do(200, "GET", at+"/faces", nil, &list)
	both := []string{list.Items[0].ID, list.Items[1].ID}
	var was, is Collection
	c.do(200, "GET", at, nil, &was)
	decide := func(want int, d object, into any) {
		t.Helper()
		c.do(want, "POST", at+"/review/decide", object{"decisions": []object{d}}, into)
	}
	var made api.Page[Decided]
	decide(200, object{"faces": both, "verb": "is", "name": "Ann", "expected": "none"}, &made)
	ann := made.Items[0].Person
	if c.do(200, "GET", at, nil, &is); is.Version <= was.Version {
		t.Errorf("version %d after %d", is.Version, was.Version)
	}
	var bo Person
	c.do(200, "POST", at+"/people", object{"name": "Bo"}, &bo)

	id := regexp.MustCompile(`[0-9a-f]{8}-`)
	stale := func(path string, body object) {
		t.Helper()
		var refusal api.Problem
		if c.do(409, "POST", at+path, body,
			&refusal); !strings.Contains(refusal.Detail, "meanwhile: both are of Ann now") || id.MatchString(refusal.Detail) ||
			refusal.ID != ann || len(refusal.Holders) != 2 || refusal.Holders[1] != (store.Holder{Face: both[1], Person: ann, Name: "Ann"}) {
			t.Errorf("%s %v: %+v", path, body, refusal)
		}
	}
	for _, d := range []object{
		{"verb": "is", "name": "Cy"},
		{"verb": "is", "person": bo.ID},
		{"verb": "is_not", "person": bo.ID},
		{"verb": "ignore"},
		{"verb": "discard"},
	} {
		d["faces"], d["expected"] = both, "none"
		stale("/review/decide", object{"decisions": []object{d}})
	}
	stale("/faces/move", object{"faces": both, "person": bo.ID, "expected": "none"})
	stale("/faces/deny", object{"faces": both, "person": ann, "expected": bo.ID})
	var p Person
	if c.do(200, "GET", at+"/people/"+ann, nil, &p); p.Faces != 2 {
		t.Fatalf("Ann has %d faces", p.Faces)
	}
	decide(200, object{"faces": both, "verb": "is", "person": ann, "expected": "none"}, nil) // the same decision twice

	c.do(200, "POST", at+"/faces/move", object{"faces": both[:1], "person": bo.ID, "expected": ann}, nil)
	var mixed, undo api.Problem
	decide(409, object{"faces": both, "verb": "is", "name": "Cy", "expected": "none"}, &mixed)
	if !strings.Contains(mixed.Detail, "1 of 2 is of Bo and 1 of 2 is of Ann now") || mixed.ID != "" {
		t.Errorf("%+v", mixed)
	}
	if c.do(409, "POST", at+"/undo/"+made.Items[0].Operations[0], nil, &undo); undo.Detail == "" || id.MatchString(undo.Detail) {
		t.Errorf("%+v", undo)
	}
	decide(200, object{"faces": both, "verb": "is", "person": bo.ID}, nil) // whoever has them

	// What is for good is not done by an old list either.
	var gone api.Problem
	if c.do(409, "DELETE", at+"/people/"+bo.ID+"?faces=1", nil,
		&gone); !strings.Contains(gone.Detail, "another number of faces now, 2 and not 1") || id.MatchString(gone.Detail) {
		t.Errorf("%+v", gone)
	}
	c.do(409, "DELETE", at+"/faces/"+both[0]+"?expected="+ann, nil, nil)
	c.do(200, "GET", at+"/faces/"+both[0], nil, nil)
	c.do(204, "DELETE", at+"/faces/"+both[0]+"?expected="+bo.ID, nil, nil)
	c.do(200, "DELETE", at+"/people/"+bo.ID+"?faces=1", nil, nil)
}

func TestUploads(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{Body: 1 << 20})
	at := c.collection()
	group := "photo=" + photos(t, "others")[0]
	var found struct{ Faces []Detected }
	c.upload(200, at+"/detect", &found, group)
	var added Added
	c.upload(200, at+"/faces", &added, group)
	if len(found.Faces) == 0 || len(added.Faces)+len(added.Refused) != len(found.Faces) {
		t.Fatalf("%+v, %+v", found, added)
	}
	a, b := photos(t, "people/person001"), photos(t, "people/person002")
	var v Verification
	c.upload(200, at+"/verify", &v, "a="+a[0], "b="+a[1])
	var other Verification
	c.upload(200, at+"/verify", &other, "a="+a[0], "b="+b[0])
	if !v.Same || v.Similarity <= other.Similarity || len(v.Faces) != 2 || v.Faces[1].Box == nil || v.Faces[1].Others != 0 {
		t.Fatalf("%+v, %+v", v, other)
	}
	c.upload(200, at+"/verify", &other, "a="+strings.TrimPrefix(group, "photo="), "b="+b[0])
	if other.Faces[0].Others != len(found.Faces)-1 {
		t.Errorf("%+v, of %+v", other.Faces, found)
	}
	c.upload(422, at+"/verify", nil, "a="+a[0])

	dir := t.TempDir()
	write := func(name string, data []byte) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, data, 0o666); err != nil {
			t.Fatal(err)
		}
		return "photo=" + path
	}
	bomb := []byte("P5 60000 60000 255\n")
	large := write("large", make([]byte, 1<<20))
	for _, route := range []string{"/identify", "/detect"} {
		c.upload(422, at+route, nil, write("text", []byte("no image")))
		c.upload(422, at+route, nil, write("bomb", bomb))
		c.upload(413, at+route, nil, large)
		c.upload(422, at+route, nil, strings.Replace(group, "photo=", "file=", 1))
		c.do(415, "POST", at+route, object{}, nil)
		kind, form := c.form(group)
		c.send(400, "POST", at+route, kind, bytes.NewReader(form[:len(form)/2]), nil)
		// A body whose length is not announced.
		kind, form = c.form(large)
		c.send(413, "POST", at+route, kind, io.MultiReader(bytes.NewReader(form)), nil)
	}
	var person Person
	c.do(200, "POST", at+"/people", object{"name": "x"}, &person)
	c.upload(200, at+"/people/"+person.ID+"/faces", &added, write("text", []byte("no image")), "photo="+a[0])
	if len(added.Refused) != 1 || added.Refused[0].File != 0 || len(added.Faces) != 1 {
		t.Fatalf("%+v", added)
	}
	c.send(413, "POST", at+"/people", "application/json", strings.NewReader(`{"name":"`+strings.Repeat("x", 1<<20)+`"}`), nil)
	c.do(422, "POST", at+"/people", object{"name": "unknown"}, nil)
	c.do(404, "POST", "/v1/collections/x/people", object{"name": "y"}, nil)
	c.upload(404, at+"/people/x/faces", nil, group)
}

func TestKeys(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{Rate: 1e-9, Burst: 20})
	if c.v.CheckPublic(t.Context()) == nil {
		t.Error("the service may be public without a key")
	}
	create := func(want int, name string, scopes ...string) (made struct {
		Key string
		ID  string
	},
	) {
		t.Helper()
		c.do(want, "POST", "/v1/keys", object{"name": name, "scopes": scopes}, &made)
		return made
	}
	at := c.collection()
	create(422, "first", "identify") // nobody could create another
	admin := create(200, "first", "admin")
	c.do(401, "GET", at, nil, nil)
	c.key = admin.Key
	if err := c.v.CheckPublic(t.Context()); err != nil {
		t.Error(err)
	}
	identify := create(200, "door", "identify")
	c.do(409, "DELETE", "/v1/keys/"+admin.ID, nil, nil)
	var all api.Page[api.Key]
	c.do(200, "GET", "/v1/keys", nil, &all)
	if len(all.Items) != 2 {
		t.Fatalf("%+v", all)
	}
	c.key = "nrdl_wrong"
	c.do(401, "GET", at, nil, nil)
	c.key = identify.Key
	c.do(200, "GET", at+"/people", nil, nil)
	c.do(403, "POST", at+"/people", object{"name": "x"}, nil)
	c.do(403, "DELETE", at, nil, nil)
	c.do(403, "GET", "/metrics", nil, nil)
	photo := "photo=" + photos(t, "people/person001")[0]
	c.upload(403, at+"/faces", nil, photo)
	c.upload(200, at+"/identify", nil, photo)
	for range 20 { // of which those that were let in count
		a, err := c.server.Client().Do(c.get(at))
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
	}
	c.do(429, "GET", at, nil, nil)
	c.key = admin.Key
	c.do(204, "DELETE", "/v1/keys/"+identify.ID, nil, nil)
	if text := c.send(200, "GET", "/metrics", "", nil, nil); !bytes.Contains(text,
		[]byte(`nrdl_requests_total{route="POST /v1/collections/{collection}/identify",status="200"} 1`)) {
		t.Errorf("metrics %s", text)
	}
	c.key = ""
	c.send(200, "GET", "/healthz", "", nil, nil)
	c.send(200, "GET", "/readyz", "", nil, nil)
	if strings.Contains(c.log.String(), admin.Key) {
		t.Error("the log has a key")
	}
}

func (c *client) get(path string) *http.Request {
	r, err := http.NewRequestWithContext(c.Context(), "GET", c.server.URL+path, nil)
	if err != nil {
		c.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+c.key)
	return r
}

// Without a key, a page of another host gets nothing, also if its name leads here.
func TestOtherHosts(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	for name, change := range map[string]func(*http.Request){
		"name":   func(r *http.Request) { r.Host = "evil.example" },
		"origin": func(r *http.Request) { r.Method = "POST"; r.Header.Set("Origin", "https://evil.example") },
		"site":   func(r *http.Request) { r.Method = "POST"; r.Header.Set("Sec-Fetch-Site", "cross-site") },
		// Those of proxies: nginx, as Debian sets it up, names this machine as Host.
		"nginx":     func(r *http.Request) { r.Host = "127.0.0.1"; r.Header.Set("x-forwarded-for", "8.8.8.8") },
		"protocol":  func(r *http.Request) { r.Header.Set("X-Forwarded-Proto", "https") },
		"prefix":    func(r *http.Request) { r.Header.Set("X-Forwarded-Whatever", "") },
		"forwarded": func(r *http.Request) { r.Header.Set("Forwarded", "for=8.8.8.8") },
		"real":      func(r *http.Request) { r.Header.Set("X-Real-IP", "8.8.8.8") },
		"cloud":     func(r *http.Request) { r.Header.Set("CF-Connecting-IP", "8.8.8.8") },
		"balancer":  func(r *http.Request) { r.Header.Set("X-Envoy-External-Address", "8.8.8.8") },
		// With proxy_http_version 1.1 it adds nothing else.
		"nginx 1.1": func(r *http.Request) { r.Close = true },
		"upgrade":   func(r *http.Request) { r.Header.Set("Connection", "upgrade") },
		"via":       func(r *http.Request) { r.Header.Set("Via", "1.1 proxy") },
	} {
		r := c.get("/v1/collections")
		r.Header.Del("Authorization")
		change(r)
		a, err := c.server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		if a.StatusCode != 403 {
			t.Errorf("%s: %d", name, a.StatusCode)
		}
	}
	r := httptest.NewRequest("GET", "/v1/collections", nil)
	r.RemoteAddr, r.Host = "192.0.2.1:1", "localhost"
	w := httptest.NewRecorder()
	if c.v.ServeHTTP(w, r); w.Code != 403 {
		t.Errorf("another machine: %d", w.Code)
	}
	r = httptest.NewRequest("GET", "/v1/collections", nil)
	r.RemoteAddr, r.Host, r.Proto, r.ProtoMinor = "127.0.0.1:1", "127.0.0.1:8080", "HTTP/1.0", 0
	w = httptest.NewRecorder()
	if c.v.ServeHTTP(w, r); w.Code != 403 {
		t.Errorf("nginx without any headers: %d", w.Code)
	}
	// With a key a proxy may send what it wants, also the key in another spelling.
	var k struct {
		Secret string `json:"key"`
	}
	c.do(200, "POST", "/v1/keys", object{"name": "me", "scopes": []string{"admin"}}, &k)
	for _, scheme := range []string{"Bearer", "bearer", "BEARER"} {
		r = httptest.NewRequest("GET", "/v1/collections", nil)
		r.Header.Set("Authorization", scheme+" "+k.Secret)
		r.Header.Set("X-Forwarded-For", "8.8.8.8")
		w = httptest.NewRecorder()
		if c.v.ServeHTTP(w, r); w.Code != 200 {
			t.Errorf("%s: %d", scheme, w.Code)
		}
	}
}

// The description of the API has every route.
func TestOpenAPI(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{Version: "1"})
	var d struct {
		OpenAPI string
		Paths   map[string]map[string]struct{ OperationID string }
	}
	c.do(200, "GET", "/openapi.json", nil, &d)
	n := 0
	for _, p := range d.Paths {
		n += len(p)
	}
	if !strings.HasPrefix(d.OpenAPI, "3.1") || d.Paths["/v1/collections/{collection}/identify"]["post"].OperationID != "identify" || n < 30 {
		t.Fatalf("%d operations: %v", n, d)
	}
}

// The service stops when its context ends, after it has answered.
func TestServe(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- c.v.Serve(ctx, l) }()
	a, err := http.Get(fmt.Sprintf("http://%s/readyz", l.Addr()))
	if err != nil {
		t.Fatal(err)
	}
	a.Body.Close()
	stop()
	select {
	case err := <-ended:
		if err != nil {
			t.Fatal(err)
		}
	case <-time.After(time.Minute):
		t.Fatal("the service does not end")
	}
}

// While the database cannot be reached, requests are answered with 503.
func TestNoDatabase(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	at := c.collection()
	c.v.store.Close()
	c.do(503, "GET", at, nil, nil)
	c.send(503, "GET", "/readyz", "", nil, nil)
	c.send(200, "GET", "/healthz", "", nil, nil)
}
