package threshold

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"nrdl.example/nrdl/cmd/nrdl/internal/console"
	"nrdl.example/nrdl/faces/explain"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/internal/legible"
)

// words are what the people and the faces of a model are called.
type words struct {
	classes             func(n int) string
	class, sample, name string
	stranger, others    string // one of none of the classes, and several
	give, place         string // what to give for a better threshold, and where it is
}

// wordsFor are those for a model with the input in: vectors have classes, and may be of anything.
func wordsFor(in frontend.Pipeline) *words {
	if in.SeesImages() {
		return &words{legible.People, "person", "face", "name", "stranger", "strangers", "photographs of other people", "DIR"}
	}
	return &words{
		legible.Classes, "class", "sample", "label", "sample of another class",
		"samples of other classes", "samples of other classes", "FILE.npz",
	}
}

// Summary says in a line who is in m, how many held-out faces got their name, and how many
// strangers will get one; and in another what to do next. Path is the file of m. Review is
// that of m; nil if it was not made. After a change of the file it has the test alone.
func Summary(to *console.Console, m *gallery.Gallery, path string, review *gallery.Review, changed bool) {
	names := m.Names()
	w := wordsFor(m.Pipeline)
	who := fmt.Sprintf("%s (%s)", w.classes(len(names)), legible.Abridged(names))
	if m.Enrolled != nil {
		_, faces := m.Enrolled.Len()
		who += ", " + legible.Count(faces, w.sample)
	}
	path = legible.ShellWord(path)
	use, then := "nrdl identify "+path+" PHOTOS", fmt.Sprintf("nrdl people %s (how well each %s is recognised)", path, w.class)
	if !m.SeesImages() {
		use = "nrdl predict " + path + " FILE"
	}
	if changed {
		then = "nrdl undo " + path + " (takes the change back)"
	}
	c := m.Calibration
	if c == nil {
		to.Tell("%s: every %s gets a %s", who, w.sample, w.name)
		to.Next("%s", use)
		return
	}
	if c.StrangersAreMembers() || c.Rates().Held > 0 && c.NearChance(len(names)) {
		return // the warning says what to do
	}
	if !changed {
		to.Tell("%s", who)
	}
	to.Tell("test: %s", m.Tested())
	if review != nil && len(review.Same) > 0 {
		Twice(to, &review.Survey, path)
	} else {
		suggest(to, m, path)
	}
	if few := weakest(review); few != "" && !changed {
		to.Tell("fewest names: %s: add photographs of them", few)
	}
	if err := m.Usable(); err != nil && c.TooAlike() {
		to.Warn("%v", err)
		to.Hint("photographs of at least 1,000 other people may help: nrdl calibrate %s --strangers DIR; --force names faces all the same", path)
		to.Next("%s", then)
		return
	} else if promise := Promise(m); promise != "" && !changed {
		to.Tell("%s", promise)
	}
	to.Next("%s, or %s", use, then)
}

// Promise says in a line how many strangers get a name by m; "" if nothing is known.
func Promise(m *gallery.Gallery) string {
	promise, w := m.Promise(), wordsFor(m.Pipeline)
	if promise == "" {
		return ""
	}
	return w.others + ": " + strings.ReplaceAll(promise, "a name", "a "+w.name)
}

