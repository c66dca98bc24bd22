// Package group divides faces that nobody has named into groups of the same person.
package group

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/openset"
)

// Options say how faces are grouped.
type Options struct {
	// FPIR is the share of the faces of other people that may come into a group of
	// three or more when single faces are added to it.
	FPIR float64
}

// Default has the rate of openset.Default.
var Default = Options{FPIR: openset.Default.FPIR}

// Groups of at least leastGroup faces take single faces and pairs.
const leastGroup = 3

// Faces groups the columns of x (d×n), vectors of unit norm. The impostor scores of the
// network that made them are l. Photographs has the photograph of each face, len n; nil if
// each face has another photograph. Two faces of one photograph are never put into one
// group. The result has the columns of each group, in ascending order. The largest group is
// the first; groups of equal size are in the order of their first columns.
//
// First, the two groups with the largest log likelihood ratio of their mean cosine are
// merged, again and again, while the ratio exceeds ln n: the prior odds that two of n faces
// show the same person are about 1/n. Then each face in a group of one or two joins the most
// similar group of three or more if at most a share o.FPIR of strangers is as similar to it.
// A person may be split into two groups; two people are rarely merged.
func Faces(ctx context.Context, x *mat.Dense, photographs []int, l *openset.Impostors, o Options) ([][]int, error) {
	_, n := x.Dims()
	if photographs != nil && len(photographs) != n {
		return nil, fmt.Errorf("group: %d photographs for %d faces", len(photographs), n)
	}
	if err := (openset.Options{FPIR: o.FPIR, Prior: openset.Default.Prior}).Validate(); err != nil {
		return nil, fmt.Errorf("group: %w", err)
	}
	a := newAgglomeration(x, photographs, l)
	if err := a.run(ctx, math.Log(float64(n))); err != nil {
		return nil, fmt.Errorf("group: %w", err)
	}
	groups := a.groups()
	if err := context.Cause(ctx); err != nil {
		return nil, fmt.Errorf("group: %w", err)
	}
	return sorted(attach(x, photographs, l, groups, o.FPIR)), nil
}

// sorted orders groups, and the faces in each.
func sorted(groups [][]int) [][]int {
	groups = slices.DeleteFunc(groups, func(g []int) bool { return len(g) == 0 })
	for _, g := range groups {
		slices.Sort(g)
	}
	slices.SortFunc(groups, func(a, b []int) int {
		if d := len(b) - len(a); d != 0 {
			return d
		}
		return a[0] - b[0]
	})
	return groups
}

// attach moves the faces of groups of fewer than leastGroup to the others.
func attach(x *mat.Dense, photographs []int, l *openset.Impostors, groups [][]int, fpir float64) [][]int {
	var large []int // of groups
	starts, columns := []int{0}, []int(nil)
	var sizes, single, from []int
	for g, faces := range groups {
		if len(faces) >= leastGroup {
			large, columns = append(large, g), append(columns, faces...)
			starts, sizes = append(starts, len(columns)), append(sizes, len(faces))
			continue
		}
		for _, j := range faces {
			single, from = append(single, j), append(from, g)
		}
	}
	if len(large) == 0 || len(single) == 0 {
		return groups
	}
	_, means := openset.Means(lin.Select(x, columns), starts)
	cosines := mat.NewDense(len(large), len(single), nil)
	lin.AtB(cosines, 1, means, lin.Select(x, single))
	least := -math.Log10(fpir)
	in := map[[2]int]bool{} // photographs of the large groups
	for i, g := range large {
		for _, j := range groups[g] {
			if photographs != nil {
				in[[2]int{i, photographs[j]}] = true
			}
		}
	}
	for s, j := range single {
		scores := mat.Col(nil, s, cosines)
		l.Level(scores, sizes)
		best := -1
		for i, v := range scores {
			if (best < 0 || v > scores[best]) && !(photographs != nil && in[[2]int{i, photographs[j]}]) {
				best = i
			}
		}
		if best < 0 || l.Evidence(scores[best], len(large)) < least {
			continue
		}
		groups[large[best]] = append(groups[large[best]], j)
		groups[from[s]] = slices.DeleteFunc(groups[from[s]], func(k int) bool { return k == j })
		if photographs != nil {
			in[[2]int{best, photographs[j]}] = true
		}
	}
	return groups
}
