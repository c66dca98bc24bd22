// Package threshold says what the threshold of a model does, and what to do where it does
// too little: with warnings, and with commands that work as they are printed.
package threshold

import (
	"fmt"
	"strings"

	"nrdl.example/nrdl/cmd/nrdl/internal/console"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/openset"
)

// When there is something to advise.
const (
	fewPhotographs = 3 // of a person; with so few, the held-out faces tell too little (doc/openset.md)

	fewPeople = 20  // so few that what cross-validation knows of strangers is a guess
	fewNamed  = 0.5 // share of known faces named rightly that is too small
	fewOfFew  = 0.8 // the same for few people, whose threshold is cautious
	unsure    = 5   // times the target rate that an interval for it may reach
)

// Threshold reports what the threshold of m does and what other target FPIRs would do.
// Path is the file of m, for commands in hints.
func Threshold(to *console.Console, m *gallery.Gallery, path string) {
	c, people, w := m.Calibration, len(m.Names()), wordsFor(m.Pipeline)
	path = legible.ShellWord(path)
	strangers := "nrdl calibrate " + path + " --strangers " + w.place
	if c.StrangersAreMembers() {
		to.Warn("most of the given strangers are as similar to people of the model as photographs of one person are to " +
			"each other: they are probably people of the model, and the threshold is far too high")
		to.Hint("give %s: %s", w.give, strangers)
		return
	}
	if c.FollowsLaw() {
		ofStrangers(to, m, strangers)
	} else if c.SmallestFPIR() > c.FPIR {
		to.Warn("%s are too few to promise an FPIR of %s %%: count on %s %% or more", w.known(c),
			legible.Percent(c.FPIR), legible.Percent(c.SmallestFPIR()))
		to.Hint("give %s: %s", w.give, strangers)
	}
	if measured := m.PromiseMeasured(); measured != "" {
		to.Detail("%s", measured)
	}
	by := ", estimated on " + w.known(c)
	if c.FollowsLaw() {
		by = "" // it follows from the network
	}
	rates, present := m.Rates(), c.Rates()
	if rates == nil {
		probable := ", and how probable a name is, is not known"
		if c.FollowsLaw() {
			probable = "" // that follows from the network too
		} else if c.Odds != nil {
			probable = fmt.Sprintf(", and a name has a probability of at most %s %%", legible.Percent(c.MaxProbability()))
		}
		to.Detail("calibrated: threshold for an FPIR of %s %%%s; no person has two faces, so none could be held out: how "+
			"many known faces get a name is not known%s", legible.Percent(c.FPIR), by, probable)
		return
	}
	to.Detail("calibrated: threshold for an FPIR of %s %%%s: of %s held out %s %% get the right name, %s %% a wrong "+
		"name, the rest are unknown",
		legible.Percent(c.FPIR), by, legible.Count(present.Held, w.sample), legible.Percent(present.Right), legible.Percent(present.Wrong))
	if c.NearChance(people) {
		to.Warn("the best guess is right for %s %% of the held-out %ss; a random guess among %s would be right for %s %%: "+
			"the model does not recognise them",
			legible.Percent(present.Guess), w.sample, w.classes(people), legible.Percent(1/float64(people)))
		to.Hint("check whether the labels are right (nrdl people %s), give more %ss of each %s, or try other parameters, --method or --input",
			path, w.sample, w.class)
		return
	}
	for _, line := range Table(m) {
		to.Detail("%s", line)
	}
	if present.Right < m.Numbers().Useless {
		to.Warn("the model names almost nobody: %s %% of the known faces get their name, the others are unknown%s",
			legible.Percent(present.Right), why(c))
	}
	if few(c) && !c.FollowsLaw() {
		to.Hint("%s are too few for a reliable threshold; give %s: %s", w.known(c), w.give, strangers)
	}
}

// few reports whether cross-validation knows so few people and strangers that the threshold of c
// is cautious.
func few(c *openset.Calibration) bool { return c.People+len(c.Strangers) < fewPeople }

// suggest names a rate of strangers at which m, whose file is at path, names clearly more of the
// people it knows.
func suggest(to *console.Console, m *gallery.Gallery, path string) {
	rates, c, w := m.Rates(), m.Calibration, wordsFor(m.Pipeline)
	if rates == nil {
		return
	}
	wanted := fewNamed
	if few(c) {
		wanted = fewOfFew
	}
	if s, ok := c.Suggest(rates, wanted); ok {
		to.Hint("to name %s %% of the known %ss, accept %s %% of %s: nrdl calibrate %s --fpir %v",
			legible.Percent(s.Right), w.sample, legible.Percent(s.FPIR), w.others, path, s.FPIR)
	} else if c.Rates().Right < fewNamed {
		to.Hint("a higher FPIR hardly helps: add %ss of each %s", w.sample, w.class)
	}
}

