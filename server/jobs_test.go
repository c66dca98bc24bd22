package server

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/frontend/embedding"
	"nrdl.example/nrdl/internal/kit/testing/onnxfile"
	"nrdl.example/nrdl/server/api"
	"nrdl.example/nrdl/server/jobs"
	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

// follow returns a job as it is when it has ended, by its events.
func (c *client) follow(at, job string, into any) Job {
	c.Helper()
	var j Job
	for last := ""; ; {
		r := c.get(at + "/jobs/" + job + "/events")
		if c.key == "" {
			r.Header.Del("Authorization")
		}
		r.Header.Set("Last-Event-ID", last)
		a, err := c.server.Client().Do(r)
		if err != nil || a.StatusCode != http.StatusOK {
			c.Fatal(a, err)
		}
		lines := bufio.NewScanner(a.Body)
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				j = Job{}
				if err := json.Unmarshal([]byte(data), &j); err != nil {
					c.Fatal(err)
				}
			}
			if id, ok := strings.CutPrefix(lines.Text(), "id: "); ok {
				last = id
			}
		}
		a.Body.Close()
		if j.Finished == nil {
			continue
		}
		if a, err = c.server.Client().Do(r); err != nil { // from before the end: the event comes again
			c.Fatal(err)
		}
		a.Body.Close()
		r.Header.Set("Last-Event-ID", last)
		if a, err = c.server.Client().Do(r); err != nil || a.StatusCode != http.StatusNoContent {
			c.Fatalf("a client that has seen the end gets %d, %v", a.StatusCode, err)
		}
		a.Body.Close()
		if into != nil {
			if err := json.Unmarshal(j.Result, into); err != nil {
				c.Fatalf("%+v: %v", j, err)
			}
		}
		return j
	}
}

// noPieces waits until no job has a file: that of an import is removed after the job has ended.
func (c *client) noPieces() {
	c.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		n, err := c.v.store.Pieces(c.Context(), "", "")
		if err != nil || n > 0 && time.Now().After(end) {
			c.Fatalf("%d pieces are left, %v", n, err)
		}
		if n == 0 {
			return
		}
	}
}

// archive writes a zip of files, by name.
func archive(t *testing.T, files map[string][]byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "a.zip")
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	names := []string{}
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, name := range names {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = w.Write(files[name])
	}
	z.Close()
	if err := os.WriteFile(path, b.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

// peopleFiles are the drawn photographs of people as the files of an archive.
func peopleFiles(t *testing.T) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, name := range everybody {
		for _, f := range photos(t, "people/"+name) {
			data, err := os.ReadFile(f)
			if err != nil {
				t.Fatal(err)
			}
			files["photos/"+name+"/"+filepath.Base(f)] = data
		}
	}
	return files
}

