package cluster

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/jwt/v2"
	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"github.com/nats-io/nkeys"

	"nrdl.example/nrdl/lab/experiment"
)

// running starts a server of those options on a free port of this machine.
func running(t *testing.T, o server.Options) *server.Server {
	t.Helper()
	o.Host, o.Port, o.ServerName, o.NoSigs, o.NoLog = "127.0.0.1", server.RANDOM_PORT, "test", true, true
	o.JetStream, o.StoreDir = true, t.TempDir()
	s, err := server.NewServer(&o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	if !s.ReadyForConnections(patience) {
		t.Fatal("the server does not answer")
	}
	return s
}

// pair is a new key and its public half.
func pair(t *testing.T, create func() (nkeys.KeyPair, error)) (nkeys.KeyPair, string) {
	t.Helper()
	k, err := create()
	if err != nil {
		t.Fatal(err)
	}
	public, err := k.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	return k, public
}

// credentials are the .creds file of a user of the account that ends at a time.
func credentials(t *testing.T, account nkeys.KeyPair, ends time.Time) string {
	t.Helper()
	user, public := pair(t, nkeys.CreateUser)
	claims := jwt.NewUserClaims(public)
	claims.Expires = ends.Unix()
	token, err := claims.Encode(account)
	if err != nil {
		t.Fatal(err)
	}
	seed, err := user.Seed()
	if err != nil {
		t.Fatal(err)
	}
	text, err := jwt.FormatUserConfig(token, seed)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "user.creds")
	if err := os.WriteFile(path, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// A server with credentials takes its own users, and refuses others, also those whose time
// is over, and those of a clock that is an hour late, with what to do.
func TestWrongCredentials(t *testing.T) {
	operator, operatorID := pair(t, nkeys.CreateOperator)
	account, accountID := pair(t, nkeys.CreateAccount)
	other, _ := pair(t, nkeys.CreateAccount)
	claims := jwt.NewAccountClaims(accountID)
	claims.Limits.JetStreamLimits = jwt.JetStreamLimits{DiskStorage: -1, MemoryStorage: -1}
	token, err := claims.Encode(operator)
	if err != nil {
		t.Fatal(err)
	}
	operatorToken, err := jwt.NewOperatorClaims(operatorID).Encode(operator)
	if err != nil {
		t.Fatal(err)
	}
	trusted, err := jwt.DecodeOperatorClaims(operatorToken)
	if err != nil {
		t.Fatal(err)
	}
	system, systemID := pair(t, nkeys.CreateAccount)
	_ = system
	systemToken, err := jwt.NewAccountClaims(systemID).Encode(operator)
	if err != nil {
		t.Fatal(err)
	}
	known := &server.MemAccResolver{}
	for id, text := range map[string]string{accountID: token, systemID: systemToken} {
		if err := known.Store(id, text); err != nil {
			t.Fatal(err)
		}
	}
	s := running(t, server.Options{TrustedOperators: []*jwt.OperatorClaims{trusted}, SystemAccount: systemID, AccountResolver: known})
	now := time.Now()
	garbage := filepath.Join(t.TempDir(), "garbage.creds")
	if err := os.WriteFile(garbage, []byte("not a key"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ file, want string }{
		"its own":            {credentials(t, account, now.Add(2*time.Hour)), ""},
		"of another account": {credentials(t, other, now.Add(time.Hour)), "does not accept the credentials"},
		"ended":              {credentials(t, account, now.Add(-time.Hour)), "does not accept the credentials"},
		"none":               {"", "does not accept the credentials"},
		"not a key":          {garbage, "credentials"},
		"no file":            {garbage + "x", "no such file"},
	} {
		c, err := Connect(t.Context(), Options{URL: s.ClientURL(), Credentials: tt.file, Name: "test", Wait: true})
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
		if c != nil {
			c.Close()
		}
	}
}

// While the disk of the server is full nothing is lost: the work goes on when there is room.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	s := running(t, server.Options{JetStreamMaxStore: 1 << 20, SyncAlways: true})
	var mu sync.Mutex
	var warnings []string
	dial := func(name string) *Cluster {
		c, err := Connect(t.Context(), Options{URL: s.ClientURL(), Name: name, Warn: func(err error) {
			mu.Lock()
			defer mu.Unlock()
			warnings = append(warnings, err.Error())
		}})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(c.Close)
		return c
	}
	k, w := dial("coordinator"), dial("worker")
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	fill, err := k.js.CreateStream(ctx, jetstream.StreamConfig{Name: "others", Subjects: []string{"others"}, Storage: jetstream.FileStorage})
	if err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = k.js.Publish(ctx, "others", make([]byte, 100<<10))
	}
	if !strings.Contains(err.Error(), "insufficient") {
		t.Fatal(err)
	}
	for err = nil; err == nil; { // to the last byte
		_, err = k.js.Publish(ctx, "others", nil)
	}
	var ended sync.WaitGroup
	work, stop := context.WithCancel(context.Background())
	ended.Go(func() { _ = (&Worker{Cluster: w, Bench: experiment.Bench{Jobs: 2, Version: "v"}}).Run(work) })
	t.Cleanup(func() { stop(); ended.Wait() })
	ended.Go(func() {
		for ctx.Err() == nil {
			mu.Lock()
			full := strings.Contains(strings.Join(warnings, "\n"), "insufficient")
			mu.Unlock()
			if full {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if err := fill.Purge(ctx); err != nil {
			t.Error(err)
		}
	})
	p := parse(t, smallPlan)
	path := filepath.Join(t.TempDir(), "x.jsonl")
	b := experiment.Bench{Jobs: 1, Version: "v", Distribute: k.Bench(path, "v", nil)}
	if _, err := b.Run(ctx, p, path); err != nil {
		t.Fatalf("%v; warnings %q", err, warnings)
	}
	same(t, alone(t), records(t, path))
}

// announce says that the file of that name has so many bytes, without any.
func announce(t testing.TB, c *Cluster, name string, size uint64) {
	t.Helper()
	text, err := json.Marshal(jetstream.ObjectInfo{
		ObjectMeta: jetstream.ObjectMeta{Name: name}, Bucket: fileBucket, NUID: "n", Size: size, Chunks: 1,
		Digest: "SHA-256=47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU=",
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.js.Publish(t.Context(), "$O."+fileBucket+".M."+base64.URLEncoding.EncodeToString([]byte(name)), text,
		jetstream.WithMsgID(name)); err != nil {
		t.Fatal(err)
	}
}

// A message of 10 GB is not read: it is an error of its piece, and of nothing else.
//
// It runs before the parallel tests: to clear so much memory, which they have used, takes seconds.
func TestTooLarge(t *testing.T) {
	c := served(t)
	const huge = 10 << 30
	if err := c.publish(t.Context(), "nrdl.work.x", "key", make([]byte, maxPiece+1)); !errors.Is(err, errTooLarge) {
		t.Errorf("a piece of %d bytes: %v", maxPiece+1, err)
	}
	if _, err := c.conn.Request("nrdl.work.x", make([]byte, 2<<20), time.Second); !errors.Is(err, nats.ErrMaxPayload) {
		t.Errorf("a message of 2 MiB: %v", err)
	}
	work(t, c, "a", experiment.Bench{Jobs: 1, Version: "v"})
	k, err := c.begin(t.Context(), task{Kind: photos, Spec: json.RawMessage(`{}`), Version: "v"}, "origin", false, nil)
	if err != nil {
		t.Fatal(err)
	}
	id := workOf(k.ID) + ".photo"
	announce(t, c, id, huge)
	k.handedOut.Add(1)
	if _, err := c.js.PublishMsg(t.Context(), &nats.Msg{Subject: workOf(k.ID), Header: nats.Header{
		keyHeader: []string{"photo"}, fileHeader: []string{id},
	}}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	if err := k.receive(ctx, func(string) bool { return true }, func(key string, data []byte) (bool, error) {
		if want := fmt.Sprint(uint64(huge)); !strings.Contains(string(data), want) || !strings.Contains(string(data), "too large") {
			t.Errorf("the result of %s is %s", key, data)
		}
		return false, nil
	}); err != nil {
		t.Fatal(err)
	}
	id = doneOf(k.ID) + ".result"
	announce(t, c, id, huge)
	if _, err := c.js.PublishMsg(t.Context(), &nats.Msg{Subject: doneOf(k.ID), Header: nats.Header{
		keyHeader: []string{"result"}, fileHeader: []string{id},
	}}); err != nil {
		t.Fatal(err)
	}
	err = k.receive(ctx, func(key string) bool { return key == "result" }, func(string, []byte) (bool, error) {
		t.Error("a result of 10 GB is used")
		return false, nil
	})
	if !errors.Is(err, errTooLarge) {
		t.Errorf("a result of 10 GB: %v", err)
	}
}

// junkOf is messages that a peer with credentials can put into the queue beside the work of
// k, by what they are.
func junkOf(t testing.TB, k *coordinator) map[string]func(i int) *nats.Msg {
	t.Helper()
	began := func(spec task) string {
		spec.Version = "v"
		other, err := k.begin(t.Context(), spec, "other", false, nil)
		if err != nil {
			t.Fatal(err)
		}
		return other.ID
	}
	if err := k.putFile(t.Context(), "whole", []byte("x")); err != nil {
		t.Fatal(err)
	}
	announce(t, k.Cluster, "torn", 1)
	of := func(task, key, file string) *nats.Msg {
		m := &nats.Msg{Subject: workOf(task), Header: nats.Header{}, Data: []byte("junk")}
		if key != "" {
			m.Header.Set(keyHeader, key)
		}
		if file != "" {
			m.Header.Set(fileHeader, file)
		}
		return m
	}
	spec, kind := began(task{Kind: fits, Spec: json.RawMessage(`{}`)}), began(task{Kind: "dance"})
	return map[string]func(i int) *nats.Msg{
		"of no task":         func(i int) *nats.Msg { return of(fmt.Sprint("nobody-", i), "1", "") },
		"without a key":      func(int) *nats.Msg { return of(k.ID, "", "") },
		"with no key":        func(int) *nats.Msg { return of(k.ID, "no key", "") },
		"no photograph":      func(i int) *nats.Msg { return of(k.ID, fmt.Sprint("x", i), "") },
		"of a torn file":     func(i int) *nats.Msg { return of(k.ID, fmt.Sprint("y", i), "torn") },
		"of a missing file":  func(i int) *nats.Msg { return of(k.ID, fmt.Sprint("z", i), "missing") },
		"of a file of junk":  func(i int) *nats.Msg { return of(k.ID, fmt.Sprint("w", i), "whole") },
		"of a task of junk":  func(i int) *nats.Msg { return of(spec, fmt.Sprint(i), "") },
		"of an unknown kind": func(i int) *nats.Msg { return of(kind, fmt.Sprint(i), "") },
	}
}

// photosOf begins a task of photographs, and returns a piece that shows nothing.
func photosOf(t testing.TB, c *Cluster) (*coordinator, []byte) {
	t.Helper()
	k, err := c.begin(t.Context(), task{Kind: photos, Spec: json.RawMessage(`{}`), Version: "v"}, "origin", false, nil)
	if err != nil {
		t.Fatal(err)
	}
	var piece bytes.Buffer
	if err := gob.NewEncoder(&piece).Encode(photo{Name: "x", Data: []byte("no image")}); err != nil {
		t.Fatal(err)
	}
	return k, piece.Bytes()
}

// resultsOf waits for so many results of k.
func resultsOf(t testing.TB, k *coordinator, n int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	got := 0
	if err := k.receive(ctx, func(key string) bool { return strings.HasPrefix(key, "photo") }, func(string, []byte) (bool, error) {
		got++
		return got < n, nil
	}); err != nil {
		t.Fatalf("%v after %d of %d photographs", err, got, n)
	}
}

// Junk of a peer with credentials is left out at once: the work between and behind it is
// done.
func TestJunk(t *testing.T) {
	t.Parallel()
	c := served(t)
	k, piece := photosOf(t, c)
	const each = 5
	for what, junk := range junkOf(t, k) {
		for i := range each {
			if _, err := c.js.PublishMsg(t.Context(), junk(i)); err != nil {
				t.Fatal(err)
			}
		}
		if err := k.put(t.Context(), "photo."+strings.ReplaceAll(what, " ", "-"), piece); err != nil {
			t.Fatal(err)
		}
	}
	work(t, c, "a", experiment.Bench{Jobs: 1, Version: "v"})
	resultsOf(t, k, len(junkOf(t, k)))
	for left(t, c) > uint64(len(junkOf(t, k))) { // the results; until the time of the test is over
		time.Sleep(10 * time.Millisecond)
	}
}

// What a piece of junk costs a worker.
func BenchmarkJunk(b *testing.B) {
	c := served(b)
	k, piece := photosOf(b, c)
	n := 0
	for what, junk := range junkOf(b, k) {
		b.Run(what, func(b *testing.B) {
			for range b.N {
				n++
				if _, err := c.js.PublishMsg(b.Context(), junk(n)); err != nil {
					b.Fatal(err)
				}
			}
			if err := k.put(b.Context(), fmt.Sprint("photo", n), piece); err != nil {
				b.Fatal(err)
			}
			b.ResetTimer()
			stop := work(b, c, "a", experiment.Bench{Jobs: 1, Version: "v"})
			k.handedOut.Store(0)
			k.resultCount.Store(0)
			resultsOf(b, k, 1)
			b.StopTimer()
			stop()
			if err := k.results.Purge(b.Context()); err != nil {
				b.Fatal(err)
			}
		})
	}
}