// fewEach reports whether most people of m have so few photographs that a person with one
// photograph fewer is recognised clearly worse.
func fewEach(m *gallery.Gallery) bool {
	few, people := 0, m.People()
	for _, p := range people {
		if p.Faces > 0 && p.Faces <= fewPhotographs {
			few++
		}
	}
	return 2*few > len(people)
}

// Table lists what other target FPIRs would do; nil if that is not known.
func Table(m *gallery.Gallery) (lines []string) {
	rates := m.Rates()
	if rates == nil {
		return nil
	}
	note := ""
	if fewEach(m) {
		note = "; new photographs do better than this test, which must leave one photograph out"
	}
	tell := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	w := wordsFor(m.Pipeline)
	tell("known %ss that get a %s at other target FPIRs (--fpir), by %s held out%s:", w.sample, w.name,
		legible.Count(rates[0].Held, w.sample), note)
	tell("%8s %14s %14s", "FPIR %", "right "+w.name+" %", "wrong "+w.name+" %")
	for _, r := range rates {
		note := ""
		if r.Present {
			note += "  (current)"
		}
		if r.Extrapolated {
			note += "  (too few " + w.sample + "s of strangers to promise this FPIR)"
		}
		tell("%8s %14s %14s%s", legible.Percent(r.FPIR), legible.Percent(r.Right), legible.Percent(r.Wrong), note)
	}
	return lines
}

// why says why the threshold of c is too high.
func why(c *openset.Calibration) string {
	switch {
	case len(c.Strangers) > 0:
		return "; perhaps some of the given strangers are people of the model, or their photographs are of another kind " +
			"than the training photographs"
	case c.People < fewPeople && !c.FollowsLaw():
		return "; with so few people the threshold must be high to reject strangers"
	}
	return ""
}

// ofStrangers reports how many strangers m names. The margins of m are evidence.
func ofStrangers(to *console.Console, m *gallery.Gallery, calibrate string) {
	c := m.Calibration
	_, like := c.StrangerRates(m.Impostors())
	for _, line := range Strangers(m) {
		to.Detail("%s", line)
	}
	if c.SmallestFPIR() > c.FPIR {
		to.Warn("with %s an FPIR of %s %% is lower than any rate that was measured: its threshold is extrapolated",
			legible.People(c.People), legible.Percent(c.FPIR))
	}
	switch {
	case !to.Verbose:
	case !like.Known() && len(c.Strangers) == 0:
		to.Hint("a relative, or a stranger who resembles %s, gets a name more often; with photographs of other people from "+
			"the same place this is rarer: %s", peopleOf(c), calibrate)
	case like.High > unsure*c.FPIR:
		to.Hint("for a better estimate for strangers who resemble %s, give photographs of other people from the same place: %s",
			peopleOf(c), calibrate)
	}
}

// Strangers says in at most two lines which shares of strangers get a name by m, whose margins are
// evidence, and on which people that was measured.
func Strangers(m *gallery.Gallery) []string {
	c := m.Calibration
	if err := m.Usable(); err != nil && c.TooAlike() {
		return []string{"strangers: " + err.Error()}
	}
	atLarge, like := c.StrangerRates(m.Impostors())
	random, alike := atLarge.String()+" get a name", "not known"
	if !atLarge.Known() {
		random = fmt.Sprintf("about %s %% get a name; how sure that is, is not known", legible.Percent(atLarge.Rate))
	}
	if like.Known() {
		alike = fmt.Sprintf("%v get a name, estimated from %s", like, Known(m.Pipeline, c))
	}
	return []string{
		fmt.Sprintf("strangers chosen at random: %s; measured on %s", random, m.Impostors().Subjects()),
		fmt.Sprintf("strangers who resemble %s, such as relatives: %s", peopleOf(c), alike),
	}
}

// peopleOf names the people of a model with the calibration c.
func peopleOf(c *openset.Calibration) string {
	if c.People == 1 {
		return "this person"
	}
	return "these people"
}

// Enabling returns the command that computes a threshold for m, which has none. Path is the
// file of m.
func Enabling(m *gallery.Gallery, path string) string {
	const minPeople = 3 // one is left out, and two remain
	path = legible.ShellWord(path)
	switch {
	case m.Enrolled == nil:
		return "train the model again, without --calibrate 0"
	case len(m.Images().Classes) < minPeople && m.Impostors() == nil:
		w := wordsFor(m.Pipeline)
		return fmt.Sprintf("nrdl calibrate %s --strangers %s, with %s", path, w.place, w.give)
	}
	return "nrdl calibrate " + path
}

// Known says from what c, of a model with the input in, was estimated: "10 people and 30 faces of
// strangers". People are left out in turn.
func Known(in frontend.Pipeline, c *openset.Calibration) string { return wordsFor(in).known(c) }

func (w *words) known(c *openset.Calibration) string {
	var all []string
	if c.People > 0 {
		all = append(all, w.classes(c.People))
	}
	if len(c.Strangers) > 0 {
		all = append(all, legible.Count(len(c.Strangers), w.sample)+" of strangers")
	}
	return strings.Join(all, " and ")
}
