package reference

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
)

// A Result is the result of comparing a set with a database.
type Result struct {
	Database    *Database `json:"database"`
	Hash        string    `json:"hash"` // of the set
	Same        bool      `json:"same"` // the same pixels in the same order; of AR, as its protocol says
	People      int       `json:"people"`
	Images      int       `json:"images"`      // number of images
	Matches     int       `json:"found"`       // images of the set that are in the database, up to brightness and contrast
	Differences []string  `json:"differences"` // in sentences; empty if Same
}

// Check compares set with db or, if db is nil, with the most similar one of Databases.
func Check(set *dataset.Images, db *Database) (*Result, error) {
	here := Of("", set)
	if db == nil {
		all := Databases()
		most := 0
		for _, one := range all {
			if n := here.common(one, set); n > most {
				most, db = n, one
			}
		}
		if db == nil {
			var names []string
			for _, one := range all {
				names = append(names, one.Name)
			}
			names = append(names, AR.Name)
			return nil, advice.Add(errors.New("it shares no image, number of people or image size with any of the five databases"),
				"name what to compare it with: %s, or another data set", strings.Join(names, ", "))
		}
	}
	c := &comparison{here: here, there: db, set: set}
	c.compare()
	return &Result{
		Database: db, Hash: here.Hash, Same: len(c.findings) == 0, Differences: c.findings,
		People: len(here.Images), Images: len(here.prints), Matches: c.matches,
	}, nil
}

// common is a score of similarity: mainly the number of images of here that are in db, in
// any orientation, and a little for equal numbers of people and images.
func (here *Database) common(db *Database, set *dataset.Images) int {
	c := &comparison{here: here, there: db, set: set}
	n := 0
	if here.Length == db.Length {
		_, n = c.orientation()
		n *= 4
	}
	if slices.Equal(here.Images, db.Images) {
		n += 2
	}
	if here.Size == db.Size && len(here.Images) == len(db.Images) {
		n++
	}
	return n
}

// A comparison is of two sets, here and there.
type comparison struct {
	here, there *Database
	set         *dataset.Images // here
	prints      []fingerprint   // of here, upright
	partner     []int           // for each image of here the one there, or −1
	matches     int
	findings    []string
}

func (c *comparison) say(format string, args ...any) {
	c.findings = append(c.findings, fmt.Sprintf(format, args...))
}

func (c *comparison) compare() {
	here, there := c.here, c.there
	if there.isAR() {
		c.ar()
		return
	}
	if here.Hash == there.Hash && here.Size == there.Size {
		c.matches = len(here.prints)
		return
	}
	c.counts()
	c.prints = here.prints
	switch {
	case here.Size == (dataset.Size{}) && here.Length == there.Length && there.Size != here.Size:
		c.say("the size is not in the file: the images are %v, and are read as vectors of %d numbers (variables height and width)", there.Size, here.Length)
	case here.Size != there.Size || here.Length != there.Length:
		c.say("the images are %s, not %s", sized(here), sized(there))
	}
	if here.Length == there.Length {
		if o, _ := c.orientation(); o != 0 {
			c.say("the images are %s", orientations[o].description)
			c.prints = nil
			for j := range here.prints {
				c.prints = append(c.prints, fingerprintOf(orientations[o].turn(mat.Col(nil, j, c.set.X), there.Size), there.Size))
			}
		}
	}
	c.match()
	if c.matches == 0 {
		c.looks()
		return
	}
	c.people()
	c.unmatched()
	c.scale()
	if len(c.findings) == 0 { // images that differ in their order alone, and look the same
		c.say("images that are equal up to brightness have changed places")
	}
}

func sized(db *Database) string {
	if db.Size == (dataset.Size{}) {
		return fmt.Sprintf("vectors of %d numbers", db.Length)
	}
	return db.Size.String()
}

// counts compares how many people and images there are.
func (c *comparison) counts() {
	here, there := c.here.Images, c.there.Images
	if len(here) != len(there) {
		c.say("%d people, not %d", len(here), len(there))
	}
	if n, m := c.here.total(), c.there.total(); n != m {
		c.say("%d images, not %d", n, m)
	}
	if len(here) == len(there) && !slices.Equal(slices.Sorted(slices.Values(here)), slices.Sorted(slices.Values(there))) {
		var who []string
		for p := range here {
			if here[p] != there[p] {
				who = append(who, fmt.Sprintf("person %d has %d images, not %d", p+1, here[p], there[p]))
			}
		}
		c.say("%s", some(who))
	}
}

// total is the number of images.
func (db *Database) total() (n int) {
	for _, k := range db.Images {
		n += k
	}
	return n
}

// some joins a few parts of a sentence, and counts the others.
func some(all []string) string {
	const most = 5
	if len(all) <= most {
		return strings.Join(all, "; ")
	}
	return fmt.Sprintf("%s; and %d more", strings.Join(all[:most], "; "), len(all)-most)
}

