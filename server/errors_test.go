package server

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"nrdl.example/nrdl/server/api"
)

// Whatever is wrong with a request is in a problem, in words, and without what is for
// programs only.
func TestProblems(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	at := c.collection()
	var ann, bo Person
	var made Done
	c.do(200, "POST", at+"/people", object{"name": "Ann"}, &ann)
	c.do(200, "POST", at+"/people", object{"name": "Bo"}, &bo)
	c.do(200, "POST", at+"/people", object{"name": "Cy"}, &made)
	c.do(204, "POST", at+"/undo/"+made.Operation, nil, nil)
	id := strings.TrimPrefix(at, "/v1/collections/")
	for _, o := range []struct {
		method, path, body string
		change             func(*http.Request)
		status             int
		detail, id         string
	}{
		{method: "PUT", path: at, status: 405, detail: "not possible here, but GET, PATCH, DELETE"},
		{method: "PUT", path: "/healthz", status: 405, detail: "but GET"},
		{method: "GET", path: "/v1/x", status: 404, detail: "openapi.json"},
		{method: "GET", path: at, change: func(r *http.Request) { r.Host = "evil.example" }, status: 403, detail: "http://localhost"},
		{
			method: "GET", path: at, change: func(r *http.Request) { r.Header.Set("X-Forwarded-For", "8.8.8.8") },
			status: 403, detail: "a proxy has sent the request",
		},
		{
			method: "POST", path: at + "/people", change: func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
			status: 403, detail: "another site",
		},
		{
			method: "GET", path: at, change: func(r *http.Request) { r.Header.Set("Authorization", "Bearer nrdl_x") },
			status: 401, detail: "not known",
		},
		{method: "POST", path: at + "/people", body: `{"name":"Di"}`, change: func(r *http.Request) {
			r.Header.Set("Content-Type",
				"application/x-www-form-urlencoded")
		}, status: 415, detail: "application/json"},
		{method: "GET", path: "/v1/collections?cursor=x", status: 422, detail: "cursor"},
		{method: "GET", path: at + "/people?cursor=5", status: 422, detail: "cursor"},
		{method: "GET", path: at + "/people?order=name&cursor=" + ann.ID, status: 422, detail: "cursor"},
		{method: "GET", path: at + "/faces?cursor=x", status: 422, detail: "cursor"},
		{method: "GET", path: at + "/review?cursor=-1", status: 422, detail: "cursor"},
		{method: "GET", path: at + "/jobs?cursor=x", status: 422, detail: "cursor"},
		{method: "GET", path: at + "/operations?cursor=x", status: 422, detail: "cursor"},
		{method: "GET", path: "/v1/audit?cursor=x", status: 422, detail: "cursor"},
		{method: "GET", path: at + "/people?serach=x", status: 422, detail: "but cursor, limit, search, order, kind"},
		{method: "GET", path: at + "?x=1", status: 422, detail: "no parameters"},
		{method: "POST", path: at + "/identify?why=yes", status: 422, detail: "may be [true]"},
		{method: "POST", path: at + "/faces?old=true", status: 422, detail: "but new"},
		{method: "POST", path: at + "/faces?new=true&new=true", status: 422, detail: "2 times"},
		{method: "GET", path: at + "?%zz", status: 422, detail: "cannot be read"},
		{
			method: "POST", path: at + "/import?folders=people&as=strangers", status: 422,
			detail: "send one of folders=people, tags=regions and as=strangers",
		},
		{method: "POST", path: at + "/undo/" + made.Operation, status: 409, detail: "the operation is undone already"},
		{method: "POST", path: at + "/people", body: `{"name":"Ann"}`, status: 409, detail: "namesake", id: ann.ID},
		{method: "PATCH", path: at + "/people/" + bo.ID, body: `{"name":"Ann"}`, status: 409, detail: "namesake", id: ann.ID},
		{method: "POST", path: at + "/people", body: `{"nmae":"Ann"}`, status: 422, detail: "body.nmae: unexpected property"},
		{
			method: "POST", path: at + "/people", body: `{"name":"unknown"}`, status: 422,
			detail: "what strangers are called; give a person another name; photographs of strangers are for POST " +
				"/v1/collections/{collection}/strangers",
		},
		{method: "GET", path: at + "/people?limit=0", status: 422, detail: "query.limit: expected number >= 1"},
		{method: "POST", path: "/v1/collections", body: `{"name":"people 1"}`, status: 409, detail: "already", id: id},
	} {
		r := c.get(o.path)
		r.Method = o.method
		r.Header.Del("Authorization")
		if o.body != "" {
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(o.body)), int64(len(o.body))
			r.Header.Set("Content-Type", "application/json")
		}
		if o.change != nil {
			o.change(r)
		}
		a, err := c.server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		var answer api.Problem
		err = json.NewDecoder(a.Body).Decode(&answer)
		a.Body.Close()
		if err != nil || a.StatusCode != o.status || answer.Status != o.status || a.Header.Get("Content-Type") != "application/problem+json" ||
			!strings.Contains(answer.Detail, o.detail) || strings.Contains(answer.Detail, ": conflict") || answer.ID != o.id {
			t.Errorf("%s %s: %d, %s, %+v, %v", o.method, o.path, a.StatusCode, a.Header.Get("Content-Type"), answer, err)
		}
		if o.status == 405 && a.Header.Get("Allow") == "" {
			t.Errorf("%s %s: nothing is allowed", o.method, o.path)
		}
	}
	// A body whose header says that it is too large is refused before it is read.
	r, w := httptest.NewRequest("POST", at+"/import", strings.NewReader("")), httptest.NewRecorder()
	r.Host, r.RemoteAddr, r.ContentLength = "localhost", "127.0.0.1:1", 2<<30
	r.Header.Set("Content-Type", "multipart/form-data; boundary=x")
	if c.v.ServeHTTP(w, r); w.Code != 413 || !strings.Contains(w.Body.String(), "more than 1073741824 bytes") {
		t.Errorf("a body of 2 GB: %d %s", w.Code, w.Body)
	}
	c.do(200, "POST", at+"/people", object{"name": "Ann", "namesake": true}, nil)
	c.do(200, "PATCH", at+"/people/"+bo.ID, object{"name": "Bo", "kind": "ignored"}, nil)
	c.do(200, "POST", at+"/people", object{"name": "Bo"}, nil) // the other one is ignored
	c.do(200, "PATCH", at, object{"name": "people 1", "fpir": 0.02}, nil)
}
