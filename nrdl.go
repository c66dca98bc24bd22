// Package nrdl learns classifiers from a matrix and labels. Learn returns what a method has learned,
// and Steps is Learn as a loop over its passes.
//
//	fit, err := nrdl.Learn(ctx, x, y, method.DefaultNRDL, classify.LearnOptions{})
//	classes, err := fit.Classifier.Predict(ctx, probes)
//
// The methods are in package method, what they code with in coding and dictionary, thresholds and
// probabilities of open sets in openset. Photographs are another module: nrdl.example/nrdl/faces. The
// project started from the paper
//
//	[nrdl] Chen, Wu, Kittler. Non-negative representation based discriminative
//	dictionary learning for face recognition.
//
// # What is stable
//
// Before version 1.0, too, these change only after a minor version in which they are deprecated: this
// package, classify, method and advice; the packages faces, faces/dataset, faces/heic and
// faces/results of nrdl.example/nrdl/faces; the client, and version 1 of the HTTP interface; the command with
// its flags, CSV and JSON. What these name of other packages is stable with them. A version reads the
// model files of the one before. All else that can be imported is experimental, and says so.
//
// Importing the package installs a fast BLAS-3 in gonum's blas64, and fast products in blas32, where
// the processor has AVX2, AVX-512 or NEON; the environment variable NRDL_BLAS
// (avx512, avx2, neon, go, gonum) forces one.
package nrdl

import (
	"context"
	"iter"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
)

//go:generate go -C tools run ./docgen

// Learn learns from a matrix: the columns of x, d×N, are samples in any scale and y, len N,
// has their labels. Neither is changed. The classify.Fit has the matrices that m has learned and the
// objective after each pass; classify.Fit says which methods have which. Learn is
// classify.Learn, which a program can use without the rest of this package.
func Learn(ctx context.Context, x *mat.Dense, y []string, m classify.Method, o classify.LearnOptions) (*classify.Fit, error) {
	return classify.Learn(ctx, x, y, m, o)
}

// Steps is Learn, one pass for each turn of a loop, which may read the matrices of the
// iterate and end the fit. After the last pass the results are those of Learn.
func Steps(ctx context.Context, x *mat.Dense, y []string, m classify.Method, o classify.LearnOptions) iter.Seq2[*classify.Step, error] {
	return classify.Steps(ctx, x, y, m, o)
}
