package explain

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"nrdl.example/nrdl/faces/gallery"
)

// Sentence says in a sentence which person m recognises, and in others why.
func Sentence(m *gallery.Gallery, e *Explanation) string {
	f := newView(partsOf(m), e)
	return strings.TrimSpace(f.verdict() + " " + f.reasons())
}

// verdict says whose face it is, and how far from the threshold; "" without one.
func (f *view) verdict() string {
	c, name := f.p.Calibration, f.name(f.Class)
	if c == nil {
		return ""
	}
	far := FromThreshold(c.Known(f.DecisionScore), f.decides(), f.threshold(), f.byScore())
	limit := "the threshold"
	if f.byScore() {
		limit = "what a name needs"
	}
	switch {
	case c.TooAlike():
		return fmt.Sprintf(
			"Most similar is %s. The people of this model are too alike for this network: how many strangers would get a name "+
				"cannot be promised.", name)
	case f.Known:
		return fmt.Sprintf("It is %s: %s %s.", name, far, limit)
	case c.Known(f.DecisionScore): // as another face of the photograph has the name
		return fmt.Sprintf("Unknown: %s is another face of this photograph.", name)
	}
	if f.p.useless {
		return fmt.Sprintf("Unknown: most similar is %s. Hardly any face reaches the threshold of this model: calibrate it again.", name)
	}
	return fmt.Sprintf("Unknown: most similar is %s, %s %s.", name, far, limit)
}

// decides is the value that is compared with the threshold.
func (f *view) decides() float64 {
	if f.byScore() {
		return f.Scores[f.Class]
	}
	return f.DecisionScore
}

// FromThreshold says on which side of a threshold a face is, and how far from it: "far above".
// The limits are for the eye: a cosine is compared with what is left between the threshold and
// 1, another value with the threshold.
func FromThreshold(known bool, value, threshold float64, cosines bool) string {
	near, far, unit := 0.25, 1., threshold
	if cosines {
		near, far, unit = 0.15, 0.5, 1-threshold
	}
	d := math.Abs(value-threshold) / max(unit, math.SmallestNonzeroFloat32)
	side, how := " below", "clearly"
	if known {
		side = " above"
	}
	switch {
	case d < near:
		how = "just"
	case d > far:
		how = "far"
	}
	return how + side
}

// reasons says what the verdict rests on.
func (f *view) reasons() string {
	c, name := f.p.Calibration, f.name(f.Class)
	if c == nil {
		guess := "The only person is " + name
		if !f.alone() {
			guess = fmt.Sprintf("The best guess among %d people is %s", len(f.p.Classes), name)
		}
		return fmt.Sprintf("%s: %s. The model has no threshold, so it names every face.", guess, strings.Join(f.grounds(), ". "))
	}
	all := f.grounds()
	switch {
	case math.IsNaN(f.Probability):
	case f.Known:
		all = append(all, upper(f.p.Settings.Confidence(f.Probability)))
	default:
		all = append(all, fmt.Sprintf("The probability that it is %s: %s", name, gallery.Probability(f.Probability)))
	}
	return upper(strings.Join(all, ". ")) + "."
}

// grounds are the scores, the first one in lower case, and what makes them.
func (f *view) grounds() []string {
	name := f.name(f.Class)
	if f.byScore() {
		return []string{f.cosine()}
	}
	lead := "score " + f.number(f.Scores[f.Class])
	if !f.alone() {
		lead += fmt.Sprintf(", %s ahead of %s", f.number(f.Margin), f.name(f.rival()))
	}
	if f.p.Calibration != nil {
		lead += fmt.Sprintf(" (%s needed)", f.number(f.threshold()))
	}
	return []string{lead, upper(f.carried(name))}
}

