package openset

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// A trial is a margin, in units of the mean of strangers, the name that went with
// it being right or not, and what it counts.
type trial struct {
	x      [3]float64
	right  float64
	weight float64
}

// trials are the margins of c: those of strangers count Prior in all, those of
// people who were held out the rest, and all together as many as there are. Those
// of strangers are in units of their own mean, so that they have the mean of c.
func (c *Calibration) trials() []trial {
	held, strangers := len(c.Right)+len(c.Wrong), len(c.LeftOut)+len(c.Strangers)
	n := float64(held + strangers)
	var all []trial
	add := func(list []float64, mean, right, share float64, of int) {
		for _, v := range list {
			all = append(all, trial{c.terms(v, mean), right, n * share / float64(of)})
		}
	}
	add(c.Right, c.Mean, 1, 1-c.Prior, held)
	add(c.Wrong, c.Mean, 0, 1-c.Prior, held)
	add(c.LeftOut, c.RawMean, 0, c.Prior, strangers)
	add(c.Strangers, c.RawMean, 0, c.Prior, strangers)
	return all
}

// odds fits the log odds that a name is right by penalised maximum likelihood,
// the penalty being that of a standard normal prior on b and c. Where b or c
// would fall with the margin it is 0. It is nil where no held-out face was named
// rightly.
func (c *Calibration) odds() *[3]float64 {
	if len(c.Right) == 0 {
		return nil
	}
	return oddsOf(c.trials())
}

// oddsOf are the odds of these trials.
func oddsOf(all []trial) *[3]float64 {
	use := [3]bool{true, true, true}
	for {
		a := newton(all, use)
		worst := 0
		for i := 1; i < 3; i++ {
			if a[i] < min(0, a[worst]) || worst == 0 && a[i] < 0 {
				worst = i
			}
		}
		if worst == 0 {
			return &a
		}
		use[worst] = false
	}
}

// newton minimises −Σ w·log likelihood + (b² + c²)/2 over the terms in use. The
// function is convex; steps that do not lower it are halved.
func newton(all []trial, use [3]bool) (a [3]float64) {
	const passes, small = 100, 1e-12
	value := loss(all, a)
	for range passes {
		g, h := slope(all, a)
		var step [3]float64
		if !solve(&step, h, g, use) {
			break
		}
		var next [3]float64
		lower := false
		for f := 1.0; f > small && !lower; f /= 2 {
			for i := range a {
				next[i] = a[i] - f*step[i]
			}
			lower = loss(all, next) < value
		}
		if !lower {
			break
		}
		before := value
		a, value = next, loss(all, next)
		if before-value < small*math.Abs(before) {
			break
		}
	}
	return a
}

func loss(all []trial, a [3]float64) float64 {
	sum := (a[1]*a[1] + a[2]*a[2]) / 2
	for _, t := range all {
		z := a[0]*t.x[0] + a[1]*t.x[1] + a[2]*t.x[2]
		sum += t.weight * (softplus(z) - t.right*z)
	}
	return sum
}

// softplus is log(1 + eᶻ).
func softplus(z float64) float64 { return max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) }

// slope returns the gradient and the Hessian of loss.
func slope(all []trial, a [3]float64) (g [3]float64, h [3][3]float64) {
	for i := 1; i < 3; i++ {
		g[i], h[i][i] = a[i], 1
	}
	for _, t := range all {
		p := logistic(a[0]*t.x[0] + a[1]*t.x[1] + a[2]*t.x[2])
		for i := range 3 {
			g[i] += t.weight * (p - t.right) * t.x[i]
			for k := range 3 {
				h[i][k] += t.weight * p * (1 - p) * t.x[i] * t.x[k]
			}
		}
	}
	return g, h
}

// solve sets step = H⁻¹g over the terms in use, and 0 elsewhere.
func solve(step *[3]float64, h [3][3]float64, g [3]float64, use [3]bool) bool {
	a, b := mat.NewSymDense(3, nil), mat.NewVecDense(3, nil)
	for i := range 3 {
		a.SetSym(i, i, 1)
		if !use[i] {
			continue
		}
		b.SetVec(i, g[i])
		for k := i; k < 3; k++ {
			if use[k] {
				a.SetSym(i, k, h[i][k])
			}
		}
	}
	var chol mat.Cholesky
	if !chol.Factorize(a) {
		return false
	}
	var x mat.VecDense
	if chol.SolveVecTo(&x, b) != nil {
		return false
	}
	for i := range step {
		step[i] = x.AtVec(i)
	}
	return true
}
