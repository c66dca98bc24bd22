package server

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/openset"
	"nrdl.example/nrdl/server/api"
	"nrdl.example/nrdl/server/store"
)

// The statistics of a person are those of its faces, each compared with everybody as the
// service compares a face that is new: one that was taken out of the person.
func TestStatisticsAreThoseOfNewFaces(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	at := c.collection()
	ids := c.enrol(at, everybody...)
	for _, name := range everybody {
		var got Statistics
		c.do(200, "GET", at+"/people/"+ids[name]+"/statistics", nil, &got)
		if got.Held != 2 || len(got.Faces) != 2 || got.Rival == nil || len(got.Advice) == 0 ||
			!strings.HasPrefix(got.Advice[0], "few photographs") {
			t.Fatalf("%s: %+v", name, got)
		}
		right, known := 0, 0
		for _, f := range got.Faces {
			var op Done
			c.do(200, "POST", at+"/faces/move", object{"faces": []string{f.Face}, "person": ""}, &op)
			var e Explained
			c.do(200, "GET", at+"/faces/"+f.Face+"/why", nil, &e)
			if e.Guess.ID != f.Guess.ID || math.Abs(*e.Margin-f.Evidence) > 1e-4 {
				t.Errorf("%s: as a new face %+v with evidence %v, in the statistics %+v", name, e.Guess, *e.Margin, f)
			}
			c.do(204, "POST", at+"/undo/"+op.Operation, nil, nil)
			if f.Guess.ID == ids[name] {
				if right++; f.Known {
					known++
				}
			}
		}
		if right != got.Right || known != got.Known {
			t.Errorf("%s: %d right and %d known, got %+v", name, right, known, got)
		}
	}
	var all api.Page[Statistics]
	c.do(200, "GET", at+"/statistics?people="+ids["person001"]+","+ids["person003"], nil, &all)
	if len(all.Items) != 2 || all.Items[1].Person != ids["person003"] || all.Items[0].Faces != nil {
		t.Errorf("%+v", all)
	}
}

// The reasons for a face of a photograph name the person that identify names, and the most similar of
// the faces that speak for it is the very face where the photograph was enrolled.
func TestWhy(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	at := c.collection()
	ids := c.enrol(at, everybody...)
	photo := "photo=" + photos(t, "people/person002")[0]
	var plain Photograph
	var shown ShownPhotograph
	c.upload(200, at+"/identify", &plain, photo)
	c.upload(200, at+"/identify?why=true", &shown, photo)
	f, r := shown.Faces[0], shown.Faces[0].Reasons
	if len(f.Crop) == 0 || r == nil || r.Compared != 3 || len(r.Ranking) != 3 {
		t.Fatalf("%+v", f)
	}
	if *f.Margin != *plain.Faces[0].Margin || r.Ranking[0].ID != plain.Faces[0].Top[0].ID || r.Ranking[0].ID != ids["person002"] ||
		math.Abs(r.Ranking[0].Evidence-*f.Margin) > 1e-6 {
		t.Errorf("%v %v %v, identify says %v", r.Ranking[0].Ref, r.Ranking[0].Evidence, *f.Margin, *plain.Faces[0].Margin)
	}
	if n := r.Ranking[0].Nearest; len(n) != 2 || math.Abs(n[0].Cosine-1) > 1e-5 || n[1].Cosine > n[0].Cosine || f.Trained != n[0].Face {
		t.Errorf("%+v of %s", n, f.Trained)
	}
	var e Explained
	c.do(200, "GET", at+"/faces/"+r.Ranking[0].Nearest[0].Face+"/why", nil, &e)
	for _, p := range e.Reasons.Ranking {
		if slices.ContainsFunc(p.Nearest, func(s Similar) bool { return s.Face == e.ID }) {
			t.Error("a face speaks for itself")
		}
	}
	var first Added
	c.upload(200, at+"/people/"+ids["person001"]+"/faces?new=true", &first, photo)
	if len(first.Faces) != 0 || len(first.Refused) != 1 {
		t.Errorf("a photograph was added twice: %+v", first)
	}
}

