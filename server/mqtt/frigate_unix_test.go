//go:build unix

package mqtt_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
	"time"

	client "nrdl.example/nrdl/client/go"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/internal/testing/lacking"
	"nrdl.example/nrdl/server"
	"nrdl.example/nrdl/server/api"
	"nrdl.example/nrdl/server/mqtt"
	"nrdl.example/nrdl/server/store"
)

// The script of doc/how-to/frigate.md names the person of an event of Frigate, by a broker, a service and what the
// documentation of Frigate says of its interface: messages in frigate/events, GET /api/events/ID/snapshot.jpg, and
// POST /api/events/ID/sub_label with subLabel and subLabelScore.
func TestFrigate(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"bash", "curl", "jq", "mosquitto_sub"} {
		if _, err := exec.LookPath(program); err != nil {
			lacking.Skip(t, err)
		}
	}
	address := broker(t)
	text, err := os.ReadFile("../../doc/how-to/frigate.md")
	if err != nil {
		t.Fatal(err)
	}
	script := regexp.MustCompile("(?s)```bash\n(.*?)```").FindSubmatch(text)
	if script == nil {
		t.Fatal("the page has no script")
	}
	dir := t.TempDir()
	set := synthetic.Photographs{People: 3, PerPerson: 2, Size: dataset.Size{Height: 240, Width: 320}, Seed: 4}
	if err := set.Write(t.Context(), filepath.Join(dir, "photos"), nil); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), filepath.Join(dir, "nrdl.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	publisher := mqtt.New(db, parsed(t, "mqtt://"+address), nil)
	go publisher.Run(t.Context())
	cascade, err := face.OpenSearch("cascade")
	if err != nil {
		t.Fatal(err)
	}
	nrdl := httptest.NewServer(server.New(db, server.Options{Search: cascade, Seen: publisher.Seen}))
	defer nrdl.Close()

	key, err := api.CreateKey(t.Context(), db, store.Key{Name: "tester", Scopes: []string{"admin"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	c := client.New(nrdl.URL, key)
	visitors, err := c.CreateCollection(t.Context(), client.CollectionFields{Name: "visitors"})
	if err != nil {
		t.Fatal(err)
	}
	photo := func(name string) []byte {
		data, err := os.ReadFile(filepath.Join(dir, "photos", "people", name))
		if err != nil {
			t.Fatal(err)
		}
		return data
	}
	for person, name := range map[string]string{"person001": "Ann", "person002": "Bo"} {
		made, err := c.CreatePerson(t.Context(), visitors.ID, client.PersonFields{Name: name})
		if err != nil {
			t.Fatal(err)
		}
		form := client.AddPersonFacesForm{Photo: []client.File{{Name: "1.jpg", Content: bytes.NewReader(photo(person + "/1.jpg"))}}}
		if _, err := c.AddPersonFaces(t.Context(), visitors.ID, made.ID, form, client.AddPersonFacesQuery{}); err != nil {
			t.Fatal(err)
		}
	}

	labels := make(chan string, 10)
	frigate := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.Method + " " + r.URL.Path {
		case "GET /api/events/1.5-ann/snapshot.jpg":
			_, _ = w.Write(photo("person001/2.jpg"))
		case "POST /api/events/1.5-ann/sub_label":
			body, _ := io.ReadAll(r.Body)
			labels <- string(body)
		default:
			http.NotFound(w, r)
		}
	}))
	defer frigate.Close()
	at, err := url.Parse("mqtt://" + address)
	if err != nil {
		t.Fatal(err)
	}
	run := exec.CommandContext(t.Context(), "bash", "-c", string(script[1]))
	run.Dir, run.WaitDelay = dir, time.Second
	run.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // what the script starts ends with it
	password, _ := at.User.Password()
	run.Env = append(os.Environ(), "BROKER=127.0.0.1", "BROKER_PORT="+at.Port(), "BROKER_USER=nrdl", "BROKER_PASSWORD="+password,
		"FRIGATE="+frigate.URL, "NRDL="+nrdl.URL, "COLLECTION="+visitors.ID, "KEY="+key)
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Kill(-run.Process.Pid, syscall.SIGKILL); _ = run.Wait() }()

	l := listen(t, address)
	say := func(label, id string) {
		event := map[string]any{"type": "update", "before": map[string]any{}, "after": map[string]any{
			"id": id, "camera": "door", "label": label, "has_snapshot": true, "sub_label": nil,
		}}
		body, err := json.Marshal(event)
		if err != nil {
			t.Fatal(err)
		}
		l.client.Publish("frigate/events", 1, false, body).Wait()
	}
	var got string
	for end := time.Now().Add(time.Minute); got == "" && time.Now().Before(end); {
		say("car", "1.2-car") // it may not listen yet
		say("person", "1.3-gone")
		say("person", "1.5-ann")
		select {
		case got = <-labels:
		case <-time.After(time.Second):
		}
	}
	var label struct {
		SubLabel      string
		SubLabelScore float64
	}
	if err := json.Unmarshal([]byte(got), &label); err != nil || label.SubLabel != "Ann" || label.SubLabelScore < 0.5 {
		t.Errorf("%q, %v", got, err)
	}
	l.has("nrdl/"+visitors.ID+"/camera/door", `"reference":"1.5-ann"`)
}
