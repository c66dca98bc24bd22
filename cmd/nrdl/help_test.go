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
