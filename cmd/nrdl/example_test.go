package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
)

// Every example in the help, and every nrdl command in the README, runs as it
// stands, in the order in which they are listed, where there are faces of nrdl
// data synth people, but for those that wait for files.
func TestExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("learns from 96 faces, several times")
	}
	var script strings.Builder
	script.WriteString("exec nrdl data synth people --people 8 --images 12\nexec nrdl train people -o people.nrdl\n" +
		"exec nrdl data synth passers-by --people 20 --images 1 --seed 9\n" +
		"exec nrdl data synth new --people 2 --images 3 --seed 5\nmv new/person001 photos-of-ann\n")
	written := map[string]bool{}
	add := func(line string) {
		line = strings.TrimSpace(line)
		if !written[line] && strings.HasPrefix(line, "nrdl ") && !strings.Contains(line, "--watch") {
			script.WriteString("exec " + line + "\n")
		}
		written[line] = true
	}
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		if c.Example == "" && c.Name() != "completion" {
			t.Errorf("%s has no example", c.CommandPath())
		}
		for line := range strings.Lines(c.Example) {
			add(line)
		}
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(newApp(os.Stdout, os.Stderr).rootCmd())
	clear(written)
	for _, line := range readmeCommands(t) {
		add(strings.Replace(line, "go run ./cmd/nrdl ", "nrdl ", 1))
	}
	script.WriteString("exists nrdl-demo/people.nrdl nrdl-demo/faces.png nrdl-demo/atoms.png\n")
	path := filepath.Join(t.TempDir(), "examples.txtar")
	if err := os.WriteFile(path, []byte(script.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{Files: []string{path}})
}

// readmeCommands returns the lines of the README's blocks of shell commands.
func readmeCommands(t *testing.T) (commands []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	blocks := strings.Split(string(text), "```sh\n")
	for _, b := range blocks[1:] {
		block, _, _ := strings.Cut(b, "```")
		commands = append(commands, strings.Split(strings.TrimSpace(block), "\n")...)
	}
	if len(commands) < 5 {
		t.Errorf("the README has the commands %q only", commands)
	}
	return commands
}
