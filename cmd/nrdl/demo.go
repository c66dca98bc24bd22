package main

import (
	"github.com/spf13/cobra"

	"nrdl.example/nrdl"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/cmd/nrdl/internal/demo"
	"nrdl.example/nrdl/synthetic"
)

func (a *app) demoCmd() *cobra.Command {
	d := demo.Demo{Console: a.Console, Observe: func() (nrdl.Observer, func()) { return a.observer("learning") }, Faces: synthetic.Default}
	c := &cobra.Command{
		Use:  "demo",
		Args: cli.Arguments(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			return d.Run(c.Context())
		},
	}
	c.Flags().StringVarP(&d.Dir, "output", "o", "nrdl-demo", "`DIR` for the model and the pictures")
	return c
}
