//go:build !man

package main

import "github.com/spf13/cobra"

func (*app) manCmds() []*cobra.Command { return nil }
