package client_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"

	"nrdl.example/nrdl/client"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/service"
	"nrdl.example/nrdl/service/store"
	"nrdl.example/nrdl/synthetic"
)

// Enrol Ann with one photograph, and name her in it.
func Example() {
	ctx := context.Background()
	address, photo, stop := start(ctx)
	defer stop()

	c := client.New(address, "") // a key, if the service has any
	visitors, err := c.CreateCollection(ctx, client.CollectionFields{Name: "visitors"})
	check(err)
	ann, err := c.CreatePerson(ctx, visitors.ID, client.PersonFields{Name: "Ann"})
	check(err)
	file := func() client.File { return client.File{Content: bytes.NewReader(photo)} }
	_, err = c.AddPersonFaces(ctx, visitors.ID, ann.ID, client.AddPersonFacesForm{Photo: []client.File{file()}}, client.AddPersonFacesQuery{})
	check(err)
	shown, err := c.Identify(ctx, visitors.ID, client.IdentifyForm{Photo: file()}, client.IdentifyQuery{})
	check(err)
	fmt.Println(shown.Faces[0].Decision, *shown.Faces[0].Name)

	_, err = c.GetPerson(ctx, visitors.ID, "nobody")
	var p *client.Problem
	fmt.Println(errors.As(err, &p), p.Code)
	// Output:
	// known Ann
	// true not_found
}

// start starts a service, and draws a photograph.
func start(ctx context.Context) (address string, photo []byte, stop func()) {
	dir, err := os.MkdirTemp("", "client")
	check(err)
	p := synthetic.Photographs{People: 2, PerPerson: 2, Size: dataset.Size{Height: 240, Width: 320}, Seed: 4}
	check(p.Write(ctx, filepath.Join(dir, "photos"), nil))
	photo, err = os.ReadFile(filepath.Join(dir, "photos", "people", "person001", "1.jpg"))
	check(err)
	s, err := store.Open(ctx, filepath.Join(dir, "people.db"))
	check(err)
	server := httptest.NewServer(service.New(s, service.Options{}))
	return server.URL, photo, func() { server.Close(); s.Close(); os.RemoveAll(dir) }
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
