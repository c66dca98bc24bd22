package plans_test

import (
	"fmt"

	"nrdl.example/nrdl/lab/plans"
)

// List the plans that come with the program; experiment.ParsePlan reads one.
func Example() {
	for _, name := range plans.Names() {
		if text, ok := plans.Named(name); ok && len(text) > 0 {
			fmt.Println(name)
		}
	}
	// Output:
	// ablation
	// atoms
	// authors
	// convergence
	// cost
	// frontends
	// further
	// noise
	// open
	// paper
	// quick
	// robust
	// sensitivity
	// tuned
}

// How long a run of a built-in plan took where the results of this project were made.
func ExampleTimes_Of() {
	_, ok := plans.RecordedTimes().Of("paper", "orl", "NRDL")
	fmt.Println(ok)
	// Output: true
}
