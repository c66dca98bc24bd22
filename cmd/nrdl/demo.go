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
		Use:   "demo",
		Short: "Train and test on faces of people who do not exist",
		Long: `demo needs no data: it draws people who do not exist, trains on some faces of each
and identifies the others, with NRDL and three simpler methods: nearest neighbour
(1-NN), CRC and NRC. Then it gives the last model faces of other people, and prints
how many are reported as ` + nrdl.Unknown + `, also of its own people. It writes a model and two
pictures: faces.png has the training faces and the test faces with their result, right
(green) or wrong (red); atoms.png has the atoms that NRDL learned.`,
		Example: `  nrdl demo`,
		Args:    cli.Arguments(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			return d.Run(c.Context())
		},
	}
	c.Flags().StringVarP(&d.Dir, "output", "o", "nrdl-demo", "`DIR` for the model and the pictures")
	return c
}
