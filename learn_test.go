package nrdl_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/method/methodtest"
)

// samples returns drawn samples of four classes as a matrix, 40×24, and their labels.
func samples() (x *mat.Dense, y []string) {
	drawn := methodtest.Cones(4, 6, 40, 1)
	for j := range drawn.Len() {
		y = append(y, drawn.Classes[drawn.ClassOf(j)])
	}
	return drawn.X, y
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}

// Learn from a matrix and its labels, and look at what was learned.
func ExampleLearn() {
	x, y := samples()
	fit, err := nrdl.Learn(context.Background(), x, y, method.DefaultFDDL, classify.LearnOptions{})
	check(err)
	_, n := x.Dims()
	d, k := fit.D.Dims()
	var rest mat.Dense
	rest.Mul(fit.D, fit.S)
	rest.Sub(classify.Unit(x), &rest)
	fmt.Printf("%s: D is %d×%d, ‖X − DS‖/‖X‖ is %.2f\n", fit.Status, d, k, mat.Norm(&rest, 2)/math.Sqrt(float64(n)))
	fmt.Printf("the objective falls from %.2f to %.2f\n", fit.Objective[0], fit.Objective[len(fit.Objective)-1])
	// Output:
	// complete: D is 40×24, ‖X − DS‖/‖X‖ is 0.01
	// the objective falls from 0.42 to 0.31
}

// Step through a fit, plot its objective, and stop when it hardly falls. What was learned
// so far classifies.
func ExampleSteps() {
	x, y := samples()
	var fit *classify.Fit
	last := math.Inf(1)
	for step, err := range nrdl.Steps(context.Background(), x, y, method.DefaultCOPAR, classify.LearnOptions{}) {
		check(err)
		fmt.Printf("pass %d  %.2f  %s\n", step.Iter, step.Objective, strings.Repeat("*", int(40*step.Objective)))
		fit, err = step.Fit()
		check(err)
		if last-step.Objective < 0.1*step.Objective {
			break
		}
		last = step.Objective
	}
	right := 0
	predicted, err := fit.Classifier.Predict(context.Background(), x)
	check(err)
	for j, c := range predicted {
		if fit.Classifier.Parts().Classes[c] == y[j] {
			right++
		}
	}
	fmt.Printf("%s: %d of %d\n", fit.Status, right, len(y))
	// Output:
	// pass 1  0.43  *****************
	// pass 2  0.39  ***************
	// pass 3  0.37  **************
	// stopped: 24 of 24
}

// Start from what was learned before, here with a larger weight of the graph.
func ExampleLearn_warmStart() {
	ctx := context.Background()
	x, y := samples()
	m := method.DefaultNRDL
	first, err := nrdl.Learn(ctx, x, y, m, classify.LearnOptions{})
	check(err)

	m.Gamma *= 2
	m.Mu, m.Growth = 0.5, 1.5 // the start is good: the penalty begins large, and grows fast
	o := classify.LearnOptions{Start: classify.Start{D: first.D, S: first.S, W: first.W}}
	second, err := nrdl.Learn(ctx, x, y, m, o)
	check(err)
	fmt.Printf("%s after %d passes, then after %d\n", first.Status, first.Iter, second.Iter)
	// Output: converged after 111 passes, then after 7
}

// Stop after some passes, and go on later as if the fit had not stopped.
func ExampleSteps_goOn() {
	ctx := context.Background()
	x, y := samples()
	m := method.DefaultFDDL
	m.Passes = 8
	whole, err := nrdl.Learn(ctx, x, y, m, classify.LearnOptions{})
	check(err)

	var first *classify.Fit
	for step, err := range nrdl.Steps(ctx, x, y, m, classify.LearnOptions{}) {
		check(err)
		if step.Iter == 5 {
			first, err = step.Fit()
			check(err)
			break
		}
	}
	m.Passes = 3
	rest, err := nrdl.Learn(ctx, x, y, m, classify.LearnOptions{Start: classify.Start{State: first.State}})
	check(err)
	fmt.Println("the same:", mat.EqualApprox(whole.D, rest.D, 1e-8) && mat.EqualApprox(whole.S, rest.S, 1e-8))
	// Output: the same: true
}

// The Go code of doc/learning.md is that of the examples here.
func TestLearningPage(t *testing.T) {
	page, err := os.ReadFile("doc/learning.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("learn_test.go")
	if err != nil {
		t.Fatal(err)
	}
	examples := strings.ReplaceAll(string(source), "\n\t", "\n")
	blocks := 0
	for i, part := range strings.Split(string(page), "```") {
		if code, ok := strings.CutPrefix(part, "go\n"); i%2 == 1 && ok {
			blocks++
			if !strings.Contains(examples, "\n"+code) {
				t.Errorf("no example has\n%s", code)
			}
		}
	}
	if blocks < 3 {
		t.Errorf("%d blocks of code", blocks)
	}
}
