package server

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nrdl.example/nrdl/server/api"
)

// Pages of an allowed origin get the headers by which a browser lets them, and others none.
func TestCORS(t *testing.T) {
	t.Parallel()
	const door, other = "https://door.example", "https://evil.example"
	c := newClient(t, Options{Origins: []string{door, "http://127.0.0.1:3000"}})
	ask := func(method, origin string, preflight bool) *http.Response {
		t.Helper()
		r := c.get("/v1/collections")
		r.Method = method
		if method == http.MethodPost {
			r.Body, r.ContentLength = io.NopCloser(strings.NewReader(`{"name":"visitors"}`)), -1
			r.Header.Set("Content-Type", "application/json")
		}
		r.Header.Set("Origin", origin)
		r.Header.Set("Sec-Fetch-Site", "cross-site")
		if preflight {
			r.Header.Set("Access-Control-Request-Method", "POST")
			r.Header.Set("Access-Control-Request-Headers", "authorization,content-type")
		}
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		if a.Header.Get("Access-Control-Allow-Credentials") != "" || a.Header.Get("Vary") != "Origin" {
			t.Errorf("%s %s: %v", method, origin, a.Header)
		}
		return a
	}
	a := ask(http.MethodOptions, door, true)
	if a.StatusCode != 204 || a.Header.Get("Access-Control-Allow-Origin") != door ||
		!strings.Contains(a.Header.Get("Access-Control-Allow-Methods"), "POST") ||
		!strings.Contains(a.Header.Get("Access-Control-Allow-Headers"), "Authorization") {
		t.Errorf("a preflight: %d %v", a.StatusCode, a.Header)
	}
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		if a := ask(method, door, false); a.StatusCode != 200 || a.Header.Get("Access-Control-Allow-Origin") != door {
			t.Errorf("%s: %d %v", method, a.StatusCode, a.Header)
		}
	}
	for _, method := range []string{http.MethodOptions, http.MethodGet, http.MethodPost} {
		a := ask(method, other, method == http.MethodOptions)
		if a.Header.Get("Access-Control-Allow-Origin") != "" || method == http.MethodPost && a.StatusCode != 403 ||
			method == http.MethodOptions && a.StatusCode/100 == 2 {
			t.Errorf("%s of another site: %d %v", method, a.StatusCode, a.Header)
		}
	}
	for _, wrong := range []string{"*", "null", "https://*.example", "https://door.example/", "door.example", "ftp://a", "https://a@b", ""} {
		if api.CheckOrigin(wrong) == nil {
			t.Errorf("%q is an origin", wrong)
		}
	}
	if err := api.CheckOrigin(door); err != nil {
		t.Error(err)
	}
}

// doubleTake sends a request as api/src/util/detectors/compreface.js of Double Take does: axios
// with a form that is streamed, so that its length is not known, parameters in the query, also one
// that is not configured, and a key.
func (c *client) doubleTake(want int, method, at string, params url.Values, file string, into any) {
	c.Helper()
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	if file != "" {
		data, err := os.ReadFile(file)
		if err != nil {
			c.Fatal(err)
		}
		w, err := form.CreateFormFile("file", "1a2b.jpg")
		if err != nil {
			c.Fatal(err)
		}
		_, _ = w.Write(data)
	}
	form.Close()
	r, err := http.NewRequestWithContext(c.Context(), method, c.server.URL+"/api/v1/recognition/"+at+"?"+params.Encode(),
		io.MultiReader(&body))
	if err != nil {
		c.Fatal(err)
	}
	if file != "" {
		r.Header.Set("Content-Type", form.FormDataContentType())
	} else {
		r.Body, r.ContentLength = http.NoBody, 0
	}
	r.Header.Set("Accept", "application/json, text/plain, */*")
	r.Header.Set("User-Agent", "axios/0.27.2")
	r.Header.Set("X-Api-Key", c.key)
	r.Close = true // as its version of axios
	a, err := c.server.Client().Do(r)
	if err != nil {
		c.Fatal(err)
	}
	defer a.Body.Close()
	data, err := io.ReadAll(a.Body)
	if err != nil || a.StatusCode != want {
		c.Fatalf("%s %s: %d, not %d: %s %v", method, at, a.StatusCode, want, data, err)
	}
	if into != nil {
		if err := json.Unmarshal(data, into); err != nil {
			c.Fatalf("%s: %v", data, err)
		}
	}
}

