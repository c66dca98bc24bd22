package server

import (
	"bytes"
	"encoding/json"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"nrdl.example/nrdl/internal/testing/lacking"
	"nrdl.example/nrdl/server/api"
	"nrdl.example/nrdl/server/people"
)

// Each call of the SDK of CompreFace is answered in its form, and the first one makes the collection.
func TestCompreFaceSDK(t *testing.T) {
	t.Parallel()
	sdk, err := filepath.Abs("../client/typescript/node_modules/@exadel/compreface-js-sdk/index.js")
	if err != nil {
		t.Fatal(err)
	}
	node, missing := exec.LookPath("node")
	if _, err := os.Stat(sdk); err != nil || missing != nil {
		lacking.Skip(t, "there is no SDK of CompreFace: npm ci in client/typescript")
	}
	c := newClient(t, Options{CompreFace: "visitors"})
	var k struct{ Key string }
	c.do(200, "POST", "/v1/keys", object{"name": "me", "scopes": []string{"admin"}}, &k)
	c.key = k.Key
	at, err := url.Parse(c.server.URL)
	if err != nil {
		t.Fatal(err)
	}
	photo := photos(t, "people/person001")[0]
	// The SDK takes what begins with a point for a path.
	dir := t.TempDir()
	for name, from := range map[string]string{"a.jpg": photo, "b.jpg": photos(t, "people/person001")[1]} {
		data, err := os.ReadFile(from)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	script, err := filepath.Abs("testdata/compreface.mjs")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), node, script, sdk, "http://"+at.Hostname(), at.Port(), k.Key, "./a.jpg", "./b.jpg")
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out = out[bytes.LastIndexByte(bytes.TrimSpace(out), '\n')+1:] // the SDK prints, too
	var done map[string]json.RawMessage
	if err := json.Unmarshal(out, &done); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for call, want := range map[string]string{ // parts of the answers
		"subjects.list, empty": `{"subjects":[]}`, "subjects.add": `{"subject":"Ann"}`, "subjects.rename": `{"updated":true}`,
		"faces.add, file": `"subject":"Anna"`, "faces.add, base64": `"subject":"Anna"`, "faces.add, another": `"subject":"Anna"`,
		"faces.list": `"total_elements":3`, "subjects.list": `{"subjects":["Anna","Bob"]}`,
		"recognize, file": `"subject":"Anna"`, "recognize, base64": `"subject":"Anna"`, "faces.verify": `"subject":"Anna"`,
		"detect, file": `"x_max"`, "detect, base64": `"x_max"`, "verify, file": `"face_matches":[{"box":{"probability":1`,
		"verify, base64": `"face_matches":[{"box":{"probability":1`,
		"faces.delete":   `"subject":"Anna"`, "subjects.delete": `{"subject":"Bob"}`, "subjects.deleteAll": `{"deleted":1}`,
		"subjects.list, at the end": `{"subjects":[]}`,
	} {
		if got := string(done[call]); !strings.Contains(got, want) {
			t.Errorf("%s: %s, without %s", call, got, want)
		}
	}
	var all struct{ Items []people.Collection }
	if c.do(200, "GET", "/v1/collections", nil, &all); len(all.Items) != 1 || all.Items[0].Name != "visitors" {
		t.Errorf("%+v", all)
	}
	// What the SDK has no call for: the picture of a face, several faces at once, and an address.
	var added, list struct {
		Image string `json:"image_id"`
		Total int    `json:"total_elements"`
	}
	const faces = "/api/v1/recognition/faces"
	send := func(want int, method, path, body string, into any) []byte {
		t.Helper()
		r := c.get(path)
		r.Method = method
		r.Header.Set("X-Api-Key", k.Key)
		r.Header.Set("Content-Type", "application/json")
		r.Body = io.NopCloser(strings.NewReader(body))
		a, err := c.server.Client().Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer a.Body.Close()
		data, err := io.ReadAll(a.Body)
		if err != nil || a.StatusCode != want {
			t.Fatalf("%s %s: %d %s", method, path, a.StatusCode, data)
		}
		if into != nil {
			if err := json.Unmarshal(data, into); err != nil {
				t.Fatal(err)
			}
		}
		return data
	}
	data, err := os.ReadFile(photo)
	if err != nil {
		t.Fatal(err)
	}
	image, err := json.Marshal(object{"file": data}) // in base64
	if err != nil {
		t.Fatal(err)
	}
	send(200, "POST", faces+"?subject=Ann", string(image), &added)
	if crop := send(200, "GET", faces+"/"+added.Image+"/img", "", nil); !strings.HasPrefix(string(crop), "\x89PNG") {
		t.Errorf("%.20q is no picture", crop)
	}
	if why := send(422, "POST", "/api/v1/recognition/recognize", `{"file": "https://x.example/a.jpg"}`,
		nil); !strings.Contains(string(why), "gets nothing from other hosts") {
		t.Errorf("%s", why)
	}
	send(200, "POST", faces+"/delete", `["`+added.Image+`", "x"]`, nil)
	if send(200, "GET", faces, "", &list); list.Total != 0 {
		t.Errorf("%+v", list)
	}
}

// The collection is there from the start on, once.
func TestCompreFaceAtStart(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{CompreFace: "visitors"})
	for range 2 {
		if err := c.v.MakeCompreFace(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	var all api.Page[Collection]
	if c.do(200, "GET", "/v1/collections", nil, &all); len(all.Items) != 1 || all.Items[0].Name != "visitors" {
		t.Errorf("%+v", all)
	}
}
