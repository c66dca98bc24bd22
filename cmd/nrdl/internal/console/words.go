package console

import (
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/internal/legible"
)

// Passes writes a number of passes: "1 pass", "2 passes".
func Passes(n int) string { return legible.Plural(n, "pass", "passes") }

// Megabytes writes n bytes in kB or MB.
func Megabytes(n int64) string {
	if n < 1_000_000 {
		return fmt.Sprintf("%.1f kB", float64(n)/1e3)
	}
	return fmt.Sprintf("%.1f MB", float64(n)/1e6)
}

// About rounds a duration for people: "3 s", "2 min", "1 h 10 min".
func About(d time.Duration) string {
	switch {
	case d < time.Second:
		return "< 1 s"
	case d < 90*time.Second:
		return fmt.Sprintf("%.0f s", d.Seconds())
	case d < time.Hour-30*time.Second:
		return fmt.Sprintf("%.0f min", d.Minutes())
	default:
		m := int(d.Round(5 * time.Minute).Minutes())
		return strings.TrimSuffix(fmt.Sprintf("%d h %d min", m/60, m%60), " 0 min")
	}
}

// Contents describes the size of a data set: "10 people, 100 images of 32x32".
func Contents(set *dataset.Images) string {
	d, n := set.X.Dims()
	if e := set.Frame.Embedding; !e.IsZero() && set.Classes != nil {
		faces := legible.Count(n, "face")
		if empty := n - len(classify.NonZero(set.X)); empty > 0 { // no face was found in these
			faces = fmt.Sprintf("%s, %s", legible.Count(n, "photograph"), legible.Count(n-empty, "face"))
		}
		return legible.People(len(set.Classes)) + ", " + faces
	}
	switch {
	case set.Classes == nil && set.AreImages():
		return fmt.Sprintf("%d images of %v", n, set.Frame.Size)
	case set.Classes == nil:
		return fmt.Sprintf("%d samples of %d numbers", n, d)
	case !set.AreImages():
		return fmt.Sprintf("%s, %s of %d features", legible.Classes(len(set.Classes)), legible.Count(n, "sample"), d)
	}
	return fmt.Sprintf("%s, %d images of %v", legible.People(len(set.Classes)), n, set.Frame.Size)
}

// Ended says in words why training ended.
func Ended(o classify.Outcome) string {
	switch o.Status {
	case classify.ClosedForm:
		return "trained"
	case classify.Converged:
		return "converged after " + Passes(o.Iter)
	case classify.Complete:
		return fmt.Sprintf("trained in exactly %s (without a test by tol)", Passes(o.Iter))
	case classify.Exhausted:
		return fmt.Sprintf("not converged in %s, all that were allowed", Passes(o.Iter))
	}
	return fmt.Sprintf("%s after %s", o.Status, Passes(o.Iter))
}

// Columns is the largest width of help and lists.
const Columns = 100

// An Entry is a row of a list: a name and paragraphs about it.
type Entry struct {
	Name       string
	Paragraphs []string
}

// Entries prints rows with the paragraphs to the right of the names, at most Columns wide.
func (c *Console) Entries(rows []Entry) {
	indent := 0
	for _, r := range rows {
		indent = max(indent, utf8.RuneCountInString(r.Name)+2)
	}
	for _, r := range rows {
		name := r.Name
		for _, p := range r.Paragraphs {
			for _, line := range folded(p, Columns-indent) {
				c.Print("%-*s%s\n", indent, name, line)
				name = ""
			}
		}
	}
}

// folded divides text between words into lines of at most width runes, or of
// one word.
func folded(text string, width int) (lines []string) {
	for _, word := range strings.Fields(text) {
		last := len(lines) - 1
		if last < 0 || utf8.RuneCountInString(lines[last]+" "+word) > width {
			lines = append(lines, word)
			continue
		}
		lines[last] += " " + word
	}
	return lines
}
