package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"nrdl.example/nrdl/faces/frontend"
)

// Many clients enrol and identify at once: each sees its own change in its next request,
// and what has grown in the end is what a service trains that starts then.
func TestConcurrentClients(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	at := c.collection()
	kind, photo := c.form("photo=" + photos(t, "people/person001")[0])
	send := func(method, path, kind string, body []byte, into any) error {
		r := httptest.NewRequest(method, "http://127.0.0.1"+path, bytes.NewReader(body))
		r.Header.Set("Content-Type", kind)
		r.RemoteAddr = "127.0.0.1:1"
		w := httptest.NewRecorder()
		if c.v.ServeHTTP(w, r); w.Code != http.StatusOK {
			return fmt.Errorf("%s %s: %d %s", method, path, w.Code, w.Body)
		}
		return json.Unmarshal(w.Body.Bytes(), into)
	}
	enrol := func(client int) error {
		var p Person
		if err := send("POST", at+"/people", "application/json", fmt.Appendf(nil, `{"name":"client %d"}`, client), &p); err != nil {
			return err
		}
		rng := rand.New(rand.NewPCG(uint64(client), 1))
		for n := range 3 {
			v := make([]float32, c.v.engine.inputs[0].Frame.Len())
			norm := 0.0
			for i := range v {
				v[i] = float32(rng.NormFloat64())
				norm += float64(v[i]) * float64(v[i])
			}
			for i := range v {
				v[i] /= float32(math.Sqrt(norm))
			}
			body, err := json.Marshal(object{"vector": v, "space": c.v.engine.inputs[0].space})
			if err != nil {
				return err
			}
			var added Added
			if err := send("POST", at+"/people/"+p.ID+"/faces", "application/json", body, &added); err != nil {
				return err
			}
			s, err := c.v.engine.snapshot(t.Context(), strings.TrimPrefix(at, "/v1/collections/"))
			if err != nil {
				return err
			}
			if s.owner[added.Faces[0].ID] != p.ID || s.people[p.ID].Faces != n+1 {
				return fmt.Errorf("client %d does not see its face %d", client, n)
			}
		}
		var seen Photograph
		return send("POST", at+"/identify", kind, photo, &seen)
	}
	var clients sync.WaitGroup
	for client := range 8 {
		clients.Go(func() {
			if err := enrol(client); err != nil {
				t.Error(err)
			}
		})
	}
	clients.Wait()
	var bits [2]bytes.Buffer
	for i, e := range []*engine{c.v.engine, newEngine(c.v.store, frontend.Pipeline{}, c.v.Search)} {
		s, err := e.snapshot(t.Context(), strings.TrimPrefix(at, "/v1/collections/"))
		if err != nil {
			t.Fatal(err)
		}
		if len(s.owner) != 24 {
			t.Fatalf("%d faces", len(s.owner))
		}
		if err := s.live.Write(&bits[i]); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(bits[0].Bytes(), bits[1].Bytes()) {
		t.Error("the Recogniser that grew is another one than the one that is trained")
	}
}
