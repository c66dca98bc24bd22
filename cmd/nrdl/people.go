package main

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/cmd/nrdl/internal/describe"
	"nrdl.example/nrdl/cmd/nrdl/internal/threshold"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/explain"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/internal/kit/atomicfile"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/internal/natural"
)

func (a *app) peopleCmd() *cobra.Command {
	var asJSON, list, tagged bool
	var html, photos string
	var by *face.Search
	c := &cobra.Command{
		Use:  "people MODEL",
		Args: cli.Arguments(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			switch {
			case tagged && (asJSON || list || html != "" || photos != ""):
				return cli.Misuse("--tags lists the names in a folder of photographs: it stands alone")
			case tagged:
				return a.peopleOfTags(c.Context(), args[0])
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
	c.Flags().BoolVar(&a.Verbose, "verbose", false, "also tell how many known faces and strangers get a name, at other rates too")
	c.Flags().BoolVar(&list, "list", false, "print names and faces only, without the cross-validation, which is slow for many people")
	c.Flags().BoolVar(&tagged, "tags", false,
		"list the names in the face tags of photographs: MODEL is a folder of them; only headers are read")
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
	page.Mend = corrections(page.Review, path)
	if err := a.write(ctx, html, page.HTML); err != nil {
		return err
	}
	if model := legible.ShellWord(path); photos == "" {
		a.Next("nrdl people %s --html %s --photos DIR shows the faces, from the folder that the model was trained on",
			model, legible.ShellWord(html))
	} else {
		a.Next("nrdl add %s PHOTOS -n NAME (more photographs of a person)", model)
	}
	return nil
}

// corrections returns the commands for a photograph that looks mislabelled in the model at path.
func corrections(r *gallery.Review, path string) func(gallery.Suspect) []explain.Correction {
	return func(s gallery.Suspect) []explain.Correction {
		return threshold.Corrections(r, s, legible.ShellWord(path))
	}
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
		a.Warn("no test is possible: %s", s.Reason)
	}
	threshold.Twice(a.Console, s, legible.ShellWord(path))
	if asJSON {
		return a.printJSON(s)
	}
	if err := describe.People(a.Console, r.Model(), s); err != nil {
		return err
	}
	switch {
	case list:
	case !r.Model().SeesImages():
		a.Next("nrdl predict %s FILE", legible.ShellWord(path))
	default:
		a.Next("nrdl people %s --html people.html --photos DIR (a page with the faces; DIR is the folder that it was trained on)",
			legible.ShellWord(path))
	}
	return nil
}

// peopleOfTags lists who is in the tags of the photographs at path, with the number of
// photographs and of regions.
func (a *app) peopleOfTags(ctx context.Context, path string) error {
	o, done := a.observer("reading tags")
	progress := func(n, total int) {
		if o.Progress != nil {
			o.Progress("reading tags", n, total)
		}
	}
	read, err := dataset.TaggedFiles(ctx, path, dataset.Regions, func(name string) string { return name }, a.WarnOf, progress)
	done()
	if err != nil {
		return err
	}
	photographs, regions := map[string]int{}, map[string]int{}
	named := 0
	for _, t := range read {
		people := map[string]bool{}
		for _, r := range t.Tags.Regions {
			if r.Usable() {
				people[r.Name] = true
				regions[r.Name]++
			}
		}
		for _, name := range t.Tags.Names {
			people[name] = true
		}
		for name := range people {
			photographs[name]++
		}
		named += min(1, len(people))
	}
	a.Tell("%s, %d with names of people", legible.Count(len(read), "photograph"), named)
	table := tabwriter.NewWriter(a.Results, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "person\tphotographs\tfaces marked")
	for _, name := range slices.SortedFunc(maps.Keys(photographs), natural.Compare) {
		fmt.Fprintf(table, "%s\t%d\t%d\n", legible.Printable(name), photographs[name], regions[name])
	}
	return table.Flush()
}
