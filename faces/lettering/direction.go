package lettering

import (
	"slices"

	segments "github.com/go-text/typesetting/bidi"
	"golang.org/x/text/unicode/bidi"
)

var paragraph segments.Paragraph

// visual returns the runs of one direction, as they stand from left to right: rule L2
// of the Unicode Bidirectional Algorithm.
func visual(letters []rune) []segments.Run {
	if len(letters) == 0 {
		return nil
	}
	base, level := segments.LeftToRight, segments.Level(0)
	if rightToLeft(letters) {
		base, level = segments.RightToLeft, 1
	}
	found := paragraph.Segment(letters, base)
	var runs []segments.Run
	for i := range found.NumRuns() {
		runs = append(runs, apart(letters, found.Run(i), level)...)
	}
	for highest := slices.MaxFunc(runs, func(a, b segments.Run) int { return int(a.Level) - int(b.Level) }).Level; highest > 0; highest-- {
		for i := 0; i < len(runs); i++ {
			j := i
			for j < len(runs) && runs[j].Level >= highest {
				j++
			}
			slices.Reverse(runs[i:j])
			i = max(i, j-1)
		}
	}
	return runs
}

// rightToLeft reports whether the first letter with a direction goes to the left, or
// the name if there is none outside of it: rules P2 and P3.
func rightToLeft(letters []rune) bool {
	depth := 0
	for _, r := range letters {
		switch c := classOf(r); {
		case c == bidi.FSI || c == bidi.LRI || c == bidi.RLI:
			depth++
		case c == bidi.PDI:
			depth = max(0, depth-1)
		case depth == 0 && c == bidi.L:
			return false
		case depth == 0 && (c == bidi.R || c == bidi.AL):
			return true
		}
	}
	return false
}

func classOf(r rune) bidi.Class {
	p, _ := bidi.LookupRune(r)
	return p.Class()
}

// apart separates the numbers at both ends of a run, which belong to the text from
// right to left beside it, from the rest, which does not: the library has them in one
// run, since all go to the right.
func apart(letters []rune, run segments.Run, base segments.Level) []segments.Run {
	const number = 2 // the level of a number in text from right to left
	if base != 0 || run.Level%2 != 0 || run.Level > number {
		return []segments.Run{run}
	}
	from, to := run.Start, run.End
	for i := run.Start; i < run.End && run.Level == number; i++ {
		c := classOf(letters[i])
		if c == bidi.EN || c == bidi.AN || c == bidi.ET || c == bidi.NSM {
			from = i + 1
		} else if c != bidi.ES && c != bidi.CS {
			break
		}
	}
	for i := run.End - 1; i >= from; i-- { // Arabic digits only: others belong to the text before them
		c := classOf(letters[i])
		if c == bidi.AN {
			to = i
		} else if c != bidi.CS && c != bidi.NSM {
			break
		}
	}
	parts := []segments.Run{
		{Start: run.Start, End: from, Level: number},
		{Start: from, End: to, Level: base},
		{Start: to, End: run.End, Level: number},
	}
	return slices.DeleteFunc(parts, func(r segments.Run) bool { return r.Start == r.End })
}
