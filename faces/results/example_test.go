package results_test

import (
	"log"
	"os"

	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/results"
)

func Example() {
	found := faces.Result{Photo: faces.Photo{Name: "party.jpg"}}
	if err := results.Write(os.Stdout, results.New(found, nil, 3, "5e3f6a12c0b14d77")); err != nil {
		log.Fatal(err)
	}
	// Output: {"file":"party.jpg","faces":[],"reason":"no face found","model":"5e3f6a12c0b14d77"}
}
