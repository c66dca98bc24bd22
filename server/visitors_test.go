package server

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"errors"
	"image"
	"image/draw"
	"image/jpeg"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nrdl.example/nrdl/server/api"
	"nrdl.example/nrdl/server/jobs"
	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

// visitors are those of a collection.
func (c *client) visitors(at string) []people.Visitor {
	c.Helper()
	var page api.Page[people.Visitor]
	c.do(200, "GET", at+"/visitors", nil, &page)
	return page.Items
}

// withAnn is a collection with Ann, and photographs of her and of Bo, for forms.
func (c *client) withAnn() (at, id string, ann, bo []string) {
	c.Helper()
	folder, _ := distinct(c.T)
	for i, of := range []*[]string{&ann, &bo} {
		files, err := filepath.Glob(filepath.Join(folder, []string{"person004", "person005"}[i], "*.jpg"))
		if err != nil || len(files) != 2 {
			c.Fatal(files, err)
		}
		for _, f := range files {
			*of = append(*of, "photo="+f)
		}
	}
	at = c.collection()
	c.do(200, "PATCH", at, object{"fpir": 1e-4}, nil) // drawn people are alike
	var p Person
	c.do(200, "POST", at+"/people", object{"name": "Ann"}, &p)
	c.upload(200, at+"/people/"+p.ID+"/faces", nil, ann...)
	return at, p.ID, ann, bo
}

// Unless a collection keeps visitors, nothing of a photograph stays. If it does, a face that is not recognised is
// a visitor with time and source, who is in no other list, and gets a name or is forgotten.
func TestVisitors(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	at, id, ann, bo := c.withAnn()
	c.upload(200, at+"/identify?source=door", nil, bo[0])
	var now Collection
	if c.do(200, "GET", at, nil, &now); now.VisitorDays != 0 || len(c.visitors(at)) != 0 {
		t.Fatalf("kept without being asked for: %+v", now)
	}
	c.do(200, "PATCH", at, object{"visitor_days": 3}, &now)
	if now.VisitorDays != 3 {
		t.Fatalf("%+v", now)
	}
	c.do(422, "PATCH", at, object{"visitor_days": 91}, nil)
	c.do(422, "PATCH", at, object{"visitor_days": -1}, nil)
	before := time.Now().Add(-time.Second)
	c.upload(200, at+"/identify?source=door&reference=41", nil, bo[0])
	c.upload(200, at+"/identify?source=door&reference=42&why=true", nil, bo[0]) // at once: the same visit
	c.upload(200, at+"/identify?source=yard", nil, bo[0])
	c.upload(200, at+"/identify?source=yard", nil, ann[0])
	all := c.visitors(at)
	if len(all) != 1 || len(all[0].Faces) != 2 {
		t.Fatalf("%+v", all)
	}
	last, first := all[0].Faces[0], all[0].Faces[1]
	if last.Source != "yard" || first.Source != "door" || first.Reference != "41" || first.Time.Before(before) ||
		!first.Expires.Equal(first.Time.AddDate(0, 0, 3)) || all[0].Guess == nil || all[0].Guess.ID != id {
		t.Errorf("%+v %+v", all[0], all[0].Guess)
	}
	if crop := c.send(200, "GET", at+"/faces/"+first.Face+"/crop", "", nil, nil); !bytes.HasPrefix(crop, []byte("\x89PNG")) {
		t.Error("the crop is no PNG")
	}
	for _, list := range []string{"/faces?person=none", "/review", "/operations?limit=1"} {
		if text := c.send(200, "GET", at+list, "", nil, nil); bytes.Contains(text, []byte(first.Face)) {
			t.Errorf("%s has the visitor: %s", list, text)
		}
	}
	var found people.Search // whether somebody was here before
	if c.upload(200, at+"/search", &found, bo[1]); found.Searched != 2 || !found.Faces[0].Seen {
		t.Errorf("%+v", found)
	}

	var decided api.Page[people.Decided]
	decision := object{"faces": []string{last.Face, first.Face}, "verb": "is", "name": "Bo", "expected": "none"}
	c.do(200, "POST", at+"/review/decide", object{"decisions": []object{decision}}, &decided)
	if got := c.visitors(at); len(got) != 0 {
		t.Errorf("with a name %+v", got)
	}
	var seen people.Photograph
	if c.upload(200, at+"/identify", &seen, bo[1]); seen.Faces[0].Person == nil || *seen.Faces[0].Person != decided.Items[0].Person {
		t.Errorf("%+v", seen.Faces[0])
	}
	c.do(204, "POST", at+"/undo/"+decided.Items[0].Operations[0], nil, nil)
	if got := c.visitors(at); len(got) != 1 {
		t.Errorf("after undo %+v", got)
	}
	decision = object{"faces": []string{last.Face}, "verb": "discard", "expected": "none"}
	c.do(200, "POST", at+"/review/decide", object{"decisions": []object{decision}}, nil)
	c.do(404, "GET", at+"/faces/"+last.Face, nil, nil)
	var gone api.Removed
	if c.do(200, "DELETE", at+"/visitors", nil, &gone); gone.Faces != 1 || len(c.visitors(at)) != 0 {
		t.Errorf("%+v", gone)
	}
	c.upload(200, at+"/identify?source=roof", nil, bo[0])
	c.do(200, "PATCH", at, object{"visitor_days": 0}, nil)
	if got := c.visitors(at); len(got) != 0 {
		t.Errorf("switched off, there are %+v", got)
	}
}

