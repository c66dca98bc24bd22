package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"slices"
	"time"

	"github.com/google/uuid"

	client "nrdl.example/nrdl/client/go"
)

// Times of the clients.
const (
	pause   = 200 * time.Millisecond // between two requests of a client
	patient = 5 * time.Minute        // longest time without an answer
)

// A visitor changes people who are its own, and knows what was acknowledged of them.
type visitor struct {
	s      *site
	l      *ledger
	number int
	rng    *rand.Rand
	photos [][]byte
	mine   []string // people who are there
	serial int
	last   struct { // change that can be undone, "" for none
		operation string
		former    map[string]record
	}
}

// ask sends a request with one key until it is answered, to the next process if one does not
// answer. Lost says that the change was made, or a part of it, and its answer is lost.
func (s *site) ask(do func(ctx context.Context, c *client.Client, again bool) error) (lost bool, err error) {
	k, done := s.useKey()
	defer done()
	once := uuid.NewString()
	begun := time.Now()
	for n := 0; ; n++ {
		ctx, stop := context.WithTimeout(client.Once(context.Background(), once), time.Minute)
		err = do(ctx, s.client(s.addresses[(n+s.first())%len(s.addresses)], k), n > 0)
		stop()
		var p *client.Problem
		_, later := client.RetryAfter(err)
		switch {
		case err == nil:
			return false, nil
		case errors.As(err, &p) && p.Code == "answer_lost":
			return true, nil
		case time.Since(begun) > patient:
			return false, fmt.Errorf("no answer for %v: %w", patient, err)
		case later || !errors.As(err, &p) || p.Status == nil || *p.Status >= http.StatusInternalServerError:
			s.refusal(err)
			time.Sleep(100 * time.Millisecond)
		default:
			return false, err
		}
	}
}

// change makes people what next says, by one request.
func (v *visitor) change(next map[string]record, do func(ctx context.Context, c *client.Client, again bool) error) error {
	before := v.l.begin(slices.Collect(maps.Keys(next))...)
	lost, err := v.s.ask(do)
	if err != nil {
		return err
	}
	if lost { // it was carried out whole, or not at all
		now := map[string]record{}
		if _, err := v.s.ask(func(ctx context.Context, c *client.Client, _ bool) error { return v.read(ctx, c, next, now) }); err != nil {
			return err
		}
		was, will := true, true
		for id, r := range now {
			was, will = was && before[id].is(r), will && next[id].is(r)
		}
		if !was && !will {
			v.l.lose("half of a change: %v became %v, not %v", before, now, next)
		}
		v.last.operation, next = "", now
	} else {
		v.s.acknowledge()
	}
	v.l.end(next)
	v.l.mu.Lock()
	v.l.changes++
	if lost {
		v.l.lostAnswers++
	}
	v.l.mu.Unlock()
	if v.rng.IntN(4) > 0 {
		return nil
	}
	// Each process knows of it at once.
	now := map[string]record{}
	_, err = v.s.ask(func(ctx context.Context, c *client.Client, _ bool) error { return v.read(ctx, c, next, now) })
	for id, r := range now {
		if !next[id].is(r) {
			v.l.lose("%s (%s) is %s at once", next[id], id, r)
		}
	}
	return err
}

// read reads people into now.
func (v *visitor) read(ctx context.Context, c *client.Client, of, now map[string]record) (err error) {
	for id := range of {
		if now[id], err = one(ctx, c, v.s.collection, id); err != nil {
			return err
		}
	}
	return nil
}

// name is one that nobody had.
func (v *visitor) name() string {
	v.serial++
	return fmt.Sprintf("guest-%d-%d-%x", v.number, v.serial, v.rng.Uint32())
}

// visits changes people until stop is closed.
func (v *visitor) visits(stop <-chan struct{}) error {
	for {
		select {
		case <-stop:
			return nil
		case <-time.After(pause):
		}
		if err := v.step(); err != nil {
			return fmt.Errorf("client %d: %w", v.number, err)
		}
	}
}

// step makes one change.
func (v *visitor) step() error {
	const maxPeople = 40
	if len(v.mine) < 3 {
		return v.enrol()
	}
	v.rng.Shuffle(len(v.mine), func(i, j int) { v.mine[i], v.mine[j] = v.mine[j], v.mine[i] })
	a, b := v.mine[0], v.mine[1]
	switch n := v.rng.IntN(20); {
	case n < 5 && len(v.mine) < maxPeople:
		return v.enrol()
	case n < 9:
		return v.addVector(a)
	case n < 10:
		return v.addPhoto(a)
	case n < 12:
		return v.identify()
	case n < 14:
		return v.rename(a)
	case n < 16:
		return v.move(a, b)
	case n < 17:
		return v.merge(a, b)
	case n < 18 && v.last.operation != "":
		return v.undo()
	default:
		return v.forget(a)
	}
}

// enrol creates a person with a face.
func (v *visitor) enrol() error {
	name := v.name()
	v.l.mu.Lock()
	v.l.nobody[name] = true
	v.l.mu.Unlock()
	id := ""
	lost, err := v.s.ask(func(ctx context.Context, c *client.Client, _ bool) error {
		p, err := c.CreatePerson(ctx, v.s.collection, client.PersonFields{Name: name})
		if err == nil {
			id = p.ID
		}
		return err
	})
	if lost || err != nil {
		return err
	}
	v.s.acknowledge()
	v.l.mu.Lock()
	delete(v.l.nobody, name)
	v.l.people[id] = &entry{record: record{name: name}, names: []string{name}}
	v.l.changes++
	v.l.mu.Unlock()
	v.mine = append(v.mine, id)
	return v.addVector(id)
}

