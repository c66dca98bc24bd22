package describe

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"

	"nrdl.example/nrdl/cmd/nrdl/internal/console"
	"nrdl.example/nrdl/cmd/nrdl/internal/threshold"
	"nrdl.example/nrdl/gallery"
	"nrdl.example/nrdl/internal/legible"
)

// People prints r as a table, with the columns that are known.
func People(c *console.Console, r *gallery.Survey) error {
	if r.Faces == 0 {
		for _, p := range r.People {
			c.Print("%s\n", p.Name)
		}
		c.Print("\n%d people; nothing more is known: %s\n", len(r.People), r.Why)
		c.Hint("train the model without --forget to see more")
		return nil
	}
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	columns := columnsOf(r)
	line := func(cell func(c column) string) {
		cells := make([]string, len(columns))
		for i, one := range columns {
			cells[i] = cell(one)
		}
		fmt.Fprintln(w, strings.Join(cells, "\t")+"\t") // the last cell ends too, so that it has the width of its column
	}
	line(func(of column) string { return of.title })
	for _, p := range r.People {
		line(func(of column) string { return of.of(p) })
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for row := range strings.Lines(table.String()) {
		c.Print("%s\n", strings.TrimRight(row, " \n"))
	}
	c.Print("\n%s\n", totalOf(r))
	if r.AtLarge != nil {
		c.Print("%s\n", threshold.Strangers(*r.AtLarge, *r.Like))
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

// totalOf is the last line.
func totalOf(r *gallery.Survey) string {
	text := fmt.Sprintf("%d people, %s", len(r.People), legible.Count(r.Faces, "face"))
	if r.Held == 0 {
		return text
	}
	text += fmt.Sprintf("; of %d held-out faces the best guess is right for %s %%", r.Held, legible.Percent(float64(r.Right)/float64(r.Held)))
	if r.Known != nil {
		text += fmt.Sprintf(", and above the threshold for %s %%", legible.Percent(float64(*r.Known)/float64(r.Held)))
	}
	return text
}
