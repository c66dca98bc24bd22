package gallery

import (
	"fmt"
	"math"
	"strings"

	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/openset"
)

// Promise says how many strangers get a name by the threshold of g, after "strangers: ": "fewer than
// 1 in 1200 chosen at random gets a name; relatives and people who look like yours get one more
// often". It is the limit of what g estimates of itself (openset.Calibration.StrangerLimit), which
// is another number than the rate that was asked for. It is "" if g has no calibration, or knows
// too little.
func (g *Gallery) Promise() string {
	c := g.Calibration
	if c == nil || c.TooAlike() {
		return ""
	}
	const half, rare = 0.5, 0.1 // above a tenth a percentage is easier to read
	var l *openset.Impostors
	chosen, others := "", ""
	if c.FollowsLaw() {
		l, chosen = g.Impostors(), " chosen at random"
		others = "; relatives and people who look like yours get one more often; measured on " + l.Subjects()
	}
	limit := c.StrangerLimit(l)
	switch {
	case limit > half:
		return ""
	case limit > rare:
		return fmt.Sprintf("fewer than %.0f %%%s get a name%s", math.Ceil(100*limit), chosen, others)
	}
	return fmt.Sprintf("fewer than 1 in %s%s gets a name%s", legible.AtLeast(1/limit), chosen, others)
}

// PromiseMeasured says on what Promise rests; "" if it says nothing.
func (g *Gallery) PromiseMeasured() string {
	c := g.Calibration
	if c == nil || g.Promise() == "" || c.FollowsLaw() {
		return ""
	}
	named, faces := c.NamedStrangers()
	return fmt.Sprintf(
		"of %.0f faces of strangers, given or with their person left out, %.0f got a name: with a confidence of 95 %% the "+
			"share is below the limit", faces, named)
}

// Tested says how many of the faces that were held out got their name, in the words for faces of
// people or for samples of classes; "" if this is not known.
func (g *Gallery) Tested() string {
	c := g.Calibration
	if c == nil {
		return ""
	}
	text := g.tested(c.Rates())
	if !g.SeesImages() {
		text = legible.OfSamples(strings.NewReplacer("their name", "their label", "wrong name", "wrong label").Replace(text))
	}
	return text
}

// Worse reports whether clearly fewer of the held-out faces of g than of those of old, which is
// calibrated alike, get their name: the share falls by more than a twentieth and by more than that
// of two faces. A change that does this was probably a mistake.
func (g *Gallery) Worse(old *Gallery) bool {
	was, is := old.Calibration, g.Calibration
	if was == nil || is == nil || was.FPIR != is.FPIR || len(was.Strangers) != len(is.Strangers) {
		return false
	}
	before, now := was.Rates(), is.Rates()
	const fall, faces = 0.05, 2
	return now.Held > 0 && before.Right-now.Right > max(fall, faces/float64(now.Held))
}

func (g *Gallery) tested(r openset.Rates) string {
	if r.Held == 0 {
		return "each person has one face, so that none could be tested"
	}
	faces, single := r.Held, 0
	if g.Enrolled != nil {
		_, faces = g.Enrolled.Len()
		single = g.single()
	}
	if r.Held > faces { // some methods hold each face out several times
		return fmt.Sprintf(
			"each face was hidden several times, and nrdl named it from the others: %.0f %% got their name, %.0f %% stayed "+
				"unknown, %.0f %% got a wrong name",
			100*r.Right, 100*(1-r.Right-r.Wrong), 100*r.Wrong)
	}
	right, wrong := int(math.Round(r.Right*float64(r.Held))), int(math.Round(r.Wrong*float64(r.Held)))
	which, alone := "each face was", ""
	if n := faces - r.Held; n > single { // of many faces some are tested
		which = fmt.Sprintf("each of %d of %d faces was", r.Held, faces)
	} else if n > 0 {
		alone = fmt.Sprintf(" (%s not tested: the only one of its person)", legible.Count(n, "face"))
	}
	return fmt.Sprintf("%s hidden once, and nrdl named it from the others: %d got their name, %d stayed unknown, %d got a wrong name%s",
		which, right, r.Held-right-wrong, wrong, alone)
}

// single counts the people with one face.
func (g *Gallery) single() (n int) {
	groups := g.Enrolled.Groups()
	for c := range len(groups) - 1 {
		if groups[c+1]-groups[c] == 1 {
			n++
		}
	}
	return n
}

// Probability writes a probability in percent, rounded down, since 100 % would be too much to
// say: "6 %", "99.9 %", "under 1 %".
func Probability(p float64) string {
	const nearZero, nearOne = 0.01, 0.99
	switch {
	case p < nearZero:
		return "under 1 %"
	case p > nearOne:
		return fmt.Sprintf("%.1f %%", math.Floor(1000*p+nearlyNext)/10)
	}
	return fmt.Sprintf("%.0f %%", math.Floor(100*p+nearlyNext))
}

// nearlyNext keeps a decimal fraction, which has no exact binary form, from the next lower number.
const nearlyNext = 1e-9

// Confidence writes the probability of a name in a word and in percent: "sure 99.9 %",
// "likely 93 %", "doubtful 34 %"; "" if it is not known.
func (s *Settings) Confidence(p float64) string {
	word := "doubtful "
	switch {
	case math.IsNaN(p):
		return ""
	case p >= s.Sure:
		word = "sure "
	case p >= s.Likely:
		word = "likely "
	}
	return word + Probability(p)
}

// A UselessError says why a gallery is useless: nearly no enrolled face gets its name, or no rate of
// strangers who get one can be promised. A program should not replace a good gallery with such a
// good one unless somebody asks for it.
type UselessError struct {
	Rates    openset.Rates // at the threshold; Held is 0 if no face could be held out
	Members  bool          // the strangers that were given are probably people of the model
	TooAlike bool          // see openset.Calibration.TooAlike: a program should not name faces unless somebody asks for it
}

func (e *UselessError) Error() string {
	if e.TooAlike {
		return "the people of this model are too alike for this network: how many strangers would get a name cannot be promised"
	}
	if e.Members {
		return "most of the given strangers are probably people of the model, so that the threshold is far too high"
	}
	return fmt.Sprintf("under this threshold nearly no known face gets its name: %.2f %% of %d held-out faces",
		100*e.Rates.Right, e.Rates.Held)
}

// Usable returns a *UselessError if nearly no enrolled face would get its name under the
// threshold of g, or if most of the strangers that it was calibrated with are probably people
// of the gallery, or if the people of the gallery are too alike for its network. It returns nil if this
// is not known. A program should ask before it writes such a gallery, and before it names faces.
func (g *Gallery) Usable() error {
	c := g.Calibration
	if c == nil {
		return nil
	}
	rates := c.Rates()
	members, alike := c.StrangersAreMembers(), c.TooAlike()
	if members || alike || rates.Held > 0 && rates.Right < g.Numbers().Useless {
		return &UselessError{rates, members, alike && !members}
	}
	return nil
}
