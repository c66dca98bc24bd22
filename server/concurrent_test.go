package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/server/api"
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
			v := make([]float32, frontend.Embedding.Embedder.Frame().Len())
			norm := 0.0
			for i := range v {
				v[i] = float32(rng.NormFloat64())
				norm += float64(v[i]) * float64(v[i])
			}
			for i := range v {
				v[i] /= float32(math.Sqrt(norm))
			}
			body, err := json.Marshal(object{"vector": v, "space": c.v.people.Space()})
			if err != nil {
				return err
			}
			var added Added
			if err := send("POST", at+"/people/"+p.ID+"/vectors", "application/json", body, &added); err != nil {
				return err
			}
			var own api.Page[Face]
			if err := send("GET", at+"/faces?person="+p.ID, "", nil, &own); err != nil {
				return err
			}
			r, err := c.v.people.Recogniser(t.Context(), filepath.Base(at))
			if err != nil {
				return err
			}
			if len(own.Items) != n+1 || !slices.Contains(namesOf(r), p.ID+"/"+added.Faces[0].ID) {
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
	if n, err := c.v.store.CountFaces(t.Context(), filepath.Base(at)); n != 24 || err != nil {
		t.Fatalf("%d faces, %v", n, err)
	}
	c.sameAfterStart(at)
}

// namesOf returns the names of the faces that r knows.
func namesOf(r *faces.Recogniser) (all []string) {
	images := r.Model().Images()
	for j := range images.Len() {
		all = append(all, images.ID(j))
	}
	return all
}