// What is imported is as if it had been enrolled, once; what is exported and imported
// elsewhere gives the same answers.
func TestImportAndExport(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	at := c.collection()
	files := peopleFiles(t)
	files["photos/person001/notes.txt"] = []byte("no image")
	files["photos/person001/damaged.jpg"] = files["photos/person001/1.jpg"][:1000]
	files["__MACOSX/photos/person001/._1.jpg"] = []byte("x")
	files["a/b/"] = nil
	zipped := archive(t, files)
	var j Job
	var got ImportResult
	c.upload(200, at+"/import?folders=people", &j, "archive="+zipped)
	if j = c.follow(at, j.ID, &got); j.State != store.Succeeded || got.Photos != 6 || got.Faces != 6 || got.People != 3 ||
		got.Skipped != 2 || len(got.Refused) != 1 || !strings.HasSuffix(got.Refused[0].Name, "damaged.jpg") {
		t.Fatalf("%+v %+v", j, got)
	}
	c.upload(200, at+"/import?folders=people", &j, "archive="+zipped)
	if j = c.follow(at, j.ID, &got); got.Photos != 0 || got.Duplicates != 6 {
		t.Fatalf("%+v", got)
	}
	c.noPieces()

	var some []string
	for _, f := range photos(t, "others") {
		some = append(some, "photo="+f)
	}
	c.upload(200, at+"/import", &j, some...)
	if j = c.follow(at, j.ID, &got); got.Photos == 0 || got.People != 0 {
		t.Fatalf("%+v", got)
	}
	var loose api.Page[Face]
	c.do(200, "GET", at+"/faces?person=none", nil, &loose)
	var all api.Page[Person]
	c.do(200, "GET", at+"/people", nil, &all)
	c.do(200, "POST", at+"/faces/deny", object{"faces": []string{loose.Items[0].ID}, "person": all.Items[0].ID}, nil)
	c.do(200, "PATCH", at, object{"fpir": 0.05}, nil)

	dir := t.TempDir()
	direct := c.send(200, "GET", at+"/export", "", nil, nil)
	c.do(200, "POST", at+"/jobs", object{"kind": "export"}, &j)
	var exported ExportResult
	j = c.follow(at, j.ID, &exported)
	kept := c.send(200, "GET", at+"/jobs/"+j.ID+"/file", "", nil, nil)
	if !bytes.Equal(direct, kept) || exported.Faces != 6+len(loose.Items) || exported.Bytes != int64(len(kept)) {
		t.Fatalf("%+v", exported)
	}
	c.upload(422, at+"/import?folders=people", nil, some...)
	c.upload(422, at+"/import", nil, "photo="+zipped)
	tarred := filepath.Join(dir, "a.tar")
	if err := os.WriteFile(tarred, kept, 0o666); err != nil {
		t.Fatal(err)
	}
	there := c.collection()
	for round := range 2 {
		c.upload(200, there+"/import", &j, "archive="+tarred)
		if j = c.follow(there, j.ID, &got); j.State != store.Succeeded || got.People != 3*(1-round) || got.Faces != exported.Faces*(1-round) ||
			got.Duplicates != exported.Faces*round {
			t.Fatalf("%+v %+v", j, got)
		}
	}
	for _, f := range some {
		var a, b Photograph
		c.upload(200, at+"/identify", &a, f)
		c.upload(200, there+"/identify", &b, f)
		if diff := cmp.Diff(a, b); diff != "" {
			t.Fatal(diff)
		}
	}
	if again := c.send(200, "GET", there+"/export", "", nil, nil); !bytes.Equal(again[1024:],
		direct[1024:]) { // but for the header of people.json
		t.Error("what was imported is exported as something else")
	}
	c.send(404, "GET", at+"/jobs/"+j.ID+"/file", "", nil, nil)
	c.do(409, "POST", there+"/jobs/"+j.ID+"/accept", nil, nil)
}

