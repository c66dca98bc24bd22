package method

import (
	"errors"
	"math"

	"gonum.org/v1/gonum/mat"

	"nrdl/internal/lin"
)

// KSVD learns a dictionary of unit atoms for sparse codes [ksvd]:
//
//	min_{D,Γ} ‖X − DΓ‖²   s.t. ‖γ_j‖₀ ≤ T₀ for every sample j
//
// A pass codes all samples by orthogonal matching pursuit, then renews atom
// after atom by one power step [bomp]. It starts from samples and draws no
// random numbers.
type KSVD struct {
	Sparsity  int     `json:"sparsity" help:"T₀, atoms a sample; ≥ 1"`
	Passes    int     `json:"passes" help:"passes over the samples"`
	MinUses   int     `json:"min_uses" help:"an atom that fewer samples use is replaced by the worst represented sample"`
	Coherence float64 `json:"coherence" help:"an atom whose cosine to an earlier one is larger is replaced likewise"`
}

// DefaultKSVD is the initialisation of LC-KSVD, which NRDL borrows.
var DefaultKSVD = KSVD{Sparsity: 30, Passes: 10, MinUses: 4, Coherence: 0.99}

// Validate reports the first parameter that is outside its range.
func (k KSVD) Validate() error {
	switch {
	case k.Sparsity < 1:
		return errors.New("sparsity is not ≥ 1")
	case k.Passes < 0:
		return errors.New("passes is negative")
	case k.MinUses < 0:
		return errors.New("min_uses is negative")
	case !(k.Coherence > 0):
		return errors.New("coherence is not > 0")
	}
	return nil
}

// exhausted is the squared residual, of samples of unit norm, at which a
// sample counts as rebuilt.
const exhausted = 1e-20

// ksvdState holds atoms, codes and residuals as rows, so that one is
// contiguous.
type ksvdState struct {
	KSVD
	x, d  *mat.Dense // N×d samples and K×d atoms, a row each
	γ     *mat.Dense // N×K codes
	e     *mat.Dense // N×d residuals X − DΓ
	gram  *mat.Dense // K×K
	chol  *mat.Dense // T₀×T₀ factor of the support's Gram matrix
	spent []bool     // samples that have replaced an atom in this pass
}

// learn improves the atoms d, m×K, for the samples x, m×n, in place.
func (k KSVD) learn(d, x *mat.Dense) {
	_, atoms := d.Dims()
	s := k.newState(d, x)
	for range k.Passes {
		s.code()
		for a := range atoms {
			s.renew(a)
		}
		s.replace()
	}
	d.Copy(s.d.T())
}

func (k KSVD) newState(d, x *mat.Dense) *ksvdState {
	_, n := x.Dims()
	m, atoms := d.Dims()
	k.Sparsity = min(k.Sparsity, atoms, m)
	k.MinUses = min(k.MinUses, n)
	return &ksvdState{
		KSVD: k, x: mat.DenseCopyOf(x.T()), d: mat.DenseCopyOf(d.T()),
		γ: mat.NewDense(n, atoms, nil), e: mat.NewDense(n, m, nil),
		gram: mat.NewDense(atoms, atoms, nil), chol: mat.NewDense(k.Sparsity, k.Sparsity, nil),
		spent: make([]bool, n),
	}
}

// code: Γ by orthogonal matching pursuit, E = X − DΓ
func (s *ksvdState) code() {
	lin.AAt(s.gram, 1, s.d)
	lin.Mirror(s.gram)
	n, _ := s.x.Dims()
	for j := range n {
		s.pursue(s.γ.RawRowView(j), s.x.RawRowView(j))
	}
	lin.Set(s.e, 1, s.x)
	lin.AddAB(s.e, -1, s.γ, s.d)
}

// pursue writes the code of sample x into γ: the atom with the largest
// correlation to the residual joins the support, whose coefficients are then
// solved anew, until T₀ atoms are in or the residual is exhausted.
func (s *ksvdState) pursue(γ, x []float64) {
	clear(γ)
	atoms, _ := s.d.Dims()
	α0 := make([]float64, atoms)
	for a := range α0 {
		α0[a] = dot(s.d.RawRowView(a), x)
	}
	α := append([]float64(nil), α0...)
	support := make([]int, 0, s.Sparsity)
	var c []float64
	energy := dot(x, x)
	for rest := energy; len(support) < s.Sparsity && rest > exhausted; {
		a := largest(α, support)
		if a < 0 || !s.extend(support, a) {
			break
		}
		support = append(support, a)
		c = s.solveSupport(support, α0)
		copy(α, α0)
		rest = energy
		for i, b := range support {
			rest -= c[i] * α0[b]
			for k, g := range s.gram.RawRowView(b) {
				α[k] -= c[i] * g
			}
		}
	}
	for i, a := range support {
		γ[a] = c[i]
	}
}

