package method

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/internal/parallel"
)

// fddlState is the iterate of FDDL; its fields are the symbols of [fddl], but
// S is its X and X its A.
type fddlState struct {
	FDDL
	partition
	X *mat.Dense // d×N

	D, S *mat.Dense // d×K, K×N
	J    float64    // the objective at D and S

	// What J as a function of S needs:
	G    *mat.Dense // K×K: DᵀD + blockdiag(D_iᵀD_i) + λ₂(1+η)I
	B    *mat.Dense // K×N: DᵀX + Q⊙DᵀX
	SS   *mat.Dense // K×K: SSᵀ
	norm float64    // ‖X‖²
	part []float64  // len K: what each row of S adds to J

	Z, U *mat.Dense // K×N: the copy of S and its multiplier, kept from pass to pass
	V    *mat.Dense // K×N: the right-hand side of a step, then its solution; G·S
	XS   *mat.Dense // d×K: XSᵀ
	A    *mat.Dense // K×K: G + ρI; ZZᵀ
	spd  lin.SPD    // of G + ρI

	renew func(d, e, a *mat.Dense) // how the atoms of a class are renewed, as the function renew
}

// newFDDLState starts from eigenfaces and from codes that are zero.
func newFDDLState(m FDDL, x *mat.Dense, samples, atoms []int) (*fddlState, error) {
	d, n := x.Dims()
	k := atoms[len(atoms)-1]
	zero := func(r, c int) *mat.Dense { return mat.NewDense(r, c, nil) }
	s := &fddlState{
		FDDL: m, X: x, partition: partition{atoms, samples}, renew: renew,
		D: zero(d, k), S: zero(k, n),
		G: zero(k, k), B: zero(k, n), SS: zero(k, k), norm: lin.SquaredNorm(x), part: make([]float64, k),
		Z: zero(k, n), U: zero(k, n), V: zero(k, n), XS: zero(d, k), A: zero(k, k),
	}
	for c := range len(samples) - 1 {
		if err := eigenfaces(lin.Cols(s.D, atoms[c], atoms[c+1]), lin.Cols(x, samples[c], samples[c+1])); err != nil {
			return nil, err
		}
	}
	s.prepare()
	return s, nil
}

func (s *fddlState) Largest() float64           { return max(lin.MaxAbs(s.D), lin.MaxAbs(s.S)) }
func (s *fddlState) codes() (*mat.Dense, error) { return s.S, nil }

// Step makes one pass and returns the part of J by which it fell.
func (s *fddlState) Step() (float64, error) {
	before := s.J
	if err := s.updateS(); err != nil {
		return math.NaN(), err
	}
	s.updateD()
	s.prepare()
	return lowered(before, s.J), nil
}

func (s *fddlState) variables() []variable {
	return []variable{dictionaryOf(s.D), codesOf("S", s.S), codesOf("Z", s.Z), codesOf("U", s.U)}
}

func (s *fddlState) restart(given map[string]*mat.Dense) error {
	if given["Z"] == nil {
		lin.Set(s.Z, 1, s.S)
	}
	symmetric(s.SS, s.S)
	s.prepare()
	return nil
}

func (s *fddlState) parts(out classify.Outcome) (classify.Parts, error) {
	return classify.Parts{
		D: s.D, Groups: s.atoms,
		Coder: s.coder(), Rule: classify.Fisher{M: s.means(), Weight: s.Weight}, Outcome: out,
	}, nil
}

// prepare computes what depends on D: G, B and J.
func (s *fddlState) prepare() {
	lin.AtA(s.G, 1, s.D)
	lin.Mirror(s.G)           // DᵀD
	lin.AtB(s.B, 1, s.D, s.X) // DᵀX
	for c := range s.classes() {
		a0, a1, j0, j1 := s.block(c)
		own := lin.Block(s.G, a0, a1, a0, a1)
		lin.Set(own, 2, own) // DᵀD + blockdiag(D_iᵀD_i)
		own = lin.Block(s.B, a0, a1, j0, j1)
		lin.Set(own, 2, own) // DᵀX + Q⊙DᵀX
	}
	lin.AddDiag(s.G, s.Lambda2*(1+s.Eta)) // DᵀD + blockdiag(D_iᵀD_i) + λ₂(1+η)I
	s.J = s.objective(s.S, s.SS)
}

