package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"
)

// lease takes a job for a worker, and waits for none.
func (c *collected) lease(worker string, d time.Duration) *Job {
	c.Helper()
	j, err := c.s.Lease(c.Context(), worker, false, d)
	c.no(err)
	return j
}

func TestJobs(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		c := collect(t, s)
		ctx := t.Context()
		first, err := s.Enqueue(ctx, Job{Collection: c.id, Kind: "import", Actor: "tester", Payload: []byte(`{"n":1}`)})
		c.no(err)
		refit, err := s.Enqueue(ctx, Job{Collection: c.id, Kind: "refit", Key: "refit", Actor: "tester"})
		c.no(err)
		same, err := s.Enqueue(ctx, Job{Collection: c.id, Kind: "refit", Key: "refit", Actor: "tester"})
		c.no(err)
		if same.ID != refit.ID {
			t.Fatal("there are two unfinished jobs of one key")
		}
		_, err = s.Enqueue(ctx, Job{Collection: "nothing", Kind: "refit"})
		c.is(err, ErrNotFound)

		j := c.lease("a", time.Minute)
		if j == nil || j.ID != first.ID || j.State != Running || j.Attempts != 1 || string(j.Payload) != `{"n":1}` {
			t.Fatalf("%+v", j)
		}
		other := c.lease("b", time.Minute)
		if other == nil || other.ID != refit.ID || c.lease("b", time.Minute) != nil {
			t.Fatalf("%+v", other)
		}

		// A step is there with its change, or neither is.
		faces := []NewFace{{Face: Face{Source: Upload}, Space: "s", Vector: []float32{1}}}
		_, err = s.AddFaces(WithStep(ctx, j, 3, 9, []byte(`{"faces":1}`)), "tester", c.id, nil, c.a.ID, faces)
		c.no(err)
		got, err := s.Job(ctx, c.id, j.ID)
		c.no(err)
		if got.Done != 3 || got.Total != 9 || string(got.Result) != `{"faces":1}` || got.Version <= j.Version {
			t.Fatalf("%+v", got)
		}
		stale := *j
		stale.worker = "somebody else"
		_, err = s.AddFaces(WithStep(ctx, &stale, 4, 9, nil), "tester", c.id, nil, c.a.ID, faces)
		c.is(err, ErrLost)
		_, err = s.AddFaces(WithStep(ctx, j, 4, 9, nil), "tester", c.id, nil, "nobody", faces)
		c.is(err, ErrNotFound)
		if got, _ = s.Job(ctx, c.id, j.ID); got.Done != 3 || len(c.of(c.a.ID)) != 3 {
			t.Fatalf("%+v, %d faces", got, len(c.of(c.a.ID)))
		}

		c.no(s.Finish(ctx, j, []byte(`{"faces":2}`)))
		c.is(s.Extend(ctx, j, time.Minute), ErrLost)
		c.is(s.Finish(ctx, j, nil), ErrLost)
		if got, _ = s.Job(ctx, c.id, j.ID); got.State != Succeeded || got.Finished.IsZero() || string(got.Result) != `{"faces":2}` {
			t.Fatalf("%+v", got)
		}
		again, err := s.Enqueue(ctx, Job{Collection: c.id, Kind: "refit", Key: "import", Actor: "tester"})
		c.no(err)
		if cancelled, err := s.Cancel(ctx, "tester", c.id, again.ID); err != nil || cancelled.State != Cancelled {
			t.Fatalf("%+v %v", cancelled, err)
		}
		if _, err := s.Cancel(ctx, "tester", c.id, other.ID); err != nil {
			t.Fatal(err)
		}
		c.is(s.Progress(ctx, other, 1, 1, nil), ErrLost)
		if done, err := s.Cancel(ctx, "tester", c.id, j.ID); err != nil || done.State != Succeeded {
			t.Fatalf("%+v %v", done, err)
		}
		_, err = s.Cancel(ctx, "tester", c.id, "nothing")
		c.is(err, ErrNotFound)
		all, err := s.Jobs(ctx, c.id, "", Cancelled, "", "", 10)
		c.no(err)
		if len(all) != 2 || all[0].ID != again.ID {
			t.Fatalf("%+v", all)
		}
		c.no(s.CheckAudit(ctx))
	})
}

