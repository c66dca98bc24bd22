package classify_test

import (
	"context"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
)

// A classifier codes a sample over a dictionary and turns the code into one score
// for each class.
func Example() {
	c, err := classify.NewClassifier(classify.Parts{
		D:      classify.Unit(mat.NewDense(2, 3, []float64{1, 3, 0, 0, 1, 1})), // atoms: two of ann, one of bob
		Groups: []int{0, 2, 3}, Classes: []string{"ann", "bob"},
		Coder: coding.DefaultNonNegative, Rule: classify.Residual{},
	})
	check(err)
	r, err := c.Classify(context.Background(), mat.NewDense(2, 2, []float64{9, 1, 1, 9})) // two samples, one per column
	check(err)
	for j, class := range classify.Best(r.Scores) {
		fmt.Printf("sample %d: %s, margin %.2f\n", j, c.Parts().Classes[class], classify.Margin(r.Scores.ColView(j)))
	}
	// Output:
	// sample 0: ann, margin 1.00
	// sample 1: bob, margin 0.84
}

// Iterate runs a method that iterates until its residual is small or its passes
// are used up.
func ExampleIterate() {
	newton := &root{of: 2, x: 1}
	outcome, err := classify.Iterate(context.Background(), newton, classify.Limits{Passes: 20, Tol: 1e-6}, nil)
	check(err)
	fmt.Printf("%s after %d passes: %.6f\n", outcome.Status, outcome.Iter, newton.x)
	// Output: converged after 5 passes: 1.414214
}

// A root finds the square root of a number by Newton's method.
type root struct{ of, x float64 }

func (r *root) Step() (residual float64, err error) {
	last := r.x
	r.x = (r.x + r.of/r.x) / 2
	return math.Abs(last - r.x), nil
}

func (r *root) Largest() float64 { return r.x }

func (r *root) Objective() []classify.Term {
	return []classify.Term{{Name: "|x² − a|", Value: math.Abs(r.x*r.x - r.of)}}
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