// The curve has the thresholds that the collection has when it is set to these shares, and
// a face is decided by the place of its evidence among them.
func TestCurve(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	at := c.collection()
	var curve Curve
	c.do(200, "GET", at+"/calibration/curve", nil, &curve)
	if len(curve.Points) != 0 {
		t.Errorf("%+v of nobody", curve)
	}
	c.enrol(at, everybody...)
	c.do(200, "GET", at+"/calibration/curve", nil, &curve)
	if len(curve.Points) != 41 || len(curve.Faces) != 6 || curve.Total != 6 {
		t.Fatalf("%d points, %d faces", len(curve.Points), len(curve.Faces))
	}
	for i := range curve.Points[1:] {
		a, b := curve.Points[i], curve.Points[i+1]
		if b.FPIR >= a.FPIR || b.Threshold < a.Threshold || b.Right.Rate > a.Right.Rate {
			t.Errorf("%+v comes before %+v", a, b)
		}
		if a.Right.Low > a.Right.Rate || a.Right.High < a.Right.Rate {
			t.Errorf("%+v", a.Right)
		}
	}
	for _, i := range []int{0, 17, 40} {
		p := curve.Points[i]
		c.do(200, "PATCH", at, object{"fpir": p.FPIR}, nil)
		var now Calibration
		c.do(200, "GET", at+"/calibration", nil, &now)
		if math.Abs(*now.Threshold-p.Threshold) > 1e-12 {
			t.Errorf("1 in %.0f: the threshold is %v, on the curve %v", 1/p.FPIR, *now.Threshold, p.Threshold)
		}
		present := slices.IndexFunc(now.Rates, func(r openset.Rates) bool { return r.Present })
		if math.Abs(now.Rates[present].Right-p.Right.Rate) > 1e-12 {
			t.Errorf("1 in %.0f: %v, on the curve %v", 1/p.FPIR, now.Rates[present], p.Right)
		}
	}
}

// Lists of people can be searched and ordered, and name the face with the best crop.
func TestListOfPeople(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	at := c.collection()
	c.enrol(at, "person002")
	for _, name := range []string{"Ärzte 10", "ärzte 2", "person001"} {
		c.do(200, "POST", at+"/people", object{"name": name}, nil)
	}
	names := func(query string) (all []string) {
		for cursor := ""; ; {
			var page api.Page[Person]
			c.do(200, "GET", at+"/people?limit=2"+query+cursor, nil, &page)
			for _, p := range page.Items {
				all = append(all, p.Name)
				if (p.Portrait != "") != (p.Faces > 0) {
					t.Errorf("%+v", p)
				}
			}
			if page.Next == "" {
				return all
			}
			cursor = "&cursor=" + page.Next
		}
	}
	for query, want := range map[string][]string{
		"": {"person002", "Ärzte 10", "ärzte 2", "person001"}, "&order=name": {"person001", "person002", "ärzte 2", "Ärzte 10"},
		"&order=faces": {"person002", "person001", "ärzte 2", "Ärzte 10"}, "&search=%C3%84RZ": {"Ärzte 10", "ärzte 2"},
		"&search=arz": {"Ärzte 10", "ärzte 2"}, "&search=%C3%A4rzt": {"Ärzte 10", "ärzte 2"},
		"&kind=ignored": nil,
	} {
		if got := names(query); !slices.Equal(got, want) {
			t.Errorf("%q: %q, not %q", query, got, want)
		}
	}
	c.do(422, "GET", at+"/people?order=name&cursor=x", nil, nil)
}

// mixed is a service with a person made of two, of 4 and 3 drawn vectors, and one of two
// faces that do not look alike, beside three others. It returns the faces of
// the 3 and of the two.
func mixed(t *testing.T) (c *client, at string, wrong []string) {
	t.Helper()
	c = newClient(t, Options{})
	at = c.collection()
	for _, name := range []string{"person001", "person003"} {
		c.upload(200, at+"/faces", nil, "photo="+photos(t, "people/"+name)[0]) // for pictures
	}
	collection := strings.TrimPrefix(at, "/v1/collections/")
	in := frontend.Embedding
	l := in.Law()
	var enrolled api.Page[Face]
	c.do(200, "GET", at+"/faces", nil, &enrolled)
	rng := rand.New(rand.NewPCG(5, 1))
	d := in.Embedder.Frame().Len()
	// Cosines as those of the network: a part that all share, one of the person, and noise.
	common, own, noise := math.Sqrt(l.Different.Mean), math.Sqrt((l.Same.Mean-l.Different.Mean)/float64(d)),
		math.Sqrt((1-l.Same.Mean)/float64(d))
	made := 0
	draw := func(person string, n int) (ids []string) {
		t.Helper()
		means := make([]float64, d)
		for i := range means {
			means[i] = own * rng.NormFloat64()
		}
		means[0] += common
		crop, err := c.v.store.Crop(t.Context(), collection, enrolled.Items[made%len(enrolled.Items)].ID)
		if err != nil {
			t.Fatal(err)
		}
		made++
		faces := make([]store.NewFace, n)
		for j := range faces {
			v := make([]float32, d)
			for i := range v {
				v[i] = float32(means[i] + noise*rng.NormFloat64())
			}
			faces[j] = store.NewFace{Face: store.Face{Source: store.Crop}, Crop: crop, Space: c.v.people.Space(), Vector: v}
		}
		if _, err := c.v.store.AddFaces(t.Context(), "tester", collection, nil, person, faces); err != nil {
			t.Fatal(err)
		}
		for _, f := range faces {
			ids = append(ids, f.ID)
		}
		slices.Sort(ids)
		return ids
	}
	for _, name := range []string{"Ann", "Bo", "Cy"} {
		var p Person
		c.do(200, "POST", at+"/people", object{"name": name}, &p)
		draw(p.ID, 5)
	}
	var p, pair Person
	c.do(200, "POST", at+"/people", object{"name": "Mixed"}, &p)
	c.do(200, "POST", at+"/people", object{"name": "Pair"}, &pair)
	draw(p.ID, 4)
	wrong = append(wrong, draw(p.ID, 3)...)
	wrong = append(wrong, draw(pair.ID, 1)...)
	wrong = append(wrong, draw(pair.ID, 1)...)
	slices.Sort(wrong[3:])
	return c, at, wrong
}