// A job whose worker is gone is worked on by the next one, who knows how often it was
// tried; a job that waits is not had before its time.
func TestLeases(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		c := collect(t, s)
		ctx := t.Context()
		_, err := s.Enqueue(ctx, Job{Collection: c.id, Kind: "import"})
		c.no(err)
		gone := c.lease("a", -time.Second) // it has ended
		j := c.lease("b", time.Minute)
		if j == nil || j.ID != gone.ID || j.Attempts != 2 {
			t.Fatalf("%+v", j)
		}
		c.is(s.Finish(ctx, gone, nil), ErrLost)
		c.no(s.Progress(ctx, j, 1, 2, nil))
		c.no(s.Retry(ctx, j, "the database was away", time.Now().Add(-time.Second)))
		if j = c.lease("b", time.Minute); j == nil || j.Attempts != 2 || j.Done != 1 || j.Error == "" {
			t.Fatalf("%+v", j)
		}
		c.no(s.Retry(ctx, j, "", time.Now().Add(-time.Second)))
		if j = c.lease("b", time.Minute); j == nil || j.Attempts != 2 { // it was stopped, and did not fail
			t.Fatalf("%+v", j)
		}
		c.no(s.Retry(ctx, j, "x", time.Now().Add(time.Hour)))
		if c.lease("b", time.Minute) != nil {
			t.Fatal("a job is there before its time")
		}
		again, err := s.Enqueue(ctx, Job{Collection: c.id, Kind: "export"})
		c.no(err)
		j = c.lease("b", time.Minute)
		c.no(s.Fail(ctx, j, "no"))
		if f, err := s.Restart(ctx, "tester", c.id, again.ID); err != nil || f.State != Waiting || f.Attempts != 0 {
			t.Fatalf("%+v %v", f, err)
		}
	})
}

// Many workers on one database: each job is worked on by one.
func TestManyWorkers(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		c := collect(t, s)
		const jobs = 40
		for range jobs {
			_, err := s.Enqueue(t.Context(), Job{Collection: c.id, Kind: "import"})
			c.no(err)
		}
		var mu sync.Mutex
		seen := map[string]int{}
		var all sync.WaitGroup
		for w := range 4 {
			all.Go(func() {
				for range 10 * jobs {
					mu.Lock()
					n := len(seen)
					mu.Unlock()
					if n == jobs {
						return
					}
					j, err := s.Lease(context.Background(), fmt.Sprint(w), false, time.Hour)
					if err != nil {
						t.Error(err)
						return
					}
					if j == nil {
						continue
					}
					mu.Lock()
					seen[j.ID]++
					mu.Unlock()
					if err := s.Finish(context.Background(), j, nil); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		if len(seen) != jobs {
			t.Fatalf("%d jobs", len(seen))
		}
		for id, n := range seen {
			if n != 1 {
				t.Errorf("job %s was worked on %d times", id, n)
			}
		}
	})
}

// What changed after a sequence number, added to what was there then, is what is there.
func TestChangesAddUp(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		c := collect(t, s)
		ctx := t.Context()
		owner, people := map[string]string{}, map[string]Person{}
		seq := int64(0)
		follow := func() {
			t.Helper()
			d, err := s.Changes(ctx, c.id, "s", seq)
			c.no(err)
			if d.All != (seq == 0) {
				t.Fatalf("all is %v after %d", d.All, seq)
			}
			for _, p := range d.People {
				people[p.ID] = p
			}
			for _, o := range d.Samples {
				if delete(owner, o.Face); o.Person != "" {
					owner[o.Face] = o.Person
				}
			}
			for _, id := range d.Removals {
				delete(owner, id)
				delete(people, id)
			}
			seq = d.Seq
			whole, err := s.Changes(ctx, c.id, "s", 0)
			c.no(err)
			if len(whole.People) != len(people) || len(whole.Samples) != len(owner) {
				t.Fatalf("%d people and %d faces, not %d and %d", len(people), len(owner), len(whole.People), len(whole.Samples))
			}
			for _, p := range whole.People {
				if people[p.ID] != p {
					t.Fatalf("%+v is not %+v", people[p.ID], p)
				}
			}
			for _, o := range whole.Samples {
				if owner[o.Face] != o.Person {
					t.Fatalf("face %s is of %s, not %s", o.Face, owner[o.Face], o.Person)
				}
			}
		}
		follow()
		loose := c.add("", 2)
		follow()
		_, err := s.MoveFaces(ctx, "tester", c.id, nil, []string{loose[0], c.fa[0]}, c.b.ID)
		c.no(err)
		follow()
		op, err := s.MergePeople(ctx, "tester", c.id, c.a.ID, []string{c.b.ID})
		c.no(err)
		follow()
		c.no(s.Undo(ctx, "tester", c.id, op))
		follow()
		_, _, err = s.NameFaces(ctx, "tester", c.id, nil, loose[1:], "Cy", Known, true)
		c.no(err)
		follow()
		_, err = s.DenyFaces(ctx, "tester", c.id, nil, c.fb[:1], c.b.ID)
		c.no(err)
		_, err = s.ChangePerson(ctx, "tester", c.id, Person{ID: c.b.ID, Name: "Bo", Kind: Ignored}, true)
		c.no(err)
		follow()
		c.no(s.DeleteFaces(ctx, "tester", c.id, nil, c.fa[1:]))
		_, err = s.ErasePerson(ctx, "tester", c.id, c.b.ID, nil)
		c.no(err)
		follow()

		// Without the table of what is gone, everything is read.
		_, err = s.write.Exec("UPDATE gone SET at = 0")
		c.no(err)
		c.no(s.Tidy(ctx))
		d, err := s.Changes(ctx, c.id, "s", 2)
		c.no(err)
		if !d.All {
			t.Fatal("a process that lags behind does not get all changes")
		}
	})
}