// add gives a person a face, by a request.
func (v *visitor) add(id string, send func(ctx context.Context, c *client.Client) (*client.Added, error)) error {
	r := v.l.copy()[id].record
	r.faces = append(slices.Clone(r.faces), "")
	v.last.operation = ""
	return v.change(map[string]record{id: r}, func(ctx context.Context, c *client.Client, _ bool) error {
		added, err := send(ctx, c)
		if err == nil && len(added.Faces) != 1 {
			return fmt.Errorf("%d faces of one: %v", len(added.Faces), added.Refused)
		}
		if err == nil {
			r.faces[len(r.faces)-1] = added.Faces[0].ID
		}
		return err
	})
}

func (v *visitor) addVector(id string) error {
	in, n := space()
	drawn := near(v.rng, nil, n)
	vector := make([]float64, n)
	for i, x := range drawn {
		vector[i] = float64(x)
	}
	return v.add(id, func(ctx context.Context, c *client.Client) (*client.Added, error) {
		return c.AddPersonVectors(ctx, v.s.collection, id, client.Vector{Space: in, Vector: vector})
	})
}

func (v *visitor) photo() client.File {
	return client.File{Name: "x.jpg", Content: bytes.NewReader(v.photos[v.number%len(v.photos)])}
}

func (v *visitor) addPhoto(id string) error {
	return v.add(id, func(ctx context.Context, c *client.Client) (*client.Added, error) {
		return c.AddPersonFaces(ctx, v.s.collection, id, client.AddPersonFacesForm{Photo: []client.File{v.photo()}}, client.AddPersonFacesQuery{})
	})
}

// identify asks who is in a photograph: nobody who was forgotten.
func (v *visitor) identify() error {
	before := v.l.copy()
	var found *client.ShownPhotograph
	_, err := v.s.ask(func(ctx context.Context, c *client.Client, _ bool) (err error) {
		found, err = c.Identify(ctx, v.s.collection, client.IdentifyForm{Photo: v.photo()}, client.IdentifyQuery{Source: "door"})
		return err
	})
	if err != nil {
		return err
	}
	v.l.mu.Lock()
	v.l.identifications++
	v.l.mu.Unlock()
	if len(found.Faces) == 0 {
		v.l.lose("no face in a photograph")
	}
	for _, f := range found.Faces {
		for _, c := range f.Top {
			if before[c.ID].forgotten {
				v.l.lose("%s was forgotten, and identify names this person", c.Name)
			}
		}
	}
	return nil
}

// undoable makes a change that the next step may undo.
func (v *visitor) undoable(next map[string]record, send func(ctx context.Context, c *client.Client) (*client.Done, error)) error {
	all := v.l.copy()
	before := map[string]record{}
	for id := range next {
		before[id] = all[id].record
	}
	operation := ""
	v.last.operation = ""
	err := v.change(next, func(ctx context.Context, c *client.Client, again bool) error {
		done, err := send(ctx, c)
		if err == nil && !again { // otherwise it may be an operation that found everything done
			operation = done.Operation
		}
		return err
	})
	v.last.operation, v.last.former = operation, before
	return err
}

func (v *visitor) rename(id string) error {
	r := v.l.copy()[id].record
	r.name = v.name()
	return v.undoable(map[string]record{id: r}, func(ctx context.Context, c *client.Client) (*client.Done, error) {
		return c.ChangePerson(ctx, v.s.collection, id, client.PersonChange{Name: r.name})
	})
}

// move gives the first face of a to b.
func (v *visitor) move(a, b string) error {
	all := v.l.copy()
	from, to := all[a].record, all[b].record
	if len(from.faces) < 2 || from.faces[0] == "" {
		return nil
	}
	face := from.faces[0]
	from.faces, to.faces = from.faces[1:], append(slices.Clone(to.faces), face)
	return v.undoable(map[string]record{a: from, b: to}, func(ctx context.Context, c *client.Client) (*client.Done, error) {
		return c.MoveFaces(ctx, v.s.collection, client.FaceList{Faces: []string{face}, Person: b})
	})
}

// merge makes b a part of a.
func (v *visitor) merge(a, b string) error {
	all := v.l.copy()
	into, from := all[a].record, all[b].record
	into.faces = append(slices.Clone(into.faces), from.faces...)
	from.merged = true
	from.faces = nil
	err := v.undoable(map[string]record{a: into, b: from}, func(ctx context.Context, c *client.Client) (*client.Done, error) {
		return c.MergePerson(ctx, v.s.collection, a, client.MergePersonRequest{From: []string{b}})
	})
	v.present()
	return err
}

func (v *visitor) undo() error {
	operation := v.last.operation
	v.last.operation = ""
	err := v.change(v.last.former, func(ctx context.Context, c *client.Client, _ bool) error {
		return c.Undo(ctx, v.s.collection, operation)
	})
	for id := range v.last.former {
		if !slices.Contains(v.mine, id) {
			v.mine = append(v.mine, id)
		}
	}
	v.present()
	return err
}

func (v *visitor) forget(id string) error {
	r := v.l.copy()[id].record
	r.forgotten, r.faces = true, nil
	v.last.operation = ""
	err := v.change(map[string]record{id: r}, func(ctx context.Context, c *client.Client, again bool) error {
		_, err := c.DeletePerson(ctx, v.s.collection, id, client.DeletePersonQuery{})
		if again && hasStatus(err, http.StatusNotFound) { // the answer before was lost
			return nil
		}
		return err
	})
	v.present()
	return err
}

// present leaves those in mine who are there.
func (v *visitor) present() {
	all := v.l.copy()
	v.mine = slices.DeleteFunc(v.mine, func(id string) bool { return !all[id].there() })
}
