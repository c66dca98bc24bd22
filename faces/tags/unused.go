package tags

import (
	"maps"
	"slices"
	"strings"

	"nrdl.example/nrdl/internal/kit/metadata"
	"nrdl.example/nrdl/internal/legible"
)

// A Keyword is one of a photograph, such as Ann or People|Ann.
type Keyword = metadata.Keyword

// Unused counts what tags say and cannot be used, by kind.
type Unused = metadata.Unused

// countNameless counts the regions that have no name.
func (p *Photo) countNameless() {
	for _, r := range p.Regions {
		if r.Name == "" {
			p.Unused.Count(metadata.UnusedName)
		}
	}
}

// OfKeywords counts the keywords of p that are names of people and say no more: below a keyword for
// people, or known to be a name, and not the name of a region or of PersonInImage.
func (p *Photo) OfKeywords(known func(name string) bool) (u Unused) {
	for _, k := range p.Keywords {
		used := slices.Contains(p.Names, k.Name) || slices.ContainsFunc(p.Regions, func(r Region) bool { return r.Name == k.Name })
		if (k.Person || known(k.Name)) && !used {
			u.Count(metadata.UnusedKeywords)
		}
	}
	return u
}

// Told says what u counts, in one line for each kind.
func Told(u Unused) (lines []string) {
	for _, kind := range slices.Sorted(maps.Keys(u)) {
		noun, more, _ := strings.Cut(kind, "|")
		lines = append(lines, legible.Count(u[kind], noun)+" "+more)
	}
	return lines
}
