// Command platforms checks the types of all packages of the product, with their tests, for systems and
// processors other than this one: what differs by platform compiles there. With -vet it runs the
// analyses of go vet there, too. It reads the source of all dependencies and builds nothing, which
// takes a tenth of the time of builds.
//
//	go -C tools run ./platforms -vet windows/amd64 darwin/arm64
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"
	"golang.org/x/tools/go/analysis/checker"
	"golang.org/x/tools/go/analysis/suite/vet"
	"golang.org/x/tools/go/packages"
)

// product are the modules but tools, which run where nrdl is developed.
var product = []string{
	"./...", "./doc/...", "./internal/kit/...", "./faces/...", "./lab/...",
	"./server/...", "./client/go/...", "./cmd/nrdl/...",
}

func main() {
	vetted := flag.Bool("vet", false, "run the analyses of go vet")
	flag.Parse()
	failed := false
	for _, platform := range flag.Args() {
		if err := check(platform, *vetted); err != nil {
			fmt.Fprintf(os.Stderr, "%s: %v\n", platform, err)
			failed = true
		}
	}
	if failed {
		os.Exit(1)
	}
}

// check loads all packages for a platform, as windows/amd64, and prints what is wrong with them.
func check(platform string, vetted bool) error {
	system, processor, _ := strings.Cut(platform, "/")
	mode := packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedDeps | packages.NeedTypes | packages.NeedSyntax
	if vetted {
		mode |= packages.NeedTypesInfo | packages.NeedTypesSizes | packages.NeedCompiledGoFiles | packages.NeedModule
	}
	all, err := packages.Load(&packages.Config{
		Mode:  mode,
		Dir:   "..",
		Env:   append(os.Environ(), "CGO_ENABLED=0", "GOOS="+system, "GOARCH="+processor),
		Tests: true,
	}, product...)
	if err != nil {
		return err
	}
	if len(all) == 0 || packages.PrintErrors(all) > 0 {
		return fmt.Errorf("of %d packages, some do not compile", len(all))
	}
	if !vetted {
		return nil
	}
	suite := slices.DeleteFunc(slices.Clone(vet.Suite), func(a *analysis.Analyzer) bool {
		return a.Name == "scannererr" || a.Name == "sqlrowserr" // which go vet of Go 1.26 has not
	})
	graph, err := checker.Analyze(suite, all, nil)
	if err != nil {
		return err
	}
	found := 0
	for _, action := range graph.Roots {
		for _, d := range action.Diagnostics {
			fmt.Fprintf(os.Stderr, "%s: %s: %s\n", action.Package.Fset.Position(d.Pos), action.Analyzer.Name, d.Message)
			found++
		}
		if action.Err != nil {
			return fmt.Errorf("%v: %w", action, action.Err)
		}
	}
	if found > 0 {
		return fmt.Errorf("go vet finds %d faults", found)
	}
	return nil
}