// Before anybody is enrolled, everybody is a visitor; whoever is ignored is none. Only an admin says that
// visitors are kept.
func TestVisitorsOfEmptyCollection(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	at := c.collection()
	c.do(200, "PATCH", at, object{"visitor_days": 1}, nil)
	c.upload(200, at+"/identify?source=door", nil, "photo="+photos(t, "people/person002")[0])
	all := c.visitors(at)
	if len(all) != 1 || len(all[0].Faces) != 1 {
		t.Fatalf("%+v", all)
	}
	decision := object{"faces": []string{all[0].Faces[0].Face}, "verb": "ignore", "expected": "none"}
	c.do(200, "POST", at+"/review/decide", object{"decisions": []object{decision}}, nil)
	c.upload(200, at+"/identify?source=yard", nil, "photo="+photos(t, "people/person002")[0])
	if got := c.visitors(at); len(got) != 0 {
		t.Errorf("somebody who is ignored is a visitor: %+v", got)
	}
	var admin, review struct{ Key string }
	c.do(200, "POST", "/v1/keys", object{"name": "me", "scopes": []string{"admin"}}, &admin)
	c.key = admin.Key
	c.do(200, "POST", "/v1/keys", object{"name": "other", "scopes": []string{"review"}}, &review)
	c.key = review.Key
	c.do(403, "PATCH", at, object{"visitor_days": 5}, nil)
	c.do(200, "PATCH", at, object{"name": "door"}, nil)
	c.key = admin.Key
	c.do(200, "PATCH", at, object{"visitor_days": 5}, nil)
}

