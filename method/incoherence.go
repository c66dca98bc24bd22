package method

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
)

// A ballProblem is that of the atoms of a class, d×m, in methods that ask for
// little correlation between the atoms of different classes:
//
//	f(D) = tr(DFDᵀ) − 2⟨E, D⟩ + 2η⟨D, WD⟩   s.t. ‖d_k‖ ≤ 1
//
// with F ⪰ 0, m×m, E, d×m, and W, d×d, the sum of d_kd_kᵀ over the atoms of the
// other classes.
type ballProblem struct {
	E, F, W *mat.Dense
	η       float64
}

// gradient: G = DF − E + 2ηWD, half the gradient of f
func (p *ballProblem) gradient(g, d *mat.Dense) {
	lin.AB(g, 1, d, p.F)
	lin.Add(g, -1, p.E)
	lin.AddAB(g, 2*p.η, p.W, d)
}

// value: f(D)
func (p *ballProblem) value(g, d *mat.Dense) float64 {
	p.gradient(g, d)
	return inner(d, g) - inner(d, p.E)
}

// solve lowers f in d by so many projected gradient steps with momentum [fista],
// which starts anew where it leads up. It never raises f: where the steps would, it
// makes one without momentum.
func (p *ballProblem) solve(d *mat.Dense, steps int) {
	l := math.Sqrt(lin.SquaredNorm(p.F)) + 2*p.η*math.Sqrt(lin.SquaredNorm(p.W)) // at least the largest curvature
	if l == 0 {
		return
	}
	rows, m := d.Dims()
	g, at, next, start := mat.NewDense(rows, m, nil), mat.DenseCopyOf(d), mat.NewDense(rows, m, nil), mat.DenseCopyOf(d)
	before := p.value(g, d)
	t := 1.0
	for range steps {
		p.gradient(g, at)
		lin.Set(next, 1, at)
		lin.Add(next, -1/l, g)
		onBall(next) // D⁺ = Π(Y − ∇f(Y)/(2l))
		if inner(g, next) > inner(g, d) {
			t = 1 // momentum leads up
		}
		last := t
		t = (1 + math.Sqrt(1+4*t*t)) / 2
		lin.Set(at, 1+(last-1)/t, next)
		lin.Add(at, -(last-1)/t, d) // Y = D⁺ + (t_k − 1)/t_{k+1}·(D⁺ − D)
		lin.Set(d, 1, next)
	}
	if !(p.value(g, d) <= before) {
		p.gradient(g, start)
		lin.Set(d, 1, start)
		lin.Add(d, -1/l, g)
		onBall(d)
	}
}

// onBall divides the columns of d whose norm is above 1 by their norm.
func onBall(d *mat.Dense) {
	_, m := d.Dims()
	norms := make([]float64, m)
	lin.SquaredColumnNorms(norms, d)
	for k, v := range norms {
		norms[k] = 1 / math.Sqrt(max(1, v))
	}
	for i := range d.RawMatrix().Rows {
		row := d.RawRowView(i)
		for k := range row {
			row[k] *= norms[k]
		}
	}
}
