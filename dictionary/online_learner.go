package dictionary

import (
	"context"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/internal/lin"
)

// A Learner is the state of Online. Its size is that of D, A, B and one batch,
// however many samples it has seen. It is for one goroutine at a time.
type Learner struct {
	param   Online
	d       *mat.Dense // D, d×K, which the coder sees
	atoms   *mat.Dense // Dᵀ, K×d, which the updates change
	a       *mat.Dense // A, K×K
	b       *mat.Dense // Bᵀ, K×d
	samples float64    // T, samples so far
	idle    []int      // batches in a row that have not used atom k; len K

	weight, energy, size, count float64 // Σ w_j, Σ w_j·‖x_j‖², Σ w_j·‖s_j‖₁, Σ w_j·‖s_j‖₀
	replacements                int     // atoms, so far

	s    *mat.Dense // room for the codes of a batch, K×η
	last *mat.Dense // those of the last batch
	r    *mat.Dense // Bᵀ − A·Dᵀ, K×d
	step *mat.Dense // what the update of a block adds to its atoms, block×d
}

// newLearner starts from the unit atoms u, d×K, which it keeps.
func newLearner(o Online, u *mat.Dense) *Learner {
	d, k := u.Dims()
	return &Learner{
		param: o, d: u, atoms: mat.DenseCopyOf(u.T()),
		a: mat.NewDense(k, k, nil), b: mat.NewDense(k, d, nil), idle: make([]int, k),
		r: mat.NewDense(k, d, nil), step: mat.NewDense(min(k, block), d, nil),
	}
}

// Dictionary returns a copy of the present D, d×K, with its atoms at norm 1. Few atoms are
// shorter before: those that hardly any sample uses. Longer atoms can only lower the
// objective, as the same D·s needs a smaller s.
func (l *Learner) Dictionary() *mat.Dense { return classify.Unit(l.d) }

// Atoms returns the present D, d×K, as samples are coded over it: not a copy, and
// valid until the next Add.
func (l *Learner) Atoms() *mat.Dense { return l.d }

// Codes returns the codes of the last batch, K×η, over the D before it: not a copy,
// and valid until the next Add; nil before the first.
func (l *Learner) Codes() *mat.Dense { return l.last }

// Seen returns the number of samples that were added so far.
func (l *Learner) Seen() int { return int(l.samples) }

// A LearnerState is a copy of everything that a Learner has learned.
type LearnerState struct {
	Atoms *mat.Dense // D, d×K, as samples are coded over it
	A, B  *mat.Dense // K×K, d×K
	Idle  []float64  // len K: batches in a row that have not used an atom

	Seen, Weight, Energy, Size, Count, Replaced float64 // as in Terms, before they are divided
}

// State returns a copy of what l has learned.
func (l *Learner) State() LearnerState {
	s := LearnerState{
		Atoms: mat.DenseCopyOf(l.d), A: mat.DenseCopyOf(l.a), B: mat.DenseCopyOf(l.b.T()), Idle: make([]float64, len(l.idle)),
		Seen: l.samples, Weight: l.weight, Energy: l.energy, Size: l.size, Count: l.count, Replaced: float64(l.replacements),
	}
	for k, n := range l.idle {
		s.Idle[k] = float64(n)
	}
	return s
}

// Resume replaces what l has learned by s, the State of a Learner with as many atoms of the
// same size.
func (l *Learner) Resume(s LearnerState) {
	l.d.Copy(s.Atoms)
	l.atoms.Copy(s.Atoms.T())
	l.a.Copy(s.A)
	l.b.Copy(s.B.T())
	for k, n := range s.Idle {
		l.idle[k] = int(n)
	}
	l.samples, l.weight, l.energy, l.size, l.count, l.replacements = s.Seen, s.Weight, s.Energy, s.Size, s.Count, int(s.Replaced)
}