func TestOnce(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		c := collect(t, s)
		ctx := t.Context()
		o := &Request{Actor: "k", Key: "1", Collection: c.id, Route: "/x"}
		was, err := s.BeginRequest(ctx, o, time.Hour)
		c.no(err)
		if was != nil {
			t.Fatalf("%+v", was)
		}
		second := &Request{Actor: "k", Key: "1", Route: "/x"}
		was, err = s.BeginRequest(ctx, second, time.Hour)
		c.no(err)
		if was == nil || was.Status != 0 || was.HasChanges || was.IsAbandoned() {
			t.Fatalf("%+v", was)
		}
		other := &Request{Actor: "other", Key: "1", Route: "/x"}
		if was, err = s.BeginRequest(ctx, other, time.Hour); err != nil || was != nil {
			t.Fatalf("%+v %v", was, err)
		}

		// Nobody holds it any more, and nothing had changed: the next one carries it out, and
		// the first one cannot.
		c.no(s.ExtendRequest(ctx, o, -time.Second))
		if was, err = s.BeginRequest(ctx, second, time.Hour); err != nil || was != nil {
			t.Fatalf("%+v %v", was, err)
		}
		c.is(s.ExtendRequest(ctx, o, time.Hour), ErrLost)
		gone, cancel := context.WithCancel(ctx)
		cancel()
		if err := s.ExtendRequest(gone, second, time.Hour); err == nil || errors.Is(err, ErrLost) { // the database does not answer
			t.Fatal(err)
		}
		c.no(s.ExtendRequest(ctx, second, -time.Second))
		_, _, err = s.CreatePerson(WithRequest(ctx, o), "k", c.id, "x", Known, true)
		c.is(err, ErrConflict)
		_, _, err = s.CreatePerson(WithRequest(ctx, second), "k", c.id, "x", Known, true)
		c.no(err)
		c.no(s.DropRequest(ctx, second)) // too late
		if was, err = s.BeginRequest(ctx, o, time.Hour); err != nil || was == nil || !was.HasChanges || !was.IsAbandoned() {
			t.Fatalf("%+v %v", was, err)
		}
		second.Status, second.Type, second.Digest, second.Answer = 200, "text/plain", "d", []byte("Åsa")
		c.no(s.PutAnswer(ctx, second))
		if was, err = s.BeginRequest(ctx, o, time.Hour); err != nil || was == nil || string(was.Answer) != "Åsa" || was.Status != 200 ||
			was.Digest != "d" {
			t.Fatalf("%+v %v", was, err)
		}
		c.no(s.DropRequest(ctx, other))
		if was, err = s.BeginRequest(ctx, other, time.Hour); err != nil || was != nil {
			t.Fatalf("%+v %v", was, err)
		}
	})
}

