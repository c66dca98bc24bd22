package doc

import (
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// stable are the packages of which nrdl.go says that they are.
var stable = []string{"", "classify", "method", "advice", "faces", "faces/dataset", "faces/heic", "faces/results", "client/go"}

// Every package that others can import is stable, as package nrdl says, or says itself that it is
// experimental.
func TestPackagesAreStableOrSayThatTheyAreNot(t *testing.T) {
	out, err := exec.CommandContext(t.Context(), "go", "list", "-f", "{{.Name}}\t{{.ImportPath}}\t{{.Dir}}", "work").Output()
	if err != nil {
		t.Fatal(err)
	}
	promise, err := os.ReadFile(filepath.Join("..", "nrdl.go"))
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for line := range strings.Lines(string(out)) {
		fields := strings.Fields(line)
		name := strings.TrimPrefix(strings.TrimPrefix(fields[1], "nrdl.example/nrdl"), "/")
		if fields[0] == "main" || strings.Contains("/"+name+"/", "/internal/") || strings.HasPrefix(name, "tools/") {
			continue
		}
		n++
		experimental := strings.Contains(packageComment(t, fields[2]), "\nExperimental: this package may change in any version.\n")
		switch isStable := slices.Contains(stable, name); {
		case isStable == experimental:
			t.Errorf("package %s: is it stable or experimental?", name)
		case isStable && name != "client/go" && !strings.Contains(string(promise), filepath.Base(fields[2])) && name != "":
			t.Errorf("nrdl.go does not say that %s is stable", name)
		}
	}
	if n < 30 {
		t.Errorf("%d packages", n)
	}
}

// packageComment is that of the package in a folder.
func packageComment(t *testing.T, dir string) (text string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.PackageClauseOnly|parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasSuffix(name, "_test.go") {
			text += file.Doc.Text()
		}
	}
	return text
}