// upper is a sentence with its first letter in upper case.
func upper(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// number writes a score with enough digits to show the margin and the threshold.
func (f *view) number(v float64) string {
	if f.byScore() {
		return decimals(v, cosineDigits)
	}
	smallest := f.Margin
	if c := f.p.Calibration; c != nil && c.Threshold > 0 && (c.Threshold < smallest || smallest == 0) {
		smallest = c.Threshold
	}
	const few, many = 2, 4
	n := few
	for n < many && smallest > 0 && smallest < 1.5*math.Pow(10, -float64(n)) {
		n++
	}
	return decimals(v, n)
}

// carried says which atoms support the best guess, who is called name.
func (f *view) carried(name string) string {
	switch {
	case f.Similarities != nil:
		return f.similar()
	case f.Blocks != nil:
		return f.voting(name)
	case f.Separate:
		return fmt.Sprintf("with %s of %s the residual is %s of the face, with those of %s %s",
			f.things(2), name, percent(f.Distances[f.Class]), f.name(f.rival()), percent(f.Distances[f.rival()]))
	}
	if f.linear() {
		return f.adding(name)
	}
	s := f.carriers()
	what := fmt.Sprintf("%s %s of %s", words(s.n), f.things(s.n), name)
	switch {
	case s.n == 0:
		return fmt.Sprintf("no %s of %s has a weight", f.things(1), name)
	case s.n == 1 && s.both:
		return fmt.Sprintf("%s and its mirror image carry %s", what, f.ofAll(s.share))
	case s.n == 1 && s.mirrored:
		return fmt.Sprintf("the mirror image of %s carries %s", what, f.ofAll(s.share))
	case s.n == 1:
		return fmt.Sprintf("%s carries %s", what, f.ofAll(s.share))
	case s.mirrored:
		return fmt.Sprintf("%s, including mirror images, carry %s", what, f.ofAll(s.share))
	}
	return fmt.Sprintf("%s carry %s", what, f.ofAll(s.share))
}

// ofAll says how much of the weight a share is and, where they differ, all atoms of
// the person have; and where that is little, that nobody has more.
func (f *view) ofAll(share float64) string {
	text := percent(share) + " of the weight"
	if all := percent(f.Shares[f.Class]); all != percent(share) {
		text += fmt.Sprintf(" (all %s of %s: %s)", f.things(2), f.name(f.Class), all)
	}
	const much = 0.5
	if f.Shares[f.Class] < much && f.Shares[f.Class] == slices.Max(f.Shares) {
		text += ", more than anybody else's"
	}
	return text
}

// things is the word for n atoms.
func (f *view) things(n int) string {
	one := "atom"
	if f.fromImages() {
		one = "photograph"
	}
	if n == 1 {
		return one
	}
	return one + "s"
}

// carriers are the fewest photographs, or atoms, of the likeliest person that
// have most of the person's weight.
type carriers struct {
	n              int
	share          float64 // of the weight of all
	mirrored, both bool    // mirror images are among them; beside their photographs
}

// most is the part of a person's weight that carriers have.
const enoughShare = 0.9

func (f *view) carriers() (s carriers) {
	images := f.fromImages()
	seen := map[int]WeightedAtom{}
	for _, a := range f.Atoms {
		if a.Class != f.Class {
			continue
		}
		of := a.Atom
		if images {
			of = a.Enrolled
		}
		first, again := seen[of]
		if s.share >= enoughShare*f.Shares[f.Class] && !again {
			continue
		}
		if !again {
			seen[of] = a
			s.n++
		}
		s.share += a.Share
		s.mirrored = s.mirrored || images && a.Mirrored
		s.both = s.both || again && first.Mirrored != a.Mirrored
	}
	return s
}

// adding says which atoms make the score of a person: the fewest with most of
// what is added to it.
func (f *view) adding(name string) string {
	all := 0.0
	for _, a := range f.Atoms {
		all += max(0, a.Adds)
	}
	n, own, sum := 0, 0, 0.0
	for _, a := range f.byAdds() {
		if sum >= enoughShare*all { // the others add little, or take away
			break
		}
		sum += a.Adds
		n++
		if a.Class == f.Class {
			own++
		}
	}
	what, makes := "atoms", "make"
	if n == 1 {
		what, makes = "atom", "makes"
	}
	switch own {
	case n:
		return fmt.Sprintf("%s %s of %s %s most of the score", words(n), what, name, makes)
	case 0:
		return fmt.Sprintf("%s %s of other people %s most of the score of %s", words(n), what, makes, name)
	}
	return fmt.Sprintf("%s atoms, %s of them of %s, make most of the score", words(n), words(own), name)
}

// byAdds are the atoms, those first that add most to the score.
func (f *view) byAdds() []WeightedAtom {
	list := slices.Clone(f.Atoms)
	slices.SortStableFunc(list, func(a, b WeightedAtom) int { return cmp.Compare(b.Adds, a.Adds) })
	return list
}

// voting says how many parts of the face are for a person.
func (f *view) voting(name string) string {
	n, all := f.voters(), len(f.Blocks)
	switch n {
	case 0:
		return fmt.Sprintf("none of the %d parts of the face resembles %s most", all, name)
	case 1:
		return fmt.Sprintf("one of the %d parts of the face resembles %s most", all, name)
	case all:
		return fmt.Sprintf("all %d parts of the face resemble %s most", all, name)
	}
	return fmt.Sprintf("%s of the %d parts of the face resemble %s most", words(n), all, name)
}

// voters is how many blocks vote for the likeliest person more than for others.
func (f *view) voters() (n int) {
	for _, b := range f.Blocks {
		if first(b.Votes) == f.Class {
			n++
		}
	}
	return n
}

// first is the class with most votes; -1 where nobody has any.
func first(votes []float64) int {
	at, largest := -1, 0.0
	for c, v := range votes {
		if v > largest {
			at, largest = c, v
		}
	}
	return at
}

// words writes small numbers as words.
func words(n int) string {
	small := []string{"no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}
	if n < len(small) {
		return small[n]
	}
	return fmt.Sprint(n)
}