// Suspects warns of photographs of a model that probably have a wrong name, and says how to correct
// each. Path is the file of the model, which was trained on data; "" if that is not known. People
// who may be one person have other hints (Twice).
func Suspects(to *console.Console, r *gallery.Review, path, data string) {
	path = legible.ShellWord(path)
	var names, commands []string
	for _, s := range r.Suspects {
		if !s.Probable() || s.Other != "" && slices.Contains(r.Others(s.Person), s.Other) {
			continue
		}
		like := "unlike the others of " + s.Person
		if s.Other != "" {
			like = "like " + s.Other
		}
		if s.Other != "" || !r.Halves(s) { // of two photographs nobody can tell which is wrong
			for _, c := range Corrections(r, s, path) {
				commands = append(commands, c.If+": "+c.Command)
			}
		}
		names = append(names, fmt.Sprintf("%s (%s)", s.ID, like))
	}
	if len(names) == 0 {
		return
	}
	to.Warn("%s probably with a wrong name: %s", legible.Count(len(names), "photograph"), legible.Abridged(names))
	for _, command := range commands[:min(maxSuspects, len(commands))] {
		to.Hint("%s", command)
	}
	folder, correct := "DIR", ""
	if data != "" {
		folder, correct = legible.ShellWord(data), "; correct the names in "+data+" too, before you train again"
	}
	to.Hint("to look at them: nrdl people %s --html people.html --photos %s%s", path, folder, correct)
}

// Corrections are the commands for s of the model at path, a word of the shell: each corrects it if the
// condition before it is true.
func Corrections(r *gallery.Review, s gallery.Suspect, path string) (all []explain.Correction) {
	other := cmp.Or(s.Other, s.Likeliest)
	if s.Other != "" && slices.Contains(r.Others(s.Person), s.Other) {
		return []explain.Correction{{
			If:      fmt.Sprintf("if %s and %s are one person", s.Person, s.Other),
			Command: merging(path, s.Person, s.Other),
		}}
	}
	if other != "" {
		all = append(all, explain.Correction{
			If: fmt.Sprintf("if %s shows %s", s.ID, other), Command: fmt.Sprintf("nrdl move %s %s", path, legible.Arguments(s.ID, other)),
		})
	}
	if s.Other == "" {
		all = append(all, explain.Correction{
			If: fmt.Sprintf("if %s shows nobody of the model", s.ID), Command: fmt.Sprintf("nrdl remove %s %s", path, legible.Arguments(s.ID)),
		})
	}
	return all
}

// merging is the command that joins two people of the model at path, which a folder of nrdl group that has no
// name yet does not name.
func merging(path, into, from string) string {
	if _, err := fmt.Sscanf(into, "person%04d", new(int)); err == nil {
		from, into = into, from
	}
	return fmt.Sprintf("nrdl rename %s --merge %s", path, legible.Arguments(from, into))
}

const maxSuspects = 5 // photographs that have lines of their own

// Twice warns of people in s who may be one person, and says how to join them. Path is the file of
// the model as a word of the shell.
func Twice(to *console.Console, s *gallery.Survey, path string) {
	for _, p := range s.Same[:min(len(s.Same), maxPairs)] {
		to.Warn("%s and %s may be one person", p.A, p.B)
		to.Hint("if so: %s, or put their photographs into one folder and train again", merging(path, p.A, p.B))
	}
	if n := len(s.Same) - maxPairs; n > 0 {
		to.Warn("%d more pairs of people may be one person each: nrdl people %s --html PAGE lists them", n, path)
	}
}

const maxPairs = 3 // pairs that have lines of their own

// weakest names at most three people with faces that were not recognised, the worst first. A
// photograph with a wrong name is no such face.
func weakest(r *gallery.Review) string {
	if r == nil {
		return ""
	}
	share := func(p *gallery.Person) float64 { return float64(*p.Known) / float64(p.Held) }
	people := slices.DeleteFunc(slices.Clone(r.People), func(p *gallery.Person) bool {
		return p.Known == nil || r.Others(p.Name) != nil || p.Held-*p.Known <= r.Mislabelled(p.Name)
	})
	slices.SortStableFunc(people, func(a, b *gallery.Person) int {
		switch {
		case share(a) < share(b):
			return -1
		case share(a) > share(b):
			return 1
		}
		return 0
	})
	const maxPeople = 3
	var worst []string
	for _, p := range people[:min(maxPeople, len(people))] {
		worst = append(worst, fmt.Sprintf("%s (%d of %s)", p.Name, *p.Known, legible.Count(p.Held, "face")))
	}
	return strings.Join(worst, ", ")
}
