package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"nrdl.example/nrdl/cmd/nrdl/internal/natsserver"
	"nrdl.example/nrdl/lab/experiment"

	"github.com/nats-io/nats.go/jetstream"
)

// patience ends a test that hangs, also on a slow machine.
const patience = 5 * time.Minute

func TestMain(m *testing.M) {
	debug.SetGCPercent(400)            // many small heaps
	_ = flag.Set("test.parallel", "8") // most tests wait for messages
	m.Run()
}

const smallPlan = `{"name": "small", "seed": 5, "repeats": 2, "datasets": [
	{"name": "d", "synthetic": {"people": 4, "per_person": 6, "size": "10x8"}, "split": ["random:3", "first:3"], "noise": [0, 0.05]}],
	"methods": ["crc", {"method": "nrdl", "trace": true}, {"method": "nrc", "label": "tuned", "tune": {"budget": 3, "folds": 3}},
		{"method": "lcksvd2", "label": "fails", "params": {"atoms": 5}}]}`

func parse(t testing.TB, text string) *experiment.Plan {
	t.Helper()
	p, err := experiment.ParsePlan([]byte(text), "plan.json")
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// served returns a Cluster with a server of its own.
func served(t testing.TB) *Cluster {
	t.Helper()
	c, err := Connect(t.Context(), Options{URL: started(t), Name: "test", Warn: func(err error) { t.Log(err) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// started returns the URL of a server that ends with the test.
func started(t testing.TB) string {
	t.Helper()
	url, stop, err := natsserver.Start(0, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	return url
}

// joined returns a Cluster of a coordinator at the server of c.
func joined(t testing.TB, c *Cluster) *Cluster {
	t.Helper()
	k, err := Connect(t.Context(), Options{URL: c.URL, Name: "coordinator", Warn: func(err error) { t.Log(err) }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(k.Close)
	return k
}

// work starts a worker at the server of c; it ends with the test, or when stop is called.
func work(t testing.TB, c *Cluster, name string, b experiment.Bench) (stop func()) {
	t.Helper()
	w, err := Connect(t.Context(), Options{URL: c.URL, Name: name, Warn: func(err error) { t.Log(err) }})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	var ended sync.WaitGroup
	ended.Go(func() {
		if err := (&Worker{Cluster: w, Bench: b}).Run(ctx); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	stop = sync.OnceFunc(func() {
		cancel()
		ended.Wait()
		w.Close()
	})
	t.Cleanup(stop)
	return stop
}

// records returns those of the file at path, by key.
func records(t testing.TB, path string) map[string]experiment.Record {
	t.Helper()
	all, err := experiment.ReadRecordsFile(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	byKey := map[string]experiment.Record{}
	for _, r := range all {
		byKey[r.Key] = r
	}
	return byKey
}

// aloneRecords are the records of smallPlan, made once.
var aloneRecords = struct {
	sync.Mutex
	all map[string]experiment.Record
}{}

// alone returns the records of smallPlan as one process makes them.
func alone(t testing.TB) map[string]experiment.Record {
	t.Helper()
	aloneRecords.Lock()
	defer aloneRecords.Unlock()
	if aloneRecords.all == nil {
		path := filepath.Join(t.TempDir(), "alone.jsonl")
		if _, err := (&experiment.Bench{Jobs: 2, Version: "v"}).Run(t.Context(), parse(t, smallPlan), path); err != nil {
			t.Fatal(err)
		}
		aloneRecords.all = records(t, path)
	}
	return maps.Clone(aloneRecords.all)
}

func same(t testing.TB, want, got map[string]experiment.Record) {
	t.Helper()
	if len(want) != len(got) {
		t.Errorf("%d records, not %d", len(got), len(want))
	}
	for key, r := range want {
		if !r.Same(got[key]) {
			t.Errorf("%s on %s, %s, repeat %d: another record", r.Label, r.Dataset.Name, r.Split, r.Repeat)
		}
	}
}

func TestRecordsAreThoseOfOneProcess(t *testing.T) {
	t.Parallel()
	p := parse(t, smallPlan)
	c := served(t)
	k := joined(t, c)
	work(t, c, "a", experiment.Bench{Jobs: 2, Version: "v"})
	work(t, c, "b", experiment.Bench{Jobs: 1, Version: "v"})
	path := filepath.Join(t.TempDir(), "x.jsonl")
	b := experiment.Bench{Jobs: 1, Version: "v", Distribute: k.Bench(path, "v", nil)}
	done, err := b.Run(t.Context(), p, path)
	if err != nil {
		t.Fatal(err)
	}
	same(t, alone(t), records(t, path))
	if done.Records != done.Total || done.Failures == 0 {
		t.Errorf("%+v", done)
	}
	b.Retry = true // makes the failed ones once more
	retried, err := b.Run(t.Context(), p, path)
	if err != nil {
		t.Fatal(err)
	}
	if retried.New != done.Failures {
		t.Errorf("%d made again, want %d", retried.New, done.Failures)
	}
	if n := left(t, c); n > 0 {
		t.Errorf("%d messages are left on the server", n)
	}
}

// A coordinator that ends goes on where it stopped, also with what workers did meanwhile.
func TestCoordinatorGoesOn(t *testing.T) {
	defer func(before time.Duration) { ackWait = before }(ackWait)
	ackWait = time.Hour // a piece that the first worker did not give back is waited for in vain
	p := parse(t, smallPlan)
	c := served(t)
	k := joined(t, c)
	path := filepath.Join(t.TempDir(), "x.jsonl")
	ctx, cancel := context.WithCancel(t.Context())
	b := experiment.Bench{Jobs: 1, Version: "v", Distribute: k.Bench(path, "v", nil), Progress: func(p experiment.Progress) {
		if p.New == 3 {
			cancel()
		}
	}}
	stop := work(t, c, "a", experiment.Bench{Jobs: 1, Version: "v"})
	if _, err := b.Run(ctx, p, path); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	stop()
	work(t, c, "b", experiment.Bench{Jobs: 2, Version: "v"})
	b.Progress = nil
	enough, ended := context.WithTimeout(t.Context(), patience)
	defer ended()
	if _, err := b.Run(enough, p, path); err != nil {
		t.Fatal(err)
	}
	same(t, alone(t), records(t, path))
}

// A worker that cannot make the runs says why, and another one makes them.
func TestWorkersThatRefuse(t *testing.T) {
	t.Parallel()
	p := parse(t, smallPlan)
	c := served(t)
	k := joined(t, c)
	var mu sync.Mutex
	var warnings []string
	k.Warn = func(err error) {
		mu.Lock()
		defer mu.Unlock()
		warnings = append(warnings, err.Error())
	}
	work(t, c, "old", experiment.Bench{Jobs: 1, Version: "an older one"})
	path := filepath.Join(t.TempDir(), "x.jsonl")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	heard := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return strings.Contains(strings.Join(warnings, "\n"), "the work is of v, and this worker of an older one")
	}
	go func() {
		for !heard() && ctx.Err() == nil {
			time.Sleep(10 * time.Millisecond)
		}
		work(t, c, "new", experiment.Bench{Jobs: 2, Version: "v"})
	}()
	b := experiment.Bench{Jobs: 1, Version: "v", Distribute: k.Bench(path, "v", nil)}
	if _, err := b.Run(ctx, p, path); err != nil {
		t.Fatal(err)
	}
	if !heard() {
		t.Errorf("warnings %q", warnings)
	}
	same(t, alone(t), records(t, path))
}

func TestConnectRefuses(t *testing.T) {
	for _, tt := range []struct{ url, want string }{
		{"nats://127.0.0.1:1", "no server answers"}, {"listen://127.0.0.1:4222", "no NATS server in this program"},
	} {
		c, err := Connect(t.Context(), Options{URL: tt.url})
		if err == nil || !strings.Contains(fmt.Sprint(err), tt.want) {
			t.Errorf("%s: %v, want %q", tt.url, err, tt.want)
		}
		if c != nil {
			c.Close()
		}
	}
}

// left is what is on the server of c.
func left(t *testing.T, c *Cluster) (messages uint64) {
	t.Helper()
	for _, s := range []jetstream.Stream{c.work, c.results} {
		info, err := s.Info(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		messages += info.State.Msgs
	}
	return messages
}

// A run during which processes end becomes a record with an error, and the others are made.
func TestRunThatEndsItsProcess(t *testing.T) {
	t.Parallel()
	p := parse(t, smallPlan)
	c := served(t)
	k := joined(t, c)
	ctx, cancel := context.WithCancel(context.Background())
	var ended sync.WaitGroup
	ended.Go(func() {
		err := c.Supervise(ctx, 2, func() *exec.Cmd {
			cmd := exec.Command(os.Args[0], "-test.run=^TestChild$")
			cmd.Env = append(os.Environ(), childOf+"="+c.URL, poison+"="+p.Keys()[5])
			return cmd
		})
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	})
	t.Cleanup(func() { cancel(); ended.Wait() })
	path := filepath.Join(t.TempDir(), "x.jsonl")
	b := experiment.Bench{Jobs: 1, Version: "v", Distribute: k.Bench(path, "v", nil)}
	if _, err := b.Run(t.Context(), p, path); err != nil {
		t.Fatal(err)
	}
	want, got := alone(t), records(t, path)
	if r := got[p.Keys()[5]]; !strings.Contains(r.Error, "the process ended during the run, 2 times") {
		t.Errorf("error %q", r.Error)
	}
	delete(want, p.Keys()[5])
	delete(got, p.Keys()[5])
	same(t, want, got)
}

// What tells TestChild that it is a process of Supervise.
const (
	childOf = "NRDL_TEST_SERVER"
	poison  = "NRDL_TEST_POISON" // the key of a run during which it ends
)

func TestChild(t *testing.T) {
	address := os.Getenv(childOf)
	if address == "" {
		t.Skip("started by another test")
	}
	c, err := Connect(t.Context(), Options{URL: address, Name: strconv.Itoa(os.Getpid())})
	if err != nil {
		t.Fatal(err)
	}
	out := writer(func(line []byte) {
		if _, err := os.Stdout.Write(line); err != nil {
			os.Exit(1)
		}
		var at piece
		if err := json.Unmarshal(line, &at); err != nil || at.Key != os.Getenv(poison) {
			return
		}
		if n, err := c.crashed(t.Context(), at); err == nil && n < maxCrashes { // else the run is not begun
			os.Exit(9)
		}
	})
	_ = (&Worker{Cluster: c, Bench: experiment.Bench{Jobs: 1, Version: "v"}}).RunChild(t.Context(), os.Stdin, out)
	os.Exit(0)
}

type writer func([]byte)

func (w writer) Write(b []byte) (int, error) {
	w(b)
	return len(b), nil
}
