package method

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/lin"
)

// A commonClass is in the training set and in the model that a warm start begins from,
// with as many atoms.
type commonClass struct{ class, old int }

// commonClasses are those of the classes of t and of old.
func (s *nrdlState) commonClasses(old *classify.Parts, t *classify.Samples) []commonClass {
	var all []commonClass
	for c, name := range t.Classes {
		o := slices.Index(old.Classes, name)
		if o >= 0 && old.Groups[o+1]-old.Groups[o] == s.atoms[c+1]-s.atoms[c] {
			all = append(all, commonClass{c, o})
		}
	}
	return all
}

// startsFrom reports whether a fit of m on t can start from old.
func (m NRDL) startsFrom(old *classify.Parts, t *classify.Samples) bool {
	params, err := Marshal(m)
	_, linear := old.Rule.(classify.Linear)
	return err == nil && m.Traits().Warm && old.Method == m.Name() && slices.Equal(params, old.Params) &&
		linear && t.Projection == "" && old.Grid == t.Grid && old.D.RawMatrix().Rows == t.X.RawMatrix().Rows
}

// startFrom starts s from the model of run, if m can.
func (s *nrdlState) startFrom(run classify.Run, x *mat.Dense, t *classify.Samples) error {
	if run.Warm == nil {
		return nil
	}
	old := run.Warm.Parts()
	if !s.startsFrom(&old, t) {
		return nil
	}
	return s.warm(&old, x, t)
}

// warm starts s from the model old, learned from much the same people, instead of
// D = D₀: with the codes of their samples over its atoms; those of the others are
// their own. The rest follows from S where the iteration stands still,
// P = J = WS. The columns of x, d×N, are the samples.
//
//	C₁ᵢ = β (Σ_{j≠i} P_jP_jᵀ) P_i   (13)
//	C₂  = γ J L                     (14)
func (s *nrdlState) warm(old *classify.Parts, x *mat.Dense, t *classify.Samples) error {
	known := s.commonClasses(old, t)
	if len(known) == 0 {
		return nil
	}
	s.proximity = s.WarmProximity
	if err := s.startKnown(old, known, x); err != nil {
		return fmt.Errorf("start from the old model: %w", err)
	}
	s.startNew(known)
	s.μ, s.Growth = min(s.WarmMu*s.Alpha, s.MuMax), s.WarmGrowth
	s.standStill()
	s.targets()
	if err := s.updateW(); err != nil {
		return err
	}
	return s.updateD()
}

// standStill sets P, J, C₁ and C₂ to what they are for WS where the iteration stands still.
func (s *nrdlState) standStill() {
	lin.Set(s.P, 1, s.WS)
	lin.Set(s.J, 1, s.WS)
	lin.AAt(s.PP, 1, s.P)
	for i := range s.classes() {
		pi := lin.Cols(s.P, s.samples[i], s.samples[i+1])
		lin.AddAAt(s.PP, -1, pi)
		lin.Set(s.A, s.Beta, s.PP)
		lin.Mirror(s.A)
		lin.AB(lin.Cols(s.C1, s.samples[i], s.samples[i+1]), 1, s.A, pi)
		lin.AddAAt(s.PP, 1, pi)
	}
	s.L.apply(s.C2, s.J, s.Gamma, 0)
}

// startKnown sets the codes of the samples of known, and WS, to what they are
// over all atoms of old with its classifier: (11) without its frozen terms. Rows
// of atoms of people who are not known are dropped.
func (s *nrdlState) startKnown(old *classify.Parts, known []commonClass, x *mat.Dense) error {
	var columns []int
	for _, k := range known {
		for j := s.samples[k.class]; j < s.samples[k.class+1]; j++ {
			columns = append(columns, j)
		}
	}
	codes, ws, err := s.codesOver(old, known, lin.Select(x, columns))
	if err != nil {
		return err
	}
	for _, k := range known {
		for i := range s.atoms[k.class+1] - s.atoms[k.class] {
			from, to := codes.RawRowView(old.Groups[k.old]+i), s.S.RawRowView(s.atoms[k.class]+i)
			for at, j := range columns {
				to[j] = from[at]
			}
		}
		from, to := ws.RawRowView(k.old), s.WS.RawRowView(k.class)
		for at, j := range columns {
			to[j] = from[at]
		}
	}
	return nil
}

// codesOver returns S = max(0, [(λ+1)DᵀD + αWᵀW + εI]⁻¹ [Dᵀx + αWᵀH + εI]) with
// D and W of old, and WS, for the samples x of known, one person after the other:
// (11) without its frozen terms, from the codes in which each sample is its atom.
func (s *nrdlState) codesOver(old *classify.Parts, known []commonClass, x *mat.Dense) (codes, ws *mat.Dense, err error) {
	linear := old.Rule.(classify.Linear) // as startsFrom has checked
	c, k := linear.W.Dims()
	_, n := x.Dims()
	h, codes := mat.NewDense(c, n, nil), mat.NewDense(k, n, nil)
	at := 0
	for _, p := range known {
		for i := range s.samples[p.class+1] - s.samples[p.class] {
			h.Set(p.old, at, 1)
			codes.Set(old.Groups[p.old]+i, at, 1)
			at++
		}
	}
	g := mat.NewDense(k, k, nil)
	lin.AtA(g, s.Lambda+1, old.D)
	lin.AddAtA(g, s.Alpha, linear.W)
	var factor lin.SPD
	ε, err := factor.FactorProximal(g, s.proximity)
	if err != nil {
		return nil, nil, err
	}
	lin.Set(codes, ε, codes)
	lin.AddAtB(codes, 1, old.D, x)
	lin.AddAtB(codes, s.Alpha, linear.W, h)
	factor.Solve(codes)
	if !s.Signed {
		lin.Clamp(codes, 0)
	}
	ws = mat.NewDense(c, n, nil)
	lin.AB(ws, 1, linear.W, codes)
	return codes, ws, nil
}

// startNew sets the codes of the samples of people who are not known to identity,
// each being an atom of D₀, and WS to their labels.
func (s *nrdlState) startNew(known []commonClass) {
	for c := range s.classes() {
		if slices.ContainsFunc(known, func(k commonClass) bool { return k.class == c }) {
			continue
		}
		for j := s.samples[c]; j < s.samples[c+1]; j++ {
			s.S.Set(j, j, 1)
			s.WS.Set(c, j, 1)
		}
	}
}
