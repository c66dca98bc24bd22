package method_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/method"
)

// What methods, coders, rules and features can do besides what their interfaces ask is asked of
// these named interfaces; everything else is in classify.Traits. Each has a compile-time check.
var optional = []string{
	"classify.Described", "classify.Iterative", "classify.Separable", "coding.Detailed", "coding.TrainedCoder",
	"feature.gridded", "feature.laborious",
}

// conversions are interfaces that values of type any are known to have.
var conversions = []string{"classify.Method", "coding.Coder"}

func TestOptionalInterfacesAreFew(t *testing.T) {
	declared, asserted := map[string]bool{}, map[string]bool{}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "tools" || d.Name() == "examples" || d.Name() == "testdata"):
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		f, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		learning := slices.Contains([]string{"classify", "coding", "dictionary", "method", "experiment", "feature"}, f.Name.Name)
		note := func(e ast.Expr) {
			switch e := e.(type) {
			case *ast.InterfaceType:
				if m := e.Methods.List; len(m) != 1 || m[0].Names[0].Name != "Unwrap" { // of joined errors, which has no name
					t.Errorf("%s: an assertion to an interface without a name", path)
				}
			case *ast.Ident:
				if learning {
					asserted[f.Name.Name+"."+e.Name] = true
				}
			case *ast.SelectorExpr:
				if p, ok := e.X.(*ast.Ident); ok {
					asserted[p.Name+"."+e.Sel.Name] = true
				}
			}
		}
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.TypeSpec:
				if _, ok := n.Type.(*ast.InterfaceType); ok && learning {
					declared[f.Name.Name+"."+n.Name.Name] = true
				}
			case *ast.TypeAssertExpr:
				if n.Type != nil {
					note(n.Type)
				}
			case *ast.TypeSwitchStmt:
				for _, c := range n.Body.List {
					for _, e := range c.(*ast.CaseClause).List {
						note(e)
					}
				}
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, name := range slices.Sorted(maps.Keys(asserted)) {
		if declared[name] && !slices.Contains(conversions, name) {
			got = append(got, name)
		}
	}
	if !slices.Equal(got, optional) {
		t.Errorf("optional interfaces: %q, want %q", got, optional)
	}
}

// Nothing outside this package lists methods: what shows or runs all of them takes them from
// All, so that a new one is its file, its test and its paper. Where some are chosen on
// purpose, as in the plan that nrdl bench init writes, that is no list of all; learners of
// dictionaries for the engine have some of these names, too. Package face names detectors.
func TestMethodsAreNamedInTheirFile(t *testing.T) {
	chosen := []string{filepath.Join("..", "lab", "experiment", "newplan.go"), filepath.Join("..", "cmd", "nrdl", "engine", "dictionary.go")}
	var names []string
	for _, name := range method.Names() {
		if coded := slices.ContainsFunc(coding.All, func(c coding.Coder) bool { return c.Name() == name }); !coded && len(name) > 3 &&
			!strings.HasPrefix(name, "nrdl") && name != "mean" {
			names = append(names, `"`+name+`"`)
		}
	}
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && slices.Contains([]string{"tools", "method", "testdata", "face"}, d.Name()):
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") || slices.Contains(chosen, path):
			return nil
		}
		text, err := os.ReadFile(path)
		for _, name := range names {
			if strings.Contains(string(text), name) {
				t.Errorf("%s names the method %s", path, name)
			}
		}
		return err
	})
	if err != nil || len(names) < 10 {
		t.Error(names, err)
	}
}
