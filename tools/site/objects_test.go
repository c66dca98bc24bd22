package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The page of JSON objects has every type that a command prints, a meaning of every field, and
// every command that has --json.
func TestObjects(t *testing.T) {
	if os.Getenv("NRDL_LONG") == "" {
		t.Skip("it builds the command; set NRDL_LONG to run it")
	}
	t.Parallel()
	dir := "../.."
	o, err := loadObjects(dir)
	if err != nil {
		t.Fatal(err)
	}
	text, err := o.page()
	if err != nil {
		t.Fatal(err)
	}
	if len(o.gaps) > 0 {
		t.Errorf("fields without a meaning: %s", strings.Join(o.gaps, ", "))
	}
	if len(o.outputs) < 15 {
		t.Errorf("commands print %q", o.outputs)
	}
	for _, kind := range o.outputs {
		if !slices.ContainsFunc(outputs, func(out output) bool { return out.kind == kind }) {
			t.Errorf("a command prints %s, which the page does not have", kind)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "cmd", "nrdl", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	flag := regexp.MustCompile(`\.Flags\(\)\.BoolVar\(&[a-zA-Z.]+, "json"`)
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		command := strings.TrimSuffix(filepath.Base(file), ".go")
		if command == "report" {
			command = "compare"
		}
		if flag.Match(source) && !strings.Contains(text, "## nrdl "+command+" ") {
			t.Errorf("the page does not have nrdl %s", command)
		}
	}
}
