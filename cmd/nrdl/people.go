package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"nrdl/explain"
	"nrdl/face"
	"nrdl/gallery"
	"nrdl/internal/advice"
	"nrdl/internal/atomicfile"
	"nrdl/internal/cli"
	"nrdl/internal/console"
)

func (a *app) peopleCmd() *cobra.Command {
	var asJSON, list bool
	var html, photos string
	c := &cobra.Command{
		Use:   "people MODEL",
		Short: "List the people of a model, and how well each is recognised",
		Long: `people lists the people of a model: the number of stored faces, their quality, and
how well each person is recognised. For the latter, faces are held out in turn
(cross-validation) and then identified: right counts the faces whose best guess is
the person; known counts those of them that are above the threshold, so that identify
would name them. rival is the person who is most often confused with this one, or who
comes closest.

--html PAGE writes a page for a browser, one file that needs nothing else: the images
whose label looks wrong, the people who may be confused, and for each person how to
improve the photographs. The model stores no photographs: --photos names the folder that it was
trained on, so that they can be shown. Without the built-in network, an image is listed
only if the model, trained without it, names it as somebody else.

train and calibrate print the share of known faces that get a name, too. With features
other than those of the built-in network it is usually lower, because they leave out
people as well.`,
		Example: `  nrdl people people.nrdl
  nrdl people people.nrdl --list
  nrdl people people.nrdl --json
  nrdl people people.nrdl --html people.html --photos people`,
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
				return a.peoplePage(c.Context(), args[0], html, photos)
			}
			return a.people(c.Context(), args[0], asJSON, list)
		},
		ValidArgsFunction: completeModel,
	}
	c.Flags().BoolVar(&asJSON, "json", false, "write an object with all numbers")
	c.Flags().BoolVar(&list, "list", false, "print names and faces only, without the cross-validation, which is slow for many people")
	c.Flags().StringVar(&html, "html", "", "write a page for a browser: `PAGE`")
	c.Flags().StringVar(&photos, "photos", "", "show photographs from the folder `DIR`, which the model was trained on")
	cli.Complete(c, "html", cli.Files("html"))
	cli.Complete(c, "photos", cli.Folders)
	return c
}

// peoplePage writes the page of --html.
func (a *app) peoplePage(ctx context.Context, path, html, photos string) error {
	if err := atomicfile.Check(html); err != nil {
		return err
	}
	o, done := a.observer()
	defer done()
	r, err := a.open(path, face.Options{}, o)
	if err != nil {
		return err
	}
	page, err := explain.NewPeople(ctx, r.Model(), filepath.Base(path), photos, o.Progress)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	done()
	return a.write(ctx, html, page.HTML)
}

func (a *app) people(ctx context.Context, path string, asJSON, list bool) error {
	o, done := a.observer()
	r, err := a.open(path, face.Options{}, o)
	if err != nil {
		return err
	}
	s, err := r.Survey(ctx, !list)
	done()
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if !list && s.Why != "" && s.Faces > 0 && s.Held == 0 {
		a.Warn("cross-validation is not possible: %s", s.Why)
	}
	if asJSON {
		return a.printJSON(s)
	}
	return a.printPeople(s)
}

// printPeople prints a table, with the columns that are known.
func (a *app) printPeople(r *gallery.Survey) error {
	if r.Faces == 0 {
		for _, p := range r.People {
			a.Print("%s\n", p.Name)
		}
		a.Print("\n%d people; nothing more is known: %s\n", len(r.People), r.Why)
		a.Hint("train the model without --forget to see more")
		return nil
	}
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	columns := columnsOf(r)
	line := func(cell func(c column) string) {
		cells := make([]string, len(columns))
		for i, c := range columns {
			cells[i] = cell(c)
		}
		fmt.Fprintln(w, strings.Join(cells, "\t")+"\t") // the last cell ends too, so that it has the width of its column
	}
	line(func(c column) string { return c.title })
	for _, p := range r.People {
		line(func(c column) string { return c.of(p) })
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for row := range strings.Lines(table.String()) {
		a.Print("%s\n", strings.TrimRight(row, " \n"))
	}
	a.Print("\n%s\n", totalOf(r))
	if r.AtLarge != nil {
		a.Print("%s\n", advice.Strangers(*r.AtLarge, *r.Like))
	}
	return nil
}

// A column of the table of people.
type column struct {
	title string
	of    func(*gallery.Person) string
}

func columnsOf(r *gallery.Survey) []column {
	list := []column{
		{"person", func(p *gallery.Person) string { return p.Name }},
		{"faces", func(p *gallery.Person) string { return strconv.Itoa(p.Faces) }},
	}
	if r.People[0].Quality != nil {
		list = append(list, column{"quality", (*gallery.Person).Seen})
	}
	held := func(n func(p *gallery.Person) int) func(p *gallery.Person) string {
		return func(p *gallery.Person) string {
			if p.Held == 0 {
				return "–"
			}
			return fmt.Sprintf("%d of %d", n(p), p.Held)
		}
	}
	if r.Held > 0 {
		list = append(list, column{"right", held(func(p *gallery.Person) int { return p.Right })})
	}
	if r.Known != nil {
		list = append(list, column{"known", held(func(p *gallery.Person) int { return *p.Known })})
	}
	if r.Held > 0 {
		list = append(list, column{"rival", func(p *gallery.Person) string { return p.Rival }})
	}
	return append(list, column{"note", func(p *gallery.Person) string { return p.Note }})
}

// total is the last line.
func totalOf(r *gallery.Survey) string {
	text := fmt.Sprintf("%d people, %s", len(r.People), console.Plural(r.Faces, "face"))
	if r.Held == 0 {
		return text
	}
	text += fmt.Sprintf("; of %d held-out faces the best guess is right for %s %%", r.Held, console.Percent(float64(r.Right)/float64(r.Held)))
	if r.Known != nil {
		text += fmt.Sprintf(", and above the threshold for %s %%", console.Percent(float64(*r.Known)/float64(r.Held)))
	}
	return text
}
