package main

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
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

// Help is read to its end: no command has 500 words, and all have at most two thirds of the 14,314 that they had before
// rare options went to the manual, which has all of them.
func TestHelpIsShort(t *testing.T) {
	root := newApp(os.Stdout, os.Stderr).rootCmd()
	total := 0
	words := func(c *cobra.Command) int {
		return len(strings.Fields(c.Long + "\n" + c.UseLine() + "\n" + c.UsageString()))
	}
	var visit func(*cobra.Command)
	visit = func(c *cobra.Command) {
		n := words(c)
		if total += n; n >= 500 && c != root {
			t.Errorf("%s --help has %d words", c.CommandPath(), n)
		}
		for _, sub := range c.Commands() {
			if !sub.IsAdditionalHelpTopicCommand() && sub.Name() != "completion" && sub.Name() != "help" {
				visit(sub)
			}
		}
	}
	visit(root)
	if total > 14_314*2/3 {
		t.Errorf("all help has %d words", total)
	}
	t.Logf("%d words", total)
	identify, _, err := root.Find([]string{"identify"})
	if err != nil {
		t.Fatal(err)
	}
	short := words(identify)
	cli.InFull(root)
	cli.InFull(root) // changes nothing
	if text := identify.Long + identify.UsageString(); words(identify) < short+500 || strings.Count(text, "Several faces:") != 1 ||
		!strings.Contains(text, "--creds FILE") || strings.Contains(text, "explains more") {
		t.Error(text)
	}
}