// updateS lowers J in S, of which it is a convex function, over all classes at
// once, by steps of the method of multipliers on the splitting S = Z [admm]:
//
//	S = (G + ρI)⁻¹ [B + ρ(Z − U) + λ₂(2m_i(Z) − m(Z))]
//	Z = soft(S + U, λ₁/(2ρ))
//	U ← U + S − Z
//
// with m(Z) and m_i(Z) the mean of all columns and of those of a column's class,
// whose part of J is concave: its tangent at Z bounds it. Z becomes S. Should
// J(Z) be no less, as where nothing is left to gain, S makes a proximal step,
// which never raises J.
func (s *fddlState) updateS() error {
	lin.Set(s.A, 1, s.G)
	lin.AddDiag(s.A, s.Rho) // G + ρI
	if err := s.spd.Factor(s.A); err != nil {
		return fmt.Errorf("codes: %w", err)
	}
	for range s.Steps {
		s.right()
		s.spd.Solve(s.V) // S = (G + ρI)⁻¹ [B + ρ(Z − U) + λ₂(2m_i(Z) − m(Z))]
		split(s.V, s.Z, s.U, s.Lambda1/(2*s.Rho), s.Omega)
	}
	symmetric(s.A, s.Z) // ZZᵀ
	if s.objective(s.Z, s.A) < s.J {
		lin.Set(s.S, 1, s.Z)
		s.A, s.SS = s.SS, s.A
	} else {
		s.proximal()
		symmetric(s.SS, s.S) // SSᵀ
	}
	return nil
}

// symmetric: dst = SSᵀ
func symmetric(dst, s *mat.Dense) {
	lin.AAt(dst, 1, s)
	lin.Mirror(dst)
}

// rowsAtOnce is how many rows of S a thread takes: enough to be worth it.
const rowsAtOnce = 8

// right: V = B + ρ(Z − U) + λ₂(2m_i(Z) − m(Z))
func (s *fddlState) right() {
	k, _ := s.S.Dims()
	parallel.For(k, rowsAtOnce, func(lo, hi int) {
		shift := make([]float64, s.classes())
		for i := lo; i < hi; i++ {
			v, z, u, b := s.V.RawRowView(i), s.Z.RawRowView(i), s.U.RawRowView(i), s.B.RawRowView(i)
			s.meanGradient(shift, z)
			for c, f := range shift {
				for j := s.samples[c]; j < s.samples[c+1]; j++ {
					v[j] = b[j] + s.Rho*(z[j]-u[j]) - f
				}
			}
		}
	})
}

// proximal makes a proximal step of S [fddl]:
//
//	S ← soft(S − ∇/(2L), λ₁/(2L)),  ½∇ = GS − B + λ₂(m(S) − 2m_i(S))
//
// with L at least the largest eigenvalue of G; the means only lessen the
// curvature.
func (s *fddlState) proximal() {
	lin.AB(s.A, 1, s.G, s.G)
	l := math.Sqrt(math.Sqrt(lin.SquaredNorm(s.A))) // (Σ_k ω_k⁴)^¼ ≥ max_k ω_k, ω the eigenvalues of G
	lin.AB(s.V, 1, s.G, s.S)                        // GS
	k, _ := s.S.Dims()
	shift := make([]float64, s.classes())
	for i := range k {
		x, g, b := s.S.RawRowView(i), s.V.RawRowView(i), s.B.RawRowView(i)
		s.meanGradient(shift, x)
		for c, f := range shift {
			for j := s.samples[c]; j < s.samples[c+1]; j++ {
				x[j] = soft(x[j]-(g[j]-b[j]+f)/l, s.Lambda1/(2*l))
			}
		}
	}
}

