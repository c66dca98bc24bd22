package main

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// All pages of the list of CompreFace are read; what cannot be used is named, and ends the command
// with an error. A second run reads no image again.
func TestCompreFace(t *testing.T) {
	t.Parallel()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 2, 2))); err != nil {
		t.Fatal(err)
	}
	subjects := []string{"Ann", "Ann", "Bo [1]", "../up", "Cy"}
	fetched := 0
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/v1/recognition/faces", func(w http.ResponseWriter, r *http.Request) {
		page := 0
		if _, err := fmt.Sscan(r.URL.Query().Get("page"), &page); err != nil || r.Header.Get("X-Api-Key") != "secret" || page >= len(subjects) {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		fmt.Fprintf(w, `{"faces":[{"image_id":"id-%d","subject":%q}],"page_number":%d,"page_size":1,"total_pages":%d}`,
			page, subjects[page], page, len(subjects))
	})
	mux.HandleFunc("GET /api/v1/recognition/faces/{id}/img", func(w http.ResponseWriter, r *http.Request) {
		fetched++
		if r.PathValue("id") == "id-4" {
			w.WriteHeader(http.StatusNotFound)
			return
		}
		_, _ = w.Write(picture.Bytes())
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	at, err := url.Parse(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	for run := range 2 {
		var warnings []string
		f := comprefaceImages{address: at, key: "secret", output: out, warn: func(text string) { warnings = append(warnings, text) }}
		if err := f.fetch(t.Context()); err != nil {
			t.Fatal(err)
		}
		if f.images+f.earlier != 3 || f.earlier != 3*run || f.refusals != 2 {
			t.Errorf("run %d: %+v", run, f)
		}
		if len(warnings) != 2 || !strings.Contains(warnings[0], `"id-3" of subject "../up"`) ||
			!strings.Contains(warnings[1], `"id-4" of subject "Cy"`) {
			t.Errorf("run %d: %q", run, warnings)
		}
	}
	status, _, story := nrdlIn(t, filepath.Dir(out), "data", "compreface", server.URL, out, "--key", "secret")
	if status != failed || !strings.Contains(story, "2 of 5 images are left out") || !strings.Contains(story, `"../up"`) {
		t.Errorf("%d: %s", status, story)
	}
	if fetched != 4+2 { // id-4 is asked for again
		t.Errorf("%d images were read", fetched)
	}
	for _, name := range []string{"Ann/id-0.png", "Ann/id-1.png", "Bo [1]/id-2.png"} {
		if data, err := os.ReadFile(filepath.Join(out, filepath.FromSlash(name))); err != nil || !bytes.Equal(data, picture.Bytes()) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := (&comprefaceImages{address: at, key: "wrong", output: out}).fetch(t.Context()); err == nil {
		t.Error("a wrong key is not refused")
	}
}
