package metadata

import "slices"

// Unused counts what tags say and cannot be used, by kind: a noun, a vertical line, and more words.
type Unused map[string]int

// The kinds.
const (
	UnusedPlace    = "region|with a name and no rectangle in the photograph"
	UnusedName     = "region|of a face without a name"
	UnusedKind     = "region|with a name that is not of a face, such as that of a pet"
	UnusedUnsaid   = "region|of IPTC with a name that may not be that of one person"
	UnusedForm     = "region|with a name in the form of ACDSee, which is not read"
	UnusedContact  = "face|of .picasa.ini without a rectangle or whose person it does not name"
	UnusedKeywords = "keyword|with the name of a person: it does not say which face is meant"
)

// countACDSee counts the regions of ACDSee in a description whose names no other region has. Their
// areas are not documented.
func (p *People) countACDSee(d *element) {
	const space = "http://ns.acdsee.com/regions/"
	info := d.child(space, "Regions")
	if info == nil {
		return
	}
	list := info.field(space, "RegionList")
	if list == nil {
		return
	}
	items := list.items()
	for _, item := range items[:min(len(items), maxPeople)] {
		name := item.value(space, "Name")
		if name != "" && !slices.ContainsFunc(p.Regions, func(r Region) bool { return r.Name == name }) {
			p.Unused.Count(UnusedForm)
		}
	}
}

// Count counts one of a kind.
func (u *Unused) Count(kind string) {
	if *u == nil {
		*u = Unused{}
	}
	(*u)[kind]++
}

// Add adds what other counts.
func (u *Unused) Add(other Unused) {
	for kind, n := range other {
		if *u == nil {
			*u = Unused{}
		}
		(*u)[kind] += n
	}
}