// Archives that unpack to much, have many files, or are none do no harm.
func TestHostileArchives(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{Body: 1 << 20, Import: 4 << 20})
	at := c.collection()
	zeros := make([]byte, 1<<20)
	bombs := map[string][]byte{}
	for i := range 8 {
		bombs[fmt.Sprintf("%d.png", i)] = zeros
	}
	large := map[string][]byte{"large.jpg": append(zeros, 0), "people.json": nil}
	write := func(data string) string {
		path := filepath.Join(t.TempDir(), "x")
		if err := os.WriteFile(path, []byte(data), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var cut bytes.Buffer
	data, err := os.ReadFile(archive(t, bombs))
	if err != nil {
		t.Fatal(err)
	}
	cut.Write(data[:len(data)/2])
	tarOf := func(name, text string) string {
		return fmt.Sprintf("%-100s%-24s%012o%-148s", name+"\x00", "", len(text), "") + text
	}
	for name, test := range map[string]struct{ file, want string }{
		"bomb":     {archive(t, bombs), "failed: the archive cannot be read: it unpacks to more"},
		"large":    {archive(t, large), "done: "},
		"cut":      {write(cut.String()), "failed: the archive cannot be read"},
		"text":     {write("hello"), "failed: the archive cannot be read"},
		"no tar":   {write(tarOf("x", "y")), "failed: the archive cannot be read"},
		"no zip":   {write("PK\x05\x06"), "failed: the archive cannot be read"},
		"all null": {write(string(zeros)), "failed: the archive cannot be read"},
	} {
		var j Job
		c.upload(200, at+"/import", &j, "archive="+test.file)
		j = c.follow(at, j.ID, nil)
		if got := j.State + ": " + j.Error; !strings.HasPrefix(got, test.want) {
			t.Errorf("%s: %s %s, not %s", name, got, j.Result, test.want)
		}
		if name == "large" && !strings.Contains(string(j.Result), "more than 1048576 bytes") {
			t.Errorf("%s: %s", name, j.Result)
		}
	}
	c.upload(413, at+"/import", nil, "archive="+write(strings.Repeat("x", 5<<20)))
	c.upload(422, at+"/import", nil, "file="+write("x"))
	c.upload(422, at+"/import", nil, "archive="+write("x"), "photo="+write("x"))
	c.upload(404, "/v1/collections/x/import", nil, "archive="+write("x"))
	kind, form := c.form("archive=" + archive(t, bombs))
	c.send(400, "POST", at+"/import", kind, bytes.NewReader(form[:len(form)/2]), nil)
	c.noPieces()
}

// An import that is interrupted goes on where it was, in another process too; a step is
// not done twice.
func TestImportGoesOn(t *testing.T) {
	t.Parallel()
	at := filepath.Join(t.TempDir(), "nrdl.db")
	s, err := store.Open(t.Context(), at)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	col, err := s.CreateCollection(t.Context(), "tester", "x", 0.01, "")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(archive(t, peopleFiles(t)))
	if err != nil {
		t.Fatal(err)
	}
	first := New(s, Options{}) // only writes the file
	f := first.jobs.NewWriter(t.Context(), col.ID)
	if _, err := f.Write(data); err != nil || f.Flush() != nil {
		t.Fatal(err)
	}
	job, err := first.jobs.StartImport(t.Context(), f, jobs.ImportRequest{})
	if err != nil {
		t.Fatal(err)
	}
	for processes := 0; ; processes++ {
		if processes > 20 {
			t.Fatal("the import does not get on")
		}
		v := New(s, Options{})
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan struct{})
		var release func()
		hold := func() {
			if release, err = v.people.Memory.Reserve(people.WithCaller(t.Context(), &people.Caller{Job: true}), v.people.MaxImageBytes); err != nil {
				t.Fatal(err)
			}
		}
		hold() // the import waits for it before each photograph, so that it does not end before it is looked at
		go func() { v.Work(ctx); close(ended) }()
		before := -1
		for {
			j, err := s.Job(t.Context(), col.ID, job.ID)
			if err != nil {
				t.Fatal(err)
			}
			if before < 0 && j.State == store.Running {
				before = j.Done
			}
			if !j.Finished.IsZero() || before >= 0 && j.Done > before {
				break
			}
			people.Pause(t.Context(), time.Millisecond, nil)
			release()
			hold() // behind the one photograph that waits
		}
		stop()
		<-ended
		release()
		j, err := s.Job(t.Context(), col.ID, job.ID)
		if err != nil {
			t.Fatal(err)
		}
		if j.State == store.Running {
			t.Fatalf("the job of a process that was stopped is %+v", j)
		}
		if j.State == store.Succeeded {
			var got ImportResult
			if err := json.Unmarshal(j.Result, &got); err != nil || got.Faces != 6 || processes == 0 {
				t.Fatalf("%+v %v after %d processes", got, err, processes)
			}
			break
		}
	}
	if n, err := s.CountFaces(t.Context(), col.ID); n != 6 || err != nil {
		t.Fatalf("%d faces, %v", n, err)
	}
}

