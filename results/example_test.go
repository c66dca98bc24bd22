package results_test

import (
	"log"
	"os"

	"nrdl.example/nrdl"
	"nrdl.example/nrdl/results"
)

func Example() {
	found := nrdl.Result{Photo: nrdl.Photo{Name: "party.jpg"}}
	if err := results.Write(os.Stdout, results.New(found, nil, 3, "5e3f6a12c0b14d77")); err != nil {
		log.Fatal(err)
	}
	// Output: {"file":"party.jpg","faces":[],"reason":"no face found","model":"5e3f6a12c0b14d77"}
}