// largest returns the index outside support with the largest |α|, or -1 where
// all are zero.
func largest(α []float64, support []int) int {
	best, at := 0.0, -1
next:
	for k, v := range α {
		if math.Abs(v) <= best {
			continue
		}
		for _, b := range support {
			if b == k {
				continue next
			}
		}
		best, at = math.Abs(v), k
	}
	return at
}

// extend appends atom a to the factor of the support's Gram matrix; false if
// a depends on the support.
func (s *ksvdState) extend(support []int, a int) bool {
	p := len(support)
	row := s.chol.RawRowView(p)
	pivot := s.gram.At(a, a)
	for i, b := range support {
		v := s.gram.At(a, b) - dot(row[:i], s.chol.RawRowView(i)[:i])
		row[i] = v / s.chol.At(i, i)
		pivot -= row[i] * row[i]
	}
	if !(pivot > 1e-12) {
		return false
	}
	row[p] = math.Sqrt(pivot)
	return true
}

// solveSupport returns the least squares coefficients of the support.
func (s *ksvdState) solveSupport(support []int, α0 []float64) []float64 {
	p := len(support)
	c := make([]float64, p)
	for i, a := range support {
		row := s.chol.RawRowView(i)
		c[i] = (α0[a] - dot(row[:i], c[:i])) / row[i]
	}
	for i := p - 1; i >= 0; i-- {
		c[i] /= s.chol.At(i, i)
		for k := range i {
			c[k] -= s.chol.At(i, k) * c[i]
		}
	}
	return c
}

// renew: d_a ← E_a g/‖E_a g‖, g ← E_aᵀd_a over the samples that use atom a,
// where E_a is their residual without it
func (s *ksvdState) renew(a int) {
	n, _ := s.x.Dims()
	d := s.d.RawRowView(a)
	fresh := make([]float64, len(d))
	for j := range n {
		g := s.γ.At(j, a)
		if g == 0 {
			continue
		}
		e := s.e.RawRowView(j)
		for i := range e {
			e[i] += g * d[i]
			fresh[i] += g * e[i]
		}
	}
	norm := math.Sqrt(dot(fresh, fresh))
	if norm > 0 {
		for i := range fresh {
			d[i] = fresh[i] / norm
		}
	}
	for j := range n {
		if s.γ.At(j, a) == 0 {
			continue
		}
		e := s.e.RawRowView(j)
		g := dot(e, d)
		s.γ.Set(j, a, g)
		for i := range e {
			e[i] -= g * d[i]
		}
	}
}

// replace puts the worst represented samples in the place of atoms that few
// samples use or that resemble an earlier atom.
func (s *ksvdState) replace() {
	atoms, _ := s.d.Dims()
	clear(s.spent)
	for a := range atoms {
		if s.uses(a) >= s.MinUses && !s.repeats(a) {
			continue
		}
		if j := s.worst(); j >= 0 {
			s.spent[j] = true
			x := s.x.RawRowView(j)
			norm := math.Sqrt(dot(x, x))
			for i, v := range x {
				s.d.Set(a, i, v/norm)
			}
		}
	}
}

func (s *ksvdState) uses(a int) int {
	n, _ := s.x.Dims()
	uses := 0
	for j := range n {
		if math.Abs(s.γ.At(j, a)) > 1e-7 {
			uses++
		}
	}
	return uses
}

func (s *ksvdState) repeats(a int) bool {
	for b := range a {
		if math.Abs(dot(s.d.RawRowView(a), s.d.RawRowView(b))) > s.Coherence {
			return true
		}
	}
	return false
}

// worst returns the sample with the largest residual that is not spent, or -1
// where all samples are rebuilt.
func (s *ksvdState) worst() int {
	most, at := exhausted, -1
	n, _ := s.x.Dims()
	for j := range n {
		if e := s.e.RawRowView(j); !s.spent[j] && dot(e, e) > most {
			most, at = dot(e, e), j
		}
	}
	return at
}

func dot(a, b []float64) float64 {
	var sum float64
	for i, v := range a {
		sum += v * b[i]
	}
	return sum
}
