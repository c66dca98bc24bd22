package server

import (
	"math"
	"slices"
	"testing"
	"time"
)

// A face that was here before is found among the faces of nobody, with its group, until it has
// a name or is deleted; somebody else is not found.
func TestSearch(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	id := c.collection()
	people := photos(t, "people/person001")
	other := photos(t, "people/person002")
	find := func(file string, query string) (s Search) {
		t.Helper()
		c.upload(200, id+"/search"+query, &s, "photo="+file)
		if len(s.Faces) != 1 {
			t.Fatalf("%+v", s)
		}
		return s
	}
	if s := find(people[0], ""); s.Searched != 0 || s.Faces[0].Seen || len(s.Faces[0].Nearest) > 0 {
		t.Errorf("among nobody: %+v", s)
	}
	var added Added
	c.upload(200, id+"/faces", &added, "photo="+people[1], "photo="+other[0])
	was, not := added.Faces[0].ID, added.Faces[1].ID
	s := find(people[0], "?limit=5&vectors=true")
	one := s.Faces[0]
	if s.Searched != 2 || len(one.Nearest) != 2 || one.Nearest[0].ID != was || one.Nearest[1].ID != not || len(one.Groups) != 2 ||
		one.Groups[0].Faces[0] != was {
		t.Errorf("%+v", s)
	}
	if !one.Seen || one.Nearest[0].FMR > 1e-3 || one.Nearest[1].FMR < one.Nearest[0].FMR || one.Nearest[0].ByChance < one.Nearest[0].FMR {
		t.Errorf("the person of another photograph: %+v", one)
	}
	if s.Space == "" || len(one.Vector) != len(c.vector(id, was)) {
		t.Errorf("a vector of %d numbers of %q", len(one.Vector), s.Space)
	}
	// A name, its undoing, a deletion: each search knows the change.
	var p Person
	c.do(200, "POST", id+"/people", object{"name": "Ann"}, &p)
	var done Done
	c.do(200, "POST", id+"/faces/move", object{"faces": []string{was}, "person": p.ID}, &done)
	if s := find(people[0], ""); s.Searched != 1 || s.Faces[0].Nearest[0].ID != not || s.Faces[0].Vector != nil {
		t.Errorf("with a name: %+v", s)
	}
	c.do(204, "POST", id+"/undo/"+done.Operation, nil, nil)
	if s := find(people[0], ""); s.Searched != 2 || s.Faces[0].Nearest[0].ID != was {
		t.Errorf("without the name: %+v", s)
	}
	c.do(204, "DELETE", id+"/faces/"+was, nil, nil)
	if s := find(people[0], ""); s.Searched != 1 {
		t.Errorf("deleted: %+v", s)
	}
	for _, query := range []string{"?limit=0", "?limit=101", "?limit=x", "?vectors=yes", "?kind=a"} {
		c.upload(422, id+"/search"+query, nil, "photo="+people[0])
	}
}

// vector returns the vector of a stored face.
func (c *client) vector(path, face string) []float32 {
	c.Helper()
	id := path[len("/v1/collections/"):]
	v, err := c.v.store.Vector(c.Context(), id, face, c.v.people.Space())
	if err != nil {
		c.Fatal(err)
	}
	return v
}

// A photograph is compared with several, each with the verdict of verify; vectors are for keys
// with their scope.
func TestCompare(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	id := c.collection()
	people, other := photos(t, "people/person001"), photos(t, "people/person002")
	var got Comparisons
	c.upload(200, id+"/compare", &got, "photo="+other[0], "a="+people[0], "photo="+people[1], "photo=search_test.go")
	if len(got.Photos) != 3 || *got.Photos[0].Similarity >= *got.Photos[1].Similarity || !got.Photos[1].Same ||
		got.Photos[2].Refused == "" || got.Photos[2].Similarity != nil || got.Face.Box == nil {
		t.Fatalf("%+v", got)
	}
	var one Verification
	c.upload(200, id+"/verify", &one, "a="+people[0], "b="+people[1])
	if got := *got.Photos[1].Similarity; math.Abs(got-one.Similarity) > 1e-6 {
		t.Errorf("%v, but verify says %v", got, one.Similarity)
	}
	c.upload(422, id+"/compare", nil, "a="+people[0])
	c.upload(422, id+"/compare", nil, "a="+people[0], "a="+people[0], "photo="+people[0])
	c.upload(422, id+"/compare", nil, "a=search_test.go", "photo="+people[0])

	var detected Detection
	c.upload(200, id+"/detect?vectors=true", &detected, "photo="+people[0])
	if len(detected.Faces) != 1 || len(detected.Faces[0].Vector) == 0 || detected.Space == "" {
		t.Errorf("%+v", detected)
	}
	secret := func(scopes ...string) string {
		_, secret, err := c.v.store.CreateKey(t.Context(), "tester", "k", scopes, nil, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		return secret
	}
	_, without, with := secret("admin"), secret("identify"), secret("identify", "vectors")
	c.key = without
	c.upload(403, id+"/detect?vectors=true", nil, "photo="+people[0])
	c.upload(403, id+"/search?vectors=true", nil, "photo="+people[0])
	c.upload(200, id+"/detect", nil, "photo="+people[0])
	c.key = with
	var again Detection
	c.upload(200, id+"/detect?vectors=true", &again, "photo="+people[0])
	if !slices.Equal(again.Faces[0].Vector, detected.Faces[0].Vector) {
		t.Error("another vector")
	}
}
