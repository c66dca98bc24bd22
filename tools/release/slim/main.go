// Command slim is the program of the wheel nrdl-learn-slim: the engine, for methods alone. A
// release builds it without the networks.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"nrdl.example/nrdl/cmd/nrdl/engine"
)

func main() {
	if len(os.Args) != 2 || os.Args[1] != "engine" {
		fmt.Fprintln(os.Stderr, "nrdl: error:", engine.ErrSlim)
		os.Exit(2)
	}
	err := engine.Serve(context.Background(), os.Stdin, os.Stdout, engine.Options{Slim: true})
	if err != nil && !errors.Is(err, context.Canceled) {
		fmt.Fprintln(os.Stderr, "nrdl engine:", err)
		os.Exit(1)
	}
}