// Visitors whose time ended while the service was stopped are gone when it has started; what an export has of them
// goes by the same time where it is imported.
func TestVisitorsAfterRestart(t *testing.T) {
	t.Parallel()
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "nrdl.db"))
	if err != nil {
		t.Fatal(err)
	}
	c := serving(t, s, Options{})
	at, _, _, bo := c.withAnn()
	c.do(200, "PATCH", at, object{"visitor_days": 3}, nil)
	c.upload(200, at+"/identify?source=door&reference=7", nil, bo[0])
	kept := c.visitors(at)
	if len(kept) != 1 {
		t.Fatalf("%+v\n%s", kept, c.log)
	}
	one := kept[0].Faces[0].Face
	archive := c.send(200, "GET", at+"/export", "", nil, nil)
	if v := exportedFaces(t, archive)[one].Visit; v == nil || v.Source != "door" || v.Reference != "7" {
		t.Errorf("in the export: %+v", v)
	}
	tarred := filepath.Join(t.TempDir(), "people.tar")
	if err := os.WriteFile(tarred, archive, 0o600); err != nil {
		t.Fatal(err)
	}
	for days, want := range map[int]int{0: 0, 3: 1} {
		there := c.collection()
		c.do(200, "PATCH", there, object{"visitor_days": days}, nil)
		var j Job
		var got jobs.ImportResult
		c.upload(200, there+"/import", &j, "archive="+tarred)
		c.follow(there, j.ID, &got)
		if n := len(c.visitors(there)); n != want || len(got.Refused) != 1-want {
			t.Errorf("a collection that keeps them for %d days has %d: %+v", days, n, got)
		}
	}
	old := []store.NewFace{{
		Face: store.Face{Source: store.Upload}, Crop: []byte("x"), Space: c.v.people.Space(), Vector: make([]float32, 8),
		Visit: &store.Visit{At: time.Now().AddDate(0, 0, -4), Source: "door"},
	}}
	c.stop()
	id := filepath.Base(at)
	if err := s.AddVisitors(t.Context(), "camera", id, &store.Photo{SHA256: "00"}, old); err != nil {
		t.Fatal(err)
	}
	c.start(s, Options{Search: c.v.options.Search})
	for start := time.Now(); err == nil && time.Since(start) < time.Minute; time.Sleep(time.Millisecond) {
		_, err = s.Face(t.Context(), id, old[0].ID)
	}
	if !errors.Is(err, store.ErrNotFound) || len(c.visitors(at)) != 1 {
		t.Errorf("after the start: %v, %+v", err, c.visitors(at))
	}
}

// exportedFaces are the faces in a tar, by id.
func exportedFaces(t *testing.T, archive []byte) map[string]jobs.ExportedFace {
	t.Helper()
	all := map[string]jobs.ExportedFace{}
	for from := tar.NewReader(bytes.NewReader(archive)); ; {
		h, err := from.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		var f jobs.ExportedFace
		if strings.HasPrefix(h.Name, "faces/") && strings.HasSuffix(h.Name, ".json") {
			if err := json.NewDecoder(from).Decode(&f); err != nil {
				t.Fatal(err)
			}
			all[f.ID] = f
		}
	}
}

// The last sighting of a person is in the answers at once, and after the service has stopped.
func TestLastSeen(t *testing.T) {
	t.Parallel()
	s, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "nrdl.db"))
	if err != nil {
		t.Fatal(err)
	}
	var latest people.Sighting
	c := serving(t, s, Options{Seen: func(s people.Sighting) { latest = s }})
	at := c.collection()
	ids := c.enrol(at, "person001", "person002")
	seen := func(want string) {
		t.Helper()
		var one, two Person
		c.do(200, "GET", at+"/people/"+ids["person001"], nil, &one)
		c.do(200, "GET", at+"/people/"+ids["person002"], nil, &two)
		var page api.Page[Person]
		c.do(200, "GET", at+"/people?order=name", nil, &page)
		if two.LastSeen != nil || (one.LastSeen == nil) != (want == "") || (page.Items[0].LastSeen == nil) != (want == "") {
			t.Fatalf("%+v %+v %+v", one, two, page.Items)
		}
		if want != "" && (one.LastSeen.Source+" "+one.LastSeen.Reference != want || !one.LastSeen.Time.Equal(latest.Time)) {
			t.Errorf("%+v, not %s at %s", one.LastSeen, want, latest.Time)
		}
	}
	seen("")
	photo := "photo=" + photos(t, "people/person001")[0]
	c.upload(200, at+"/identify?source=door&reference=5", nil, photo)
	seen("door 5")
	c.upload(200, at+"/identify?source=yard", nil, photo)
	seen("yard ")
	c.stop()
	c.start(s, Options{Search: c.v.options.Search})
	seen("yard ")
	c.do(200, "DELETE", at+"/people/"+ids["person001"], nil, nil)
	if left, err := s.Sightings(t.Context(), filepath.Base(at), []string{ids["person001"]}); err != nil || len(left) != 0 {
		t.Errorf("after the person is erased: %+v, %v", left, err)
	}
}

