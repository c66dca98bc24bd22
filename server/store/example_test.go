package store_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"nrdl.example/nrdl/server/store"
)

// Keep a collection with a person in a database, and undo what was done last.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "store")
	check(err)
	defer os.RemoveAll(dir)
	s, err := store.Open(ctx, filepath.Join(dir, "people.db"))
	check(err)
	defer s.Close()
	c, err := s.CreateCollection(ctx, "me", "family", 0.01, "")
	check(err)
	_, operation, err := s.CreatePerson(ctx, "me", c.ID, "Ann", store.Known, false)
	check(err)
	tell := func() {
		people, err := s.People(ctx, c.ID, "", 10)
		check(err)
		fmt.Println(len(people), "people in", c.Name)
	}
	tell()
	check(s.Undo(ctx, "me", c.ID, operation))
	tell()
	// Output:
	// 1 people in family
	// 0 people in family
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
