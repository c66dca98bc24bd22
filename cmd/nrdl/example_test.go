package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
)

// Every example in the help runs as it stands, in the order in which the
// commands are listed, where there are faces of nrdl data synth people.
func TestExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("learns from 96 faces, several times")
	}
	var script strings.Builder
	script.WriteString("exec nrdl data synth people --people 8 --images 12\nexec nrdl train people -o people.nrdl\n")
	written := map[string]bool{}
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		if c.Example == "" && c.Name() != "completion" {
			t.Errorf("%s has no example", c.CommandPath())
		}
		for line := range strings.Lines(c.Example) {
			line = strings.TrimSpace(line)
			if !written[line] && strings.HasPrefix(line, "nrdl ") {
				script.WriteString("exec " + line + "\n")
			}
			written[line] = true
		}
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(newApp(os.Stdout, os.Stderr).rootCmd())
	path := filepath.Join(t.TempDir(), "examples.txtar")
	if err := os.WriteFile(path, []byte(script.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{Files: []string{path}})
}
