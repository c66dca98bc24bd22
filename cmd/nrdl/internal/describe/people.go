package describe

import (
	"fmt"
	"strconv"
	"strings"
	"text/tabwriter"

	"nrdl.example/nrdl/cmd/nrdl/internal/console"
	"nrdl.example/nrdl/cmd/nrdl/internal/threshold"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/internal/legible"
)

// People prints r, the survey of m, as a table. Columns without any value are left out. If c is
// verbose, the shares of strangers and of known faces that get a name follow.
func People(c *console.Console, m *gallery.Gallery, r *gallery.Survey) error {
	if r.Faces == 0 {
		for _, p := range r.People {
			c.Print("%s\n", p.Name)
		}
		c.Print("\n%s; nothing more is known: %s\n", legible.People(len(r.People)), r.Reason)
		c.Hint("train the model without --forget to see more")
		return nil
	}
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	for i, cells := range rows(r) {
		if !m.Pipeline.SeesImages() {
			if i == 0 {
				cells[0], cells[1] = "class", "samples"
			}
			last := &cells[len(cells)-1]
			*last = strings.ReplaceAll(*last, "photographs of both", "samples of both")
		}
		fmt.Fprintln(w, strings.Join(cells, "\t")+"\t") // the last cell ends too, so that it has the width of its column
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for row := range strings.Lines(table.String()) {
		c.Print("%s\n", strings.TrimRight(row, " \n"))
	}
	total := totalOf(r, m)
	if !m.Pipeline.SeesImages() {
		total = legible.OfSamples(total)
	}
	c.Print("\n%s\n", total)
	if promise := threshold.Promise(m); promise != "" {
		c.Print("%s\n", promise)
	}
	var lines []string
	if r.AtLarge != nil {
		lines = threshold.Strangers(m)
	} else if measured := m.PromiseMeasured(); measured != "" {
		lines = []string{measured}
	}
	if r.Held > 0 {
		lines = append(lines, threshold.Table(m)...)
	}
	for _, line := range lines {
		if c.Verbose {
			c.Print("%s\n", line)
		}
	}
	return nil
}

// rows are the header and the people, with the columns that are known.
func rows(r *gallery.Survey) [][]string {
	quality, held := r.People[0].Quality != nil, r.Held > 0
	row := func(person, faces, seen, right, known, rival, note string) []string {
		cells := []string{person, faces}
		if quality {
			cells = append(cells, seen)
		}
		if held {
			cells = append(cells, right)
		}
		if r.Known != nil {
			cells = append(cells, known)
		}
		if held {
			cells = append(cells, rival)
		}
		return append(cells, note)
	}
	all := [][]string{row("person", "faces", "quality", "right", "known", "rival", "note")}
	for _, p := range r.People {
		right, known, seen := "–", "–", ""
		if p.Held > 0 {
			right = fmt.Sprintf("%d of %d", p.Right, p.Held)
			if p.Known != nil {
				known = fmt.Sprintf("%d of %d", *p.Known, p.Held)
			}
		}
		if quality {
			seen = p.QualityText()
		}
		all = append(all, row(p.Name, strconv.Itoa(p.Faces), seen, right, known, p.Rival, p.Note))
	}
	return all
}

// totalOf is the last line of r, the survey of m.
func totalOf(r *gallery.Survey, m *gallery.Gallery) string {
	text := fmt.Sprintf("%s, %s", legible.People(len(r.People)), legible.Count(r.Faces, "face"))
	if r.Held == 0 {
		return text
	}
	return text + "; " + r.Tested(m)
}

// Merge lists the images that were left out or renamed when images were added to a model.
func Merge(r gallery.MergeReport) (lines []string) {
	for _, id := range r.Duplicates {
		lines = append(lines, fmt.Sprintf("left out: %s is in the model already", id))
	}
	for _, ids := range r.Renames {
		lines = append(lines, fmt.Sprintf("another photograph is called %s: this one is %s", ids[0], ids[1]))
	}
	for _, ids := range r.Twice {
		lines = append(lines, fmt.Sprintf("%s is the same photograph as %s: one of the names is wrong", ids[0], ids[1]))
	}
	return lines
}

// maxNamed is how many people have a line of their own.
const maxNamed = 10

// Growth lists the people whose number of faces changed, with the number before and after.
func Growth(before, after *gallery.Gallery, people []string) (lines []string) {
	others := 0
	for i, name := range people {
		was, is := before.Faces(name), after.Faces(name)
		switch {
		case was == is:
		case i >= maxNamed:
			others++
		case was == 0:
			lines = append(lines, fmt.Sprintf("%s: new, %s", name, legible.Count(is, "face")))
		default:
			lines = append(lines, fmt.Sprintf("%s: %s, %d before", name, legible.Count(is, "face"), was))
		}
	}
	if others > 0 {
		lines = append(lines, fmt.Sprintf("and %s more", legible.People(others)))
	}
	return lines
}
