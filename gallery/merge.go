package gallery

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"maps"
	"math"
	"path"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"nrdl.example/nrdl/internal/natural"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/dataset"
)

// A MergeReport says what happened to the images that Merge added.
type MergeReport struct {
	Added   int
	Skipped []string    // IDs of images that were there already, with equal pixels
	Renamed [][2]string // old and new ID of images whose ID another image had
	Twice   [][2]string // IDs of equal images of two people: one of the names is wrong
}

// Merge returns the images of s and of more, which have the same Frame; it
// changes neither. The result equals reading one folder with all of them:
// people, and the images of the people in more, are in natural order of their
// IDs. So the order of merging does not matter, except for images with equal
// IDs: one with equal pixels is left out, others get a number, ann/1~2.jpg.
func Merge(s, more *dataset.Images) (*dataset.Images, MergeReport, error) {
	d, _ := more.X.Dims()
	if s.X != nil {
		d, _ = s.X.Dims()
	}
	if err := mergeable(s.Frame, d, more); err != nil {
		return nil, MergeReport{}, err
	}
	m := newMerger(s, more)
	for j := range more.Groups[len(more.Classes)] {
		m.add(more, j)
	}
	m.findDuplicates()
	return m.set(), m.MergeReport, nil
}

// mergeable reports why images of f, of dx numbers each, cannot be merged with more.
func mergeable(f dataset.Frame, dx int, more *dataset.Images) error {
	if !f.Same(more.Frame) {
		return fmt.Errorf("merge: images of %v, and others of %v", f, more.Frame)
	}
	if d, _ := more.X.Dims(); d != dx {
		return fmt.Errorf("merge: images of %d numbers, and others of %d", dx, d)
	}
	if err := dataset.CheckNames(more.Classes); err != nil {
		return fmt.Errorf("merge: %w", err)
	}
	return nil
}

// An entry is an image of a set that is being put together.
type entry struct {
	id      string
	quality dataset.Quality
	pixels  []float64
	isNew   bool
}

// A merger is Images being put together, in the units of the first.
type merger struct {
	MergeReport
	first   *dataset.Images
	ids     bool // whether images have IDs
	quality bool
	people  map[string][]entry
	changed map[string]bool // whom the second set has
}

func newMerger(s, more *dataset.Images) *merger {
	m := &merger{
		first: s, ids: s.IDs != nil || more.IDs != nil, quality: s.Quality != nil || more.Quality != nil,
		people: map[string][]entry{}, changed: map[string]bool{},
	}
	for j := range s.Groups[len(s.Classes)] {
		name, e := m.entry(s, j)
		m.people[name] = append(m.people[name], e)
	}
	return m
}

// entry is image j of s, and whose it is.
func (m *merger) entry(s *dataset.Images, j int) (string, entry) {
	c := s.ClassOf(j)
	e := entry{pixels: mat.Col(nil, j, s.X)}
	switch {
	case s.IDs != nil:
		e.id = s.IDs[j]
	case m.ids:
		e.id = inventedID(s.Classes[c], j-s.Groups[c])
	}
	if s.Quality != nil {
		e.quality = s.Quality[j]
	}
	if f := s.Scale() / m.first.Scale(); f != 1 {
		for i := range e.pixels {
			e.pixels[i] *= f
		}
	}
	if s.AreFaces() {
		for i, v := range e.pixels {
			e.pixels[i] = float64(float32(v)) // as Keep keeps them
		}
	}
	return s.Classes[c], e
}

// inventedID is that of image j of a person whose images have none.
func inventedID(person string, j int) string { return fmt.Sprintf("%s/%04d", person, j+1) }

// add takes in image j of s.
func (m *merger) add(s *dataset.Images, j int) {
	name, e := m.entry(s, j)
	m.changed[name] = true
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
	e.isNew = true
	m.people[name] = append(m.people[name], e)
}

// findDuplicates finds the images that were added and that somebody else has too.
func (m *merger) findDuplicates() {
	type place struct {
		name string
		entry
	}
	seed := maphash.MakeSeed()
	there := map[uint64][]place{}
	names := slices.SortedFunc(maps.Keys(m.people), natural.Compare)
	for _, name := range names {
		for _, e := range m.people[name] {
			key := e.hash(seed)
			for _, o := range there[key] {
				if (e.isNew || o.isNew) && o.name != name && slices.Equal(o.pixels, e.pixels) {
					m.Twice = append(m.Twice, [2]string{o.id, e.id})
				}
			}
			there[key] = append(there[key], place{name, e})
		}
	}
}

func (e entry) hash(seed maphash.Seed) uint64 {
	b := make([]byte, 0, 8*len(e.pixels))
	for _, v := range e.pixels {
		b = binary.LittleEndian.AppendUint64(b, math.Float64bits(v+0)) // −0 is 0
	}
	return maphash.Bytes(seed, b)
}

// nextID is the n-th of the IDs that would be id: ann/1~2.jpg.
func nextID(id string, n int) string {
	ext := path.Ext(id)
	return fmt.Sprintf("%s~%d%s", strings.TrimSuffix(id, ext), n, ext)
}

// set is what was put together.
func (m *merger) set() *dataset.Images {
	t := dataset.Unlabelled(nil, m.first.Frame)
	t.Groups, t.White = []int{0}, m.first.White
	t.Classes = slices.SortedFunc(maps.Keys(m.people), natural.Compare)
	var all []entry
	for _, name := range t.Classes {
		own := m.people[name]
		if m.changed[name] {
			slices.SortStableFunc(own, func(a, b entry) int { return comparePaths(a.id, b.id) })
		}
		all = append(all, own...)
		t.Groups = append(t.Groups, len(all))
	}
	t.X = mat.NewDense(len(all[0].pixels), len(all), nil)
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
	return slices.CompareFunc(strings.Split(a, "/"), strings.Split(b, "/"), natural.Compare)
}

var errNobody = errors.New("nobody would be left")

// Without returns s without the images of people. It is an error if s does not
// have one of them.
func Without(s *dataset.Images, people ...string) (*dataset.Images, error) {
	keep, _, err := divide(s, people)
	if err != nil {
		return nil, err
	}
	if len(keep) == 0 {
		return nil, errNobody
	}
	return s.Select(keep), nil
}

// divide returns the columns of other people, and those of people.
func divide(s *dataset.Images, people []string) (others, own []int, err error) {
	for _, name := range people {
		if !slices.Contains(s.Classes, name) {
			return nil, nil, advice.Unknown("person", name, s.Classes)
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

// Rename returns s with another name for a person. The folder in the IDs of
// their images changes too, as if the folder had been renamed before reading.
// If somebody has that name already, the images of both are merged, as by
// Merge.
func Rename(s *dataset.Images, from, to string) (*dataset.Images, MergeReport, error) {
	others, own, err := divide(s, []string{from})
	if err != nil {
		return nil, MergeReport{}, err
	}
	renamed := s.Select(own)
	if err := rename(renamed, to); err != nil {
		return nil, MergeReport{}, err
	}
	if len(others) == 0 {
		return renamed, MergeReport{Added: len(own)}, nil
	}
	return Merge(s.Select(others), renamed)
}

// rename gives another name to the only person of s.
func rename(s *dataset.Images, to string) error {
	if err := dataset.CheckName(to); err != nil {
		return err
	}
	for j, id := range s.IDs {
		if rest, ok := strings.CutPrefix(id, s.Classes[0]+"/"); ok {
			s.IDs[j] = to + "/" + rest
		}
	}
	s.Classes = []string{to}
	return nil
}
