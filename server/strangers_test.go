package server

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/server/api"
	"nrdl.example/nrdl/server/store"
)

// Faces of strangers move the threshold as nrdl calibrate --strangers does, become nobody's,
// go with an export, and are gone when they are deleted.
func TestStrangers(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	at := c.collection()
	ids := c.enrol(at, everybody[:2]...)
	dir := t.TempDir()
	var form []string
	var files []dataset.File
	for i, f := range append(photos(t, "people/person003"), photos(t, "others")...) {
		if i >= 2 && !strings.Contains(f, "stranger") {
			continue
		}
		form, files = append(form, "photo="+f), append(files, dataset.File{Path: f})
	}
	var before, after Calibration
	c.do(200, "GET", at+"/calibration", nil, &before)
	base := c.recogniser(at)
	var added Added
	c.upload(200, at+"/strangers?new=true", &added, form...)
	c.do(200, "GET", at+"/calibration", nil, &after)
	n := len(added.Faces)
	if n < 3 || after.Added != (AddedStrangers{Faces: n, Used: n, Alike: after.Added.Alike}) || after.Added.Alike > n/2 ||
		after.People != 2 || after.Faces != before.Faces {
		t.Fatalf("%d faces, %+v after %+v", n, after, before)
	}
	if now, known := after.Strangers.Alike, before.Strangers.Alike; now.High > known.High || known.Known() {
		t.Errorf("the limit is %+v, and was %+v for two people", now, known)
	}

	images, err := base.ReadFiles(t.Context(), files)
	if err != nil {
		t.Fatal(err)
	}
	want, err := base.Calibrate(t.Context(), base.Model().Calibration.Options(), images)
	if err != nil {
		t.Fatal(err)
	}
	if got := want.Model().Calibration.Threshold; got != *after.Threshold {
		t.Errorf("the threshold is %v, and %v with the library", *after.Threshold, got)
	}
	c.sameAfterStart(at)

	// They are of nobody, for good.
	var list api.Page[Face]
	if c.do(200, "GET", at+"/faces?person=stranger", nil, &list); len(list.Items) != n || list.Items[0].Person != store.Stranger {
		t.Errorf("%+v", list)
	}
	var groups api.Page[Cluster]
	if c.do(200, "GET", at+"/review", nil, &groups); len(groups.Items) != 0 {
		t.Errorf("%+v", groups)
	}
	face := added.Faces[0].ID
	c.do(409, "POST", at+"/faces/move", object{"faces": []string{face}, "person": ids["person001"]}, nil)
	c.do(409, "POST", at+"/review/decide", object{"decisions": []object{{"faces": []string{face}, "verb": "is", "name": "Eve"}}}, nil)
	c.do(200, "GET", at+"/faces/"+face+"/why", nil, nil)

	file := filepath.Join(dir, "all.tar")
	if err := os.WriteFile(file, c.send(200, "GET", at+"/export", "", nil, nil), 0o600); err != nil {
		t.Fatal(err)
	}
	other := c.collection()
	var j Job
	var result ImportResult
	c.upload(200, other+"/import", &j, "archive="+file)
	if c.follow(other, j.ID, &result); result.Faces != n+4 || len(result.Refused) > 0 {
		t.Errorf("%+v", result)
	}
	var there Calibration
	if c.do(200, "GET", other+"/calibration", nil, &there); *there.Threshold != *after.Threshold || there.Added != after.Added {
		t.Errorf("%+v, not %+v", there, after)
	}

	var gone Removed
	c.do(200, "DELETE", at+"/strangers", nil, &gone)
	c.do(200, "GET", at+"/calibration", nil, &after)
	if gone.Faces != n || *after.Threshold != *before.Threshold || after.Added != (AddedStrangers{}) {
		t.Errorf("%+v, %+v, not %+v", gone, after, before)
	}
	third := c.collection()
	c.upload(200, third+"/import?as=strangers", &j, form...)
	if c.follow(third, j.ID, &result); result.Faces != n {
		t.Errorf("%+v", result)
	}
	if c.do(200, "GET", third+"/calibration", nil, &there); there.Added.Faces != n || there.Added.Used != 0 {
		t.Errorf("%+v", there)
	}
}

// People of the collection who are added as strangers do not move the threshold, and the
// calibration says why; a lower rate does.
func TestStrangersWhoAreMembers(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	at := c.collection()
	c.enrol(at, everybody[:3]...)
	var before, after Calibration
	c.do(200, "GET", at+"/calibration", nil, &before)
	var form []string
	for _, name := range everybody[:3] {
		form = append(form, "photo="+photos(t, "people/"+name)[0])
	}
	c.upload(200, at+"/strangers", nil, form...)
	c.do(200, "GET", at+"/calibration", nil, &after)
	if g := after.Added; *after.Threshold != *before.Threshold || g.Faces != 3 || g.Used != 0 || g.Alike != 3 ||
		!strings.Contains(g.Useless, "probably people of the model") {
		t.Errorf("the threshold is %v and was %v, %+v", *after.Threshold, *before.Threshold, g)
	}
	c.do(200, "DELETE", at+"/strangers", nil, nil)
	var none Calibration
	if c.do(200, "GET", at+"/calibration", nil, &none); none.Added != (AddedStrangers{}) {
		t.Errorf("%+v", none.Added)
	}
	if before.Rates[0].Right < 0.5 {
		t.Fatalf("%+v", before.Rates)
	}
	c.do(200, "PATCH", at, object{"fpir": 1e-3}, nil)
	if c.do(200, "GET", at+"/calibration", nil, &after); *after.Threshold <= *before.Threshold {
		t.Errorf("the threshold is %v and was %v", *after.Threshold, *before.Threshold)
	}
}

