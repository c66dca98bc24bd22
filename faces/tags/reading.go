package tags

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"nrdl.example/nrdl/internal/kit/metadata"
)

// A reading says how the areas of a packet are meant, in a photograph that is stored turned. By the
// standard they are those of the stored image. Lightroom writes these beside the width and the height
// of the upright image, and other programs write areas of the upright image.
type reading struct {
	packet  int  // areas of one packet are read in one way; 0 where there is one way only
	upright bool // areas are those of the upright photograph
	two     bool // they may be those of the other image
	open    bool // none of the two is more likely
}

// readingOf is that of the regions in a packet of f. It is an error if neither the stored nor the
// upright image has the shape of the one to which they apply.
func (f *file) readingOf(people *metadata.People) (reading, error) {
	w, h := people.Dimensions[0], people.Dimensions[1]
	stored := w == 0 || h == 0 || f.Width == 0 || f.Height == 0 || alike(w, h, f.Width, f.Height)
	switch {
	case !stored && !(f.Orientation >= 5 && alike(w, h, f.Height, f.Width)):
		return reading{},
			fmt.Errorf("%s: its regions are of an image of %d×%d pixels, and it has %d×%d: it was cut or turned after its faces were tagged",
				f.path, w, h, f.Width, f.Height)
	case f.Orientation == 1 || people.Turn == metadata.QuarterTurns:
		return reading{}, nil
	case people.Turn == metadata.NoTurn && !stored:
		return reading{upright: true}, nil
	}
	return reading{upright: !stored, two: true, open: !stored}, nil
}

// alike reports whether an image of w×h can be a smaller or larger copy of one of u×v: sides of
// a small copy are rounded.
func alike(w, h, u, v int) bool {
	a, b := float64(w)*float64(v), float64(h)*float64(u)
	return math.Abs(a-b) <= 0.01*max(a, b)
}

// region is r of a photograph with this orientation.
func (g reading) region(r metadata.Region, orientation int) Region {
	area, other := r.Area.Turned(orientation), r.Area
	if g.upright {
		area, other = other, area
	}
	if !g.two {
		other = Area{}
	}
	return Region{Area: area, Name: r.Name, Written: r.Ours, reading: g, alternative: other}
}

// ErrOpen is the error of regions that may be of the stored or of the upright image.
var ErrOpen = errors.New("its regions may be those of the photograph before or after it is turned, and the faces do not tell")

// Match returns for each region of p with a usable name the face that it is of, by its index among
// boxes, the areas of the faces in the photograph; -1 if there is none. Where regions may be of the
// stored or of the upright image, the reading by which more of them lie on faces counts, and p has
// their areas by it afterwards. It returns ErrOpen if that does not decide.
func (p *Photo) Match(boxes []Area) ([]int, error) {
	err := p.decide(boxes)
	var usable []Region
	var at []int
	of := make([]int, len(p.Regions))
	for i, r := range p.Regions {
		if of[i] = -1; r.Usable() {
			usable, at = append(usable, r), append(at, i)
		}
	}
	faces := assign(usable, boxes)
	for j, r := range usable {
		of[at[j]] = faces[j]
		for k, q := range usable { // two packets may have one region
			if faces[j] < 0 && faces[k] >= 0 && q.Name == r.Name && q.Overlap(r.Area) > sameFace {
				of[at[j]] = faces[k]
			}
		}
	}
	return of, err
}

// decide chooses between the readings of all packets.
func (p *Photo) decide(boxes []Area) (err error) {
	for i := range p.Regions {
		if r := p.Regions[i].reading; r.two {
			err = cmp.Or(err, p.choose(r, boxes))
		}
	}
	return err
}

// choose chooses between the readings of the regions of one packet.
func (p *Photo) choose(g reading, boxes []Area) error {
	var one, two []Region
	for _, r := range p.Regions {
		if r.reading == g && !r.Written {
			one = append(one, r)
			r.Area = r.alternative
			two = append(two, r)
		}
	}
	first, second := assign(one, boxes), assign(two, boxes)
	n, m := found(first), found(second)
	change := m > n && (g.open || n == 0 && m == len(two))
	for i := range p.Regions {
		if r := &p.Regions[i]; r.reading == g {
			if change {
				r.Area, r.reading.upright = r.alternative, !g.upright
			}
			r.reading.two, r.alternative = false, Area{}
		}
	}
	if g.open && n == m && (n == 0 || !slices.Equal(first, second)) {
		return ErrOpen
	}
	return nil
}

func found(of []int) (n int) {
	for _, face := range of {
		if face >= 0 {
			n++
		}
	}
	return n
}

// assign returns for each region the index of its face among boxes, -1 for none: pairs with more overlap
// come first, and none has two faces or two regions.
func assign(regions []Region, boxes []Area) []int {
	type pair struct {
		region, face int
		overlap      float64
	}
	var pairs []pair
	of := make([]int, len(regions))
	for i, r := range regions {
		of[i] = -1
		for k, box := range boxes {
			if r.Covers(box) {
				pairs = append(pairs, pair{i, k, r.Overlap(box)})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(b.overlap, a.overlap) })
	taken := map[int]bool{}
	for _, q := range pairs {
		if of[q.region] < 0 && !taken[q.face] {
			of[q.region], taken[q.face] = q.face, true
		}
	}
	return of
}
