package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"

	client "nrdl.example/nrdl/client/go"
)

// A ledger remembers, outside of a service, what that has acknowledged.
type ledger struct {
	mu     sync.Mutex
	people map[string]*entry // by id
	nobody map[string]bool   // names of people who may be there without an id that is known: the answer was lost
	losses []string

	changes, lostAnswers, identifications int
}

// An entry is what has to be there of a person. Its version is odd while a change is on its way.
type entry struct {
	record
	version int
	names   []string // all that the person had
}

// A record is a person as the service has it. Of a face whose answer was lost the id is not known:
// it is "".
type record struct {
	name      string
	faces     []string
	merged    bool // into somebody else: undo brings the person back
	forgotten bool
}

func (r record) there() bool { return !r.merged && !r.forgotten }

// is reports whether a person is as the record says.
func (r record) is(other record) bool {
	if r.there() != other.there() {
		return false
	}
	unknown := 0
	for _, f := range r.faces {
		if f == "" {
			unknown++
		} else if !slices.Contains(other.faces, f) {
			return false
		}
	}
	return !r.there() || r.name == other.name && len(r.faces) == len(other.faces) && unknown <= 1
}

func (r record) String() string {
	if !r.there() {
		return "not there"
	}
	return fmt.Sprintf("%s with the faces %s", r.name, strings.Join(r.faces, " "))
}

// lose notes what should not be so.
func (l *ledger) lose(format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.losses = append(l.losses, fmt.Sprintf(format, args...))
}

// begin marks people of whom a change is on its way, and returns what is acknowledged of them.
func (l *ledger) begin(ids ...string) map[string]record {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := map[string]record{}
	for _, id := range ids {
		e := l.people[id]
		e.version++
		now[id] = e.record
	}
	return now
}

// end notes what people are after the change.
func (l *ledger) end(now map[string]record) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for id, r := range now {
		e := l.people[id]
		e.version++
		if r.name == "" { // as read of somebody who is not there
			r.name = e.name
		}
		e.record = r
		if !slices.Contains(e.names, r.name) {
			e.names = append(e.names, r.name)
		}
	}
}

// copy returns the ledger as it is now.
func (l *ledger) copy() map[string]entry {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := map[string]entry{}
	for id, e := range l.people {
		c[id] = *e
	}
	return c
}

// forgottenNames are those of people who are not to come back.
func forgottenNames(people map[string]entry) (names []string) {
	for _, e := range people {
		if e.forgotten {
			names = append(names, e.names...)
		}
	}
	return names
}

// compare notes what a service lacks of the ledger as it was before, and what it has that cannot be.
// Of people of whom a change was on its way since then, only those who are forgotten are compared.
func (l *ledger) compare(where string, before map[string]entry, there map[string]record) {
	after := l.copy()
	for id, e := range before {
		_, isThere := there[id]
		steady := e.version%2 == 0 && after[id].version == e.version
		switch {
		case e.forgotten && isThere:
			l.lose("%s: %s was forgotten and is back", where, e.name)
		case steady && e.there() != isThere:
			l.lose("%s: %s (%s) is there: %t", where, e.record, id, isThere)
		case steady && isThere && !e.is(there[id]):
			l.lose("%s: %s (%s) is %s", where, e.record, id, there[id])
		}
	}
	for id, r := range there {
		l.mu.Lock()
		_, known := after[id]
		known = known || l.nobody[r.name] && len(r.faces) == 0
		l.mu.Unlock()
		if !known {
			l.lose("%s: %s (%s) is there, and nobody was told of it", where, r, id)
		}
	}
}

// everybody reads all people of a collection with their faces, and each crop.
func everybody(ctx context.Context, c *client.Client, collection string) (map[string]record, error) {
	there := map[string]record{}
	for cursor, more := "", true; more; more = cursor != "" {
		page, err := c.ListPeople(ctx, collection, client.ListPeopleQuery{Cursor: cursor, Limit: new(500)})
		if err != nil {
			return nil, err
		}
		for _, p := range page.Items {
			there[p.ID] = record{name: p.Name}
		}
		cursor = page.Next
	}
	for cursor, more := "", true; more; more = cursor != "" {
		page, err := c.ListFaces(ctx, collection, client.ListFacesQuery{Cursor: cursor, Limit: new(500)})
		if err != nil {
			return nil, err
		}
		for _, f := range page.Items {
			r := there[f.Person]
			r.faces = append(r.faces, f.ID)
			there[f.Person] = r
			if f.Source != "upload" {
				continue
			}
			crop, err := c.GetFaceCrop(ctx, collection, f.ID)
			if err != nil {
				return nil, fmt.Errorf("the crop of %s: %w", f.ID, err)
			}
			crop.Close()
		}
		cursor = page.Next
	}
	return there, nil
}

// one reads a person.
func one(ctx context.Context, c *client.Client, collection, id string) (record, error) {
	p, err := c.GetPerson(ctx, collection, id)
	if hasStatus(err, http.StatusNotFound) {
		return record{merged: true}, nil
	}
	if err != nil {
		return record{}, err
	}
	faces, err := c.ListFaces(ctx, collection, client.ListFacesQuery{Person: id, Limit: new(500)})
	if err != nil {
		return record{}, err
	}
	r := record{name: p.Name}
	for _, f := range faces.Items {
		r.faces = append(r.faces, f.ID)
	}
	return r, nil
}

func hasStatus(err error, status int) bool {
	var p *client.Problem
	return errors.As(err, &p) && p.Status != nil && *p.Status == status
}