// match finds the partner of each image of here in there: the image at the same position
// if it is equal, or else the first free one of the same person, or of any person.
func (c *comparison) match() {
	where := map[[5]byte][]int{}
	for r, p := range c.there.prints {
		where[p.key] = append(where[p.key], r)
	}
	c.partner = make([]int, len(c.prints))
	taken := make([]bool, len(c.there.prints))
	take := func(j, r int) {
		c.partner[j], taken[r] = r, true
		c.matches++
	}
	for j := range c.prints {
		c.partner[j] = -1
		if j < len(taken) && c.there.prints[j].key == c.prints[j].key {
			take(j, j)
		}
	}
	for j, p := range c.prints {
		free := slices.DeleteFunc(slices.Clone(where[p.key]), func(r int) bool { return taken[r] })
		if c.partner[j] >= 0 || len(free) == 0 {
			continue
		}
		person, _ := c.here.place(j)
		best := 0
		for i, r := range free {
			if of, _ := c.there.place(r); of == person {
				best = i
				break
			}
		}
		take(j, free[best])
	}
}

// people compares the order of the people, the labels of the images, and the order of the
// images of each person.
func (c *comparison) people() {
	meant := make([]int, len(c.here.Images)) // the person there that most images of a person are of; 0 for none
	first := 0
	for p, n := range c.here.Images {
		votes := map[int]int{}
		for j := first; j < first+n; j++ {
			if c.partner[j] >= 0 {
				q, _ := c.there.place(c.partner[j])
				if votes[q]++; votes[q] > votes[meant[p]] {
					meant[p] = q
				}
			}
		}
		first += n
	}
	var moved, wrong, shuffled []string
	for p, q := range meant {
		if q > 0 && q != p+1 {
			moved = append(moved, fmt.Sprintf("person %d is person %d there", p+1, q))
		}
	}
	last := map[int]int{}
	mixed := map[int]bool{}
	for j, r := range c.partner {
		if r < 0 {
			continue
		}
		p, n := c.here.place(j)
		q, m := c.there.place(r)
		if q != meant[p-1] {
			wrong = append(wrong, fmt.Sprintf("image %d of person %d is image %d of person %d there", n, p, m, q))
			continue
		}
		if m < last[p] && !mixed[p] {
			mixed[p] = true
			shuffled = append(shuffled, fmt.Sprintf("person %d", p))
		}
		last[p] = m
	}
	if len(moved) > 0 {
		c.say("the people are in another order, so that random splits draw other images: %s", some(moved))
	}
	if len(wrong) > 0 {
		c.say("%s under another person, so that labels are wrong: %s", images(len(wrong), "is", "are"), some(wrong))
	}
	if len(shuffled) > 0 {
		c.say("the images of %d of %d people are in another order, so that splits choose other training images: %s",
			len(shuffled), len(meant), some(shuffled))
	}
}

func images(n int, one, many string) string {
	if n == 1 {
		return "1 image " + one
	}
	return fmt.Sprintf("%d images %s", n, many)
}

// unpaired returns the images of there without a partner, by person and number.
func (c *comparison) unpaired() map[[2]int]int {
	taken := make([]bool, len(c.there.prints))
	for _, r := range c.partner {
		if r >= 0 {
			taken[r] = true
		}
	}
	at := map[[2]int]int{}
	for r := range taken {
		if !taken[r] {
			p, n := c.there.place(r)
			at[[2]int{p, n}] = r
		}
	}
	return at
}

// unmatched reports the images that are only here or only there.
func (c *comparison) unmatched() {
	at := c.unpaired()
	twins := map[[5]byte]int{} // the first image here with this key
	for j, p := range c.prints {
		if _, twice := twins[p.key]; !twice && c.partner[j] >= 0 {
			twins[p.key] = j
		}
	}
	var altered, twice, extra []string
	for j, r := range c.partner {
		if r >= 0 {
			continue
		}
		p, n := c.here.place(j)
		twin, double := twins[c.prints[j].key]
		there, replaced := at[[2]int{p, n}]
		switch {
		case double:
			q, m := c.here.place(twin)
			twice = append(twice, fmt.Sprintf("image %d of person %d is the same as image %d of person %d", n, p, m, q))
		case replaced && c.prints[j].looksLike(&c.there.prints[there]):
			altered = append(altered, fmt.Sprintf("image %d of person %d differs, and looks like the same photograph", n, p))
			delete(at, [2]int{p, n})
		case replaced:
			altered = append(altered, fmt.Sprintf("image %d of person %d differs, and shows something else", n, p))
			delete(at, [2]int{p, n})
		default:
			extra = append(extra, fmt.Sprintf("image %d of person %d", n, p))
		}
	}
	var missing []string
	for _, r := range slices.Sorted(maps.Values(at)) {
		p, n := c.there.place(r)
		missing = append(missing, fmt.Sprintf("image %d of person %d", n, p))
	}
	for _, list := range []struct {
		format string
		images []string
	}{
		{"%s changed: %s", altered},
		{"%s there twice: %s", twice},
		{"%s missing: %s", missing},
		{"%s added: %s", extra},
	} {
		if n := len(list.images); n > 0 {
			c.say(list.format, images(n, "is", "are"), some(list.images))
		}
	}
}

// place returns the person of image j and its number among the images of this person, both
// from 1.
func (db *Database) place(j int) (person, n int) {
	for p, images := range db.Images {
		if j < images {
			return p + 1, j + 1
		}
		j -= images
	}
	panic("reference: no such image")
}
