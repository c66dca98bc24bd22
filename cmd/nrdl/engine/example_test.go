package engine_test

import (
	"context"
	"fmt"
	"io"

	"nrdl.example/nrdl/cmd/nrdl/engine"
)

// A program asks an engine what methods there are.
func Example() {
	in, requests := io.Pipe()
	answers, out := io.Pipe()
	go func() { _ = engine.Serve(context.Background(), in, out, engine.Options{}) }()

	_, _ = requests.Write(frame(header{"verb": "methods"}))
	h, _, err := answer(answers)
	fmt.Println(h["methods"].([]any)[0].(header)["name"], err)
	_ = requests.Close()
	// Output: mean <nil>
}
