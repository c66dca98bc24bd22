package nrdl

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"nrdl/internal/lin"
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
)

// Rules lists every rule.
var Rules = []Rule{Linear, Residual, NormedResidual}

// score writes the C×n scores of the columns of y, d×n of unit norm, whose
// codes over m's dictionary are s, K×n. Blank columns score 0 everywhere.
func (m *Model) score(out, s, y *mat.Dense) {
	if m.p.Rule == Linear {
		lin.AB(out, 1, m.p.W, s)
		return
	}
	d, n := y.Dims()
	r := mat.NewDense(d, n, nil)
	res, code := make([]float64, n), make([]float64, n)
	for c := range m.p.Classes {
		lo, hi := m.p.Groups[c], m.p.Groups[c+1]
		dc := m.p.D.Slice(0, d, lo, hi).(*mat.Dense)
		sc := s.Slice(lo, hi, 0, n).(*mat.Dense)
		lin.Set(r, 1, y)
		lin.AddAB(r, -1, dc, sc) // y − D_c·s_c
		lin.SquaredColumnNorms(res, r)
		lin.SquaredColumnNorms(code, sc)
		row := out.RawRowView(c)
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
