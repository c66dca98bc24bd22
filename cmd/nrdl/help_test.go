package main

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"nrdl.example/nrdl/cmd/nrdl/internal/console"

	"github.com/spf13/cobra"
)

// No line of help is wider than console.Columns.
func TestHelpFits(t *testing.T) {
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		c.InitDefaultHelpFlag()
		for line := range strings.Lines(c.Long + "\n" + c.UsageString()) {
			if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > console.Columns {
				t.Errorf("%s --help has a line of %d characters: %s", c.CommandPath(), n, line)
			}
		}
		for _, sub := range c.Commands() {
			visit(sub)
		}
	}
	visit(newApp(os.Stdout, os.Stderr).rootCmd())
}

// Each text of help is that of a command.
func TestHelpTexts(t *testing.T) {
	root := newApp(os.Stdout, os.Stderr).rootCmd()
	texts, err := helpTexts.ReadDir("help")
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range texts {
		name := strings.TrimSuffix(text.Name(), ".txt")
		c, _, err := root.Find(strings.Split(strings.TrimPrefix(name, "nrdl"), "-"))
		if path := strings.ReplaceAll(c.CommandPath(), " ", "-"); err != nil || strings.TrimPrefix(path, "nrdl-") != name {
			t.Errorf("help/%s is of no command: %s, %v", text.Name(), path, err)
		}
	}
}
