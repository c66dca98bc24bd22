package nrdl

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

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
)

// Rules lists every rule.
var Rules = []Rule{Linear, Residual, NormedResidual, Fisher}

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
	_, n := y.Dims()
	parallel.For(n, scored, func(lo, hi int) {
		m.scoreResiduals(lin.Cols(out, lo, hi), lin.Cols(s, lo, hi), lin.Cols(y, lo, hi))
	})
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
		lin.SquaredColumnNorms(res, r)
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
	case Residual:
		return 1 - math.Sqrt(residual)
	case NormedResidual:
		if code == 0 {
			return 0
		}
		return code / (code + residual)
	}
	panic(fmt.Sprintf("nrdl: no rule %q", string(r)))
}
