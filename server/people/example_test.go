package people_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

// How many people a collection knows, after a change.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "people")
	check(err)
	defer os.RemoveAll(dir)
	s, err := store.Open(ctx, filepath.Join(dir, "people.db"))
	check(err)
	defer s.Close()
	v := people.New(s, people.Options{})
	c, err := s.CreateCollection(ctx, "me", "family", 0.01, v.Space())
	check(err)
	_, _, err = s.CreatePerson(ctx, "me", c.ID, "Ann", store.Known, false)
	check(v.Publish(ctx, c.ID, err))
	all, err := v.Sorted(ctx, c.ID, "", "name", "")
	check(err)
	rates, err := v.Calibration(ctx, c.ID)
	check(err)
	fmt.Println(len(all), "person,", rates.Faces, "faces")
	// Output: 1 person, 0 faces
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
