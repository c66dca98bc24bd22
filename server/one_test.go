package server

import (
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/measure"
	"nrdl.example/nrdl/internal/kit/testing/onnxfile"
	"nrdl.example/nrdl/openset"
	"nrdl.example/nrdl/server/api"
	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

// One person is enough, from the first face to the last one: a collection names that person,
// and nobody where nobody is left.
func TestOnePerson(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	at := c.collection()
	one, other := "photo="+photos(t, "people/person001")[0], "photo="+photos(t, "people/person002")[0]
	is := func(photo, decision, why string) {
		t.Helper()
		var p Photograph
		c.upload(200, at+"/identify", &p, photo)
		if len(p.Faces) != 1 || p.Faces[0].Decision != decision || !strings.Contains(p.Faces[0].Reason, why) ||
			(p.Faces[0].Name != nil) != (decision == "known") {
			t.Errorf("%+v", p)
		}
	}
	empty := func() {
		t.Helper()
		is(one, "unknown", "Nobody is enrolled")
		var k Calibration
		if c.do(200, "GET", at+"/calibration", nil, &k); k.Threshold != nil || k.People != 0 || k.Strangers != nil {
			t.Errorf("%+v of nobody", k)
		}
	}
	empty()
	id := c.enrol(at, "person001")["person001"]
	alone := func() {
		t.Helper()
		is(one, "known", "The similarity with person001 is ")
		var k Calibration
		c.do(200, "GET", at+"/calibration", nil, &k)
		if k.Threshold == nil || k.People != 1 || k.Strangers == nil || k.Strangers.Alike.Known() ||
			math.Abs(k.Strangers.AtLarge.Rate-k.FPIR) > 1e-9 {
			t.Errorf("%+v", k)
		}
		var curve Curve
		if c.do(200, "GET", at+"/calibration/curve", nil, &curve); len(curve.Points) != 41 || curve.Points[0].Strangers.Alike.Known() {
			t.Errorf("%d points", len(curve.Points))
		}
		var person Statistics
		c.do(200, "GET", at+"/people/"+id+"/statistics", nil, &person)
		if person.Held != 2 || person.Right != 2 || person.Rival != nil {
			t.Errorf("%+v", person)
		}
		var e Explained
		c.do(200, "GET", at+"/faces/"+person.Faces[0].Face+"/why", nil, &e)
		if e.Reasons.Compared != 1 || len(e.Reasons.Ranking) != 1 || e.Guess.ID != id {
			t.Errorf("%+v", e)
		}
		var conflicts api.Page[Cluster]
		if c.do(200, "GET", at+"/review?state=conflict", nil, &conflicts); len(conflicts.Items) > 0 {
			t.Errorf("%+v", conflicts.Items)
		}
	}
	alone()
	second := c.enrol(at, "person002")["person002"]
	is(other, "known", "person002")
	c.do(200, "DELETE", at+"/people/"+second, nil, nil)
	alone()
	c.do(200, "DELETE", at+"/people/"+id, nil, nil)
	empty()
}

// A network of a file decides by the impostor distribution that is measured beside it;
// without one it takes two people.
func TestMeasuredNetwork(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "means.onnx")
	if err := os.WriteFile(path, onnxfile.Means(8, map[string]string{"eyes": "0.4@0.3", "mean": "0", "scale": "1"}), 0o666); err != nil {
		t.Fatal(err)
	}
	read := func() frontend.Pipeline {
		t.Helper()
		in, err := people.ParseInput("embedding:" + path)
		if err != nil {
			t.Fatal(err)
		}
		return in
	}
	in := read()
	enrolled := func(in frontend.Pipeline) (c *client, at, face string) {
		c = newClient(t, Options{Input: in})
		at = c.collection()
		var p Person
		c.do(200, "POST", at+"/people", object{"name": "Ann"}, &p)
		for person, vector := range map[string][]float32{p.ID: {1, 0, 0}, "": {0.96, 0.28, 0}} {
			f := store.NewFace{Face: store.Face{Source: store.Vector}, Space: c.v.people.Space(), Vector: vector}
			faces := []store.NewFace{f}
			if _, err := c.v.store.AddFaces(t.Context(), "tester", filepath.Base(at), nil, person, faces); err != nil {
				t.Fatal(err)
			}
			if person == "" {
				face = faces[0].ID
			}
		}
		c.publish(at)
		return c, at, face
	}
	c, at, face := enrolled(in)
	var e Explained
	if c.do(200, "GET", at+"/faces/"+face+"/why", nil, &e); e.Guess != nil || !strings.Contains(e.Reason, "measure the network") {
		t.Errorf("one person of a network that was not measured: %+v", e)
	}

	l := *openset.Shipped()[0]
	frontend.Describe(&l, in.Embedder)
	if err := os.WriteFile(frontend.LawFile(path), measure.Lines(&l), 0o666); err != nil {
		t.Fatal(err)
	}
	c, at, face = enrolled(read())
	cosine := []float64{0.96}
	l.Level(cosine, []int{1}, nil)
	c.do(200, "GET", at+"/faces/"+face+"/why", nil, &e)
	if want := l.Evidence(cosine[0], 1); e.Margin == nil || math.Abs(*e.Margin-want) > 1e-5 || want < 1 {
		t.Errorf("%+v, the evidence is %v", e, want)
	}
	var k Calibration
	if c.do(200, "GET", at+"/calibration", nil, &k); k.Threshold == nil || *k.Threshold != 2 {
		t.Errorf("%+v", k)
	}
}
