package main

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/google/uuid"

	"nrdl.example/nrdl/internal/kit/testing/postgres"
	"nrdl.example/nrdl/server/store"
)

// killed kills a service again and again while clients change two collections, and then
// compares what is there with what was acknowledged. Clients send a request with its key
// again until it is answered.
func killed(dir string) error {
	fmt.Printf("| database | kills | changes acknowledged | carried out, answer lost | jobs | of them tried more than " +
		"three times | wrong |\n|---|---|---|---|---|---|---|\n")
	_, photos, err := drawn(dir, 3)
	if err != nil {
		return err
	}
	if err := killedOn("SQLite", filepath.Join(dir, "nrdl.db"), photos); err != nil {
		return err
	}
	server, err := postgres.New(true)
	if errors.Is(err, postgres.ErrMissing) {
		fmt.Println(err)
		return nil
	}
	if err != nil {
		return err
	}
	defer server.Close()
	return killedOn("PostgreSQL", server.URL, photos)
}

// A run of clients against a service that is killed.
type killing struct {
	url    string
	people string // URL of the collection in which people change
	target string // URL of the one into which archives are imported
	stop   atomic.Bool

	changes, lostAnswers, jobs, retriedJobs atomic.Int64
	mu                                      sync.Mutex
	errors                                  []string
}

func (k *killing) is(right bool, format string, args ...any) {
	if !right {
		k.mu.Lock()
		k.errors = append(k.errors, fmt.Sprintf(format, args...))
		k.mu.Unlock()
	}
}

// post sends a request with a key until it is answered. It reports whether the answer was
// lost: then the change was made, or a part of it.
func (k *killing) post(url, kind string, body []byte, into any) (lost bool, err error) {
	key := uuid.NewString()
	for {
		a, err := send("POST", url, kind, body, key, into)
		switch {
		case err != nil || a.status >= 500 || a.header.Get("Retry-After") != "":
			time.Sleep(20 * time.Millisecond)
		case a.status/100 == 2:
			k.changes.Add(1)
			return false, nil
		case a.status == http.StatusConflict && strings.Contains(string(a.body), "its answer is lost"):
			k.lostAnswers.Add(1)
			return true, nil
		default:
			return false, fmt.Errorf("%s: %d %s", url, a.status, a.body)
		}
	}
}

func (k *killing) postJSON(url string, body, into any) (bool, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return false, err
	}
	return k.post(url, "application/json", data, into)
}

// get asks until it is answered.
func (k *killing) get(url string, into any) (status int, err error) {
	for {
		a, err := send("GET", url, "", nil, "", into)
		if err != nil || a.status >= 500 || a.status == http.StatusTooManyRequests {
			time.Sleep(20 * time.Millisecond)
			continue
		}
		return a.status, nil
	}
}

// count is the number of items of a list.
func (k *killing) count(url string) (n int, err error) {
	next := ""
	for {
		var page struct {
			Items []json.RawMessage
			Next  string
		}
		if status, err := k.get(url+"limit=500&cursor="+next, &page); err != nil || status != http.StatusOK {
			return 0, fmt.Errorf("%s: %d %w", url, status, err)
		}
		n += len(page.Items)
		if next = page.Next; next == "" {
			return n, nil
		}
	}
}

// enrols creates people, adds faces, merges people and takes that back, and checks each
// time that what was answered is there.
func (k *killing) enrols(seed uint64) error {
	rng := rand.New(rand.NewPCG(seed, 1))
	in, n := space()
	for i := 0; !k.stop.Load(); i++ {
		var ids []string
		counts := map[string]int{}
		for side := range 2 {
			var p struct{ ID string }
			lost, err := k.postJSON(k.people+"/people", object{"name": fmt.Sprintf("%d %d %d", seed, i, side)}, &p)
			if err != nil {
				return err
			}
			if lost {
				continue // it is there, and nobody knows its id
			}
			faces := 0
			for range 2 {
				if _, err := k.postJSON(k.people+"/people/"+p.ID+"/vectors", object{"vector": near(rng, nil, n), "space": in}, nil); err != nil {
					return err
				}
				faces++
			}
			ids, counts[p.ID] = append(ids, p.ID), faces
		}
		if len(ids) < 2 {
			continue
		}
		var done struct{ Operation string }
		lost, err := k.postJSON(k.people+"/people/"+ids[0]+"/merge", object{"from": ids[1:]}, &done)
		if err != nil {
			return err
		}
		counts[ids[0]] += counts[ids[1]]
		counts[ids[1]] = 0
		if !lost && i%2 == 0 {
			if _, err := k.postJSON(k.people+"/undo/"+done.Operation, nil, nil); err != nil {
				return err
			}
			counts[ids[0]], counts[ids[1]] = 2, 2
		}
		for id, want := range counts {
			var p struct{ Faces int }
			status, err := k.get(k.people+"/people/"+id, &p)
			if err != nil {
				return err
			}
			k.is(status == http.StatusOK && p.Faces == want || status == http.StatusNotFound && want == 0,
				"person %s has %d faces (%d), not %d", id, p.Faces, status, want)
		}
	}
	return nil
}