// An import that is cancelled stops, keeps what it has added, and lets go of its file; the same
// files, sent again, add the rest.
func TestImportIsCancelled(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{Lease: 2 * time.Second})
	at := c.collection()
	id := strings.TrimPrefix(at, "/v1/collections/")
	release, err := c.v.people.Memory.Reserve(t.Context(), c.v.people.MaxImageBytes) // so that the import waits
	if err != nil {
		t.Fatal(err)
	}
	files := peopleFiles(t)
	var j Job
	c.upload(200, at+"/import", &j, "archive="+archive(t, files))
	for start := time.Now(); j.State == store.Waiting && time.Since(start) < time.Minute; people.Pause(t.Context(), 5*time.Millisecond, nil) {
		c.do(200, "GET", at+"/jobs/"+j.ID, nil, &j)
	}
	if c.do(200, "DELETE", at+"/jobs/"+j.ID, nil, &j); j.State != store.Cancelled || j.Finished == nil {
		t.Fatalf("%+v", j)
	}
	release()
	if n, err := c.v.store.Pieces(t.Context(), id, j.ID); err != nil || n != 0 {
		t.Errorf("%d pieces of the file are there, %v", n, err)
	}
	var result ImportResult
	c.upload(200, at+"/import", &j, "archive="+archive(t, files))
	if c.follow(at, j.ID, &result); j.State == store.Failed || result.Photos+result.Duplicates != 6 || len(result.Refused) > 1 {
		t.Errorf("%+v", result)
	}
	var list api.Page[Face]
	if c.do(200, "GET", at+"/faces", nil, &list); len(list.Items) != 6 {
		t.Errorf("%d faces", len(list.Items))
	}
}

// Photographs that are sent as files are named as they were sent.
func TestRefusedFilesHaveTheirNames(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	at := c.collection()
	broken := filepath.Join(t.TempDir(), "broken.jpg")
	if err := os.WriteFile(broken, []byte("no image"), 0o600); err != nil {
		t.Fatal(err)
	}
	var j Job
	var result ImportResult
	c.upload(200, at+"/import", &j, "photo="+broken)
	if c.follow(at, j.ID, &result); len(result.Refused) != 1 || result.Refused[0].Name != "broken.jpg" || result.Refused[0].Why == "" {
		t.Errorf("%+v", result)
	}
}

func TestJobsOfPeople(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	at := c.collection()
	ids := c.enrol(at, everybody...)
	var j Job
	c.do(422, "POST", at+"/jobs", object{"kind": "erase"}, nil)
	c.do(422, "POST", at+"/jobs", object{"kind": "export", "people": []string{"x"}}, nil)
	c.do(422, "POST", at+"/jobs", object{"kind": "import"}, nil)
	c.do(200, "POST", at+"/jobs", object{"kind": "erase", "people": []string{ids["person001"], "gone", ids["person002"]}}, &j)
	var erased EraseResult
	if j = c.follow(at, j.ID, &erased); j.Progress != (Progress{Done: 3, Total: 3}) || len(erased.Receipts) != 2 ||
		len(erased.Receipts[1].Faces) != 2 {
		t.Fatalf("%+v %+v", j, erased)
	}
	c.do(404, "GET", at+"/people/"+ids["person001"], nil, nil)
	files := photos(t, "people/person001")
	c.upload(200, at+"/faces", nil, "photo="+files[0], "photo="+files[1])
	c.do(200, "POST", at+"/jobs", object{"kind": "regroup"}, &j)
	var grouped RegroupResult
	if j = c.follow(at, j.ID, &grouped); grouped != (RegroupResult{Faces: 2, Groups: 1}) {
		t.Fatalf("%+v %+v", j, grouped)
	}
	c.do(200, "DELETE", at+"/jobs/"+j.ID, nil, &j)
	if j.State != store.Succeeded {
		t.Fatalf("%+v", j)
	}
	c.do(404, "GET", at+"/jobs/x", nil, nil)
	c.do(404, "DELETE", at+"/jobs/x", nil, nil)
	var list api.Page[Job]
	c.do(200, "GET", at+"/jobs?kind=erase", nil, &list)
	if len(list.Items) != 1 {
		t.Fatalf("%+v", list)
	}
}

