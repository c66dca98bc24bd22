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
