package describe

import (
	"fmt"

	"nrdl.example/nrdl/gallery"
	"nrdl.example/nrdl/internal/legible"
)

// Merge lists the images that were left out or renamed when images were added to a model.
func Merge(r gallery.MergeReport) (lines []string) {
	for _, id := range r.Skipped {
		lines = append(lines, fmt.Sprintf("left out: %s is in the model already", id))
	}
	for _, ids := range r.Renamed {
		lines = append(lines, fmt.Sprintf("another photograph is called %s: this one is %s", ids[0], ids[1]))
	}
	for _, ids := range r.Twice {
		lines = append(lines, fmt.Sprintf("%s is the same photograph as %s: one of the names is wrong", ids[0], ids[1]))
	}
	return lines
}

// mostNamed is how many people have a line of their own.
const mostNamed = 10

// Growth lists the people whose number of faces changed, with the number before and after.
func Growth(before, after *gallery.Gallery, people []string) (lines []string) {
	others := 0
	for i, name := range people {
		was, is := before.Faces(name), after.Faces(name)
		switch {
		case was == is:
		case i >= mostNamed:
			others++
		case was == 0:
			lines = append(lines, fmt.Sprintf("%s: new, %s", name, legible.Count(is, "face")))
		default:
			lines = append(lines, fmt.Sprintf("%s: %s, %d before", name, legible.Count(is, "face"), was))
		}
	}
	if others > 0 {
		lines = append(lines, fmt.Sprintf("and %d people more", others))
	}
	return lines
}