// imports sends archives of photographs that differ in a comment, and waits for their
// jobs. It returns the number of photographs.
func (k *killing) imports(photos [][]byte) (n int, err error) {
	for i := 0; !k.stop.Load(); i++ {
		var b bytes.Buffer
		z := zip.NewWriter(&b)
		const each = 4
		for j := range each {
			w, err := z.Create(fmt.Sprintf("%d.jpg", j))
			if err != nil {
				return n, err
			}
			_, _ = w.Write(photos[0])
			fmt.Fprintf(w, "%d %d", i, j) // behind the end of the image
		}
		z.Close()
		kind, body := form("archive", b.Bytes())
		var j struct{ ID string }
		lost, err := k.post(k.target+"/import", kind, body, &j)
		if err != nil {
			return n, err
		}
		n += each
		if !lost {
			if err := k.wait(k.target, j.ID); err != nil {
				return n, err
			}
		}
	}
	return n, nil
}

// refits asks for one refit after the other.
func (k *killing) refits() error {
	for !k.stop.Load() {
		var j struct{ ID string }
		lost, err := k.postJSON(k.people+"/jobs", object{"kind": "refit"}, &j)
		if err != nil {
			return err
		}
		if !lost {
			if err := k.wait(k.people, j.ID); err != nil {
				return err
			}
		}
	}
	return nil
}

// wait waits until a job has ended. One that was tried too often is tried again.
func (k *killing) wait(at, id string) error {
	k.jobs.Add(1)
	for begun := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		var j struct{ State, Error, Kind string }
		status, err := k.get(at+"/jobs/"+id, &j)
		if err != nil || status != http.StatusOK {
			return fmt.Errorf("job %s: %d %w", id, status, err)
		}
		switch {
		case j.State == store.Succeeded:
			return nil
		case j.State == store.Failed && strings.Contains(j.Error, "the process ended"):
			k.retriedJobs.Add(1)
			if a, err := send("POST", at+"/jobs/"+id+"/retry", "", nil, "", nil); err == nil && a.status == http.StatusConflict {
				k.is(false, "job %s of kind %s cannot be tried again", id, j.Kind)
				return nil
			}
		case j.State == store.Failed || j.State == store.Cancelled || time.Since(begun) > 5*time.Minute:
			k.is(false, "job %s of kind %s is %s: %s", id, j.Kind, j.State, j.Error)
			return nil
		}
	}
}

func killedOn(name, database string, photos [][]byte) error {
	quick := []string{"-lease", "500ms", "-request", "2s"}
	p, err := start(database, "", quick...)
	if err != nil {
		return err
	}
	defer func() { p.kill() }()
	k := &killing{url: p.url}
	for _, at := range []*string{&k.people, &k.target} {
		if *at, err = collection(p, nil); err != nil {
			return err
		}
	}
	// How many faces a photograph has.
	kind, body := form("photo", photos[0])
	var found struct{ Faces []struct{ Refused string } }
	if err := mustSend("POST", k.target+"/detect", kind, body, &found); err != nil {
		return err
	}
	usable := len(slices.DeleteFunc(found.Faces, func(f struct{ Refused string }) bool { return f.Refused != "" }))

	imported, err := k.worksThroughKills(&p, database, quick, photos)
	if err != nil {
		return err
	}
	if err := k.waitsForJobs(); err != nil {
		return err
	}
	faces, err := k.count(k.target + "/faces?")
	if err != nil {
		return err
	}
	k.is(faces == imported*usable, "%d faces were imported, not %d × %d", faces, imported, usable)
	p.kill()
	db, err := store.Open(context.Background(), database)
	if err != nil {
		return err
	}
	defer db.Close()
	if err := db.CheckAudit(context.Background()); err != nil {
		k.is(false, "%v", err)
	}
	fmt.Printf("| %s | %d | %d | %d | %d | %d | %d |\n", name, *kills, k.changes.Load(), k.lostAnswers.Load(),
		k.jobs.Load(), k.retriedJobs.Load(), len(k.errors))
	for _, w := range k.errors {
		fmt.Println(w)
	}
	return nil
}

// worksThroughKills enrols, imports and refits while the service *p is killed and started
// again, and returns the number of photographs that were imported.
func (k *killing) worksThroughKills(p **process, database string, quick []string, photos [][]byte) (imported int, err error) {
	var all sync.WaitGroup
	failed := make(chan error, 8)
	for _, do := range []func() error{
		func() error { return k.enrols(1) }, func() error { return k.enrols(2) }, k.refits,
		func() (err error) { imported, err = k.imports(photos); return err },
	} {
		all.Go(func() {
			if err := do(); err != nil {
				failed <- err
			}
		})
	}
	address := strings.TrimPrefix((*p).url, "http://")
	rng := rand.New(rand.NewPCG(3, 4))
	for n := range *kills {
		time.Sleep(time.Duration(50+rng.IntN(700)) * time.Millisecond)
		if len(failed) > 0 {
			return 0, <-failed
		}
		(*p).kill()
		if *p, err = start(database, address, quick...); err != nil {
			return 0, fmt.Errorf("after kill %d: %w", n+1, err)
		}
	}
	k.stop.Store(true)
	all.Wait()
	if len(failed) > 0 {
		return 0, <-failed
	}
	return imported, nil
}

// waitsForJobs waits until all jobs have ended, a minute at most: an import whose answer was
// lost has a job, which may not have ended.
func (k *killing) waitsForJobs() error {
	for begun := time.Now(); time.Since(begun) < time.Minute; time.Sleep(100 * time.Millisecond) {
		open := 0
		for _, at := range []string{k.people, k.target} {
			for _, state := range []string{store.Waiting, store.Running} {
				n, err := k.count(at + "/jobs?state=" + state + "&")
				if err != nil {
					return err
				}
				open += n
			}
		}
		if open == 0 {
			break
		}
	}
	return nil
}
