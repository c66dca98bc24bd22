package jobs_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"nrdl.example/nrdl/server/jobs"
	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

// Erase a person by a job, whichever process carries it out.
func Example() {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	dir, err := os.MkdirTemp("", "jobs")
	check(err)
	defer os.RemoveAll(dir)
	s, err := store.Open(ctx, filepath.Join(dir, "people.db"))
	check(err)
	defer s.Close()
	known := people.New(s, people.Options{})
	v := jobs.New(s, known, jobs.Options{})
	c, err := s.CreateCollection(ctx, "me", "family", 0.01, known.Space())
	check(err)
	ann, _, err := s.CreatePerson(ctx, "me", c.ID, "Ann", store.Known, false)
	check(err)
	j, err := v.Start(ctx, c.ID, jobs.JobRequest{Kind: "erase", People: []string{ann.ID}})
	check(err)
	ended := make(chan struct{})
	go func() { v.Work(ctx); close(ended) }()
	for j.Finished.IsZero() {
		j, err = v.Job(ctx, c.ID, j.ID)
		check(err)
	}
	stop()
	<-ended
	fmt.Println(j.Kind, j.State)
	// Output: erase done
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
