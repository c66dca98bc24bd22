package mqtt_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	paho "github.com/eclipse/paho.mqtt.golang"

	"nrdl.example/nrdl/faces/results"
	"nrdl.example/nrdl/internal/testing/lacking"
	"nrdl.example/nrdl/server/mqtt"
	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

// broker starts mosquitto with a password, and returns its address.
func broker(t *testing.T) (address string) {
	t.Helper()
	program := "/usr/sbin/mosquitto"
	if _, err := os.Stat(program); err != nil {
		lacking.Skip(t, "there is no mosquitto")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	dir := t.TempDir()
	passwords := filepath.Join(dir, "passwords")
	if out, err := exec.CommandContext(t.Context(), "mosquitto_passwd", "-c", "-b", passwords, "nrdl", "secret").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	config := fmt.Sprintf("listener %d 127.0.0.1\npassword_file %s\nallow_anonymous false\nuser root\n", port, passwords)
	file := filepath.Join(dir, "mosquitto.conf")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	c := exec.CommandContext(ctx, program, "-c", file)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { stop(); _ = c.Wait() })
	return fmt.Sprint("nrdl:secret@127.0.0.1:", port)
}

func parsed(t *testing.T, text string) *mqtt.Broker {
	t.Helper()
	b, err := mqtt.ParseBroker(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// A listener has the last message of each topic of a broker.
type listener struct {
	*testing.T
	client paho.Client
	mu     sync.Mutex
	all    map[string]string
}

func listen(t *testing.T, address string) *listener {
	t.Helper()
	l := &listener{T: t, all: map[string]string{}}
	_, host, _ := strings.Cut(address, "@")
	c := paho.NewClient(paho.NewClientOptions().AddBroker("tcp://" + host).SetUsername("nrdl").SetPassword("secret").
		SetConnectRetry(true).SetConnectRetryInterval(50 * time.Millisecond))
	l.client = c
	c.Connect().Wait()
	t.Cleanup(func() { c.Disconnect(0) })
	c.Subscribe("#", 1, func(_ paho.Client, m paho.Message) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.all[m.Topic()] = string(m.Payload())
	}).Wait()
	return l
}

// until waits until the message of a topic is as is says.
func (l *listener) until(topic string, is func(string) bool) string {
	l.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		l.mu.Lock()
		text, ok := l.all[topic]
		l.mu.Unlock()
		if ok && is(text) {
			return text
		}
		if time.Now().After(end) {
			l.Fatalf("%s: %q", topic, text)
		}
	}
}

func (l *listener) has(topic, part string) string {
	l.Helper()
	return l.until(topic, func(s string) bool { return strings.Contains(s, part) })
}

func (l *listener) gone(topic string) {
	l.Helper()
	l.until(topic, func(s string) bool { return s == "" })
}

// saw is a sighting of people; those without a name are unknown.
func saw(collection, source string, known map[string]string, unknown int) people.Sighting {
	s := people.Sighting{Collection: collection, Time: time.Date(2026, 11, 29, 8, 30, 0, 0, time.UTC)}
	s.Photograph.Source, s.Photograph.Reference = source, "event 7"
	for id, name := range known {
		s.Photograph.Faces = append(s.Photograph.Faces, people.Identified{Face: results.Face{Name: &name}, Decision: "known", Person: &id})
	}
	for range unknown {
		s.Photograph.Faces = append(s.Photograph.Faces, people.Identified{Decision: "unknown"})
	}
	return s
}

