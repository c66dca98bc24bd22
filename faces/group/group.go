// Package group divides faces that nobody has named into groups of the same person.
//
// Experimental: this package may change in any version.
package group

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/internal/parallel"
	"nrdl.example/nrdl/openset"
)

// Options say how faces are grouped. The defaults were chosen on alike50, of which halves and
// draws were looked at, and on lfw_cohort; FPIR on half of the people of each set: go -C tools run
// ./people prints what they do there and elsewhere.
type Options struct {
	// FPIR is the share of faces that may come into a group of another person.
	FPIR float64

	// A face that resembles other people more than people chosen at random do needs more to
	// join a group. How much it resembles them is the median of Rivals groups of the others,
	// the most similar ones but one, which may be the same person. It counts as 0 for so many
	// more rivals (PriorRivals), and has this Weight.
	Rivals      int
	PriorRivals float64
	Weight      float64

	MinGroup int // 0: 3; groups of so many faces take single faces and the faces of smaller groups
}

// Default are the options that were chosen.
var Default = Options{FPIR: 0.005, Rivals: 10, PriorRivals: 2, Weight: 0.25, MinGroup: 3}

// validate reports the first impossible option.
func (o Options) validate() error {
	if !(o.Rivals > 0) || !(o.PriorRivals >= 0) || !(o.Weight >= 0) {
		return fmt.Errorf("%d rivals, %v further ones of weight %v", o.Rivals, o.PriorRivals, o.Weight)
	}
	if o.MinGroup < 1 {
		return fmt.Errorf("MinGroup = %d is not ≥ 1", o.MinGroup)
	}
	return openset.Options{FPIR: o.FPIR, Prior: openset.Default.Prior}.Validate()
}

// A Group is faces that show one person.
type Group struct {
	Faces []int
	Loose bool // they may be several people: two parts of the group are no more similar than two strangers who resemble each other may be
}

// Faces groups the columns of x (d×n), vectors of unit norm. The impostor scores of the
// network that made them are l. Photographs has the photograph of each face, len n; nil if
// each face has another photograph. Two faces of one photograph are never put into one
// group. The result has the columns of each group, in ascending order. The largest group is
// the first; groups of equal size are in the order of their first columns.
//
// The two groups with the largest log likelihood ratio of their mean cosine are merged, again
// and again, while the ratio exceeds ln n/FPIR: the prior odds that two of n faces show the
// same person are about 1/n. This is done twice. The first groups tell how much each face
// resembles other people (see Options), so that the second ones keep people apart who look
// alike. Then each face in a group of fewer than MinGroup joins the most similar larger group
// if at most a share o.FPIR of strangers is as similar to it, or less where fewer faces are in
// larger groups than are not. A person may be split into two
// groups; two people are rarely merged.
func Faces(ctx context.Context, x *mat.Dense, photographs []int, l *openset.Impostors, o Options) ([]Group, error) {
	if x == nil || x.IsEmpty() {
		return nil, errors.New("group: there are no faces")
	}
	o.MinGroup = cmp.Or(o.MinGroup, Default.MinGroup)
	if err := cmp.Or(classify.NoContext(ctx), o.validate(), l.Validate(), lin.Finite("face", x)); err != nil {
		return nil, fmt.Errorf("group: %w", err)
	}
	_, n := x.Dims()
	if photographs != nil && len(photographs) != n {
		return nil, fmt.Errorf("group: %d photographs for %d faces", len(photographs), n)
	}
	shift := make([]float64, n)
	var groups []Group
	for pass := range 2 {
		if pass > 0 {
			shift = shifts(x, groups, l, o)
		}
		a := newAgglomeration(x, photographs, l, shift, o)
		if err := a.run(ctx); err != nil {
			return nil, fmt.Errorf("group: %w", err)
		}
		groups = a.groups()
	}
	if err := context.Cause(ctx); err != nil {
		return nil, fmt.Errorf("group: %w", err)
	}
	return sorted(attach(x, photographs, l, groups, shift, o)), nil
}

// sorted orders groups, and the faces in each.
func sorted(groups []Group) []Group {
	groups = slices.DeleteFunc(groups, func(g Group) bool { return len(g.Faces) == 0 })
	for _, g := range groups {
		slices.Sort(g.Faces)
	}
	slices.SortFunc(groups, func(a, b Group) int {
		return cmp.Or(len(b.Faces)-len(a.Faces), a.Faces[0]-b.Faces[0])
	})
	return groups
}

// meansOf returns the means of the faces of groups, d×g of unit norm, and how many they are.
func meansOf(x *mat.Dense, groups []Group) (means *mat.Dense, sizes []int) {
	starts, columns := []int{0}, []int(nil)
	for _, g := range groups {
		columns = append(columns, g.Faces...)
		starts, sizes = append(starts, len(columns)), append(sizes, len(g.Faces))
	}
	_, means = openset.Means(lin.Select(x, columns), starts)
	return means, sizes
}