// A refit by another network is compared with what recognises; a worse one takes its
// place only if somebody says so.
func TestRefit(t *testing.T) {
	t.Parallel()
	e, err := embedding.New(onnxfile.Means(8, nil), "means.onnx",
		embedding.Given{Eyes: dataset.Eyes{Distance: 0.4, Height: 0.3}, Mean: []float64{0}, Scale: 1})
	if err != nil {
		t.Fatal(err)
	}
	c := newClient(t, Options{})
	at := c.collection()
	id := strings.TrimPrefix(at, "/v1/collections/")
	c.enrol(at, everybody...)
	refit := func(into *RefitResult) Job {
		t.Helper()
		var j Job
		c.do(200, "POST", at+"/jobs", object{"kind": "refit"}, &j)
		return c.follow(at, j.ID, into)
	}
	var got RefitResult
	if j := refit(&got); got.Verdict != "same" || got.Decision != "swapped" || got.Embedded != 0 || got.Live.Faces != 6 ||
		*got.Live != *got.Candidate {
		t.Fatalf("%+v %+v", j, got)
	}
	photo := "photo=" + photos(t, "people/person001")[0]
	space := func() string {
		col, err := c.v.store.Collection(t.Context(), id)
		if err != nil {
			t.Fatal(err)
		}
		return col.Space
	}
	was := space()
	c.stop()
	c.start(c.v.store, Options{Input: frontend.Pipeline{Embedder: e}, Search: c.v.people.Options.Search})
	j := refit(&got)
	if got.Verdict != "worse" || got.Decision != "needed" || got.Embedded != 6 || got.Candidate.Right >= got.Live.Right || space() != was {
		t.Fatalf("%+v %+v %+v", j, got.Live, got.Candidate)
	}
	var p Photograph
	if c.upload(200, at+"/identify", &p, photo); p.Faces[0].Decision != "known" {
		t.Fatalf("%+v", p)
	}
	var other Job
	c.do(200, "POST", at+"/jobs/"+j.ID+"/discard", nil, &other)
	c.do(409, "POST", at+"/jobs/"+j.ID+"/accept", nil, nil)
	if j = refit(&got); got.Decision != "needed" || got.Embedded != 0 {
		t.Fatalf("%+v", got)
	}
	c.upload(200, at+"/faces", nil, photo) // after it was compared
	c.do(200, "POST", at+"/jobs/"+j.ID+"/accept", nil, &j)
	var list api.Page[Job]
	c.do(200, "GET", at+"/jobs?kind=refit&limit=1", nil, &list)
	if c.follow(at, list.Items[0].ID, &got); got.Decision != "swapped" || got.Embedded != 1 || space() == was {
		t.Fatalf("%+v", got)
	}
	if c.upload(200, at+"/identify", &p, photo); len(p.Faces[0].Top) != 3 {
		t.Fatalf("%+v", p)
	}
	var crop api.Page[Face]
	c.do(200, "GET", at+"/faces?limit=1", nil, &crop)
	if _, err := c.v.people.SpaceOf("gone"); err == nil {
		t.Error("a network that there is not is there")
	}
}

// outdated returns a service that has been started with another network than that of a collection with
// 9 faces: 6 have a crop, 3 have none, of which one is the only face of a person.
func outdated(t *testing.T) (c *client, at, absent string) {
	t.Helper()
	e, err := embedding.New(onnxfile.Means(8, nil), "means.onnx",
		embedding.Given{Eyes: dataset.Eyes{Distance: 0.4, Height: 0.3}, Mean: []float64{0}, Scale: 1})
	if err != nil {
		t.Fatal(err)
	}
	c = newClient(t, Options{})
	at = c.collection()
	ids := c.enrol(at, everybody...)
	var p Person
	c.do(200, "POST", at+"/people", object{"name": "Without Pictures"}, &p)
	vector := make([]float32, frontend.Embedding.Embedder.Frame().Len())
	vector[3] = 1
	for _, id := range []string{ids["person001"], p.ID} {
		c.do(200, "POST", at+"/people/"+id+"/vectors", object{"vector": vector, "space": c.v.people.Space()}, nil)
	}
	lost := store.NewFace{Face: store.Face{Source: store.Import}, Space: c.v.people.Space(), Vector: vector}
	if _, err := c.v.store.AddFaces(t.Context(), "tester", filepath.Base(at), nil, "", []store.NewFace{lost}); err != nil {
		t.Fatal(err)
	}
	var now RefitPreview
	if c.do(200, "GET", at+"/refit", nil, &now); now != (RefitPreview{Faces: 9}) {
		t.Errorf("by the same network: %+v", now)
	}
	c.stop()
	c.start(c.v.store, Options{Input: frontend.Pipeline{Embedder: e}, Search: c.v.people.Options.Search})
	return c, at, p.ID
}