// Add learns from the samples x, d×n, in their order, Batch of them at a time.
// It does not keep x. Several calls are one with all their samples if each but
// the last brings a multiple of Batch. It is an error if x is not finite, which
// is found out before anything is learned of it. Once ctx is done Add returns its
// cause; what it had learned of x by then stays learned.
func (l *Learner) Add(ctx context.Context, x *mat.Dense) error {
	if err := l.check(x); err != nil {
		return fmt.Errorf("learn a dictionary: %w", err)
	}
	_, n := x.Dims()
	for lo := 0; lo < n; lo += l.param.Batch {
		if err := l.add(ctx, lin.Cols(x, lo, min(n, lo+l.param.Batch))); err != nil {
			return fmt.Errorf("learn a dictionary: %w", err)
		}
	}
	return nil
}

// check refuses samples that are not finite, whose squares are out of range, or of another
// length than the atoms.
func (l *Learner) check(x *mat.Dense) error {
	if err := alike(x, l.d); err != nil {
		return err
	}
	return learnable(x)
}

// add learns from one batch.
func (l *Learner) add(ctx context.Context, x *mat.Dense) error {
	s, err := l.code(ctx, x)
	if err != nil {
		return err
	}
	l.collect(x, s)
	for range l.param.Sweeps {
		l.sweep()
	}
	l.replace(x, s)
	l.d.Copy(l.atoms.T())
	return nil
}

// code returns the codes of a batch over D.
func (l *Learner) code(ctx context.Context, x *mat.Dense) (*mat.Dense, error) {
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	_, k := l.d.Dims()
	_, η := x.Dims()
	if l.s == nil || l.s.RawMatrix().Cols < η {
		l.s = mat.NewDense(k, η, nil)
	}
	s := lin.Cols(l.s, 0, η)
	l.last = s
	over, err := l.param.Coder.Over(coding.Basis{D: l.d})
	if err != nil {
		return nil, err
	}
	return s, over.Code(ctx, s, x)
}

// collect: A ← βA + SSᵀ, B ← βB + XSᵀ,  β = (1 − η/T)^ρ   [odl] 3.4.2, 3.4.3
func (l *Learner) collect(x, s *mat.Dense) {
	_, η := x.Dims()
	l.samples += float64(η)
	β := math.Pow(1-float64(η)/l.samples, l.param.Rho)
	lin.Set(l.a, β, l.a)
	lin.AddAAt(l.a, 1, s) // βA + SSᵀ
	lin.Mirror(l.a)
	lin.Set(l.b, β, l.b)
	lin.AddABt(l.b, 1, s, x) // (βB + XSᵀ)ᵀ
	l.weight = β*l.weight + float64(η)
	l.energy = β*l.energy + lin.SquaredNorm(x)
	sum, count := l.measure(s)
	l.size, l.count = β*l.size+sum, β*l.count+float64(count)
}

// measure returns ‖S‖₁ and the number of nonzeros, and notes which atoms are
// idle.
func (l *Learner) measure(s *mat.Dense) (sum float64, count int) {
	k, _ := s.Dims()
	for i := range k {
		uses := 0
		for _, v := range s.RawRowView(i) {
			sum += math.Abs(v)
			if v != 0 {
				uses++
			}
		}
		l.idle[i]++
		if uses > 0 {
			l.idle[i] = 0
		}
		count += uses
	}
	return sum, count
}

// block is how many atoms are updated before the others hear of it: within a
// block one by one, from block to block by products of matrices.
const block = 32

// sweep updates every atom once, the others being given:
//
//	u_k = d_k + (b_k − D·a_k)/A_kk,  d_k = u_k/max(1, ‖u_k‖)   [odl] (10)
//
// It is the exact minimiser over the ball, so that ½tr(DᵀDA) − tr(DᵀB) falls.
func (l *Learner) sweep() {
	k, d := l.atoms.Dims()
	lin.Set(l.r, 1, l.b)
	lin.AddAB(l.r, -1, l.a, l.atoms) // (B − DA)ᵀ
	for lo := 0; lo < k; lo += block {
		hi := min(k, lo+block)
		step := lin.Block(l.step, 0, hi-lo, 0, d)
		for i := lo; i < hi; i++ {
			l.update(i, step.RawRowView(i-lo))
			for j := i + 1; j < hi; j++ {
				axpy(-l.a.At(j, i), step.RawRowView(i-lo), l.r.RawRowView(j))
			}
		}
		if hi < k {
			lin.AddAB(lin.Block(l.r, hi, k, 0, d), -1, lin.Block(l.a, hi, k, lo, hi), step)
		}
	}
}

