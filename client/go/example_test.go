package client_test

import (
	"context"
	"fmt"
	"log"

	client "nrdl.example/nrdl/client/go"
)

// List the collections of a service.
func Example() {
	c := client.New("http://127.0.0.1:8080", "nrdl_…") // the address, and a key
	collections, err := c.ListCollections(context.Background(), client.ListCollectionsQuery{})
	if err != nil {
		log.Fatal(err)
	}
	for _, one := range collections.Items {
		fmt.Println(one.Name)
	}
}
