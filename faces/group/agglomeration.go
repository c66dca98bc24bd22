package group

import (
	"context"
	"math"
	"slices"
	"sort"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/openset"
)

// An agglomeration merges groups of faces.
//
// Each group knows its best partner so far. Where that was merged with another, what
// is known is a bound of what is left, and the best partner is searched again when
// the bound is the largest of all.
type agglomeration struct {
	l        *openset.Impostors
	sums     *mat.Dense // d×g, of the faces of each group
	members  [][]int
	shift    []float64      // mean of the faces, see SameRatio
	distinct []float64      // photographs, see openset.Impostors.Distinct
	weakest  []float64      // the least ratio of all merges, with shifts in full
	weight   float64        // of shifts
	minRatio float64        // ratio of groups that merge
	photos   []map[int]bool // of groups with photographs that have several faces; nil without
	best     []int          // partner
	value    []float64      // log likelihood ratio with best; −∞ for a group that was merged
	stale    []bool         // value is a bound
	alive    int
	cosines  *mat.Dense // g×1, work space
}

// newAgglomeration starts from the columns of x, with these shifts.
func newAgglomeration(x *mat.Dense, photographs []int, l *openset.Impostors, shift []float64, o Options) *agglomeration {
	_, n := x.Dims()
	a := &agglomeration{
		l: l, sums: mat.DenseCopyOf(x), members: make([][]int, n), photos: make([]map[int]bool, n),
		shift: slices.Clone(shift), distinct: slices.Repeat([]float64{1}, n), weakest: slices.Repeat([]float64{math.Inf(1)}, n),
		weight: o.Weight, minRatio: math.Log(float64(n) / o.FPIR),
		best: make([]int, n), value: make([]float64, n), stale: make([]bool, n), alive: n, cosines: mat.NewDense(n, 1, nil),
	}
	faces := map[int]int{}
	for _, p := range photographs {
		faces[p]++
	}
	for j := range n {
		a.members[j] = []int{j}
		if photographs != nil && faces[photographs[j]] > 1 {
			a.photos[j] = map[int]bool{photographs[j]: true}
		}
	}
	a.pairs(x)
	return a
}

// together is how many faces are compared with all others at a time.
const together = 256

// pairs finds the best partner of each face, if it has one with which it may merge.
func (a *agglomeration) pairs(x *mat.Dense) {
	_, n := x.Dims()
	cosines, floor := mat.NewDense(n, min(n, together), nil), a.floor()
	for lo := 0; lo < n; lo += together {
		hi := min(n, lo+together)
		part := lin.Cols(cosines, 0, hi-lo)
		lin.AtB(part, 1, x, lin.Cols(x, lo, hi))
		for j := lo; j < hi; j++ {
			a.best[j], a.value[j] = -1, math.Inf(-1)
		}
		for i := range n {
			for k, v := range part.RawRowView(i) {
				if j := lo + k; v > floor && i != j && !a.apart(i, j) {
					if v = a.ratio(i, j, v, a.weight); v > a.value[j] {
						a.best[j], a.value[j] = i, v
					}
				}
			}
		}
	}
}

// floor is a cosine that two single faces which merge exceed.
func (a *agglomeration) floor() float64 {
	const steps = 100
	i := sort.Search(2*steps, func(i int) bool { return a.l.SameRatio(1-float64(i)/steps, 1, 1, 0) <= a.minRatio })
	return 1 - float64(i)/steps
}

// ratio is the log likelihood ratio of groups i and j, whose faces have this mean cosine.
func (a *agglomeration) ratio(i, j int, cosine, weight float64) float64 {
	return a.l.SameRatio(cosine, a.distinct[i], a.distinct[j], weight*(a.shift[i]+a.shift[j])/2)
}

// apart reports whether groups i and j have faces of one photograph.
func (a *agglomeration) apart(i, j int) bool {
	p, q := a.photos[i], a.photos[j]
	if len(p) > len(q) {
		p, q = q, p
	}
	for photo := range p {
		if q[photo] {
			return true
		}
	}
	return false
}