// What a refit by another network does is what the preview promises: faces with a crop get a vector, others get
// none and stay, and a person who has only such faces is a reason to ask.
func TestRefitPreview(t *testing.T) {
	t.Parallel()
	c, at, absent := outdated(t)
	preview := func() (p RefitPreview) {
		t.Helper()
		c.do(200, "GET", at+"/refit", nil, &p)
		if (p.Seconds > 0) != (p.ToEmbed > 0) {
			t.Errorf("%d faces take %v seconds", p.ToEmbed, p.Seconds)
		}
		p.Seconds = 0
		return p
	}
	before := preview()
	if before != (RefitPreview{IsOutdated: true, Faces: 9, ToEmbed: 6, Without: 3, People: 1}) {
		t.Errorf("before: %+v", before)
	}
	var j Job
	var got RefitResult
	c.do(200, "POST", at+"/jobs", object{"kind": "refit"}, &j)
	c.follow(at, j.ID, &got)
	if got.Embedded != before.ToEmbed || got.Without != before.Without || got.Verdict != "worse" || got.Decision != "needed" {
		t.Errorf("%+v, the preview: %+v", got, before)
	}
	if p := preview(); p != (RefitPreview{IsOutdated: true, Faces: 9, Without: 3, People: 1}) {
		t.Errorf("until somebody decides: %+v", p)
	}
	c.do(200, "POST", at+"/jobs/"+j.ID+"/accept", nil, nil)
	var list api.Page[Job]
	c.do(200, "GET", at+"/jobs?kind=refit&limit=1", nil, &list)
	if c.follow(at, list.Items[0].ID, &got); got.Decision != "swapped" || got.Embedded != 0 || got.Without != before.Without {
		t.Errorf("accepted: %+v", got)
	}
	if p := preview(); p != (RefitPreview{Faces: 9, Without: 3, People: 1}) {
		t.Errorf("afterwards: %+v", p)
	}
	var kept api.Page[Face]
	if c.do(200, "GET", at+"/faces?person="+absent, nil, &kept); len(kept.Items) != 1 {
		t.Errorf("of the faces that cannot be learnt stay %d", len(kept.Items))
	}
	var calibration Calibration
	if c.do(200, "GET", at+"/calibration", nil, &calibration); calibration.Faces != before.ToEmbed {
		t.Errorf("%d faces recognise", calibration.Faces)
	}
	c.do(404, "GET", "/v1/collections/none/refit", nil, nil)
}

