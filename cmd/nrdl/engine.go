package main

import (
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/engine"
)

func (a *app) engineCmd() *cobra.Command {
	return &cobra.Command{
		Use:  "engine",
		Args: cli.Arguments(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			a.endless = true
			err := engine.Serve(c.Context(), os.Stdin, os.Stdout, engine.Options{})
			if errors.Is(err, context.Canceled) {
				return nil
			}
			return err
		},
	}
}
