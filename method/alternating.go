package method

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/dictionary"
	"nrdl.example/nrdl/internal/lin"
)

// AlternatingLearning has the common parts of LCLE and SDRERDL. They start from
// the class-wise D₀ and from sparse codes over it, and minimise over the codes
// and D in turn, with D = XCᵀ. After the last pass, atoms and codes are normalised
// to norm 1. A linear classifier W is learned from the codes, and its columns are
// normalised too. A query is coded by orthogonal matching pursuit over D; the
// class has the largest element of W·s.
type AlternatingLearning struct {
	Atoms  int             `json:"atoms" help:"K_c, atoms per class in D₀; 0 for as many as training samples"`
	Init   dictionary.KSVD `json:"init" help:"K-SVD of each class that draws D₀ where atoms > 0"`
	Passes int             `json:"passes" help:"at most so many passes; ≥ 1"`
	Tol    float64         `json:"tol" help:"converged when a pass changes D by a smaller part of itself"`
	Ridge  float64         `json:"ridge" help:"weight of ‖W‖² in the linear classifier" eq:"[lcksvd]"`
	Coder  coding.OMP      `json:"coder" help:"how the samples at the start and the queries are coded"`
}

// defaultAlternatingLearning makes one pass of K-SVD to draw D₀, as [lcle] does.
var defaultAlternatingLearning = func() AlternatingLearning {
	l := AlternatingLearning{Init: dictionary.DefaultKSVD, Passes: 10, Ridge: 1, Coder: coding.DefaultOMP}
	l.Init.Passes = 1
	return l
}()

// Validate reports the first parameter that is outside its range.
func (l AlternatingLearning) Validate() error {
	return cmp.Or(weights("tol", l.Tol, "ridge", l.Ridge), counts(0, "atoms", l.Atoms), counts(1, "passes", l.Passes),
		within("init", l.Init.Validate()), within("coder", codesSomething(l.Coder.Error)), l.Coder.Validate())
}

// atoms is K for n samples of so many classes.
func (l AlternatingLearning) atoms(n, classes int) int {
	if l.Atoms > 0 {
		return l.Atoms * classes
	}
	return n
}

// An alternation is what the iterates of LCLE and SDRERDL have in common.
type alternation struct {
	X       *mat.Dense // d×n: the samples that are coded
	t       *task
	samples *mat.Dense // X at the samples' own coordinates
	groups  []int      // of the columns of D, the rows of the codes

	D     *mat.Dense // d×K
	Codes *mat.Dense // K×n: of X
	DX    *mat.Dense // K×n: DᵀX
	C     *mat.Dense // K×n: D = XCᵀ
	G, A  *mat.Dense // K×K: DᵀD; the system that is solved
	Last  *mat.Dense // d×K: D of the pass before
	spd   lin.SPD
}

// plan is the size of the iteration.
func (l AlternatingLearning) plan() plan {
	return plan{Limits: classify.Limits{Passes: l.Passes, Tol: l.Tol}, atoms: l.Atoms}
}

// start makes D₀ from the first columns of all, the samples of t, and codes all columns
// over it. They are replaced by their coordinates in their own span where that is shorter,
// and no D is given.
func (l AlternatingLearning) start(t *task, all *mat.Dense) (a alternation, err error) {
	x := all
	if t.start["D"] == nil {
		x, t.expand = compress(all)
	}
	d0, err := t.classwise(l.Init, lin.Cols(x, 0, t.Len()), l.Atoms)
	if err != nil {
		return a, err
	}
	over, err := l.Coder.Over(coding.Basis{D: d0, Groups: t.groups})
	if err != nil {
		return a, err
	}
	d, n := x.Dims()
	_, k := d0.Dims()
	zero := func(r, c int) *mat.Dense { return mat.NewDense(r, c, nil) }
	a = alternation{
		X: x, t: t, samples: all, groups: t.groups, D: d0, Codes: zero(k, n),
		DX: zero(k, n), C: zero(k, n), G: zero(k, k), A: zero(k, k), Last: zero(d, k),
	}
	if err := over.Code(t.ctx, a.Codes, x); err != nil {
		return a, fmt.Errorf("codes at the start: %w", err)
	}
	a.multiplyD()
	return a, nil
}

