package face

import (
	"slices"

	"nrdl.example/nrdl/faces/tags"
)

// Tagged returns the name of each face of a photograph, "" for those of nobody, by the regions of
// its tags: each by the one with the largest overlap. It returns the regions without a face, too. A
// single name without a region is that of a single face. The error is tags.ErrOpen if the regions may
// name two faces the one way or the other; then no face has a name.
func Tagged(p *tags.Photo, seen []Seen) (names []string, missing []tags.Region, err error) {
	names = make([]string, len(seen))
	boxes := make([]tags.Area, len(seen))
	for k, s := range seen {
		if s.Face != nil { // else an empty area, which nothing covers
			boxes[k] = p.Area(s.Face.Box)
		}
	}
	named := *p
	named.Regions = slices.DeleteFunc(slices.Clone(p.Regions), func(r tags.Region) bool { return r.Written })
	of, err := named.Match(boxes)
	if err != nil {
		return names, nil, err
	}
	usable := false
	for i, r := range named.Regions {
		switch {
		case !r.Usable():
			continue
		case of[i] < 0:
			missing = append(missing, r)
		case names[of[i]] == "":
			names[of[i]] = r.Name
		}
		usable = true
	}
	if !usable && len(p.Names) == 1 && len(seen) == 1 && !p.Weak {
		names[0] = p.Names[0]
	}
	return names, missing, nil
}
