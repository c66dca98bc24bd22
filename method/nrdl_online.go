package method

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/dictionary"
	"nrdl.example/nrdl/internal/lin"
)

// NRDLOnline learns what NRDL learns, dictionary and classifier, from small batches
// of samples, in the manner of [odl]: memory does not grow with their number. For a
// sample x of class i, with label h,
//
//	min_{D,W} E min_{s≥0} ‖x − Ds‖² + ‖Ω(Ws − t)‖²   s.t. ‖(d_k, Ωw_k)‖ ≤ 1
//	ω_c² = α + βn_c + γz,   ω_c²t_c = (α + βn_c)h_c + γz·m̄_c
//
// The terms of (7) of the other samples are those of what is known of their classes:
// their labels stand for P in (13), and the mean sample and projection of each class
// for J in (14), so that z = Σ_c n_cM_c is the degree in the graph and m̄ = Σ_c
// n_cM_cm_c/z the mean of its neighbours. λ of (7) is left out. doc/equations.md has
// the derivation, and the gap to NRDL.
//
// It codes a query by Coder over D, and returns the class with the largest element
// of W·s.
type NRDLOnline struct {
	Alpha float64         `json:"alpha" help:"α, weight of the classification error; > 0" eq:"(4)"`
	Beta  float64         `json:"beta" help:"β, weight of the incoherence of the classes' projections; twice the β of the formula" eq:"(4)"`
	Gamma float64         `json:"gamma" help:"γ, weight of the compactness over the sample graph" eq:"(4)"`
	Size  int             `json:"size" help:"N, number of samples for which beta and gamma weigh as in nrdl; 0 for that of the set, or of the first samples of a stream"`
	Atoms int             `json:"atoms" help:"K_c, atoms per class; 0 takes 10, or as many as the class with the fewest images has"`
	Init  dictionary.KSVD `json:"init" help:"K-SVD of each class that draws D₀ where atoms > 0; T₀ is at most the class's atoms"`

	Online dictionary.Online `json:"online" help:"how D and W are learned; its coder is that of the samples, with their labels"`
	Coder  coding.Coder      `json:"coder" help:"how a query is coded" eq:"(19)"`
}

// usualAtoms are those of a class with enough samples.
const usualAtoms = 10

// DefaultNRDLOnline has the weights of NRDL. Its batches are larger than those of
// dictionary.DefaultOnline, and it forgets nothing: by validation in the training part
// of Extended Yale B (doc/scale.md).
var DefaultNRDLOnline = registerIterative(func() NRDLOnline {
	m := NRDLOnline{
		Alpha: DefaultNRDL.Alpha, Beta: DefaultNRDL.Beta, Gamma: DefaultNRDL.Gamma,
		Init: dictionary.DefaultKSVD, Online: dictionary.DefaultOnline,
		Coder: coding.DefaultNonNegative,
	}
	m.Online.Coder = coding.NonNegative{Solver: coding.ADMM, Rho: 0.1, Passes: 20}
	m.Online.Batch, m.Online.Passes, m.Online.Rho = 1024, 5, 0
	return m
}())

func (NRDLOnline) Name() string { return "nrdl-online" }

func (m NRDLOnline) Traits() classify.Traits {
	return classify.Traits{
		Family:      "NRDL",
		Predecessor: "nrdl",
		Description: "NRDL from small batches of samples, for sets that do not fit into memory",
		Formulation: `min_{D,W}  Σ_j min_{s≥0} ‖x_j − Ds‖² + ‖Ω(Ws − t_j)‖²   s.t. ‖(d_k, Ωw_k)‖ ≤ 1
           ω_c² = α + βn_c + γz,   ω_c²t_c = (α + βn_c)h_c + γz·m̄_c
class: max_c (W·s)_c`,
		Memory: m.holds, Unprojected: true, Start: "DW",
		Ranges: append([]Range{
			decades("alpha", 0.1, 10),
			decades("beta", 1e-3, 1),
			decades("gamma", 1e-6, 1e-2),
			{Path: "online.rho", Low: 0, High: 10},
		}, coderRanges(m.Coder)...),
	}
}

func (m NRDLOnline) Validate() error {
	switch {
	case m.Alpha == 0:
		return errors.New("alpha = 0 leaves the classifier without labels")
	case m.Coder == nil:
		return errNoCoder
	}
	return cmp.Or(weights("alpha", m.Alpha, "beta", m.Beta, "gamma", m.Gamma),
		counts(0, "atoms", m.Atoms, "size", m.Size), counts(1, "online.passes", m.Online.Passes),
		within("init", m.Init.Validate()), within("online", m.Online.Validate()), m.Coder.Validate())
}

// Fit implements classify.Method. It makes Online.Passes passes over train, each in another
// order.
func (m NRDLOnline) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return classify.Train(ctx, m, train, run)
}

func (m NRDLOnline) Start(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Learning, error) {
	return begin(ctx, m, train, run, m.plan(), func(t *task) (learner, error) {
		s, err := m.start(t)
		return &onlinePasses{nrdlOnlineState: s, ctx: ctx, x: t.x, labels: t.Labels(), seed: run.Seed}, err
	})
}

