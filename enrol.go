package nrdl

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/fvbommel/sortorder"
	"golang.org/x/text/unicode/norm"
	"gonum.org/v1/gonum/mat"

	"nrdl/internal/hint"
	"nrdl/internal/legible"
)

// maxName bounds the name of a person: file systems allow a folder no more than
// 255 bytes.
const maxName = 200

// Unknown is what a stranger is called in place of a name.
const Unknown = "unknown"

// CheckName reports why name cannot be that of a person, which is the name of a
// folder too. It holds for every way into a Set or a Model. Accents, spaces
// inside and emoji are fine; what cannot be seen is not, since two names would
// look alike.
func CheckName(name string) error {
	switch {
	case strings.TrimSpace(name) == "":
		return hint.Add(errors.New("the name is empty"), "give one, for example ann")
	case !utf8.ValidString(name):
		return hint.Add(fmt.Errorf("the name %q is not valid UTF-8", name), "write it in UTF-8")
	case len(name) > maxName:
		return hint.Add(fmt.Errorf("the name %.20q… has %d bytes, at most %d are allowed", name, len(name), maxName), "shorten it")
	case !legible.Is(name) || strayVariation(name):
		return hint.Add(fmt.Errorf("the name %+q holds a character that cannot be seen: a control character, the end of a line, or one of no width", name),
			"write it in one line, of letters, digits, spaces and signs")
	case strings.ContainsAny(name, `/\`):
		return hint.Add(fmt.Errorf("the name %q holds a slash or a backslash", name), "a name is that of one folder: write ann-smith in place of ann/smith")
	case strings.HasPrefix(name, "."):
		return hint.Add(fmt.Errorf("the name %q begins with a dot, as hidden folders do", name), "give the name of a person")
	case strings.EqualFold(norm.NFKC.String(name), Unknown):
		return hint.Add(fmt.Errorf("the name %q is what strangers are called", name),
			"give a person another name; photographs of strangers are for --strangers")
	case strings.TrimSpace(name) != name:
		return hint.Add(fmt.Errorf("the name %q begins or ends with a space", name), "leave the space out")
	}
	return nil
}

// strayVariation reports a variation selector, which cannot be seen, after what
// has no variants: emoji and ideographs have them.
func strayVariation(name string) bool {
	last := ' '
	for _, r := range name {
		if unicode.Is(unicode.Variation_Selector, r) && !unicode.In(last, unicode.S, unicode.Ideographic) {
			return true
		}
		last = r
	}
	return false
}

// checkNames reports the first of the names of classes that no person can have,
// or that two of them have, in whichever form accents are written.
func checkNames(names []string) error {
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		if err := CheckName(name); err != nil {
			return err
		}
		plain := norm.NFC.String(name)
		if seen[plain] {
			return fmt.Errorf("two classes are named %q", name)
		}
		seen[plain] = true
	}
	return nil
}

// A MergeReport says what became of the images that Merge added.
type MergeReport struct {
	Added   int
	Skipped []string    // IDs of those that were there already, pixel by pixel
	Renamed [][2]string // ID and new ID of those whose ID another image had
	Twice   [][2]string // IDs of one image that two people have: one of the names is wrong
}

// Merge returns the images of s and of more, which are of the same Input; it
// changes neither. The result is what opening a folder gives in which all of
// them lie: people, and the images of those whom more has, in natural order of
// their IDs. So the order in which sets are merged does not matter, but for
// images of one ID: one that has the pixels of the first is left out, and others
// get a number, ann/1~2.jpg.
func (s *Set) Merge(more *Set) (*Set, MergeReport, error) {
	if a, b := s.Input.String(), more.Input.String(); a != b || s.Projection != nil || more.Projection != nil {
		return nil, MergeReport{}, fmt.Errorf("merge: images of %v, and others of %v", s.Input, more.Input)
	}
	ds, _ := s.X.Dims()
	if d, _ := more.X.Dims(); d != ds {
		return nil, MergeReport{}, fmt.Errorf("merge: images of %d numbers, and others of %d", ds, d)
	}
	if err := checkNames(more.Classes); err != nil {
		return nil, MergeReport{}, fmt.Errorf("merge: %w", err)
	}
	m := newMerging(s, more)
	for j := range more.Groups[len(more.Classes)] {
		m.add(more, j)
	}
	m.twice()
	return m.set(), m.MergeReport, nil
}

// An entry is an image of a set that is being put together.
type entry struct {
	id      string
	quality Quality
	pixels  []float64
	added   bool
}

// A merging is a Set being put together, in the units of the first.
type merging struct {
	MergeReport
	first   *Set
	ids     bool // whether images have IDs
	quality bool
	people  map[string][]entry
	touched map[string]bool // whom the second set has
}

func newMerging(s, more *Set) *merging {
	m := &merging{
		first: s, ids: s.IDs != nil || more.IDs != nil, quality: s.Quality != nil || more.Quality != nil,
		people: map[string][]entry{}, touched: map[string]bool{},
	}
	for j := range s.Groups[len(s.Classes)] {
		name, e := m.entry(s, j)
		m.people[name] = append(m.people[name], e)
	}
	return m
}

// entry is image j of s, and whose it is.
func (m *merging) entry(s *Set, j int) (string, entry) {
	c := s.ClassOf(j)
	e := entry{pixels: mat.Col(nil, j, s.X)}
	switch {
	case s.IDs != nil:
		e.id = s.IDs[j]
	case m.ids:
		e.id = fmt.Sprintf("%s/%04d", s.Classes[c], j-s.Groups[c]+1)
	}
	if s.Quality != nil {
		e.quality = s.Quality[j]
	}
	if f := s.scale() / m.first.scale(); f != 1 {
		for i := range e.pixels {
			e.pixels[i] *= f
		}
	}
	if s.Input.ArePixels() {
		for i, v := range e.pixels {
			e.pixels[i] = float64(float32(v)) // as Learn keeps them
		}
	}
	return s.Classes[c], e
}

// add takes in image j of s.
func (m *merging) add(s *Set, j int) {
	name, e := m.entry(s, j)
	m.touched[name] = true
	asked := e.id
	for n := 2; m.ids; n++ {
		i := slices.IndexFunc(m.people[name], func(o entry) bool { return o.id == e.id })
		if i < 0 {
			break
		}
		if slices.Equal(m.people[name][i].pixels, e.pixels) {
			m.Skipped = append(m.Skipped, asked)
			return
		}
		e.id = nextID(asked, n)
	}
	if e.id != asked {
		m.Renamed = append(m.Renamed, [2]string{asked, e.id})
	}
	m.Added++
	e.added = true
	m.people[name] = append(m.people[name], e)
}

// twice finds the images that were added and that somebody else has too.
func (m *merging) twice() {
	type place struct {
		name string
		entry
	}
	seed := maphash.MakeSeed()
	there := map[uint64][]place{}
	names := slices.SortedFunc(maps.Keys(m.people), sortorder.NaturalCompare)
	for _, name := range names {
		for _, e := range m.people[name] {
			key := e.hash(seed)
			for _, o := range there[key] {
				if (e.added || o.added) && o.name != name && slices.Equal(o.pixels, e.pixels) {
					m.Twice = append(m.Twice, [2]string{o.id, e.id})
				}
			}
			there[key] = append(there[key], place{name, e})
		}
	}
}

func (e entry) hash(seed maphash.Seed) uint64 {
	var h maphash.Hash
	h.SetSeed(seed)
	for _, v := range e.pixels {
		maphash.WriteComparable(&h, v)
	}
	return h.Sum64()
}

// nextID is the n-th of the IDs that would be id: ann/1~2.jpg.
func nextID(id string, n int) string {
	ext := path.Ext(id)
	return fmt.Sprintf("%s~%d%s", strings.TrimSuffix(id, ext), n, ext)
}

// set is what was put together.
func (m *merging) set() *Set {
	t := &Set{Groups: []int{0}, Input: m.first.Input, White: m.first.White}
	t.Classes = slices.SortedFunc(maps.Keys(m.people), sortorder.NaturalCompare)
	var all []entry
	for _, name := range t.Classes {
		own := m.people[name]
		if m.touched[name] {
			slices.SortStableFunc(own, func(a, b entry) int { return comparePaths(a.id, b.id) })
		}
		all = append(all, own...)
		t.Groups = append(t.Groups, len(all))
	}
	d, _ := m.first.X.Dims()
	t.X = mat.NewDense(d, len(all), nil)
	for j, e := range all {
		t.X.SetCol(j, e.pixels)
		if m.ids {
			t.IDs = append(t.IDs, e.id)
		}
		if m.quality {
			t.Quality = append(t.Quality, e.quality)
		}
	}
	return t
}

// comparePaths orders paths as a walk through their folders meets them, each in
// natural order.
func comparePaths(a, b string) int {
	return slices.CompareFunc(strings.Split(a, "/"), strings.Split(b, "/"), sortorder.NaturalCompare)
}

// Without returns the images of s but for those of people, all of whom it must
// know.
func (s *Set) Without(people ...string) (*Set, error) {
	keep, _, err := s.divide(people)
	if err != nil {
		return nil, err
	}
	if len(keep) == 0 {
		return nil, errors.New("nobody would be left")
	}
	return s.Select(keep), nil
}

// divide returns the columns of other people, and those of people.
func (s *Set) divide(people []string) (others, own []int, err error) {
	for _, name := range people {
		if !slices.Contains(s.Classes, name) {
			return nil, nil, hint.Unknown("person", name, s.Classes)
		}
	}
	for j := range s.Groups[len(s.Classes)] {
		if slices.Contains(people, s.Classes[s.ClassOf(j)]) {
			own = append(own, j)
		} else {
			others = append(others, j)
		}
	}
	return others, own, nil
}

// Rename returns s with another name for a person, also as the folder that the
// IDs of their images begin with: what opening a folder gives in which that of
// the person is called so. Where there is somebody of that name, their images
// become those of one person, as Merge puts them together.
func (s *Set) Rename(from, to string) (*Set, MergeReport, error) {
	others, own, err := s.divide([]string{from})
	if err != nil {
		return nil, MergeReport{}, err
	}
	if err := CheckName(to); err != nil {
		return nil, MergeReport{}, err
	}
	renamed := s.Select(own)
	renamed.Classes = []string{to}
	for j, id := range renamed.IDs {
		if rest, ok := strings.CutPrefix(id, from+"/"); ok {
			renamed.IDs[j] = to + "/" + rest
		}
	}
	if len(others) == 0 {
		return renamed, MergeReport{}, nil
	}
	return s.Select(others).Merge(renamed)
}

// Relearn learns from images, as m keeps them, what m would be had it been learnt
// from them: with method, which learnt m, its Input and its seed, and without a
// calibration. The Input stays even where another would be chosen for so many
// people. Where run.Warm is m, what m knows of people whose images have not
// changed in number is where method starts, if it iterates. The error wraps
// ErrForgotten where m keeps no images.
func (m *Model) Relearn(ctx context.Context, method Method, images *Set, run Run) (*Model, error) {
	if m.p.Enrolled == nil {
		return nil, ErrForgotten
	}
	run.Seed = m.p.Seed
	return Learn(ctx, images, m.p.Input, method, run)
}
