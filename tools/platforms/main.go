// Command platforms checks the types of all packages of the product, with their tests, for systems and
// processors other than this one: what differs by platform compiles there. It reads the
// source of all dependencies and builds nothing, which takes a tenth of the time of builds.
//
//	go -C tools run ./platforms windows/amd64 darwin/arm64
package main

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/tools/go/packages"
)

// product are the modules but tools, which run where nrdl is developed.
var product = []string{
	"./...", "./doc/...", "./internal/kit/...", "./faces/...", "./lab/...",
	"./server/...", "./client/go/...", "./cmd/nrdl/...",
}

func main() {
	failed := false
	for _, platform := range os.Args[1:] {
		system, processor, _ := strings.Cut(platform, "/")
		all, err := packages.Load(&packages.Config{
			Mode:  packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax,
			Dir:   "..",
			Env:   append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+processor),
			Tests: true,
		}, product...)
		if err != nil || len(all) == 0 {
			fmt.Fprintf(os.Stderr, "%s: %d packages: %v\n", platform, len(all), err)
			os.Exit(1)
		}
		if packages.PrintErrors(all) > 0 {
			fmt.Fprintf(os.Stderr, "this does not compile for %s\n", platform)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}
