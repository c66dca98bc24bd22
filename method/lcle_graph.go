package method

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// An atomGraph joins every atom with its k nearest others, in both directions,
// with the weights of a heat kernel as wide as the mean distance of two atoms:
//
//	M_ij = exp(−‖d_i − d_j‖²/2t²),   t = 1/K² Σ_i Σ_j ‖d_i − d_j‖
//
// Its Laplacian is L_a = Z − M, Z the diagonal matrix of the row sums of M.
type atomGraph struct{ edges []atomEdge }

type atomEdge struct {
	i, j   int // i < j
	weight float64
}

// newAtomGraph joins atoms by their Gram matrix, K×K, of which it reads the
// upper triangle; of equally near atoms the first are the neighbours. k is less
// than K.
func newAtomGraph(gram *mat.Dense, k int) *atomGraph {
	atoms, _ := gram.Dims()
	near := make([]nearestAtoms, atoms)
	for i := range near {
		near[i] = nearestAtoms{make([]int, 0, k), make([]float64, 0, k)}
	}
	var mean float64
	for i := range atoms {
		row := gram.RawRowView(i)
		for j := i + 1; j < atoms; j++ {
			squared := max(0, row[i]+gram.At(j, j)-2*row[j]) // ‖d_i − d_j‖²
			mean += math.Sqrt(squared)
			near[i].offer(j, squared)
			near[j].offer(i, squared)
		}
	}
	mean *= 2 / float64(atoms*atoms)
	g := &atomGraph{}
	for i, n := range near {
		for p, j := range n.atoms {
			if j < i && slices.Contains(near[j].atoms, i) {
				continue // joined from j
			}
			g.edges = append(g.edges, atomEdge{min(i, j), max(i, j), heat(n.squared[p], mean)})
		}
	}
	return g
}

// heat: exp(−squared/2t²), 1 where both are zero
func heat(squared, t float64) float64 {
	if squared == 0 {
		return 1
	}
	return math.Exp(-squared / (2 * t * t))
}

// nearestAtoms are the nearest of the atoms offered so far, the nearest first.
type nearestAtoms struct {
	atoms   []int
	squared []float64
}

// offer inserts atom j where it is nearer than the last one kept. Atoms are
// offered in increasing order.
func (n *nearestAtoms) offer(j int, squared float64) {
	last := len(n.squared)
	if last == cap(n.squared) {
		if squared >= n.squared[last-1] {
			return
		}
		last--
		n.atoms, n.squared = n.atoms[:last], n.squared[:last]
	}
	at := last
	for at > 0 && squared < n.squared[at-1] {
		at--
	}
	n.atoms, n.squared = slices.Insert(n.atoms, at, j), slices.Insert(n.squared, at, squared)
}

// addTo adds f·L_a to the upper triangle of a.
func (g *atomGraph) addTo(a *mat.Dense, f float64) {
	r := a.RawMatrix()
	for _, e := range g.edges {
		r.Data[e.i*r.Stride+e.i] += f * e.weight
		r.Data[e.j*r.Stride+e.j] += f * e.weight
		r.Data[e.i*r.Stride+e.j] -= f * e.weight
	}
}

// quadratic: tr(SᵀL_aS) = Σ_{i<j} M_ij‖s^i − s^j‖², s^i the rows of s
func (g *atomGraph) quadratic(s *mat.Dense) float64 {
	var sum float64
	for _, e := range g.edges {
		b := s.RawRowView(e.j)
		var squared float64
		for n, v := range s.RawRowView(e.i) {
			squared += (v - b[n]) * (v - b[n])
		}
		sum += e.weight * squared
	}
	return sum
}
