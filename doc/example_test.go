package doc_test

import (
	"fmt"

	"nrdl.example/nrdl/doc"
)

// The definition of a term, as the pages of the project show it.
func Example() {
	text, ok := doc.Define("gallery")
	fmt.Println(ok, text)
	// Output:
	// true the enrolled people with their faces; in tests also the images that take this part.
}