// A person made of two is in Conflicts with the faces of the second one, and the statistics
// say so; so are two faces that do not look alike. What is confirmed is asked no more.
func TestTwoPeopleUnderOneName(t *testing.T) {
	t.Parallel()
	c, at, wrong := mixed(t)
	conflicts := func() map[string][]string {
		t.Helper()
		var all api.Page[Cluster]
		c.do(200, "GET", at+"/review?state=conflict", nil, &all)
		found := map[string][]string{}
		for _, o := range all.Items {
			key := o.Conflict.Kind + " " + o.Conflict.Person.Name
			if found[key] != nil {
				t.Errorf("%s twice", key)
			}
			found[key] = slices.Sorted(slices.Values(o.Faces))
		}
		return found
	}
	want := map[string][]string{"apart Mixed": wrong[:3], "pair Pair": wrong[3:]}
	found := conflicts()
	if fmt.Sprint(found) != fmt.Sprint(want) {
		t.Fatalf("%v, want %v", found, want)
	}
	for name, text := range map[string]string{
		"Mixed": "3 of 7 photographs do not look like the others",
		"Pair":  "the two photographs do not look like one person",
	} {
		var all api.Page[Person]
		c.do(200, "GET", at+"/people?search="+name, nil, &all)
		id := all.Items[0].ID
		var got Statistics
		if c.do(200, "GET", at+"/people/"+id+"/statistics", nil, &got); !strings.Contains(strings.Join(got.Advice, "; "), text) {
			t.Errorf("%s: %q", name, got.Advice)
		}
		if name == "Pair" {
			c.do(200, "POST", at+"/review/decide",
				object{"decisions": []object{{"faces": wrong[3:], "verb": "is", "person": id, "expected": id}}}, nil)
		} else {
			c.do(200, "POST", at+"/review/decide",
				object{"decisions": []object{{"faces": wrong[:3], "verb": "is_not", "person": id, "expected": id}}}, nil)
		}
	}
	if found := conflicts(); len(found) != 0 {
		t.Errorf("%v", found)
	}
}

// A group that the job regroup has stored asks whether it is two people, as the others do.
func TestTwoPeopleInStoredGroup(t *testing.T) {
	t.Parallel()
	c, at, wrong := mixed(t)
	var all api.Page[Person]
	c.do(200, "GET", at+"/people?search=Mixed", nil, &all)
	var own api.Page[Face]
	c.do(200, "GET", at+"/faces?person="+all.Items[0].ID, nil, &own)
	var faces []string
	for _, f := range own.Items {
		faces = append(faces, f.ID)
	}
	c.do(200, "POST", at+"/faces/deny", object{"faces": faces, "person": all.Items[0].ID}, nil)
	c.v.people.MaxGroupFaces = len(faces)
	if err := c.v.store.PutGroups(t.Context(), strings.TrimPrefix(at, "/v1/collections/"),
		[]store.Group{{Faces: faces, Loose: true}}); err != nil {
		t.Fatal(err)
	}
	var groups api.Page[Cluster]
	c.do(200, "GET", at+"/review", nil, &groups)
	if g := groups.Items[0]; len(faces) != 7 || len(g.Faces) != 7 || !g.Loose ||
		fmt.Sprint(slices.Sorted(slices.Values(g.Apart))) != fmt.Sprint(wrong[:3]) {
		t.Errorf("%v of %v are apart, want %v", g.Apart, g.Faces, wrong[:3])
	}
}
