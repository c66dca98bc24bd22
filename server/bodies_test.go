package server

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// A body of JSON is one value of its form, and the answer says which part is none.
func TestBodiesOfJSON(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{CompreFace: "faces"})
	at := c.collection()
	person := c.enrol(at, "person001")["person001"]
	space, err := json.Marshal(c.v.people.Space())
	if err != nil {
		t.Fatal(err)
	}
	vectors, faces := at+"/people/"+person+"/vectors", "/api/v1/recognition/faces"
	for _, o := range []struct{ path, body, want string }{
		{vectors, `{"vector": [0, null], "space": ` + string(space) + `}`, "vector[1] is null"},
		{vectors, `{"vector": [0, "1"], "space": ` + string(space) + `}`, "has a JSON string"},
		{vectors, `{"vector": [0], "space": ` + string(space) + `} {}`, "something after its JSON"},
		{vectors, `{"vector": [0], "space": ` + string(space) + `} x`, "something after its JSON"},
		{vectors, `{"vector": [0], "name": 1}`, `unknown field "name"`},
		{vectors, `{"vector": [0`, "cut short"},
		{vectors, ``, "the body is empty"},
		{vectors, `[1]`, "the body has a JSON array"},
		{vectors, `null`, "space"},
		{"/api/v1/recognition/subjects", `{"subject": "Ann"}}`, "something after its JSON"},
		{"/api/v1/recognition/subjects", `{"subject": 1}`, "subject has a JSON number"},
		{faces + "/delete", `["a"] ["b"]`, "something after its JSON"},
		{faces + "/delete", `[1]`, "has a JSON number"},
		{faces + "?subject=Ann", `{"file": 1}`, "has a JSON number"},
		{faces + "?subject=Ann", `{"file": "" `, "cut short"},
		{at + "/people", `{"name": "Ann"} {}`, "after top-level value"},
		{at + "/people", `{"name": null}`, "name"},
		{at + "/review/decide", `{"decisions": [null]}`, "decisions[0]"},
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, c.server.URL+o.path, strings.NewReader(o.body))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		r.Header.Set("X-Api-Key", c.key)
		a, err := c.server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		var p struct{ Detail, Message string }
		err = json.NewDecoder(a.Body).Decode(&p)
		a.Body.Close()
		if text := p.Detail + p.Message; err != nil || a.StatusCode/100 != 4 || !strings.Contains(text, o.want) {
			t.Errorf("POST %s %s: %d %q without %q %v", o.path, o.body, a.StatusCode, text, o.want, err)
		}
	}
}

// The page is packed for those who take it packed.
func TestPackedIfTaken(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	for header, packed := range map[string]bool{
		"gzip": true, "br, GZIP;q=0.5": true, "*": true, "gzip;q=0": false, "gzip; q=0.000, *": false, "identity": false,
		"br;q=1.0, *;q=0": false, "": false, "xgzip": false,
	} {
		for _, path := range []string{"/", "/openapi.json"} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, c.server.URL+path, nil)
			if err != nil {
				t.Fatal(err)
			}
			r.Header.Set("Accept-Encoding", header)
			a, err := c.server.Client().Do(r)
			if err != nil {
				t.Fatal(err)
			}
			a.Body.Close()
			if (a.Header.Get("Content-Encoding") == "gzip") != packed {
				t.Errorf("%s with %q: %q", path, header, a.Header.Get("Content-Encoding"))
			}
		}
	}
}
