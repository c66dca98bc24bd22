package main

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"
)

// printPeople prints a table, with the columns that are known.
func (a *app) printPeople(r *residency) error {
	if r.Faces == 0 {
		for _, p := range r.People {
			a.print("%s\n", p.Name)
		}
		a.print("\n%d people; nothing more is known: %s\n", len(r.People), r.Why)
		a.tell("nrdl: %s train the model without --forget to see more", a.paint(cyan, "hint:"))
		return nil
	}
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	columns := r.columns()
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
		a.print("%s\n", strings.TrimRight(row, " \n"))
	}
	a.print("\n%s\n", r.total())
	return nil
}

// A column of the table of people.
type column struct {
	title string
	of    func(*resident) string
}

func (r *residency) columns() []column {
	list := []column{
		{"person", func(p *resident) string { return p.Name }},
		{"faces", func(p *resident) string { return strconv.Itoa(p.Faces) }},
	}
	if r.People[0].Quality != nil {
		list = append(list, column{"seen", func(p *resident) string { return seenAs(p.Quality) }})
	}
	held := func(n func(p *resident) int) func(p *resident) string {
		return func(p *resident) string {
			if p.Held == 0 {
				return "–"
			}
			return fmt.Sprintf("%d of %d", n(p), p.Held)
		}
	}
	if r.Held > 0 {
		list = append(list, column{"right", held(func(p *resident) int { return p.Right })})
	}
	if r.Known != nil {
		list = append(list, column{"known", held(func(p *resident) int { return *p.Known })})
	}
	if r.Held > 0 {
		list = append(list, column{"rival", func(p *resident) string { return p.Rival }})
	}
	return append(list, column{"note", func(p *resident) string { return p.Note }})
}

// total is the last line.
func (r *residency) total() string {
	text := fmt.Sprintf("%d people, %s", len(r.People), faceCount(r.Faces))
	if r.Held == 0 {
		return text
	}
	text += fmt.Sprintf("; of %d held-out faces the best guess is right for %s %%", r.Held, percent(float64(r.Right)/float64(r.Held)))
	if r.Known != nil {
		text += fmt.Sprintf(", and above the threshold for %s %%", percent(float64(*r.Known)/float64(r.Held)))
	}
	return text
}
