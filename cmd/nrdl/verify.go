package main

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/cmd/nrdl/internal/photolist"
	"nrdl.example/nrdl/face"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/results"
)

func (a *app) verifyCmd() *cobra.Command {
	v := &verification{app: a, fmr: nrdl.DefaultFMR}
	c := &cobra.Command{
		Use:   "verify MODEL|- A B",
		Short: "Say whether two photographs show the same person",
		Long: `verify compares the largest faces of the photographs A and B (1:1). It prints how
similar they are, and the false match rate: the share of pairs of different people
who are at least as similar. They count as the same person if that rate is at most
0.1 % (--fmr 0.001). The people need not be in the model. A rate below 0.001 % is
rarer than what was measured, and printed as such. The exit status is 0 for both
answers. With --exit-code it is 0 for the same person, 1 for different people, and 2 if
that is not known because of an error. --json has the answer as a field, and every rate
as it is computed.

With the built-in network every model will do, and so will -, which stands for the
network without a model: how similar it finds different people is known. With other
features the model supplies the similarities of different people, so it needs three
people or more and a threshold; the more people, the better.`,
		Example: `  nrdl verify people.nrdl people/person001/0001.png people/person001/0002.png
  nrdl verify people.nrdl people/person001/0001.png people/person002/0001.png --json`,
		Args: cli.Arguments(3, 3),
		RunE: func(c *cobra.Command, args []string) error {
			if v.exitCode {
				a.trouble.Store(misused) // as grep and git diff do
			}
			return v.run(c.Context(), args[0], args[1], args[2])
		},
		ValidArgsFunction: completeModel,
	}
	cli.Number(c, &v.fmr, "fmr", "", cli.Share(true), "count two faces as the same person up to this false match `RATE`")
	c.Flags().BoolVar(&v.json, "json", false, "write one object")
	c.Flags().BoolVar(&v.exitCode, "exit-code", false, "exit with 1 if they are not the same person, and with 2 after an error")
	v.find.Which = face.Largest
	detectVar(c, &v.find, "as the model does")
	return c
}

// verification is one run of verify.
type verification struct {
	*app
	find face.Options
	fmr  float64
	json bool

	exitCode bool
}

func (v *verification) run(ctx context.Context, model, a, b string) (err error) {
	var r *nrdl.Recogniser
	if model != photolist.StandardInput {
		if r, err = v.open(model, v.find, nrdl.Observer{}); err != nil {
			return err
		}
		if err := face.Mistaken(ctx, r.Model().Frame, []string{a, b}); err != nil {
			v.WarnOf(err)
		}
	}
	c, err := nrdl.Verify(ctx, r, v.find.By, nrdl.Photo{Name: a}, nrdl.Photo{Name: b})
	if err != nil {
		return readable(err)
	}
	for i, n := range c.Others {
		if n > 0 {
			v.Warn("%s: there are %s; the largest was compared", []string{a, b}[i], legible.Count(n+1, "face"))
		}
	}
	if v.exitCode && !c.Same(v.fmr) {
		defer func() { err = cmp.Or(err, errDifferent) }()
	}
	if v.json {
		return v.printJSON(results.OfComparison(c, 2, v.fmr))
	}
	word := map[bool]string{true: "same person", false: "not the same person"}[c.Same(v.fmr)]
	rate := "below 0.001" // fewer than were measured: about 1 in 70,000 (openset/impostors)
	if p := 100 * c.FMR; p >= 1e-3 {
		rate = fmt.Sprintf("%.2g", p)
	}
	v.Print("%s: similarity %.3f, false match rate %s %% (limit %.2g %%)\n", word, c.Similarity, rate, 100*v.fmr)
	return nil
}
