package method

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/lin"
)

// LCLE learns a dictionary with two copies of the codes: S, which nearby atoms
// share, and V, which is bound to the classes of the atoms [lcle]:
//
//	min_{D,S,V} ‖X − DS‖² + ‖X − DV‖² + α tr(SᵀL_aS) + β tr(VᵀUV) + γ‖S − V‖²
//
// L_a is the Laplacian of the graph of the nearest atoms (atomGraph), computed
// again in every pass. U is 1/K_c for two atoms of one class of K_c atoms, and 0
// elsewhere. W is learned from S.
type LCLE struct {
	Alpha      float64 `json:"alpha" help:"α, weight of the locality over the graph of the atoms"`
	Beta       float64 `json:"beta" help:"β, weight of the label embedding of the atoms"`
	Gamma      float64 `json:"gamma" help:"γ, weight of the agreement of S and V"`
	Neighbours int     `json:"neighbours" help:"k ≥ 1, nearest atoms that an atom is joined to; more than the others is all of them"`
	AlternatingLearning
}

// DefaultLCLE has weights and a number of passes that are in common use for
// several face databases.
var DefaultLCLE = registerIterative(LCLE{
	Alpha: 0.01, Beta: 0.01, Gamma: 0.1, Neighbours: 1,
	AlternatingLearning: defaultAlternatingLearning,
})

func (LCLE) Name() string { return "lcle" }

func (m LCLE) Traits() classify.Traits {
	return classify.Traits{
		Predecessor: "sdrerdl-reconstruction",
		Description: "dictionary whose codes respect nearby atoms and their classes, then a linear classifier",
		Formulation: `min_{D,S,V}  ‖X − DS‖² + ‖X − DV‖² + α tr(SᵀL_aS) + β tr(VᵀUV) + γ‖S − V‖²
min_W  ‖H − WS‖² + λ‖W‖²
class: max_c (W·s)_c`,
		Memory: m.holds, Start: "DS",
		Ranges: append([]Range{
			decades("alpha", 1e-4, 1),
			decades("beta", 1e-4, 1),
			decades("gamma", 1e-3, 10),
			decades("neighbours", 1, 10),
		}, coderRanges(m.Coder)...),
	}
}

func (m LCLE) Validate() error {
	return cmp.Or(weights("alpha", m.Alpha, "beta", m.Beta, "gamma", m.Gamma),
		counts(1, "neighbours", m.Neighbours), m.AlternatingLearning.Validate())
}

// Fit implements classify.Method. It is an error if a class has fewer samples
// than atoms. A fit that ends as Exhausted still returns a model.
func (m LCLE) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return classify.Train(ctx, m, train, run)
}

func (m LCLE) Start(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Learning, error) {
	return begin(ctx, m, train, run, m.plan(), func(t *task) (learner, error) {
		d, n := t.x.Dims()
		if err := fits(m.Coder, classify.Grid{}, d, m.atoms(n, len(t.Classes))); err != nil {
			return nil, err
		}
		return newLCLEState(m, t)
	})
}

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
			g.edges = append(g.edges, atomEdge{min(i, j), max(i, j), heat(n.squares[p], mean)})
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
	squares []float64
}

