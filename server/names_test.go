package server

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"nrdl.example/nrdl/server/api"
)

// The history and the audit log name the person of a change by the name of today, and nobody who is erased.
func TestNamesOfHistory(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	at := c.collection()
	ids := c.enrol(at, "person001")
	var faces api.Page[Face]
	c.do(200, "GET", at+"/faces?person="+ids["person001"], nil, &faces)
	face := faces.Items[0]
	c.do(200, "POST", at+"/faces/deny", object{"faces": []string{face.ID}, "person": ids["person001"]}, nil)
	c.do(200, "POST", at+"/faces/move", object{"faces": []string{face.ID}, "person": ids["person001"]}, nil)
	c.do(200, "PATCH", at+"/people/"+ids["person001"], object{"name": "Ann"}, nil)
	var history api.Page[Operation]
	c.do(200, "GET", at+"/operations", nil, &history)
	for _, o := range history.Items {
		if want := map[bool]string{true: "person001", false: "Ann"}[o.Kind == "change person"]; len(o.People) != 1 || o.People[0].Name != want {
			t.Errorf("%s: %+v", o.Kind, o.People)
		}
	}
	type line struct {
		Verb       string
		ObjectName string `json:"object_name"`
	}
	lines := func(name string) (verbs []string) {
		var log api.Page[line]
		c.do(200, "GET", "/v1/audit?limit=100", nil, &log)
		for _, l := range log.Items {
			if l.ObjectName == name {
				verbs = append(verbs, l.Verb)
			}
		}
		return verbs
	}
	for _, verb := range []string{"create person", "add faces", "deny faces", "move faces", "change person"} {
		if !slices.Contains(lines("Ann"), verb) {
			t.Errorf("%s has no name: %q", verb, lines("Ann"))
		}
	}
	if len(lines("people 1")) == 0 {
		t.Error("the collection has no name")
	}
	c.do(200, "DELETE", at+"/people/"+ids["person001"], nil, nil)
	if left := lines("Ann"); len(left) > 0 {
		t.Errorf("erased, and there are %q", left)
	}
}

// Why says that the photograph behind a crop is there, where it is.
func TestOriginalBehindCrop(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := newClient(t, Options{Photos: dir})
	at := c.collection()
	c.enrol(at, "person001")
	data, err := os.ReadFile(photos(t, "people/person001")[0])
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "a.jpg"), data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	c.stop()
	c.start(c.v.store, Options{Photos: dir, Search: c.v.options.Search})
	var faces api.Page[Face]
	c.do(200, "GET", at+"/faces", nil, &faces)
	there := func() (n int) {
		for _, f := range faces.Items {
			var why Explained
			if c.do(200, "GET", at+"/faces/"+f.ID+"/why", nil, &why); why.HasOriginal {
				n++
				c.send(200, "GET", at+"/photographs/"+f.Photo+"/original", "", nil, nil)
			}
		}
		return n
	}
	for start := time.Now(); there() == 0 && time.Since(start) < time.Minute; {
		time.Sleep(10 * time.Millisecond)
	}
	if n := there(); n != 1 || len(faces.Items) != 2 {
		t.Errorf("%d of %d have a photograph", n, len(faces.Items))
	}
}
