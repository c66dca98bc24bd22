package face

import (
	"cmp"
	"slices"

	"nrdl.example/nrdl/tags"
)

// Tagged returns the name of each face of a photograph, "" for those of nobody, by the regions of
// its tags: each by the one with the largest overlap. It returns the regions without a face, too. A
// single name without a region is that of a single face.
func Tagged(p *tags.Photo, seen []Seen) (names []string, missing []tags.Region) {
	names = make([]string, len(seen))
	type pair struct {
		region, face int
		overlap      float64
	}
	var pairs []pair
	regions := slices.DeleteFunc(slices.Clone(p.Regions), func(r tags.Region) bool { return !r.Usable() })
	for i, r := range regions {
		for k, s := range seen {
			if s.Face == nil {
				continue
			}
			if box := p.Area(s.Face.Box); r.Covers(box) {
				pairs = append(pairs, pair{i, k, r.Overlap(box)})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(b.overlap, a.overlap) })
	found := make([]bool, len(regions))
	for _, q := range pairs {
		if !found[q.region] && names[q.face] == "" {
			found[q.region], names[q.face] = true, regions[q.region].Name
		}
	}
	for i, r := range regions {
		if !found[i] {
			missing = append(missing, r)
		}
	}
	if len(regions) == 0 && len(p.Names) == 1 && len(seen) == 1 && !p.Weak {
		names[0] = p.Names[0]
	}
	return names, missing
}