// run merges groups.
func (a *agglomeration) run(ctx context.Context) error {
	for {
		i := 0
		for g, v := range a.value {
			if v > a.value[i] {
				i = g
			}
		}
		switch {
		case !(a.value[i] > a.minRatio):
			return nil
		case context.Cause(ctx) != nil:
			return context.Cause(ctx)
		case a.stale[i]:
			a.search(i)
		default:
			a.merge(i, a.best[i])
			if a.alive < len(a.members)/2 {
				a.compact()
			}
		}
	}
}

// compare writes the mean cosines of the faces of group i with those of each group.
func (a *agglomeration) compare(i int) []float64 {
	lin.AtB(a.cosines, 1, a.sums, lin.Cols(a.sums, i, i+1))
	cosines := a.cosines.RawMatrix().Data
	for g, m := range a.members {
		if m != nil {
			cosines[g] /= float64(len(m) * len(a.members[i]))
		}
	}
	return cosines
}

// search finds the best partner of group i.
func (a *agglomeration) search(i int) {
	a.best[i], a.value[i], a.stale[i] = -1, math.Inf(-1), false
	for g, cosine := range a.compare(i) {
		if g == i || a.members[g] == nil {
			continue
		}
		if v := a.ratio(i, g, cosine, a.weight); v > a.value[i] && !a.apart(i, g) {
			a.best[i], a.value[i] = g, v
		}
	}
}

// merge adds group j to group i.
func (a *agglomeration) merge(i, j int) {
	d, _ := a.sums.Dims()
	var dot, norm float64
	for r := range d {
		row := a.sums.RawRowView(r)
		dot += row[i] * row[j]
		row[i] += row[j]
		row[j] = 0
		norm += row[i] * row[i]
	}
	m, k := float64(len(a.members[i])), float64(len(a.members[j]))
	a.weakest[i] = min(a.weakest[i], a.weakest[j], a.ratio(i, j, dot/(m*k), 1))
	a.shift[i] = (m*a.shift[i] + k*a.shift[j]) / (m + k)
	a.distinct[i] = a.l.Distinct(norm/((m+k)*(m+k)), len(a.members[i])+len(a.members[j]))
	a.members[i] = append(a.members[i], a.members[j]...)
	a.members[j], a.value[j] = nil, math.Inf(-1)
	if a.photos[j] != nil {
		if a.photos[i] == nil {
			a.photos[i] = map[int]bool{}
		}
		for p := range a.photos[j] {
			a.photos[i][p] = true
		}
	}
	a.alive--
	a.best[i], a.value[i], a.stale[i] = -1, math.Inf(-1), false
	for g, cosine := range a.compare(i) {
		if g == i || a.members[g] == nil {
			continue
		}
		if a.best[g] == i || a.best[g] == j {
			a.stale[g] = true
		}
		v := a.ratio(i, g, cosine, a.weight)
		if v <= a.value[g] && v <= a.value[i] || a.apart(i, g) {
			continue
		}
		if v >= a.value[g] {
			a.best[g], a.value[g], a.stale[g] = i, v, false
		}
		if v > a.value[i] {
			a.best[i], a.value[i] = g, v
		}
	}
}

// compact leaves out the groups that were merged with others.
func (a *agglomeration) compact() {
	at := make([]int, len(a.members))
	var columns []int
	for g, m := range a.members {
		at[g] = len(columns)
		if m != nil {
			columns = append(columns, g)
		}
	}
	a.sums = lin.Select(a.sums, columns)
	for to, from := range columns {
		a.members[to], a.photos[to], a.value[to], a.stale[to] = a.members[from], a.photos[from], a.value[from], a.stale[from]
		a.shift[to], a.distinct[to], a.weakest[to] = a.shift[from], a.distinct[from], a.weakest[from]
		b := a.best[from]
		if b >= 0 {
			b = min(at[b], len(columns)-1) // of one that is stale, any
		}
		a.best[to] = b
	}
	n := len(columns)
	a.members, a.photos, a.best, a.value, a.stale = a.members[:n], a.photos[:n], a.best[:n], a.value[:n], a.stale[:n]
	a.cosines = mat.NewDense(n, 1, nil)
}

// groups are those that are left.
func (a *agglomeration) groups() (all []Group) {
	for g, m := range a.members {
		if m != nil {
			all = append(all, Group{m, a.weakest[g] < a.minRatio})
		}
	}
	return all
}