// shifts returns how many deviates more each face resembles the other groups than a face of
// somebody chosen at random does.
func shifts(x *mat.Dense, groups []Group, l *openset.Impostors, o Options) []float64 {
	const but = 1 // the most similar group may be the same person
	_, n := x.Dims()
	shift := make([]float64, n)
	rivals := min(o.Rivals, len(groups)-1-but)
	if rivals < 1 {
		return shift
	}
	means, sizes := meansOf(x, groups)
	expected := make([]float64, rivals)
	for r := range expected { // Blom's approximation of the largest of so many normal numbers
		expected[r] = -distuv.UnitNormal.Quantile((float64(r+1+but) - 0.375) / (float64(len(groups)-1) + 0.25))
	}
	scale := float64(rivals) / (float64(rivals) + o.PriorRivals)
	parallel.For(len(groups), 1, func(own, _ int) {
		faces := groups[own].Faces
		cosines := mat.NewDense(len(groups), len(faces), nil)
		lin.AtB(cosines, 1, means, lin.Select(x, faces))
		for c, j := range faces {
			largest := make([]float64, 0, rivals+but+1) // deviates, descending
			for g, k := range sizes {
				z := l.Deviate(k, cosines.At(g, c))
				if g == own || len(largest) == rivals+but && z <= largest[rivals+but-1] {
					continue
				}
				at, _ := slices.BinarySearchFunc(largest, z, func(have, z float64) int { return cmp.Compare(z, have) })
				largest = slices.Insert(largest, at, z)
				largest = largest[:min(len(largest), rivals+but)]
			}
			excess := largest[but:]
			floats.Sub(excess, expected)
			slices.Sort(excess)
			shift[j] = scale * max(0, (excess[(rivals-1)/2]+excess[rivals/2])/2)
		}
	})
	return shift
}

// oddsOf is how many faces are in the first of groups, for each one in the others: the odds that a face is
// of a person who has such a group.
func oddsOf(groups []Group, first int) float64 {
	in, others := 0, 0
	for i, g := range groups {
		if i < first {
			in += len(g.Faces)
		} else {
			others += len(g.Faces)
		}
	}
	return float64(in) / float64(others)
}

// attach moves the faces of groups of fewer than MinGroup to the others. Where most faces are of people
// who have no such group, a face of them is as rarely moved to one as it would be right to move.
func attach(x *mat.Dense, photographs []int, l *openset.Impostors, groups []Group, shift []float64, o Options) []Group {
	slices.SortStableFunc(groups, func(a, b Group) int { return len(b.Faces) - len(a.Faces) })
	large := groups
	if i := slices.IndexFunc(groups, func(g Group) bool { return len(g.Faces) < o.MinGroup }); i >= 0 {
		large = groups[:i]
	}
	if len(large) == 0 || len(large) == len(groups) {
		return groups
	}
	means, sizes := meansOf(x, large)
	minEvidence := openset.AtLarge(o.FPIR*min(1, oddsOf(groups, len(large))), len(large))
	in := map[[2]int]bool{} // photographs of the large groups
	others := make([]float64, len(large))
	for i, g := range large {
		for _, j := range g.Faces {
			others[i] += shift[j] / float64(len(g.Faces))
			if photographs != nil {
				in[[2]int{i, photographs[j]}] = true
			}
		}
	}
	scores := mat.NewDense(len(large), 1, nil)
	for s := len(large); s < len(groups); s++ {
		groups[s].Faces = slices.DeleteFunc(groups[s].Faces, func(j int) bool {
			lin.AtB(scores, 1, means, lin.Cols(x, j, j+1))
			best, largest := -1, minEvidence
			for i, k := range sizes {
				z := l.Deviate(k, scores.At(i, 0)) - (others[i]+shift[j])/2
				if z >= largest && !(photographs != nil && in[[2]int{i, photographs[j]}]) {
					best, largest = i, z
				}
			}
			if best < 0 {
				return false
			}
			large[best].Faces = append(large[best].Faces, j)
			if photographs != nil {
				in[[2]int{best, photographs[j]}] = true
			}
			return true
		})
	}
	return groups
}

// A Listing is the part of Photographs that other programs read.
type Listing struct {
	Groups  []ListedGroup `json:"groups"`       // the groups, the largest first
	Without []string      `json:"without_face"` // files
}

// A ListedGroup is a group in a Listing.
type ListedGroup struct {
	Name  string       `json:"name"`                     // its folder; empty for a single face
	Loose bool         `json:"may_be_several,omitempty"` // whether it may be several people who look alike
	Faces []ListedFace `json:"faces"`                    // the faces of the group
}

// A ListedFace is a face in a Listing.
type ListedFace struct {
	File string `json:"file"`
	Box  [4]int `json:"box"` // left, top, right, bottom, pixels of the upright photograph
}

// Listing lists the groups of p.
func (p *Photographs) Listing() Listing {
	l := Listing{Groups: []ListedGroup{}, Without: []string{}}
	for i, members := range p.Groups {
		one := ListedGroup{Name: p.Folder(i), Loose: members.Loose && len(members.Faces) > 1}
		for _, f := range members.Faces {
			b := p.Faces[f].Box
			one.Faces = append(one.Faces, ListedFace{p.Paths[p.Faces[f].Photograph], [4]int{b.Min.X, b.Min.Y, b.Max.X, b.Max.Y}})
		}
		l.Groups = append(l.Groups, one)
	}
	for i, err := range p.Errors {
		if err != nil {
			l.Without = append(l.Without, p.Paths[i])
		}
	}
	return l
}