// blank returns a photograph of nobody.
func blank(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 320, 240))); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "blank.png")
	if err := os.WriteFile(file, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// Double Take trains, recognises and forgets people by the calls of CompreFace.
func TestDoubleTake(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{CompreFace: "people 1"})
	at := c.collection()
	secret := func(scopes ...string) string {
		var k struct {
			Secret string `json:"key"`
		}
		c.do(200, "POST", "/v1/keys", object{"name": fmt.Sprint(scopes), "scopes": scopes}, &k)
		return k.Secret
	}
	admin := secret("admin")
	c.key = admin
	own := secret("identify", "enrol", "review")
	c.key = own
	ann := photos(t, "people/person001")
	subject := url.Values{"subject": {"Ann"}}
	for _, file := range ann {
		var added struct {
			Image   string `json:"image_id"`
			Subject string
		}
		if c.doubleTake(200, "POST", "faces", subject, file, &added); added.Subject != "Ann" || added.Image == "" {
			t.Errorf("%+v", added)
		}
	}
	threshold := url.Values{"face_plugins": {"undefined"}, "det_prob_threshold": {"0.8"}}
	type result struct {
		Result []struct {
			Box struct {
				XMax int `json:"x_max"`
				XMin int `json:"x_min"`
			}
			Subjects []struct {
				Subject    string
				Similarity float64
			}
		}
	}
	var known, unknown result
	c.doubleTake(200, "POST", "recognize", threshold, ann[0], &known)
	if len(known.Result) != 1 || len(known.Result[0].Subjects) != 1 || known.Result[0].Subjects[0].Subject != "Ann" ||
		known.Result[0].Subjects[0].Similarity < 0.6 || known.Result[0].Box.XMax <= known.Result[0].Box.XMin {
		t.Errorf("%+v", known)
	}
	var people api.Page[Person]
	if c.do(200, "GET", at+"/people", nil, &people); len(people.Items) != 1 || people.Items[0].Faces != len(ann) {
		t.Errorf("%+v", people)
	}
	// A photograph of nobody has the code by which Double Take knows it.
	var none struct{ Code int }
	if c.doubleTake(422, "POST", "recognize", threshold, blank(t), &none); none.Code != 28 {
		t.Errorf("%+v", none)
	}
	var deleted struct{ Deleted int }
	if c.doubleTake(200, "DELETE", "faces", subject, "", &deleted); deleted.Deleted != len(ann) {
		t.Errorf("%+v", deleted)
	}
	if c.doubleTake(200, "POST", "recognize", threshold, ann[0], &unknown); len(unknown.Result) != 1 || len(unknown.Result[0].Subjects) != 0 {
		t.Errorf("%+v", unknown)
	}
	c.doubleTake(422, "DELETE", "faces", nil, "", &none)
	c.doubleTake(422, "POST", "faces", url.Values{}, ann[0], &none)
	c.key = ""
	c.doubleTake(401, "POST", "recognize", threshold, ann[0], &none)
	c.key = admin
	c.key = secret("identify")
	c.doubleTake(403, "DELETE", "faces", subject, "", &none)

	off := newClient(t, Options{})
	off.doubleTake(404, "POST", "recognize", threshold, ann[0], nil)
	missing := newClient(t, Options{CompreFace: "gone"})
	missing.key = ""
	missing.doubleTake(403, "POST", "recognize", threshold, ann[0], &none)
}