// An update renews one variable of an iterate, given the others.
type update struct {
	name  string
	renew func() error
}

// pass makes the updates in turn and returns ‖D − D_last‖/‖D_last‖.
func (a *alternation) pass(updates ...update) (float64, error) {
	lin.Set(a.Last, 1, a.D)
	for _, u := range updates {
		if err := u.renew(); err != nil {
			return math.NaN(), fmt.Errorf("update of %s: %w", u.name, err)
		}
	}
	return math.Sqrt(squaredDifference(a.D, a.Last) / lin.SquaredNorm(a.Last)), nil
}

// renewD: D = XCᵀ for C ← A⁻¹C
func (a *alternation) renewD() error {
	if err := solve(&a.spd, a.A, a.C); err != nil {
		return err
	}
	lin.ABt(a.D, 1, a.X, a.C)
	a.multiplyD()
	return nil
}

// multiplyD: G = DᵀD, its upper triangle, and DᵀX.
func (a *alternation) multiplyD() {
	lin.AtA(a.G, 1, a.D)
	lin.AtB(a.DX, 1, a.D, a.X)
}

func (a *alternation) restart(map[string]*mat.Dense) error { return nil }

// scaled returns the codes s, K×N, for atoms of norm 1.
func (a *alternation) scaled(s *mat.Dense) *mat.Dense {
	k, n := s.Dims()
	norms, out := make([]float64, k), mat.NewDense(k, n, nil)
	lin.SquaredColumnNorms(norms, a.D)
	for i, v := range norms {
		lin.Set(lin.Block(out, i, i+1, 0, n), math.Sqrt(v), lin.Block(s, i, i+1, 0, n))
	}
	return out
}

// parts learns W from the codes, K×N. D comes from the samples at their own coordinates.
func (l AlternatingLearning) parts(a *alternation, codes *mat.Dense, out classify.Outcome) (p classify.Parts, err error) {
	w, err := classifier(classify.Unit(codes), a.t.Groups, l.Ridge) // W = HSᵀ(SSᵀ + λI)⁻¹   [lcksvd]
	if err != nil {
		return p, fmt.Errorf("linear classifier: %w", err)
	}
	return classify.Parts{
		D: classify.Unit(combine(a.samples, a.C)), Groups: a.groups,
		Coder: l.Coder, Rule: classify.Linear{W: classify.Unit(w)}, Outcome: out,
	}, nil
}

// solve: B ← A⁻¹B, with the least ridge where A is singular
func solve(spd *lin.SPD, a, b *mat.Dense) error {
	if _, err := spd.FactorOrRidge(a); err != nil {
		return err
	}
	spd.Solve(b)
	return nil
}

// combine returns XCᵀ, d×K, of samples x, d×N, and coefficients c, K×N.
func combine(x, c *mat.Dense) *mat.Dense {
	rows, _ := x.Dims()
	k, _ := c.Dims()
	d := mat.NewDense(rows, k, nil)
	lin.ABt(d, 1, x, c)
	return d
}

// squaredError: ‖X − DS‖²
func squaredError(x, d, s *mat.Dense) float64 {
	e := mat.DenseCopyOf(x)
	lin.AddAB(e, -1, d, s)
	return lin.SquaredNorm(e)
}

// squaredDifference: ‖A − B‖²
func squaredDifference(a, b *mat.Dense) float64 {
	e := mat.DenseCopyOf(a)
	lin.Add(e, -1, b)
	return lin.SquaredNorm(e)
}

// holds bounds the numbers that a fit holds beside the samples.
func (l AlternatingLearning) holds(s Size) float64 {
	n, k := float64(s.Samples), atomsOf(l.Atoms, s)
	return 5*k*n + 4*k*k // codes, V, DᵀX, C, and the codes at unit norm
}