// What is erased is gone from the answers, results and messages too.
func TestEraseMessages(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		c := collect(t, s)
		ctx := t.Context()
		h, err := s.CreateHook(ctx, "tester", c.id, Hook{URL: "https://x.example", Events: []string{"person.changed", "person.erased"}})
		c.no(err)
		o := &Request{Actor: "k", Key: "1", Collection: c.id, Route: "/x", Status: 200, Answer: []byte("Secretname")}
		_, err = s.BeginRequest(ctx, o, time.Hour)
		c.no(err)
		p, _, err := s.CreatePerson(WithRequest(ctx, o), "tester", c.id, "Secretname", Known, true)
		c.no(err)
		c.no(s.PutAnswer(ctx, o))
		_, err = s.Enqueue(ctx, Job{Collection: c.id, Kind: "import"})
		c.no(err)
		j := c.lease("a", time.Minute)
		c.no(s.PutPiece(ctx, c.id, j.ID, 0, []byte("pieceofafile")))
		c.no(s.Finish(ctx, j,
			[]byte(`{"refused":[{"name":"Secretname/1.jpg","why":"no face"},{"name":"Bo/1.jpg","why":"no face"}],`+
				`"note":"of Secretname","photos":3}`)))
		messages, err := s.Jobs(ctx, c.id, "", "", h.ID, "", 10)
		c.no(err)
		if len(messages) != 1 {
			t.Fatalf("%+v", messages)
		}
		_, err = s.ErasePerson(ctx, "tester", c.id, p.ID, nil)
		c.no(err)
		c.no(s.DeleteFile(ctx, c.id, j.ID))
		messages, err = s.Jobs(ctx, c.id, "", "", h.ID, "", 10)
		c.no(err)
		if len(messages) != 1 || !contains(messages[0].Payload, "person.erased") {
			t.Fatalf("%+v", messages)
		}
		if j, err := s.Job(ctx, c.id, j.ID); err != nil || string(j.Result) != `{"photos":3,"refused":[{"name":"Bo/1.jpg","why":"no face"}]}` {
			t.Errorf("the result is %s, %v", j.Result, err)
		}
		if was, err := s.BeginRequest(ctx, o, time.Hour); err != nil || was == nil || was.Status != 0 || !was.HasChanges || len(was.Answer) != 0 {
			t.Fatalf("%+v %v", was, err)
		}
		if _, err := s.GetPiece(ctx, c.id, j.ID, 0); !errors.Is(err, ErrNotFound) {
			t.Fatal(err)
		}
		if !s.postgres {
			c.nowhere("Secretname", "pieceofafile")
		}
	})
}

// The result of an import loses what mentions somebody who is erased, by any name that they
// had, and nothing else.
func TestEraseMentions(t *testing.T) {
	onBoth(t, func(t *testing.T, s *Store) {
		c := collect(t, s)
		ctx := t.Context()
		ended := func(result string) string {
			t.Helper()
			_, err := s.Enqueue(ctx, Job{Collection: c.id, Kind: "import"})
			c.no(err)
			j := c.lease("a", time.Minute)
			c.no(s.Finish(ctx, j, []byte(result)))
			return j.ID
		}
		const other = `{ "photos":7, "refused": [{"name":"Joanna.jpg","why":"Ann is no face"}]}`
		kept := ended(other)
		some := ended(
			`{"photos":7,"refused":[{"name":"x/Ann/1.jpg","why":""},{"name":"Anne.jpg","why":""},{"name":"SMITH-JONES,ann3.png",` +
				`"why":""},{"name":"Eve 2.jpg","why":""}]}`)
		p, _, err := s.CreatePerson(ctx, "tester", c.id, "Ann", Known, true)
		c.no(err)
		_, err = s.ChangePerson(ctx, "tester", c.id, Person{ID: p.ID, Name: "Ann Smith-Jones", Kind: Known}, true)
		c.no(err)
		eve, _, err := s.CreatePerson(ctx, "tester", c.id, "Eve", Known, true)
		c.no(err)
		c.add(eve.ID, 1)
		_, err = s.MergePeople(ctx, "tester", c.id, p.ID, []string{eve.ID})
		c.no(err)
		_, err = s.ErasePerson(ctx, "tester", c.id, p.ID, nil)
		c.no(err)
		for id, want := range map[string]string{kept: other, some: `{"photos":7,"refused":[{"name":"Anne.jpg","why":""}]}`} {
			if j, err := s.Job(ctx, c.id, id); err != nil || string(j.Result) != want {
				t.Errorf("the result is %s, %v", j.Result, err)
			}
		}
	})
}

func TestMentions(t *testing.T) {
	for _, o := range []struct {
		text, name string
		want       bool
	}{
		{"Ann/1.jpg", "Ann", true},
		{"holidays/ann.jpg", "Ann", true},
		{"Anna/1.jpg", "Ann", false},
		{"Joann.jpg", "Ann", false},
		{"ann2.jpg", "Ann", true},
		{"AnnSmith.jpg", "Ann Smith", true},
		{"smith__ann.jpg", "Ann Smith", true},
		{"Ann/Smith.jpg", "Ann Smith", true},
		{"Ann.jpg", "Ann Smith", false},
		{"person001/002.jpg", "person001", true},
		{"person002/001.jpg", "person001", false},
		{"A\u030Asa.jpg", "Åsa", true},
		{"王芳的照片.jpg", "王芳", true},
		{"王.jpg", "王芳", false},
		{"★.jpg", "★", true},
		{"", "Ann", false},
	} {
		if mentions(o.text, o.name) != o.want {
			t.Errorf("%q mentions %q: %v", o.text, o.name, !o.want)
		}
	}
}
