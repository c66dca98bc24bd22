package nrdl

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"nrdl/coding"
	"nrdl/internal/hint"
	"nrdl/internal/lin"
	"nrdl/internal/parallel"
)

// A Rule turns the code of a sample into a score for every class; the largest
// score wins.
type Rule string

// The rules. Y is a sample of unit norm, s its code, D_c and s_c the atoms and
// the coefficients of class c.
const (
	// Linear scores class c by (W·s)_c; near 1 for the class that the
	// classifier was trained to answer and near 0 for the others [nrdl, (7)].
	Linear Rule = "linear"

	// Residual scores class c by 1 − ‖y − D_c·s_c‖: 1 is a perfect
	// reconstruction by the class alone [src].
	Residual Rule = "residual"

	// NormedResidual scores class c by ‖s_c‖² / (‖s_c‖² + ‖y − D_c·s_c‖²), an
	// increasing function of CRC's ‖s_c‖/‖y − D_c·s_c‖ that stays between 0
	// and 1 [crc, (10)].
	NormedResidual Rule = "normed-residual"

	// Fisher scores class c by 1 − ‖y − D_c·s_c‖² − w‖s − m_c‖², with m_c the
	// mean code of the class and w a weight: 1 is a perfect reconstruction by
	// the class alone with its mean code [fddl].
	Fisher Rule = "fisher"

	// Sum scores class c by Σ s_c, the sum of its coefficients: near 1, as atoms
	// and samples are of unit norm, where the class alone rebuilds the sample
	// with coefficients of one sign.
	Sum Rule = "sum"

	// Huber scores class c by 1 − √(2·Σ_i h(r_i)) with r = y − D_c·s_c and
	// Huber's function h of the threshold λ of the coder, coding.Robust: features
	// that the class does not explain count little, and for λ = ∞ it is Residual.
	Huber Rule = "huber"

	// Votes scores class c by the part of the votes that it has from the blocks
	// of the sample, as coding.Blocks says; in all they are at most 1.
	Votes Rule = "votes"
)

// Rules lists every rule.
var Rules = []Rule{Linear, Residual, NormedResidual, Fisher, Sum, Huber, Votes}

// A thresholder is a coder that says from where on an error counts linearly in
// a sample of d features, as Huber needs it.
type thresholder interface{ Threshold(d int) float64 }

// Suits reports why r cannot score what c codes.
func (r Rule) Suits(c coding.Coder) error {
	if _, ok := c.(thresholder); r == Huber && !ok {
		return hint.Add(fmt.Errorf("rule %q needs the threshold of a robust coder, %s has none", r, c.Name()),
			"use the coder %s, or the rule %s", coding.DefaultRobust.Name(), Residual)
	}
	if r == Votes && !coding.CanVote(c) {
		return hint.Add(fmt.Errorf("rule %q needs a coder that votes, %s does not", r, c.Name()),
			"use the coder %s, or the rule %s", coding.DefaultBlocks.Name(), Residual)
	}
	return nil
}

// scored is how many samples are scored together: their residuals stay in the
// cache from class to class.
const scored = 128

// score writes the C×n scores of the columns of y, d×n of unit norm, whose
// codes over m's dictionary are s, K×n. Blank columns score 0 everywhere.
func (m *Model) score(out, s, y *mat.Dense) {
	if m.p.Rule == Linear {
		lin.AB(out, 1, m.p.W, s)
		return
	}
	if m.p.Rule == Sum {
		m.scoreSums(out, s)
		return
	}
	_, n := y.Dims()
	parallel.For(n, scored, func(lo, hi int) {
		m.scoreResiduals(lin.Cols(out, lo, hi), lin.Cols(s, lo, hi), lin.Cols(y, lo, hi))
	})
}

// scoreSums is score for Sum. The code of a blank column is 0.
func (m *Model) scoreSums(out, s *mat.Dense) {
	for c := range m.p.Classes {
		row := out.RawRowView(c)
		clear(row)
		for k := m.p.Groups[c]; k < m.p.Groups[c+1]; k++ {
			for j, v := range s.RawRowView(k) {
				row[j] += v
			}
		}
	}
}

// scoreResiduals is score for the rules that look at residuals.
func (m *Model) scoreResiduals(out, s, y *mat.Dense) {
	if m.p.Rule == Fisher {
		m.fisherDistances(out, s)
	}
	d, n := y.Dims()
	r := mat.NewDense(d, n, nil)
	res, code := make([]float64, n), make([]float64, n)
	for c := range m.p.Classes {
		lo, hi := m.p.Groups[c], m.p.Groups[c+1]
		sc := lin.Block(s, lo, hi, 0, n)
		lin.Set(r, 1, y)
		lin.AddAB(r, -1, lin.Cols(m.p.D, lo, hi), sc) // y − D_c·s_c
		m.squares(res, r)
		row := out.RawRowView(c)
		if m.p.Rule == Fisher {
			for j, distance := range row {
				row[j] = 1 - res[j] - m.p.Weight*distance
			}
			continue
		}
		lin.SquaredColumnNorms(code, sc)
		for j := range row {
			row[j] = m.p.Rule.of(res[j], code[j])
		}
	}
	lin.SquaredColumnNorms(res, y)
	for j, v := range res {
		if v == 0 {
			for c := range m.p.Classes {
				out.Set(c, j, 0)
			}
		}
	}
}

// squares writes the squared norms of the columns of r, d×n, into dst, or twice
// the sums of Huber's function where the rule is Huber.
func (m *Model) squares(dst []float64, r *mat.Dense) {
	if m.p.Rule != Huber {
		lin.SquaredColumnNorms(dst, r)
		return
	}
	d, _ := r.Dims()
	λ := m.p.Coder.(thresholder).Threshold(d)
	clear(dst)
	for i := range d {
		for j, v := range r.RawRowView(i) {
			near := min(math.Abs(v), λ)
			dst[j] += near * (2*math.Abs(v) - near) // v² or 2λ|v| − λ²
		}
	}
}

// fisherDistances writes ‖s − m_c‖² of the columns of s, K×n, into dst, C×n.
func (m *Model) fisherDistances(dst, s *mat.Dense) {
	classes, n := dst.Dims()
	code, mean := make([]float64, n), make([]float64, classes)
	lin.SquaredColumnNorms(code, s)
	lin.SquaredColumnNorms(mean, m.p.M)
	lin.AtB(dst, -2, m.p.M, s) // −2 m_cᵀs
	for c, norm := range mean {
		row := dst.RawRowView(c)
		for j := range row {
			row[j] = max(0, row[j]+code[j]+norm) // ‖s‖² − 2 m_cᵀs + ‖m_c‖²
		}
	}
}

// of scores a class by its squared residual and the squared norm of its code.
func (r Rule) of(residual, code float64) float64 {
	switch r {
	case Residual, Huber:
		return 1 - math.Sqrt(residual)
	case NormedResidual:
		if code == 0 {
			return 0
		}
		return code / (code + residual)
	}
	panic(fmt.Sprintf("nrdl: no rule %q", string(r)))
}
