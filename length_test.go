package nrdl_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// mostLines is the length of a function that fits a screen.
const mostLines = 60

// longFunctions are the functions that are longer, with the reason.
var longFunctions = map[string]string{
	"internal/blas/asm/conv.go: conv":                 "a kernel: its instructions in their order",
	"internal/blas/asm/conv.go: window":               "a kernel: its instructions in their order",
	"internal/blas/asm/gemm.go: gemm":                 "a kernel: its instructions in their order",
	"internal/blas/asm/neon/conv.go: window":          "a kernel: its instructions in their order",
	"internal/blas/asm/neon/gemm.go: gemm":            "a kernel: its instructions in their order",
	"internal/blas/asm/neon/winograd.go: winogradOut": "a kernel: its instructions in their order",
	"internal/blas/asm/winograd.go: winogradOut":      "a kernel: its instructions in their order",
}

// Functions fit a screen, unless there is a reason.
func TestFunctionsFitAScreen(t *testing.T) {
	long := map[string]int{}
	files := token.NewFileSet()
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || path == "studies"):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(files, path, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil || ast.IsGenerated(file) {
			return err
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok {
				if n := files.Position(f.End()).Line - files.Position(f.Pos()).Line + 1; n > mostLines {
					long[fmt.Sprintf("%s: %s", filepath.ToSlash(path), f.Name.Name)] = n
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for name, n := range long {
		if longFunctions[name] == "" {
			t.Errorf("%s has %d lines: split it, or give a reason in longFunctions", name, n)
		}
	}
	for name := range longFunctions {
		if long[name] == 0 {
			t.Errorf("%s is short by now, or gone: take it out of longFunctions", name)
		}
	}
}