// Of one visitor a camera keeps one face a minute, but faces of one photograph are of several people, however
// similar they are.
func TestVisitorsOfOnePhotograph(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	at, _, _, bo := c.withAnn()
	c.do(200, "PATCH", at, object{"visitor_days": 3}, nil)
	data, err := os.ReadFile(strings.TrimPrefix(bo[0], "photo="))
	if err != nil {
		t.Fatal(err)
	}
	one, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	width := one.Bounds().Dx()
	both := image.NewRGBA(image.Rect(0, 0, 2*width, one.Bounds().Dy()))
	for i := range 2 {
		draw.Draw(both, one.Bounds().Add(image.Pt(i*width, 0)), one, image.Point{}, draw.Src)
	}
	f, err := os.Create(filepath.Join(t.TempDir(), "twins.jpg"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(jpeg.Encode(f, both, &jpeg.Options{Quality: 95}), f.Close()); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		c.upload(200, at+"/identify?source=door", nil, "photo="+f.Name())
		n := 0
		for _, v := range c.visitors(at) {
			n += len(v.Faces)
		}
		if n != 2 {
			t.Errorf("%d faces of twins are kept", n)
		}
	}
}

// A visitor of an archive that a wrong clock or somebody else has written goes by the days of the collection, and
// is from a camera with a name.
func TestVisitorsOfWrongArchive(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	at, _, _, bo := c.withAnn()
	c.do(200, "PATCH", at, object{"visitor_days": 3}, nil)
	c.upload(200, at+"/identify?source=door", nil, bo[0])
	archive := c.send(200, "GET", at+"/export", "", nil, nil)
	for source, want := range map[string]int{"yard": 1, "<b>\n/../": 0} {
		tarred := filepath.Join(t.TempDir(), "people.tar")
		f, err := os.Create(tarred)
		if err != nil {
			t.Fatal(err)
		}
		to := tar.NewWriter(f)
		for from := tar.NewReader(bytes.NewReader(archive)); ; {
			h, err := from.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			data, readErr := io.ReadAll(from)
			var one jobs.ExportedFace
			if err = errors.Join(err, readErr); strings.HasPrefix(h.Name, "faces/") && json.Unmarshal(data, &one) == nil && one.Visit != nil {
				one.Visit.Time, one.Visit.Source = time.Now().AddDate(900, 0, 0), source
				var wrong error
				data, wrong = json.Marshal(one)
				err = errors.Join(err, wrong)
			}
			h.Size = int64(len(data))
			err = errors.Join(err, to.WriteHeader(h))
			if _, wrong := to.Write(data); errors.Join(err, wrong) != nil {
				t.Fatal(err, wrong)
			}
		}
		if err := errors.Join(to.Close(), f.Close()); err != nil {
			t.Fatal(err)
		}
		there := c.collection()
		c.do(200, "PATCH", there, object{"visitor_days": 3}, nil)
		var j Job
		var got jobs.ImportResult
		c.upload(200, there+"/import", &j, "archive="+tarred)
		c.follow(there, j.ID, &got)
		all := c.visitors(there)
		if len(all) != want || len(got.Refused) != 1-want {
			t.Errorf("of %q: %+v %+v", source, all, got)
		}
		if want == 1 && time.Until(all[0].Faces[0].Expires) > 4*24*time.Hour {
			t.Errorf("the visitor stays until %s", all[0].Faces[0].Expires)
		}
	}
}