// soft shrinks v towards 0 by t.
func soft(v, t float64) float64 {
	return v - max(-t, min(t, v))
}

// meanGradient writes λ₂(m − 2m_i), for every class i, of the row v of codes.
func (s *fddlState) meanGradient(dst, v []float64) {
	var all float64
	for c := range dst {
		j0, j1 := s.samples[c], s.samples[c+1]
		var sum float64
		for _, x := range v[j0:j1] {
			sum += x
		}
		all += sum
		dst[c] = -2 * sum / float64(j1-j0)
	}
	for c := range dst {
		dst[c] = s.Lambda2 * (dst[c] + all/float64(len(v)))
	}
}

// objective returns J of the codes x, K×N, with xx = xxᵀ:
//
//	J = 2‖X‖² − 2⟨B, S⟩ + ⟨G, SSᵀ⟩ + λ₁‖S‖₁ + λ₂(N‖m‖² − 2Σ_i n_i‖m_i‖²)
//
// since tr(S_w − S_b) = ‖S‖² − 2Σ_i n_i‖m_i‖² + N‖m‖².
func (s *fddlState) objective(x, xx *mat.Dense) float64 {
	k, n := x.Dims()
	parallel.For(k, rowsAtOnce, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			row, b := x.RawRowView(i), s.B.RawRowView(i)
			var smooth, abs, all, classes float64
			for j, g := range s.G.RawRowView(i) {
				smooth += g * xx.At(i, j)
			}
			for c := range s.classes() {
				j0, j1 := s.samples[c], s.samples[c+1]
				var sum float64
				for j := j0; j < j1; j++ {
					v := row[j]
					smooth -= 2 * v * b[j]
					abs += math.Abs(v)
					sum += v
				}
				all += sum
				classes += sum * sum / float64(j1-j0) // n_i·m_i²
			}
			s.part[i] = smooth + s.Lambda1*abs + s.Lambda2*(all*all/float64(n)-2*classes)
		}
	})
	j := 2 * s.norm
	for _, v := range s.part {
		j += v
	}
	return j
}

// updateD renews the atoms one after the other, each by the unit vector that
// minimises J given all others [fddl, (13)–(15)]. For the atoms of class i
//
//	J(D_i) = ‖Λ − D_iZ‖² + const,  ΛZᵀ = RS^iᵀ + X_iS_i^iᵀ,  ZZᵀ = 2S^iS^iᵀ
//	d_k = v/‖v‖,  v = (ΛZᵀ − D_iZZᵀ)_k + (ZZᵀ)_kk·d_k
//
// with R = X − Σ_{j≠i} D_jS^j. An atom that no code uses has v = 0 and stays.
func (s *fddlState) updateD() {
	lin.ABt(s.XS, 1, s.X, s.S) // XSᵀ
	k, _ := s.SS.Dims()
	for c := range s.classes() {
		a0, a1, j0, j1 := s.block(c)
		d, e := lin.Cols(s.D, a0, a1), lin.Cols(s.XS, a0, a1)
		lin.AddABt(e, 1, lin.Cols(s.X, j0, j1), lin.Block(s.S, a0, a1, j0, j1)) // XS^iᵀ + X_iS_i^iᵀ
		lin.AddAB(e, -1, s.D, lin.Block(s.SS, 0, k, a0, a1))                    // ΛZᵀ − D_iS^iS^iᵀ
		own := lin.Block(s.SS, a0, a1, a0, a1)
		lin.AddAB(e, -1, d, own) // ΛZᵀ − D_iZZᵀ
		s.renew(d, e, own)
	}
}

