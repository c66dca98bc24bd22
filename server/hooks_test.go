package server

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"nrdl.example/nrdl/server/api"
	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

// A message is signed, has names only if they were asked for, and is sent again until it
// is taken.
func TestMessages(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{Private: true})
	at := c.collection()
	type message struct {
		header http.Header
		body   []byte
	}
	got := make(chan message, 100)
	status := http.StatusNoContent
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/", http.StatusTemporaryRedirect)
			return
		case "/endless":
			for r.Context().Err() == nil {
				if _, err := w.Write(make([]byte, 1<<16)); err != nil {
					return
				}
			}
			return
		}
		got <- message{r.Header, body}
		w.WriteHeader(status)
	}))
	defer receiver.Close()
	var hook Hook
	c.do(200, "POST", at+"/hooks", object{
		"url":    receiver.URL,
		"events": []string{"person.changed", "photo.known", "photo.unknown", "faces.added", "job.finished"},
	}, &hook)
	next := func(h Hook) (e struct {
		ID, Event, Person, Kind string
		Faces                   []string
		Photo                   people.PhotoEvent
		Names                   map[string]string
	},
	) {
		t.Helper()
		select {
		case m := <-got:
			if err := json.Unmarshal(m.body, &e); err != nil {
				t.Fatal(err)
			}
			at, ok := strings.CutPrefix(m.header.Get("Nrdl-Signature"), "t=")
			at, signed, _ := strings.Cut(at, ",v1=")
			if !ok || signed != hexMAC(h.Secret, at+"."+string(m.body)) || m.header.Get("Nrdl-Delivery") != e.ID ||
				m.header.Get("Nrdl-Event") != e.Event {
				t.Fatalf("%v", m.header)
			}
			if h.Names == false && strings.Contains(string(m.body), "person00") {
				t.Fatalf("the message has a name: %s", m.body)
			}
		case <-time.After(time.Minute):
			t.Fatal("no message comes")
		}
		return e
	}
	ids := c.enrol(at, everybody[0], everybody[1])
	seen := map[string]int{}
	for range 2 + 4 {
		seen[next(hook).Event]++
	}
	if seen["person.changed"] != 2 || seen["faces.added"] != 4 {
		t.Fatalf("%v", seen)
	}
	photo := "photo=" + photos(t, "people/person001")[0]
	c.upload(200, at+"/identify", nil, photo)
	if e := next(hook); e.Event != "photo.known" || e.Photo.Faces[0].Person != ids["person001"] {
		t.Fatalf("%+v", e)
	}
	var shown Photograph
	c.upload(200, at+"/identify?source=T%C3%BCr%20vorn&reference=event+7", &shown, photo)
	if e := next(hook); e.Photo.Source != "Tür vorn" || e.Photo.Reference != "event 7" || shown.Source != e.Photo.Source ||
		shown.Reference != "event 7" {
		t.Fatalf("%+v, %+v", e, shown)
	}
	for _, bad := range []string{
		"source=a%2Fb", "source=a%00", "reference=%0A", "source=a&source=b",
		"reference=" + strings.Repeat("x", 201),
	} {
		c.upload(422, at+"/identify?"+bad, nil, photo)
	}
	var seeing Hook
	c.do(200, "POST", at+"/hooks", object{"url": receiver.URL, "events": []string{"photo.none"}}, &seeing)
	var drawn bytes.Buffer
	blank := filepath.Join(t.TempDir(), "blank.png")
	if err := errors.Join(png.Encode(&drawn, image.NewGray(image.Rect(0, 0, 100, 100))),
		os.WriteFile(blank, drawn.Bytes(), 0o600)); err != nil {
		t.Fatal(err)
	}
	c.upload(200, at+"/identify?source=yard", nil, "photo="+blank)
	if e := next(seeing); e.Event != "photo.none" || len(e.Photo.Faces) != 0 || e.Photo.Source != "yard" {
		t.Fatalf("%+v", e)
	}
	c.do(204, "DELETE", at+"/hooks/"+seeing.ID, nil, nil)
	c.do(204, "DELETE", at+"/hooks/"+hook.ID, nil, nil)
	c.do(404, "DELETE", at+"/hooks/"+hook.ID, nil, nil)

	var named Hook
	c.do(200, "POST", at+"/hooks", object{"url": receiver.URL, "events": []string{"photo.known"}, "names": true}, &named)
	c.upload(200, at+"/identify", nil, photo)
	if e := next(named); e.Names[ids["person001"]] != "person001" {
		t.Fatalf("%+v", e)
	}
	var all api.Page[Hook]
	if c.do(200, "GET", at+"/hooks", nil, &all); len(all.Items) != 1 || all.Items[0].Secret != "" {
		t.Fatalf("%+v", all)
	}

	// What is not taken waits for the next time, and says why.
	tried := func(h string) Delivery {
		t.Helper()
		var d Delivery
		c.do(200, "POST", at+"/hooks/"+h+"/test", nil, &d)
		for start := time.Now(); time.Since(start) < time.Minute; people.Pause(t.Context(), 10*time.Millisecond, nil) {
			var list api.Page[Delivery]
			c.do(200, "GET", at+"/hooks/"+h+"/deliveries", nil, &list)
			if d = list.Items[0]; d.Error != "" || d.Finished != nil {
				return d
			}
		}
		t.Fatalf("%+v", d)
		return d
	}
	status = http.StatusInternalServerError
	if d := tried(named.ID); d.State != store.Waiting || d.Attempts != 1 || d.Error != "the answer has status 500" || d.Event != "ping" {
		t.Fatalf("%+v", d)
	}
	var moved, endless Hook
	c.do(200, "POST", at+"/hooks", object{"url": receiver.URL + "/moved", "events": []string{"photo.known"}}, &moved)
	if d := tried(moved.ID); d.Error != "the answer has status 307" {
		t.Fatalf("%+v", d)
	}
	c.do(200, "POST", at+"/hooks", object{"url": receiver.URL + "/endless", "events": []string{"photo.known"}}, &endless)
	if d := tried(endless.ID); d.State != store.Succeeded {
		t.Fatalf("%+v", d)
	}
	text := string(c.send(200, "GET", "/metrics", "", nil, nil))
	for _, want := range []string{`nrdl_hook_messages_total{result="failed"} 2`, "nrdl_hook_queue 2"} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("no %s", want)
		}
	}
	if strings.Contains(text, `nrdl_hook_messages_total{result="sent"} 0`) {
		t.Error("no message is counted")
	}
}