// offer inserts atom j where it is nearer than the last one kept. Atoms are
// offered in increasing order.
func (n *nearestAtoms) offer(j int, squared float64) {
	last := len(n.squares)
	if last == cap(n.squares) {
		if squared >= n.squares[last-1] {
			return
		}
		last--
		n.atoms, n.squares = n.atoms[:last], n.squares[:last]
	}
	at := last
	for at > 0 && squared < n.squares[at-1] {
		at--
	}
	n.atoms, n.squares = slices.Insert(n.atoms, at, j), slices.Insert(n.squares, at, squared)
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

// lcleState is the iterate of LCLE; its fields are the symbols of [lcle].
type lcleState struct {
	LCLE
	alternation
	S, V *mat.Dense // K×N; S is Codes
	L    *atomGraph // Laplacian L_a of the atoms at the start of the pass
}

func newLCLEState(m LCLE, t *task) (*lcleState, error) {
	a, err := m.start(t, t.x)
	if err != nil {
		return nil, err
	}
	k, n := a.Codes.Dims()
	m.Neighbours = min(m.Neighbours, k-1)
	return &lcleState{LCLE: m, alternation: a, S: a.Codes, V: mat.NewDense(k, n, nil)}, nil
}

func (s *lcleState) Largest() float64           { return max(lin.MaxAbs(s.D), lin.MaxAbs(s.S), lin.MaxAbs(s.V)) }
func (s *lcleState) codes() (*mat.Dense, error) { return s.scaled(s.S), nil }

// Step makes one pass and returns ‖D − D_last‖/‖D_last‖. Every update is the
// minimiser over its variable, so that the problem falls within a pass; between
// passes the graph changes it.
func (s *lcleState) Step() (float64, error) {
	s.L = newAtomGraph(s.G, s.Neighbours)
	return s.pass(update{"V", s.updateV}, update{"D", s.updateD}, update{"S", s.updateS})
}

func (s *lcleState) variables() []variable {
	return []variable{dictionaryOf(s.D), codesOf("S", s.S), codesOf("V", s.V)}
}

func (s *lcleState) parts(out classify.Outcome) (classify.Parts, error) {
	return s.AlternatingLearning.parts(&s.alternation, s.S, out)
}

// updateV: V = (DᵀD + βU + γI)⁻¹(DᵀX + γS)
func (s *lcleState) updateV() error {
	lin.Set(s.V, 1, s.DX)      // DᵀX
	lin.Add(s.V, s.Gamma, s.S) // DᵀX + γS
	lin.Set(s.A, 1, s.G)       // DᵀD
	s.addU(s.A, s.Beta)        // DᵀD + βU
	lin.AddDiag(s.A, s.Gamma)  // DᵀD + βU + γI
	return solve(&s.spd, s.A, s.V)
}

// updateD: D = X(S+V)ᵀ(SSᵀ + VVᵀ)⁻¹
func (s *lcleState) updateD() error {
	lin.Set(s.C, 1, s.S)    // S
	lin.Add(s.C, 1, s.V)    // S + V
	lin.AAt(s.A, 1, s.S)    // SSᵀ
	lin.AddAAt(s.A, 1, s.V) // SSᵀ + VVᵀ
	return s.renewD()
}

// updateS: S = (DᵀD + αL_a + γI)⁻¹(DᵀX + γV)
func (s *lcleState) updateS() error {
	lin.Set(s.S, 1, s.DX)      // DᵀX
	lin.Add(s.S, s.Gamma, s.V) // DᵀX + γV
	lin.Set(s.A, 1, s.G)       // DᵀD
	s.L.addTo(s.A, s.Alpha)    // DᵀD + αL_a
	lin.AddDiag(s.A, s.Gamma)  // DᵀD + αL_a + γI
	return solve(&s.spd, s.A, s.S)
}

// addU adds f·U to the upper triangle of a.
func (s *lcleState) addU(a *mat.Dense, f float64) {
	for c := range len(s.groups) - 1 {
		lo, hi := s.groups[c], s.groups[c+1]
		for i := lo; i < hi; i++ {
			row := a.RawRowView(i)
			for j := i; j < hi; j++ {
				row[j] += f / float64(hi-lo)
			}
		}
	}
}

// Objective gives the terms of the problem with their weights, and the norms
// of D, S and V.
func (s *lcleState) Objective() []classify.Term {
	return []classify.Term{
		{Name: "reconstruction", Value: squaredError(s.X, s.D, s.S)},
		{Name: "auxiliary", Value: squaredError(s.X, s.D, s.V)},
		{Name: "locality", Value: s.Alpha * s.L.quadratic(s.S)},
		{Name: "label", Value: s.Beta * s.label()},
		{Name: "agreement", Value: s.Gamma * squaredDifference(s.S, s.V)},
		{Name: "normD", Value: math.Sqrt(lin.SquaredNorm(s.D)), Info: true},
		{Name: "normS", Value: math.Sqrt(lin.SquaredNorm(s.S)), Info: true},
		{Name: "normV", Value: math.Sqrt(lin.SquaredNorm(s.V)), Info: true},
	}
}

// label: tr(VᵀUV) = Σ_c ‖Σ_{k∈c} v^k‖²/K_c, v^k the rows of V
func (s *lcleState) label() float64 {
	_, n := s.V.Dims()
	var total float64
	for c := range len(s.groups) - 1 {
		lo, hi := s.groups[c], s.groups[c+1]
		sum := mat.NewDense(1, n, nil)
		for k := lo; k < hi; k++ {
			lin.Add(sum, 1, lin.Block(s.V, k, k+1, 0, n))
		}
		total += lin.SquaredNorm(sum) / float64(hi-lo)
	}
	return total
}
