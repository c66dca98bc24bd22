//go:build man

package main

import (
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
)

// manCmds are the commands with which a release makes its manual, and the site its pages.
func (a *app) manCmds() []*cobra.Command {
	return []*cobra.Command{{
		Use: "man DIR DATE", Short: "Write a page of the manual for each command", Hidden: true, Args: cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			date, err := time.Parse(time.RFC3339, args[1])
			if err != nil {
				return err
			}
			c.Root().DisableAutoGenTag = true
			cli.InFull(c.Root())
			return doc.GenManTree(c.Root(), &doc.GenManHeader{Section: "1", Date: &date, Source: c.Root().Version, Manual: "nrdl"}, args[0])
		},
	}, {
		Use: "pages DIR", Short: "Write a page of Markdown for each command", Hidden: true, Args: cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			c.Root().DisableAutoGenTag = true
			cli.InFull(c.Root())
			return doc.GenMarkdownTree(c.Root(), args[0])
		},
	}}
}
