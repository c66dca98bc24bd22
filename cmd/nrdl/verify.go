package main

import (
	"cmp"
	"context"
	"math"
	"strings"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/cmd/nrdl/internal/photolist"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/results"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/openset"
)

func (a *app) verifyCmd() *cobra.Command {
	v := &verification{app: a, fmr: openset.DefaultFMR}
	c := &cobra.Command{
		Use:  "verify MODEL A B",
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
	var r *faces.Recogniser
	if model != photolist.StandardInput {
		if r, err = v.open(model, v.find, faces.Observer{}); err != nil {
			return err
		}
		if err := face.Mistaken(ctx, r.Model().Frame, []string{a, b}); err != nil {
			v.WarnOf(err)
		}
	}
	c, err := faces.Verify(ctx, r, v.find.Search, faces.Photo{Name: a}, faces.Photo{Name: b})
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
		return v.printJSON(results.NewComparison(c, 2, v.fmr))
	}
	word := map[bool]string{true: "same person", false: "different people"}[c.Same(v.fmr)]
	v.Print("%s: similarity %.3f (1 is the same picture). %s so similar; they count as the same person if at most 1 in %s is.\n",
		word, c.Similarity, pairs(c.FMR), legible.OneIn(-math.Log10(v.fmr)))
	if c.Same(v.fmr) {
		_ = v.Results.Flush() // the answer stands first
		v.Hint("relatives and other people who look alike may count as the same person%s", measuredOn(r))
	} else if people := measuredOn(r); people != "" {
		_ = v.Results.Flush()
		v.Tell("%s", strings.TrimPrefix(people, "; "))
	}
	if model := legible.ShellWord(model); r != nil && !v.exitCode {
		v.Next("nrdl identify %s %s (who it is)", model, legible.ShellWord(a))
	}
	return nil
}

// measuredOn says on which people the rate of r was measured, or "" if r is nil.
func measuredOn(r *faces.Recogniser) string {
	l := frontend.Embedding.Law()
	if r != nil {
		l = r.Model().Impostors()
	}
	if l == nil {
		return ""
	}
	return "; the rate was measured on " + l.Subjects()
}

// pairs says which share of pairs of different people is as similar as two faces of this false
// match rate.
func pairs(fmr float64) string {
	const half, measured = 0.5, 1e-5 // about 1 in 70,000 (openset/impostors)
	switch {
	case fmr >= half:
		return "Most pairs of different people are"
	case fmr < measured:
		return "Fewer than 1 in 100000 pairs of different people are"
	}
	return "About 1 in " + legible.OneIn(-math.Log10(fmr)) + " pairs of different people is"
}
