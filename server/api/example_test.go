package api_test

import (
	"context"
	"fmt"
	"log"
	"net/http/httptest"
	"os"
	"path/filepath"

	"nrdl.example/nrdl/server/api"
	"nrdl.example/nrdl/server/jobs"
	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

// A request with a key that has just been made.
func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "api")
	check(err)
	defer os.RemoveAll(dir)
	s, err := store.Open(ctx, filepath.Join(dir, "people.db"))
	check(err)
	defer s.Close()
	secret, err := api.CreateKey(ctx, s, store.Key{Name: "me", Scopes: []string{"admin"}}, nil)
	check(err)
	p := people.New(s, people.Options{})
	v := api.New(s, p, jobs.New(s, p, jobs.Options{}), api.Options{})
	r := httptest.NewRequest("GET", "http://localhost/v1/collections", nil)
	r.Header.Set("Authorization", "Bearer "+secret)
	answer := httptest.NewRecorder()
	v.ServeHTTP(answer, r)
	fmt.Println(answer.Code, answer.Body)
	// Output: 200 {"items":[]}
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
