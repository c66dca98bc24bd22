package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"

	"nrdl.example/nrdl/server"
	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

// Serve collections of people, and create one by a request.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "service")
	check(err)
	defer os.RemoveAll(dir)
	s, err := store.Open(ctx, filepath.Join(dir, "people.db"))
	check(err)
	defer s.Close()
	srv := httptest.NewServer(server.New(s, server.Options{})) // or v.Listen and v.Serve
	defer srv.Close()

	answer, err := http.Post(srv.URL+"/v1/collections", "application/json", strings.NewReader(`{"name": "family"}`))
	check(err)
	defer answer.Body.Close()
	var c people.Collection
	check(json.NewDecoder(answer.Body).Decode(&c))
	fmt.Println(answer.Status, c.Name, c.FPIR)
	// Output: 200 OK family 0.01
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