// What cameras see is in the broker, as Home Assistant reads it, also for who comes later; nobody stays
// there who was erased; and a service that has ended is shown as away.
func TestBroker(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	address := broker(t)
	db, err := store.Open(ctx, filepath.Join(t.TempDir(), "nrdl.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	visitors, err := db.CreateCollection(ctx, "test", "visitors", 0.01, "space")
	if err != nil {
		t.Fatal(err)
	}
	id := map[string]string{}
	for _, name := range []string{"Ann", "Bo"} {
		p, _, err := db.CreatePerson(ctx, "test", visitors.ID, name, store.Known, false)
		if err != nil {
			t.Fatal(err)
		}
		id[name] = p.ID
	}
	start := func() (p *mqtt.Publisher, end func()) {
		p = mqtt.New(db, parsed(t, "mqtt://"+address+"/home/faces"), nil)
		run, stop := context.WithCancel(ctx)
		var running sync.WaitGroup
		running.Go(func() { p.Run(run) })
		return p, func() { stop(); running.Wait() }
	}
	p, end := start()
	first := listen(t, address)
	first.has("home/faces/status", "online")
	p.Seen(saw(visitors.ID, "Tür vorn", map[string]string{id["Ann"]: "Ann"}, 1))
	p.Seen(saw(visitors.ID, "yard", map[string]string{id["Bo"]: "Bo"}, 0))
	ann, bo := "home/faces/"+visitors.ID+"/person/"+id["Ann"], "home/faces/"+visitors.ID+"/person/"+id["Bo"]
	yard := "home/faces/" + visitors.ID + "/camera/yard"

	var camera mqtt.Camera
	if err := json.Unmarshal([]byte(first.has(yard, "Bo")), &camera); err != nil {
		t.Fatal(err)
	}
	if camera.Summary != "Bo" || camera.Reference != "event 7" || camera.Unknown != 0 || len(camera.Faces) != 1 {
		t.Errorf("%+v", camera)
	}
	first.has(ann, `"last_seen":"2026-11-29T08:30:00Z","source":"Tür vorn"`)

	// Home Assistant needs the topics that the service announces, and one id for each sensor.
	later := listen(t, address)
	config := later.has("homeassistant/sensor/nrdl_"+id["Ann"]+"_seen/config", "Ann last seen")
	var s map[string]any
	if err := json.Unmarshal([]byte(config), &s); err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{
		"state_topic": ann, "json_attributes_topic": ann, "availability_topic": "home/faces/status", "device_class": "timestamp",
		"unique_id": "nrdl_" + id["Ann"] + "_seen",
	} {
		if s[key] != want {
			t.Errorf("%s is %v", key, s[key])
		}
	}
	if device, _ := s["device"].(map[string]any); device["name"] != "visitors" {
		t.Errorf("%v", s["device"])
	}
	for topic, text := range first.copy() {
		if strings.HasPrefix(topic, "homeassistant/") && strings.Contains(text, "Tür") {
			door := struct {
				State string `json:"state_topic"`
			}{}
			if err := json.Unmarshal([]byte(text), &door); err != nil || strings.ContainsAny(door.State, " ü") {
				t.Errorf("%v, %q", err, door)
			}
			later.has(door.State, "Ann, 1 unknown")
		}
	}

	// Another name is the name there, too.
	if _, err := db.ChangePerson(ctx, "test", visitors.ID, store.Person{
		ID: id["Ann"], Name: "Ann Smith",
		Kind: store.Known,
	}, false); err != nil {
		t.Fatal(err)
	}
	first.has(ann, `"name":"Ann Smith","last_seen":"2026-11-29T08:30:00Z"`)
	first.has("homeassistant/sensor/nrdl_"+id["Ann"]+"_seen/config", "Ann Smith last seen")

	end()
	first.has("home/faces/status", "offline")
	// Who is erased while the service is away, is gone when it is there again.
	if _, err := db.ErasePerson(ctx, "test", visitors.ID, id["Bo"], nil); err != nil {
		t.Fatal(err)
	}
	_, end = start()
	first.gone(bo)
	first.has(yard, `"summary":"nobody"`)
	first.gone("homeassistant/sensor/nrdl_" + id["Bo"] + "_seen/config")
	first.has("home/faces/status", "online")
	// Another service with this broker may end: this one is there still.
	first.client.Publish("home/faces/status", 1, true, "offline").Wait()
	first.has("home/faces/status", "online")
	if err := db.DeleteCollection(ctx, "test", visitors.ID); err != nil {
		t.Fatal(err)
	}
	first.gone(ann)
	for topic := range first.copy() {
		if strings.HasPrefix(topic, "homeassistant/") || strings.Contains(topic, "/camera/") {
			first.gone(topic)
		}
	}
	end()
	for topic, text := range first.copy() {
		if strings.Contains(text, id["Bo"]) || strings.Contains(text, `"Bo`) {
			t.Errorf("%s has %s", topic, text)
		}
	}
}

func (l *listener) copy() map[string]string {
	l.mu.Lock()
	defer l.mu.Unlock()
	all := map[string]string{}
	for topic, text := range l.all {
		all[topic] = text
	}
	return all
}

// A message waits for a broker that is not there, and Seen does not.
func TestNoBroker(t *testing.T) {
	t.Parallel()
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "nrdl.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	p := mqtt.New(db, parsed(t, "mqtt://127.0.0.1:1"), nil)
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { p.Run(ctx) })
	for i := range 20_000 {
		p.Seen(saw("c", fmt.Sprint("camera ", i), nil, 1))
	}
	stop()
	running.Wait()
}

func TestURLs(t *testing.T) {
	for _, good := range []string{"mqtt://broker", "mqtts://a:b@broker:8883/home", "tcp://[::1]:1883", "ssl://broker"} {
		if _, err := mqtt.ParseBroker(good); err != nil {
			t.Errorf("%s: %v", good, err)
		}
	}
	for _, bad := range []string{
		"", "broker", "broker:1883", "http://broker", "mqtt://", "mqtt://broker/a/+/b", "mqtt://u:secret@/x",
		"mqtt://broker?x=1", "mqtt://a b", "mqtt://u:secret@a:99999", "mqtt://a:0", "mqtt:u:secret@a", "mqtt://u:sec%ret@a",
	} {
		if _, err := mqtt.ParseBroker(bad); err == nil || strings.Contains(err.Error(), "ret@") || strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

// A lines is a log that can be read while it is written.
type lines struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(b)
}

func (l *lines) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// A broker that refuses the password is reported once, without the password.
func TestRefusedPassword(t *testing.T) {
	t.Parallel()
	_, host, _ := strings.Cut(broker(t), "@")
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "nrdl.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var log lines
	p := mqtt.New(db, parsed(t, "mqtt://nrdl:Xwrong@"+host), slog.New(slog.NewTextHandler(&log, nil)))
	ctx, stop := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { p.Run(ctx) })
	for end := time.Now().Add(time.Minute); !strings.Contains(strings.ToLower(log.String()), "authori") && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
	}
	stop()
	running.Wait()
	if text := log.String(); strings.Count(strings.ToLower(text), "authori") != 1 || strings.Contains(text, "Xwrong") {
		t.Errorf("%s", text)
	}
}