// No message is sent to this machine or a private network, whatever name leads there.
func TestPrivateAddresses(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{})
	at := c.collection()
	receiver := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter,
		*http.Request,
	) {
		t.Error("a message was sent to this machine")
	}))
	defer receiver.Close()
	events := []string{"photo.known"}
	for _, bad := range []string{
		receiver.URL, "ftp://x.example", "x.example", "http://a:b@x.example", "http://", "http://[::1]/",
		"http://169.254.169.254/", "http://[::ffff:10.0.0.1]:80/", "mailto:x",
		strings.Replace(receiver.URL, "127.0.0.1", "localhost", 1), "http://0x7f000001/", "http://2130706433/",
		"http://127.1/", "http://0177.0.0.1/", "http://10.0.0.1.:80/",
		"http://[::127.0.0.1]/", "http://[::ffff:0:7f00:1]/", "http://[::ffff:0:10.0.0.1]/",
		"http://[::ffff:7f00:1]/", "http://[64:ff9b::127.0.0.1]/", "http://[64:ff9b:1::7f00:1]/",
		"http://[2002:7f00:1::]/", "http://[2001:0:7f00:1::]/", "http://[fec0::1]/", "http://[0:0:0:0:0:0:0:1]/",
		"http://[fe80::1%25lo]/", "http://[::]/", "http://0/", "http://017700000001/",
		"http://x.example:0/", "http://x.example:65536/", "http://x.example:99999/",
		"http://x.example:000000000000000000080000/", "http://[2001:db8::1]:70000/",
		"http://ｄｏｏｒ.example/", "http://door．example/", "http://door。example/", "http://ⓓoor.example/",
		"http://door..example/", "http://.example/", "http://-door.example/", "http://door example/", "http://do%00or.example/",
		"http://do\u200bor.example/", "http://" + strings.Repeat("a", 64) + ".example/", "http://" + strings.Repeat("a.", 130) + "example/",
		"http://127.0.0.1./", "http://localhost./", "http://LOCALHOST/", "http://0x7f.1/", "http://127.0.0.0x1/",
		"http://127.0.01/", "http://①②⑦.⓪.⓪.①/", "http://１２７.0.0.1/",
	} {
		c.do(422, "POST", at+"/hooks", object{"url": bad, "events": events}, nil)
	}
	c.do(422, "POST", at+"/hooks", object{"url": "https://x.example", "events": []string{"x"}}, nil)
	for _, good := range []string{
		"https://münchen.example:8443/a", "https://mu\u0308nchen.example",
		"http://8.8.8.8:65535", "http://[2620:fe::9]:1/", "https://例え.example.", "http://door_1.example", "https://DOOR.example:/",
	} {
		c.do(200, "POST", at+"/hooks", object{"url": good, "events": events}, nil)
	}
	// A name that led elsewhere when it was registered.
	h, err := c.v.store.CreateHook(t.Context(), "", strings.TrimPrefix(at, "/v1/collections/"),
		store.Hook{URL: strings.Replace(receiver.URL, "127.0.0.1", "localhost", 1), Events: events})
	if err != nil {
		t.Fatal(err)
	}
	c.do(200, "POST", at+"/hooks/"+h.ID+"/test", nil, nil)
	var list api.Page[Delivery]
	for start := time.Now(); time.Since(start) < time.Minute; people.Pause(t.Context(), 10*time.Millisecond, nil) {
		if c.do(200, "GET", at+"/hooks/"+h.ID+"/deliveries", nil, &list); list.Items[0].Finished != nil {
			break
		}
	}
	if d := list.Items[0]; d.State != store.Failed || !strings.Contains(d.Error, "private network") {
		t.Fatalf("%+v", d)
	}
}

// hexMAC is the HMAC of a text with SHA-256, in hexadecimal.
func hexMAC(secret, text string) string {
	m := hmac.New(sha256.New, []byte(secret))
	m.Write([]byte(text))
	return hex.EncodeToString(m.Sum(nil))
}