// renew makes a round of updateD over the atoms d, d×K_i, of a class, with
// e = ΛZᵀ − D_iZZᵀ, d×K_i, and a = ZZᵀ/2, K_i×K_i.
func renew(d, e, a *mat.Dense) {
	m, k := d.Dims()
	var dt, et mat.Dense // an atom a row
	dt.CloneFrom(d.T())
	et.CloneFrom(e.T())
	change := mat.NewDense(k, m, nil)
	vector := func(x []float64) blas64.Vector { return blas64.Vector{N: m, Inc: 1, Data: x} }
	for i := range k {
		atom, v, δ := dt.RawRowView(i), et.RawRowView(i), change.RawRowView(i)
		blas64.Axpy(2*a.At(i, i), vector(atom), vector(v)) // v = (ΛZᵀ − D_iZZᵀ)_k + (ZZᵀ)_kk·d_k
		for l := range i {
			blas64.Axpy(-2*a.At(l, i), vector(change.RawRowView(l)), vector(v)) // with the newest d_l
		}
		norm := blas64.Nrm2(vector(v))
		if norm == 0 {
			continue
		}
		for j, x := range v {
			δ[j] = x/norm - atom[j]
			atom[j] = x / norm // d_k = v/‖v‖
		}
	}
	d.Copy(dt.T())
}

// between: Y − ½(DS + D_iS_i^i) of all classes i, for samples y, d×N
func (s *fddlState) between(y *mat.Dense) *mat.Dense {
	r := mat.DenseCopyOf(y)
	lin.AddAB(r, -0.5, s.D, s.S)
	for c := range s.classes() {
		a0, a1, j0, j1 := s.block(c)
		lin.AddAB(lin.Cols(r, j0, j1), -0.5, lin.Cols(s.D, a0, a1), lin.Block(s.S, a0, a1, j0, j1))
	}
	return r
}

// means returns the mean code of every class, K×C.
func (s *fddlState) means() *mat.Dense {
	k, _ := s.S.Dims()
	m := mat.NewDense(k, len(s.samples)-1, nil)
	for i := range k {
		row := s.S.RawRowView(i)
		for c := range s.classes() {
			j0, j1 := s.samples[c], s.samples[c+1]
			var sum float64
			for _, v := range row[j0:j1] {
				sum += v
			}
			m.Set(i, c, sum/float64(j1-j0))
		}
	}
	return m
}

// Objective returns the terms of J.
func (s *fddlState) Objective() []classify.Term {
	all := mat.DenseCopyOf(s.X)
	lin.AddAB(all, -1, s.D, s.S) // X − DS
	var own, cross float64
	for c := range s.classes() {
		a0, a1, j0, j1 := s.block(c)
		d := lin.Cols(s.D, a0, a1)
		e := mat.DenseCopyOf(lin.Cols(s.X, j0, j1))
		lin.AddAB(e, -1, d, lin.Block(s.S, a0, a1, j0, j1))
		own += lin.SquaredNorm(e) // ‖X_i − D_iS_i^i‖²
		e = mat.NewDense(d.RawMatrix().Rows, s.samples[len(s.samples)-1], nil)
		lin.AB(e, 1, d, lin.Block(s.S, a0, a1, 0, s.samples[len(s.samples)-1]))
		cross += lin.SquaredNorm(e) - lin.SquaredNorm(lin.Cols(e, j0, j1)) // Σ_{j≠i} ‖D_iS_j^i‖²
	}
	return []classify.Term{
		{Name: "reconstruction", Value: lin.SquaredNorm(all)},
		{Name: "own", Value: own},
		{Name: "cross", Value: cross},
		{Name: "sparsity", Value: s.Lambda1 * absSum(s.S)},
		{Name: "fisher", Value: s.Lambda2 * s.fisher()},
	}
}

// fisher: tr(S_w − S_b) + η‖S‖², from its definition
func (s *fddlState) fisher() float64 {
	m := s.means()
	k, n := s.S.Dims()
	var sum float64
	for i := range k {
		row, mean := s.S.RawRowView(i), m.RawRowView(i)
		var all float64
		for _, v := range row {
			all += v / float64(n)
			sum += s.Eta * v * v
		}
		for c, mc := range mean {
			j0, j1 := s.samples[c], s.samples[c+1]
			for _, v := range row[j0:j1] {
				sum += (v - mc) * (v - mc)
			}
			sum -= float64(j1-j0) * (mc - all) * (mc - all)
		}
	}
	return sum
}
