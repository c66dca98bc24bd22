package clients_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"

	client "nrdl.example/nrdl/client/go"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/server"
	"nrdl.example/nrdl/server/store"
)

// Enrol Ann with one photograph, and name her in another.
func Example() {
	ctx := context.Background()
	address, key, open, stop := start(ctx)
	defer stop()

	c := client.New(address, key)
	visitors, err := c.CreateCollection(ctx, client.CollectionFields{Name: "visitors"})
	check(err)
	ann, err := c.CreatePerson(ctx, visitors.ID, client.PersonFields{Name: "Ann"})
	check(err)
	_, err = c.AddPersonFaces(ctx, visitors.ID, ann.ID, client.AddPersonFacesForm{Photo: []client.File{open("people/person001/1.jpg")}}, client.AddPersonFacesQuery{})
	check(err)
	shown, err := c.Identify(ctx, visitors.ID, client.IdentifyForm{Photo: open("people/person001/2.jpg")}, client.IdentifyQuery{})
	check(err)
	fmt.Println(shown.Faces[0].Decision, *shown.Faces[0].Name)

	_, err = c.GetPerson(ctx, visitors.ID, "nobody")
	var p *client.Problem
	fmt.Println(errors.As(err, &p), p.Code)
	// Output:
	// known Ann
	// true not_found
}

// start starts a service that needs no key, and draws photographs, which open opens.
func start(ctx context.Context) (address, key string, open func(string) client.File, stop func()) {
	dir, err := os.MkdirTemp("", "client")
	check(err)
	p := synthetic.Photographs{People: 2, PerPerson: 2, Size: dataset.Size{Height: 240, Width: 320}, Seed: 4}
	check(p.Write(ctx, filepath.Join(dir, "photos"), nil))
	s, err := store.Open(ctx, filepath.Join(dir, "people.db"))
	check(err)
	srv := httptest.NewServer(server.New(s, server.Options{}))
	open = func(name string) client.File {
		data, err := os.ReadFile(filepath.Join(dir, "photos", filepath.FromSlash(name)))
		check(err)
		return client.File{Content: bytes.NewReader(data)}
	}
	return srv.URL, "", open, func() { srv.Close(); s.Close(); os.RemoveAll(dir) }
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