func (m NRDLOnline) plan() plan {
	return plan{Limits: classify.Limits{Passes: m.Online.Passes, Tol: m.Online.Tol}, atoms: m.Atoms, usual: usualAtoms}
}

// nrdlOnlineState is the iterate of NRDLOnline.
type nrdlOnlineState struct {
	NRDLOnline
	groups  []int // of the atoms
	learner *dictionary.Learner
	labels  []float64  // weights of the labels, α + βn_c, len C
	pull    float64    // γz
	ω       []float64  // len C
	n       []float64  // n_c, len C
	means   *mat.Dense // d×C: mean samples of the classes
	m       *mat.Dense // C×C: m_c, a column each
	weight  []float64  // of m_c, in samples, len C
	stack   *mat.Dense // (d+C)×η: [X; ΩT]
}

// start makes D₀ and what is known of the classes from the samples of t: W₀ are the
// classes of the atoms.
func (m NRDLOnline) start(t *task) (*nrdlOnlineState, error) {
	x := t.x
	d, n := x.Dims()
	classes := len(t.Classes)
	k := t.groups[classes]
	if err := fits(m.Online.Coder, classify.Grid{}, d+classes, k); err != nil {
		return nil, fmt.Errorf("online: %w", err)
	}
	if err := fits(m.Coder, t.Grid, d, k); err != nil {
		return nil, err
	}
	d0, err := t.classwise(m.Init, x, k/classes)
	if err != nil {
		return nil, err
	}
	s := &nrdlOnlineState{
		NRDLOnline: m, groups: t.groups, labels: make([]float64, classes), ω: make([]float64, classes),
		n: make([]float64, classes), means: mat.NewDense(d, classes, nil), m: mat.NewDense(classes, classes, nil),
		weight: make([]float64, classes), stack: mat.NewDense(d+classes, m.Online.Batch, nil),
	}
	size := float64(n)
	if m.Size > 0 {
		size = float64(m.Size)
	}
	for c := range classes {
		of := float64(t.Groups[c+1] - t.Groups[c])
		s.n[c], s.weight[c] = size*of/float64(n), of
		s.m.Set(c, c, 1)
		for i := range d {
			for _, v := range x.RawRowView(i)[t.Groups[c]:t.Groups[c+1]] {
				s.means.Set(i, c, s.means.At(i, c)+v/of)
			}
		}
	}
	s.weigh()
	w0 := t.start["W"]
	if w0 == nil {
		w0 = labels(t.groups)
	}
	s.learner, err = m.Online.Start(stack(d0, s.ω, w0))
	return s, err
}

// weigh sets Ω, with the mean over the classes of their degrees.
func (s *nrdlOnlineState) weigh() {
	var z, all float64
	for c, n := range s.n {
		degree, _ := s.neighbours(s.means.ColView(c), nil)
		z += n * degree
		all += n
	}
	s.pull = s.Gamma * z / all
	for c, n := range s.n {
		s.labels[c] = s.Alpha + s.Beta*n
		s.ω[c] = math.Sqrt(s.labels[c] + s.pull)
	}
}

// neighbours returns the degree z = Σ_c n_cM_c of the sample x in the graph and
// writes the mean of its neighbours, Σ_c n_cM_cm_c/z, into mean, unless that is nil.
// M_c is the weight at the mean squared distance of x from the samples of class c,
// which have norm 1.
func (s *nrdlOnlineState) neighbours(x mat.Vector, mean []float64) (z float64, _ []float64) {
	clear(mean)
	for c, n := range s.n {
		w := n * edgeWeight(2-2*mat.Dot(s.means.ColView(c), x), false)
		z += w
		for i := range mean {
			mean[i] += w * s.m.At(i, c)
		}
	}
	for i := range mean {
		mean[i] /= z
	}
	return z, mean
}

// add learns from the samples x, d×η of unit norm, of these classes.
func (s *nrdlOnlineState) add(ctx context.Context, x *mat.Dense, class []int) error {
	d, η := x.Dims()
	both := lin.Cols(s.stack, 0, η)
	lin.Set(lin.Block(both, 0, d, 0, η), 1, x)
	mean := make([]float64, len(s.n))
	for j, i := range class {
		_, mean = s.neighbours(x.ColView(j), mean)
		for c, ω := range s.ω {
			t := s.pull * mean[c] // γz·m̄
			if c == i {
				t += s.labels[c] // (α + βn_c)h + γz·m̄
			}
			both.Set(d+c, j, t/ω)
		}
	}
	w := s.w()
	if err := s.learner.Add(ctx, both); err != nil {
		return err
	}
	s.collect(w, class)
	return nil
}

// w returns W, C×K.
func (s *nrdlOnlineState) w() *mat.Dense {
	atoms := s.learner.Atoms()
	rows, k := atoms.Dims()
	w := mat.DenseCopyOf(lin.Block(atoms, rows-len(s.ω), rows, 0, k))
	for c, ω := range s.ω {
		lin.Set(lin.Block(w, c, c+1, 0, k), 1/ω, lin.Block(w, c, c+1, 0, k))
	}
	return w
}