func TestConflictsAndVerify(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	at := c.collection()
	ids := c.enrol(at, "person001", "person002")
	other := photos(t, "people/person003")
	c.upload(200, at+"/people/"+ids["person001"]+"/faces", nil, "photo="+photos(t, "people/person002")[0])
	var group Added
	for _, f := range photos(t, "others") {
		if c.upload(200, at+"/faces", &group, "photo="+f); len(group.Faces) > 1 {
			break
		}
	}
	both := []string{group.Faces[0].ID, group.Faces[1].ID}
	c.do(200, "POST", at+"/faces/move", object{"faces": both, "person": ids["person002"]}, nil)
	conflicts := func() (kinds []string) {
		t.Helper()
		var p api.Page[Cluster]
		c.do(200, "GET", at+"/review?state=conflict", nil, &p)
		for _, o := range p.Items {
			if o.Conflict == nil || o.Conflict.Person.Name == "" {
				t.Fatalf("%+v", o)
			}
			kinds = append(kinds, o.Conflict.Kind)
		}
		return kinds
	}
	was := conflicts()
	if len(was) < 2 || was[0] != "photo" || was[1] != "label" {
		t.Fatalf("%v", was)
	}
	c.do(200, "POST", at+"/review/decide", object{"decisions": []Decision{{Faces: both, Verb: "is", Person: ids["person002"]}}}, nil)
	if is := conflicts(); slices.Contains(is, "photo") {
		t.Fatalf("%v", is)
	}

	verify := func(want int, person, a string) (v Verification) {
		t.Helper()
		kind, form := c.form("a=" + a)
		end := bytes.LastIndex(form, []byte("\r\n--"))
		boundary := form[end+2 : len(form)-4]
		form = append(form[:end+2:end+2],
			fmt.Appendf(nil, "%s\r\nContent-Disposition: form-data; name=\"person\"\r\n\r\n%s\r\n%s--\r\n", boundary, person, boundary)...)
		var into any = &v
		if want != 200 {
			into = nil
		}
		c.send(want, "POST", at+"/verify", kind, bytes.NewReader(form), into)
		return v
	}
	right := verify(200, ids["person002"], photos(t, "people/person002")[1])
	wrong := verify(200, ids["person002"], other[0])
	if right.Comparison.FMR >= wrong.Comparison.FMR || right.Comparison.FMR <= 0 || right.Similarity <= wrong.Similarity {
		t.Fatalf("%+v, %+v", right, wrong)
	}
	verify(404, "x", other[0])
}

// Keys of some collections have no others.
func TestKeysOfCollections(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	own, other := c.collection(), c.collection()
	id := strings.TrimPrefix(own, "/v1/collections/")
	var admin, door struct{ Key string }
	c.do(422, "POST", "/v1/keys", object{"name": "x", "scopes": []string{"admin"}, "collections": []string{id}}, nil)
	c.do(200, "POST", "/v1/keys", object{"name": "x", "scopes": []string{"admin"}}, &admin)
	c.key = admin.Key
	c.do(404, "POST", "/v1/keys", object{"name": "x", "scopes": []string{"admin"}, "collections": []string{"x"}}, nil)
	c.do(200, "POST", "/v1/keys", object{"name": "x", "scopes": []string{"admin"}, "collections": []string{id}}, &door)
	c.key = door.Key
	c.do(200, "GET", own, nil, nil)
	c.do(200, "POST", own+"/people", object{"name": "x"}, nil)
	for method, path := range map[string]string{"GET": other, "POST": "/v1/keys", "DELETE": other + "/people/x"} {
		c.do(403, method, path, object{"name": "x", "scopes": []string{"admin"}}, nil)
	}
	c.do(403, "POST", "/v1/collections", object{"name": "x"}, nil)
	c.do(403, "GET", other+"/jobs/x/events", nil, nil)
	c.do(403, "POST", "/v1/backup", nil, nil)
	var all api.Page[Collection]
	c.do(200, "GET", "/v1/collections", nil, &all)
	if len(all.Items) != 1 || all.Items[0].ID != id {
		t.Fatalf("%+v", all)
	}
}

