package dictionary_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/dictionary"
	"nrdl.example/nrdl/method/methodtest"
)

// Learn a dictionary from samples, and represent each by a few of its atoms.
func Example() {
	ctx := context.Background()
	x := waves(1) // 256 samples, one per column
	start, err := dictionary.FromSamples(x, 40, 1)
	check(err)
	learner := dictionary.DefaultKSVD
	learner.Sparsity = 4
	d, outcome, err := learner.Learn(ctx, x, start, classify.Run{})
	check(err)
	fmt.Printf("%d passes; error %.2f with the dictionary to start from, %.2f with the learned one\n",
		outcome.Iter, relativeError(ctx, start, x), relativeError(ctx, d, x))
	// Output: 10 passes; error 0.22 with the dictionary to start from, 0.12 with the learned one
}

// relativeError is ‖X − DS‖/‖X‖ for codes S of 4 atoms.
func relativeError(ctx context.Context, d, x *mat.Dense) float64 {
	over, err := coding.OMP{Sparsity: 4}.Over(coding.Basis{D: d})
	check(err)
	_, k := d.Dims()
	_, n := x.Dims()
	s := mat.NewDense(k, n, nil)
	check(over.Code(ctx, s, x))
	var rest mat.Dense
	rest.Mul(d, s)
	rest.Sub(x, &rest)
	return mat.Norm(&rest, 2) / mat.Norm(x, 2)
}

// Learn from samples that come batch by batch, of which only one is in memory.
func ExampleLearner() {
	ctx := context.Background()
	first := waves(1)
	start, err := dictionary.FromSamples(first, 40, 1)
	check(err)
	online := dictionary.DefaultOnline
	online.Coder = coding.Lasso{Lambda: 0.05, Gap: 1e-6}
	learner, err := online.Start(start)
	check(err)
	for seed := range uint64(20) {
		check(learner.Add(ctx, waves(seed))) // or what was read from a file
	}
	fmt.Println(learner.Seen(), "samples")
	fmt.Printf("objective of new ones: %.2f before, %.2f after\n",
		objective(ctx, online.Coder, start, 0.05), objective(ctx, online.Coder, learner.Dictionary(), 0.05))
	// Output:
	// 5120 samples
	// objective of new ones: 0.09 before, 0.07 after
}

// waves are 256 samples of 32 points, each the sum of three pulses, at norm 1.
func waves(seed uint64) *mat.Dense {
	r := rand.New(rand.NewPCG(seed, 1))
	x := mat.NewDense(32, 256, nil)
	for j := range 256 {
		for range 3 {
			at, height := float64(r.IntN(32)), r.NormFloat64()
			for i := range 32 {
				d := (float64(i) - at) / 1.5
				x.Set(i, j, x.At(i, j)+height*math.Exp(-d*d/2))
			}
		}
	}
	return classify.Unit(x)
}

// objective is the mean of ½‖x − D·s‖² + λ‖s‖₁ over samples that no one has seen.
func objective(ctx context.Context, c coding.Coder, d *mat.Dense, λ float64) float64 {
	x := waves(1000)
	over, err := c.Over(coding.Basis{D: d})
	check(err)
	_, k := d.Dims()
	_, n := x.Dims()
	s := mat.NewDense(k, n, nil)
	check(over.Code(ctx, s, x))
	var sum float64
	for _, v := range s.RawMatrix().Data {
		sum += λ * math.Abs(v)
	}
	var rest mat.Dense
	rest.Mul(d, s)
	rest.Sub(x, &rest)
	return (math.Pow(mat.Norm(&rest, 2), 2)/2 + sum) / float64(n)
}

// Use codes as features: a dictionary that is learned without labels describes a
// sample by a few numbers, over which the nearest neighbour finds the class.
func ExampleOnline_Learn() {
	ctx := context.Background()
	train, test := methodtest.Cones(20, 5, 40, 1), methodtest.Cones(20, 5, 40, 2)
	x, y := classify.Unit(train.X), classify.Unit(test.X)

	start, err := dictionary.FromSamples(x, 80, 1)
	check(err)
	d, _, err := dictionary.DefaultOnline.Learn(ctx, x, start, classify.Run{Seed: 1})
	check(err)
	over, err := dictionary.DefaultOnline.Coder.Over(coding.Basis{D: d})
	check(err)
	features := func(x *mat.Dense) *mat.Dense {
		_, n := x.Dims()
		s := mat.NewDense(80, n, nil)
		check(over.Code(ctx, s, x))
		return s
	}
	fmt.Printf("codes name %d of %d samples\n", right(features(x), features(y), train, test), test.Len())
	// Output:
	// codes name 100 of 100 samples
}

// right counts the test samples whose nearest training sample, by the cosine,
// is of the same class.
func right(x, y *mat.Dense, train, test *classify.Samples) (count int) {
	var cos mat.Dense
	cos.Mul(classify.Unit(y).T(), classify.Unit(x))
	from, to := train.Labels(), test.Labels()
	for j, person := range to {
		nearest := 0
		for i, v := range cos.RawRowView(j) {
			if v > cos.At(j, nearest) {
				nearest = i
			}
		}
		if from[nearest] == person {
			count++
		}
	}
	return count
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