// update renews atom k, of which r_k = b_k − D·a_k, and writes into step what
// that adds to it. An atom that no code has used, or that would vanish, stays.
func (l *Learner) update(k int, step []float64) {
	clear(step)
	use := l.a.At(k, k)
	if use == 0 {
		return
	}
	atom := l.atoms.RawRowView(k)
	copy(step, atom)
	axpy(1/use, l.r.RawRowView(k), step) // u_k
	if l.param.NonNegative {
		for i, u := range step {
			step[i] = max(0, u)
		}
	}
	norm := math.Sqrt(dot(step, step))
	if norm == 0 {
		return
	}
	shrink := 1 / max(1, norm)
	for i, u := range step {
		step[i] = shrink*u - atom[i]
		atom[i] = shrink * u
	}
}

// replace puts samples of the batch in the place of atoms that are idle: those
// that D represents worst, none of them twice and none that it represents
// exactly. What A and B know of such an atom is forgotten.
func (l *Learner) replace(x, s *mat.Dense) {
	if l.param.Idle == 0 || slices.Max(l.idle) < l.param.Idle {
		return
	}
	rest := mat.DenseCopyOf(x)
	lin.AddAB(rest, -1, l.d, s) // X − DS, for the D that it was coded over
	_, η := x.Dims()
	left := make([]float64, η)
	lin.SquaredColumnNorms(left, rest)
	for k := range l.idle {
		if l.idle[k] < l.param.Idle {
			continue
		}
		worst := 0
		for j, e := range left {
			if e > left[worst] {
				worst = j
			}
		}
		if left[worst] == 0 {
			return
		}
		left[worst] = 0
		l.restart(k, x.ColView(worst))
	}
}

// restart makes the direction of v the atom k, which no code has used.
func (l *Learner) restart(k int, v mat.Vector) {
	l.atoms.SetRow(k, classify.Unit(l.param.allowed(mat.DenseCopyOf(v))).RawMatrix().Data)
	n := len(l.idle)
	lin.Block(l.a, k, k+1, 0, n).Zero()
	lin.Block(l.a, 0, n, k, k+1).Zero()
	clear(l.b.RawRowView(k))
	l.idle[k] = 0
	l.replacements++
}

// Terms returns the terms of the objective that the last update of D has lowered, as means
// over the samples so far, with the weights of A and B. "error" is ½‖x − D·s‖² for the codes
// at the time, and "l1" is ‖s‖₁. Two more terms are no part of the objective: "nonzeros" is
// ‖s‖₀, and "replaced" the number of atoms replaced so far. All are 0 before the first sample.
// They show the progress of learning; for the objective of the final D, code the samples
// again.
func (l *Learner) Terms() []classify.Term {
	w := l.weight
	if w == 0 {
		w = 1
	}
	return []classify.Term{
		{Name: "error", Value: (l.energy/2 + l.surrogate()) / w},
		{Name: "l1", Value: l.size / w, Info: true},
		{Name: "nonzeros", Value: l.count / w, Info: true},
		{Name: "replaced", Value: float64(l.replacements), Info: true},
	}
}

// surrogate is ½tr(DᵀDA) − tr(DᵀB).
func (l *Learner) surrogate() float64 {
	k, d := l.atoms.Dims()
	g := mat.NewDense(k, d, nil)
	lin.AB(g, 0.5, l.a, l.atoms)
	lin.Add(g, -1, l.b) // ½ADᵀ − Bᵀ
	var sum float64
	for i := range k {
		sum += dot(g.RawRowView(i), l.atoms.RawRowView(i))
	}
	return sum
}

func vector(v []float64) blas64.Vector { return blas64.Vector{N: len(v), Inc: 1, Data: v} }

func dot(u, v []float64) float64 { return blas64.Dot(vector(u), vector(v)) }

// axpy adds f·u to v.
func axpy(f float64, u, v []float64) { blas64.Axpy(f, vector(u), vector(v)) }