// collect moves the mean projections m_c by those of the last batch, WS.
func (s *nrdlOnlineState) collect(w *mat.Dense, class []int) {
	codes := s.learner.Codes()
	y := mat.NewDense(len(s.ω), len(class), nil)
	lin.AB(y, 1, w, codes)
	β := math.Pow(1-float64(len(class))/(float64(s.learner.Seen())+float64(len(class))), s.Online.Rho)
	for c := range s.weight {
		s.weight[c] *= β
	}
	for j, c := range class {
		s.weight[c]++
		for i := range s.ω {
			s.m.Set(i, c, s.m.At(i, c)+(y.At(i, j)-s.m.At(i, c))/s.weight[c])
		}
	}
}

func (s *nrdlOnlineState) codes() (*mat.Dense, error) { return nil, nil }

func (s *nrdlOnlineState) parts(out classify.Outcome) (classify.Parts, error) {
	d, w, _ := unstack(s.learner.Dictionary(), s.ω)
	return classify.Parts{D: d, Groups: s.groups, Coder: s.Coder, Rule: classify.Linear{W: w}, Outcome: out}, nil
}

// onlinePasses steps a state through a set.
type onlinePasses struct {
	*nrdlOnlineState
	ctx    context.Context
	x      *mat.Dense
	labels []int
	seed   uint64
	pass   uint64
}

// variables has D and W, and what the learner knows: the lower rows of stacked matrices,
// those of labels, have the name of the upper ones with an H.
func (s *onlinePasses) variables() []variable {
	d, w, _ := unstack(s.learner.Dictionary(), s.ω)
	l := s.learner.State()
	halves := func(name string, m *mat.Dense) []variable {
		top, _ := d.Dims()
		rows, k := m.Dims()
		upper := variable{name, classify.FeatureAxis, classify.AtomAxis, lin.Block(m, 0, top, 0, k)}
		return []variable{upper, {name + "H", classify.ClassAxis, classify.AtomAxis, lin.Block(m, top, rows, 0, k)}}
	}
	all := append([]variable{dictionaryOf(d), weightsOf(w)}, halves("atoms", l.Atoms)...)
	all = append(all, halves("B", l.B)...)
	return append(all,
		variable{"A", classify.AtomAxis, classify.AtomAxis, l.A},
		row("idle", classify.AtomAxis, l.Idle),
		variable{"M", classify.ClassAxis, classify.ClassAxis, s.m},
		row("weights", classify.ClassAxis, s.weight),
		number("seen", l.Seen), number("weight", l.Weight), number("energy", l.Energy), number("l1", l.Size),
		number("nonzeros", l.Count), number("replaced", l.Replaced), number("pass", float64(s.pass)),
	)
}

// restart gives the learner the state that variables wrote.
func (s *onlinePasses) restart(given map[string]*mat.Dense) error {
	if given["atoms"] == nil {
		return nil
	}
	ones := slices.Repeat([]float64{1}, len(s.ω))
	number := func(name string) float64 { return given[name].At(0, 0) }
	s.learner.Resume(dictionary.LearnerState{
		Atoms: stack(given["atoms"], ones, given["atomsH"]), A: given["A"], B: stack(given["B"], ones, given["BH"]),
		Idle: given["idle"].RawRowView(0),
		Seen: number("seen"), Weight: number("weight"), Energy: number("energy"), Size: number("l1"),
		Count: number("nonzeros"), Replaced: number("replaced"),
	})
	s.pass = uint64(number("pass"))
	return nil
}

// Step makes a pass and returns the mean change of an atom.
func (s *onlinePasses) Step() (float64, error) {
	before := s.learner.Dictionary()
	order := rand.New(rand.NewPCG(s.seed, s.pass)).Perm(len(s.labels))
	class := make([]int, 0, s.Online.Batch)
	for at := range slices.Chunk(order, s.Online.Batch) {
		class = class[:0]
		for _, j := range at {
			class = append(class, s.labels[j])
		}
		if err := s.add(s.ctx, lin.Select(s.x, at), class); err != nil {
			return math.NaN(), err
		}
	}
	s.pass++
	_, k := before.Dims()
	return math.Sqrt(squaredDifference(s.learner.Dictionary(), before) / float64(k)), nil
}

func (s *onlinePasses) Objective() []classify.Term { return s.learner.Terms() }

// Largest implements classify.Stepper: atoms have at most norm 1.
func (s *onlinePasses) Largest() float64 { return 0 }

// holds bounds the numbers that a fit holds beside the samples.
func (m NRDLOnline) holds(s Size) float64 {
	rows, k := float64(s.Features+s.Classes), atomsOf(cmp.Or(m.Atoms, usualAtoms), s)
	return 2*k*k + 6*rows*k + (2*rows+2*k)*float64(m.Online.Batch) + m.Online.Coder.Work(int(rows), int(k)).Memory
}