// A request that is sent again with its key is answered again, and carried out once.
func TestOnce(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	at := c.collection()
	send := func(want int, key, path, kind, body string) (string, http.Header) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), "POST", c.server.URL+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", kind)
		r.Header.Set(onceHeader, key)
		a, err := c.server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Body.Close()
		data, err := io.ReadAll(a.Body)
		if err != nil || a.StatusCode != want {
			t.Fatalf("%d, not %d: %s %v\n%s", a.StatusCode, want, data, err, c.log)
		}
		return string(data), a.Header
	}
	const js = "application/json"
	first, _ := send(200, "1", at+"/people", js, `{"name":"x"}`)
	again, h := send(200, "1", at+"/people", js, `{"name":"x"}`)
	if first != again || h.Get("Idempotent-Replayed") != "true" || h.Get("Content-Type") != js {
		t.Fatalf("%s, %s, %v", first, again, h)
	}
	send(422, "1", at+"/people", js, `{"name":"y"}`)
	send(422, "1", "/v1/collections", js, `{"name":"x"}`)
	send(422, strings.Repeat("x", 300), at+"/people", js, `{"name":"x"}`)
	send(422, "2", at+"/people", js, `{"name":"a/b"}`) // changes nothing: the key is free
	send(200, "2", at+"/people", js, `{"name":"y"}`)
	var all api.Page[Person]
	if c.do(200, "GET", at+"/people", nil, &all); len(all.Items) != 2 {
		t.Fatalf("%+v", all)
	}

	// A form is the same whatever is between its parts.
	file := photos(t, "people/person001")[0]
	kind, form := c.form("photo=" + file)
	first, _ = send(200, "3", at+"/faces", kind, string(form))
	kind, form = c.form("photo=" + file)
	if again, _ = send(200, "3", at+"/faces", kind, string(form)); first != again {
		t.Fatalf("%s, %s", first, again)
	}
	kind, form = c.form("photo=" + photos(t, "people/person002")[0])
	send(422, "3", at+"/faces", kind, string(form))
	kind, form = c.form("photo=" + file)
	first, _ = send(200, "4", at+"/import", kind, string(form))
	kind, form = c.form("photo=" + file)
	if again, _ = send(200, "4", at+"/import", kind, string(form)); first != again {
		t.Fatalf("%s, %s", first, again)
	}

	// While it is carried out, the second one waits; what was interrupted after a change is
	// not carried out again.
	o := &store.Request{Actor: "local", Key: "5", Route: at + "/people"}
	if _, err := c.v.store.BeginRequest(t.Context(), o, time.Minute); err != nil {
		t.Fatal(err)
	}
	if _, h := send(409, "5", at+"/people", js, `{"name":"x"}`); h.Get("Retry-After") == "" {
		t.Fatal(h)
	}

	// A secret is not kept, so that it cannot be sent again.
	made, _ := send(200, "6", "/v1/keys", js, `{"name":"x","scopes":["admin"]}`)
	var key struct{ Key string }
	if err := json.Unmarshal([]byte(made), &key); err != nil || key.Key == "" {
		t.Fatal(made)
	}
	was, err := c.v.store.BeginRequest(t.Context(), &store.Request{Actor: "local", Key: "6"}, time.Minute)
	if err != nil || was == nil || was.Status != 200 || len(was.Answer) != 0 {
		t.Fatalf("%+v %v", was, err)
	}
}

// An erased person is in no file of an earlier export.
func TestEraseRemovesExports(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	at := c.collection()
	var ann, bo Person
	c.do(200, "POST", at+"/people", object{"name": "Ann"}, &ann)
	c.do(200, "POST", at+"/people", object{"name": "Bo"}, &bo)
	var j Job
	c.do(200, "POST", at+"/jobs", object{"kind": "export"}, &j)
	var exported ExportResult
	if j = c.follow(at, j.ID, &exported); j.State != store.Succeeded {
		t.Fatalf("%+v", j)
	}
	c.send(200, "GET", at+"/jobs/"+j.ID+"/file", "", nil, nil)
	c.do(200, "DELETE", at+"/people/"+ann.ID, nil, nil)
	c.send(404, "GET", at+"/jobs/"+j.ID+"/file", "", nil, nil)
	c.noPieces()
}

// Of an archive with many files that are refused, not each one is a change of the database.
func TestManyRefused(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	at := c.collection()
	const files = 5000
	var archive bytes.Buffer
	z := zip.NewWriter(&archive)
	for i := range files {
		if _, err := z.Create(fmt.Sprintf("%d.jpg", i)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	kind, body := formOf("archive", archive.Bytes())
	var j Job
	start := time.Now()
	c.send(200, "POST", at+"/import", kind, bytes.NewReader(body), &j)
	var got ImportResult
	j = c.follow(at, j.ID, &got)
	if j.State != store.Succeeded || j.Progress != (Progress{Done: files, Total: files}) || len(got.Refused) != 500 {
		t.Fatalf("%+v, %d refused", j, len(got.Refused))
	}
	const others = 10 // changes: it is put, leased, ends …
	if limit := others + int64(time.Since(start)/time.Second); j.Version > limit {
		t.Errorf("the job was changed %d times", j.Version)
	}
}
