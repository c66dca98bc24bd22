package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/cmd/nrdl/wording"
	"nrdl.example/nrdl/lab/plans"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// literals calls use for each string literal of the Go files below dir but those of tests,
// and with the path of its file. Folders for which skip is true are left out.
func literals(t *testing.T, dir string, skip func(folder string) bool, use func(file, text string)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		name, _ := filepath.Rel(dir, path)
		switch {
		case err != nil:
			return err
		case d.IsDir() && (skip(filepath.ToSlash(name)) || d.Name() == "testdata" || name != "." && strings.HasPrefix(d.Name(), ".")):
			return fs.SkipDir
		case d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if l, ok := n.(*ast.BasicLit); ok && l.Kind == token.STRING {
				text, err := strconv.Unquote(l.Value)
				if err != nil {
					t.Errorf("%s: %s: %v", name, l.Value, err)
				}
				use(name, text)
			}
			return true
		})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// commandWords are the names of the commands below root, and the short names of their flags.
func commandWords(root *cobra.Command) (names, shorthands []string) {
	for _, c := range root.Commands() {
		names = append(names, c.Name())
	}
	leaves(root, func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) {
			if f.Shorthand != "" {
				shorthands = append(shorthands, f.Shorthand)
			}
		})
	})
	return names, shorthands
}

// Packages below the command and the service have no flag and no command line in a text:
// a program that uses them has other words (package advice). Those that start other
// programs are left out.
func TestLibrarySpeaksNoCommandLine(t *testing.T) {
	names, shorthands := commandWords(newApp(os.Stdout, os.Stderr).rootCmd())
	flag := regexp.MustCompile(`(^|[^-\w(]|[^r]\()--[a-z]|(^|[\s(])-(` + strings.Join(shorthands, "|") + `)([\s).,;]|$)`) // var(--x) is CSS
	line := regexp.MustCompile(`\bnrdl (` + strings.Join(names, "|") + `)\b`)
	others := strings.Fields("cmd server tools examples internal/testing internal/kit/testing")
	n := 0
	check := func(file, text string) {
		n++
		text, _, _ = strings.Cut(text, "ffmpeg ") // has flags of its own
		if flag.MatchString(text) || line.MatchString(text) {
			t.Errorf("%s: %q: package advice names options and actions", file, text)
		}
	}
	literals(t, "../..", func(folder string) bool { return slices.Contains(others, folder) }, check)
	literals(t, "engine", func(string) bool { return false }, check)
	for line := range strings.Lines(string(plans.Schema())) { // errors of plans quote its descriptions
		check("the schema of plans", line)
	}
	if n < 1000 {
		t.Errorf("%d literals", n)
	}
}

// advised are the constants of package advice, with their types.
func advised(t *testing.T) (options []advice.Option, verbs []advice.Verb) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "../../advice/options.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(file, func(n ast.Node) bool {
		s, ok := n.(*ast.ValueSpec)
		if !ok || len(s.Values) != 1 {
			return true
		}
		value, ok := s.Values[0].(*ast.BasicLit)
		if !ok {
			return true
		}
		text, err := strconv.Unquote(value.Value)
		if err != nil {
			t.Fatal(err)
		}
		switch s.Type.(*ast.Ident).Name {
		case "Option":
			options = append(options, advice.Option(text))
		case "Verb":
			verbs = append(verbs, advice.Verb(text))
		}
		return true
	})
	if len(options) < 15 || len(verbs) < 5 {
		t.Fatalf("%q, %q", options, verbs)
	}
	return options, verbs
}

// Each option that advice names is a flag of a command, but for those that are arguments,
// and each verb is a command that takes the settings of its advice, but for Open with a method,
// which only a program in Go can do.
func TestWordingNamesWhatThereIs(t *testing.T) {
	root := newApp(os.Stdout, os.Stderr).rootCmd()
	var flags []string
	leaves(root, func(c *cobra.Command) {
		c.Flags().VisitAll(func(f *pflag.Flag) { flags = append(flags, "--"+f.Name, "-"+f.Shorthand) })
	})
	words := wording.Command{Model: "m.nrdl"}
	options, verbs := advised(t)
	for _, o := range options {
		argument := o == advice.Data || o == advice.Model
		if flag := words.Setting(advice.Setting{Option: o}); argument != (flag == "") || !argument && !slices.Contains(flags, flag) {
			t.Errorf("the flag of %s is %q", o, flag)
		}
	}
	for _, v := range verbs {
		if v == advice.Open {
			continue
		}
		line := strings.Fields(words.Action(v.With()))
		if len(line) < 2 {
			t.Errorf("no command for %s", v)
			continue
		}
		c, rest, err := root.Find(line[1:])
		if err != nil || c == root {
			t.Errorf("%s: %q: %v", v, line, err)
			continue
		}
		if err := c.ParseFlags(rest); err != nil {
			t.Errorf("%q: %v", line, err)
		}
		if err := c.ValidateArgs(c.Flags().Args()); err != nil {
			t.Errorf("%q: %v", line, err)
		}
	}
}
