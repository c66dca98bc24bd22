package experiment

import (
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
	"gonum.org/v1/gonum/stat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/gallery"
)

// combined gives every draw a score that combines all evidence: the log odds that the best
// guess is right, from a logistic regression on the faces of the other draws. Strangers and
// enrolled people have the same weight.
func combined(all []*drawState) {
	for i, j := range all {
		var faces []weightedFace
		for k, other := range all {
			if k != i {
				faces = append(faces, other.weighted()...)
			}
		}
		j.combinedScore = regression(faces)
	}
}

// A weightedFace is the evidence of a face, and whether its best guess is right (1 or 0).
type weightedFace struct {
	x             []float64
	right, weight float64
}

func (j *drawState) weighted() (faces []weightedFace) {
	add := func(r gallery.Face, right bool, of int) {
		if r.Class < 0 {
			return
		}
		f := weightedFace{x: evidence(r.Evidence), weight: 1 / float64(of)}
		if right {
			f.right = 1
		}
		faces = append(faces, f)
	}
	for i, r := range j.enrolledFaces {
		add(r, j.enrolledRight[i], len(j.enrolledFaces))
	}
	for _, r := range j.strangerFaces {
		add(r, false, len(j.strangerFaces))
	}
	return faces
}

func evidence(e classify.Evidence) []float64 {
	return []float64{e.Margin, e.Concentration, e.Share, e.Residual}
}

// shrinkage is the weight of ‖w‖² in a regression, relative to the weight of the faces.
const shrinkage = 1e-3

// regression returns a function that returns the log odds, fitted to faces by penalised
// maximum likelihood. Each part of the evidence is standardised.
func regression(faces []weightedFace) func(classify.Evidence) float64 {
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
	// With an error it returns the best point so far. That is good enough: the function
	// is convex, and the line search ends at the precision of numbers.
	found, _ := optimize.Minimize(problem, make([]float64, d+1), nil, &optimize.LBFGS{})
	if found == nil {
		return func(e classify.Evidence) float64 { return e.Margin }
	}
	return func(e classify.Evidence) float64 { return odds(found.X, evidence(e)) }
}
