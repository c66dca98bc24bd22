package main

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/cmd/nrdl/internal/describe"
	"nrdl.example/nrdl/explain"
	"nrdl.example/nrdl/face"
	"nrdl.example/nrdl/internal/atomicfile"
)

func (a *app) peopleCmd() *cobra.Command {
	var asJSON, list bool
	var html, photos string
	var by *face.Search
	c := &cobra.Command{
		Use:  "people MODEL",
		Args: cli.Arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case photos != "" && html == "":
				return cli.Misuse("--photos needs --html PAGE, the page to write")
			case html != "" && (list || asJSON):
				return cli.Misuse("--html excludes --list and --json")
			case html != "" && cli.SameFile(html, args...) != "":
				return cli.Misuse("the page would take the place of the model")
			case html != "":
				return a.peoplePage(c.Context(), args[0], html, photos, by)
			}
			return a.people(c.Context(), args[0], asJSON, list)
		},
		ValidArgsFunction: completeModel,
	}
	c.Flags().BoolVar(&asJSON, "json", false, "write an object with all numbers")
	c.Flags().BoolVar(&list, "list", false, "print names and faces only, without the cross-validation, which is slow for many people")
	c.Flags().StringVar(&html, "html", "", "write a page for a browser: `PAGE`")
	c.Flags().StringVar(&photos, "photos", "", "show photographs from the folder `DIR`, which the model was trained on")
	detectorVar(c, &by)
	cli.Complete(c, "html", cli.Files("html"))
	cli.Complete(c, "photos", cli.Folders)
	return c
}

// peoplePage writes the page of --html.
func (a *app) peoplePage(ctx context.Context, path, html, photos string, by *face.Search) error {
	if err := atomicfile.Check(html); err != nil {
		return err
	}
	o, done := a.observer("holding faces out")
	defer done()
	r, err := a.open(path, face.Options{}, o)
	if err != nil {
		return err
	}
	page, err := explain.NewPeople(ctx, r.Model(), filepath.Base(path), photos, by, o.Progress)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	done()
	return a.write(ctx, html, page.HTML)
}

func (a *app) people(ctx context.Context, path string, asJSON, list bool) error {
	o, done := a.observer("holding faces out")
	r, err := a.open(path, face.Options{}, o)
	if err != nil {
		return err
	}
	s, err := r.Survey(ctx, !list)
	done()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if !list && s.Reason != "" && s.Faces > 0 && s.Held == 0 {
		a.Warn("cross-validation is not possible: %s", s.Reason)
	}
	if asJSON {
		return a.printJSON(s)
	}
	return describe.People(a.Console, r.Model(), s)
}
