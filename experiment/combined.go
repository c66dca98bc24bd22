package experiment

import (
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
	"gonum.org/v1/gonum/stat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/gallery"
)

// combined gives every draw a score that combines all of the evidence: the log
// odds, by logistic regression on the faces of the other draws, that the best
// guess is right. Strangers and people who are enrolled count alike.
func combined(all []*judged) {
	for i, j := range all {
		var faces []labelled
		for k, other := range all {
			if k != i {
				faces = append(faces, other.labelled()...)
			}
		}
		j.combined = regression(faces)
	}
}

// A labelled face is its evidence and whether the best guess is right.
type labelled struct {
	x             []float64
	right, weight float64
}

func (j *judged) labelled() (faces []labelled) {
	add := func(r gallery.Face, right bool, of int) {
		if r.Class < 0 {
			return
		}
		f := labelled{x: evidence(r.Evidence), weight: 1 / float64(of)}
		if right {
			f.right = 1
		}
		faces = append(faces, f)
	}
	for i, r := range j.enrolled {
		add(r, j.right[i], len(j.enrolled))
	}
	for _, r := range j.strangers {
		add(r, false, len(j.strangers))
	}
	return faces
}

func evidence(e classify.Evidence) []float64 {
	return []float64{e.Margin, e.Concentration, e.Share, e.Residual}
}

// shrinkage is the weight of ‖w‖² in a regression, per unit of weight of the faces.
const shrinkage = 1e-3

// regression returns the log odds that faces give by penalised maximum
// likelihood, each part of the evidence in units of its deviation.
func regression(faces []labelled) func(classify.Evidence) float64 {
	d := len(evidence(classify.Evidence{}))
	mean, deviation := make([]float64, d), make([]float64, d)
	total := 0.0
	for _, f := range faces {
		total += f.weight
	}
	column := make([]float64, len(faces))
	for i := range d {
		for k, f := range faces {
			column[k] = f.x[i]
		}
		mean[i], deviation[i] = stat.MeanStdDev(column, nil)
		if !(deviation[i] > 0) {
			deviation[i] = 1
		}
	}
	odds := func(w, x []float64) float64 {
		z := w[d]
		for i := range d {
			z += w[i] * (x[i] - mean[i]) / deviation[i]
		}
		return z
	}
	problem := optimize.Problem{
		Func: func(w []float64) float64 {
			sum := 0.0
			for _, f := range faces {
				z := odds(w, f.x)
				sum += f.weight * (max(z, 0) + math.Log1p(math.Exp(-math.Abs(z))) - f.right*z)
			}
			return sum/total + shrinkage*mat.Dot(mat.NewVecDense(d, w[:d]), mat.NewVecDense(d, w[:d]))
		},
		Grad: func(g, w []float64) {
			clear(g)
			for _, f := range faces {
				e := f.weight / total * (1/(1+math.Exp(-odds(w, f.x))) - f.right)
				for i := range d {
					g[i] += e * (f.x[i] - mean[i]) / deviation[i]
				}
				g[d] += e
			}
			for i := range d {
				g[i] += 2 * shrinkage * w[i]
			}
		},
	}
	// What it returns with an error is the best so far: the function is convex,
	// and its line search ends at the precision of numbers.
	found, _ := optimize.Minimize(problem, make([]float64, d+1), nil, &optimize.LBFGS{})
	if found == nil {
		return func(e classify.Evidence) float64 { return e.Margin }
	}
	return func(e classify.Evidence) float64 { return odds(found.X, evidence(e)) }
}