// Of people who look alike, groups may be of several people, which the list says; two faces of
// one photograph are in two groups, be they ever so similar.
func TestGroupsOfAlikePeople(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	at := c.collection()
	length := frontend.Embedding.Embedder.Frame().Len()
	rng := rand.New(rand.NewPCG(3, 7))
	// vector has unit length on average, and these cosines with its parts.
	vector := func(kind, own []float32) []float32 {
		const ofKind, ofOwn = 0.1, 0.5
		v := make([]float32, length)
		for i := range v {
			v[i] = float32((math.Sqrt(ofKind)*float64(kind[i]) + math.Sqrt(ofOwn)*float64(own[i]) + math.Sqrt(1-ofKind-ofOwn)*rng.NormFloat64()) /
				math.Sqrt(float64(len(v))))
		}
		return v
	}
	normal := func() []float32 {
		v := make([]float32, length)
		for i := range v {
			v[i] = float32(rng.NormFloat64())
		}
		return v
	}
	kind := normal()
	var together []string
	for person := range 12 {
		own := normal()
		for photograph := range 3 {
			faces := []store.NewFace{{Face: store.Face{Source: store.Upload}, Space: c.v.people.Space(), Vector: vector(kind, own)}}
			if person == 0 && photograph == 0 {
				faces = append(faces, faces[0])
			}
			photo := &store.Photo{SHA256: fmt.Sprint(person, photograph), Width: 100, Height: 100}
			if _, err := c.v.store.AddFaces(t.Context(), "tester", strings.TrimPrefix(at, "/v1/collections/"), photo, "", faces); err != nil {
				t.Fatal(err)
			}
			if len(faces) > 1 {
				together = []string{faces[0].ID, faces[1].ID}
			}
		}
	}
	var groups api.Page[Cluster]
	c.do(200, "GET", at+"/review", nil, &groups)
	several, loose := 0, 0
	for _, g := range groups.Items {
		if slices.Contains(g.Faces, together[0]) && slices.Contains(g.Faces, together[1]) {
			t.Errorf("two faces of one photograph are in %+v", g)
		}
		if len(g.Faces) > 1 {
			several++
		}
		if g.Loose {
			loose++
		}
	}
	if loose == 0 || loose == several {
		t.Errorf("%d of %d groups may be several people", loose, several)
	}
}

// Nobody is named in a collection of people who are too alike, wherever a face is asked about, no rate is
// given, and the answer says why. Without them the person is named again.
func TestPeopleTooAlike(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	at := c.collection()
	id, space := filepath.Base(at), c.v.people.Space()
	photo := photos(t, "people/person001")[0]
	c.add(at, "", photo)
	own, err := c.v.store.Samples(t.Context(), id, space, "", "", 1)
	if err != nil || len(own) != 1 {
		t.Fatal(own, err)
	}
	var alike []string
	rng := rand.New(rand.NewPCG(5, 2))
	for n := range 8 { // as photographs of one person are
		var p Person
		c.do(200, "POST", at+"/people", object{"name": fmt.Sprintf("Baby %d", n)}, &p)
		alike = append(alike, p.ID)
		vector := slices.Clone(own[0].Vector)
		var norm float64
		for i := range vector {
			vector[i] += float32(0.03 * rng.NormFloat64())
			norm += float64(vector[i]) * float64(vector[i])
		}
		for i := range vector {
			vector[i] /= float32(math.Sqrt(norm))
		}
		f := store.NewFace{Face: store.Face{Source: store.Vector}, Space: space, Vector: vector}
		if _, err := c.v.store.AddFaces(t.Context(), "tester", id, nil, p.ID, []store.NewFace{f}); err != nil {
			t.Fatal(err)
		}
	}
	c.publish(at)
	const why = "the people of this collection are too alike for this network"
	checkAnswers := func(alike bool) {
		t.Helper()
		wanted := map[bool]string{true: "unknown", false: "known"}[alike]
		var p Photograph
		c.upload(200, at+"/identify", &p, "photo="+photo)
		if len(p.Faces) != 1 || p.Faces[0].Decision != wanted || p.Faces[0].Known == alike || (p.Faces[0].Name == nil) != alike ||
			strings.Contains(p.Faces[0].Reason, why) != alike {
			t.Errorf("identified: %+v", p.Faces)
		}
		var e Explained
		if c.do(200, "GET", at+"/faces/"+own[0].Face+"/why", nil, &e); e.Decision != wanted || strings.Contains(e.Reason, why) != alike {
			t.Errorf("explained: %+v", e)
		}
		var groups api.Page[Cluster]
		if c.do(200, "GET", at+"/review", nil, &groups); len(groups.Items) != 1 || groups.Items[0].Guess == nil ||
			groups.Items[0].Guess.Decision != wanted {
			t.Errorf("grouped: %+v", groups.Items)
		}
		var k Calibration
		if c.do(200, "GET", at+"/calibration", nil, &k); k.Strangers == nil || k.Strangers.AtLarge.Known() == alike || k.Strangers.Alike.Known() {
			t.Errorf("calibrated: %+v", k.Strangers)
		}
	}
	checkAnswers(true)
	for _, other := range alike[1:] {
		c.do(200, "DELETE", at+"/people/"+other, nil, nil)
	}
	checkAnswers(false)
}
