package method_test

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/method/methodtest"
	"nrdl.example/nrdl/projection"
)

func init() {
	contractOptions["pca-lda"] = methodtest.Options{Exceptions: map[string]methodtest.Exception{"dims": {Value: "3"}}}
	contractOptions["svm"] = methodtest.Options{Exceptions: map[string]methodtest.Exception{"c": {Value: "0.01"}, "tol": {Value: "0.5"}}}
}

// cones are samples that need more than their nearest neighbour, and queries.
func cones() (train, probe *classify.Samples) {
	return methodtest.Cones(5, 6, 40, 1), methodtest.Cones(5, 4, 40, 2)
}

// outputs returns what m makes of the columns of x after a fit on train.
func outputs(t *testing.T, m classify.Method, train *classify.Samples, x *mat.Dense) (*classify.Classifier, *mat.Dense) {
	t.Helper()
	c, err := m.Fit(t.Context(), train, classify.Run{})
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.Scores(t.Context(), x)
	if err != nil {
		t.Fatal(err)
	}
	return c, out
}

// The gradient of the ridge regression vanishes, in the weights and in the intercepts.
func TestRidgeClassifierIsOptimal(t *testing.T) {
	train, _ := cones()
	c, out := outputs(t, method.RidgeClassifier{Ridge: 0.3}, train, train.X)
	f := c.Parts().Coder.(coding.Affine).F
	x := classify.Unit(train.X)
	d, n := x.Dims()
	classes, _ := out.Dims()
	mean := make([]float64, d)
	scatter := 0.0
	for i := range d {
		row := x.RawRowView(i)
		for _, v := range row {
			mean[i] += v / float64(n)
		}
		for _, v := range row {
			scatter += (v - mean[i]) * (v - mean[i])
		}
	}
	ε := 0.3 * scatter / float64(min(d, n-1))
	for k := range classes {
		rest, sum := make([]float64, n), 0.0 // H − WᵀX − b
		for j, label := range train.Labels() {
			if label == k {
				rest[j] = 1
			}
			rest[j] -= out.At(k, j)
			sum += rest[j]
		}
		if math.Abs(sum) > 1e-10 {
			t.Errorf("class %d: the residuals have the sum %v", k, sum)
		}
		for i := range d {
			g := -ε * f.At(i, k)
			for j, r := range rest {
				g += (x.At(i, j) - mean[i]) * r
			}
			if math.Abs(g) > 1e-10 {
				t.Fatalf("class %d: the gradient is %v", k, g)
			}
		}
	}
}

// LDA is mean on the projection fisher: its scores are the cosines times the lengths.
func TestLDAIsMeanOnFisher(t *testing.T) {
	train, probe := methodtest.Cones(5, 6, 12, 1), methodtest.Cones(5, 4, 12, 2) // N − C components are all
	fit, err := projection.Fisher{Ridge: 0.1}.Fit(t.Context(), classify.Unit(train.X), train.Groups)
	if err != nil {
		t.Fatal(err)
	}
	projected := *train
	projected.X, projected.Grid = fit.Apply(classify.Unit(train.X)), classify.Grid{}
	z := fit.Apply(classify.Unit(probe.X))
	_, want := outputs(t, method.Mean{}, &projected, z)
	_, lda := outputs(t, method.DefaultLDA, train, probe.X)
	_, pca := outputs(t, method.PCALDA{Ridge: 0.1}, train, probe.X) // all components
	classes, n := want.Dims()
	for j := range n {
		length := mat.Norm(z.ColView(j), 2)
		for k := range classes {
			if w := want.At(k, j) * length; math.Abs(lda.At(k, j)-w) > 1e-9 || math.Abs(pca.At(k, j)-w) > 1e-9 {
				t.Fatalf("class %d of sample %d: %v and %v, not %v", k, j, lda.At(k, j), pca.At(k, j), w)
			}
		}
	}
}

// The nearest neighbour is that of a loop over all samples.
func TestNNIsNearest(t *testing.T) {
	train, probe := cones()
	_, out := outputs(t, method.NN{}, train, probe.X)
	x, y := classify.Unit(train.X), classify.Unit(probe.X)
	labels := train.Labels()
	for j, got := range classify.Best(out) {
		best, at := -2.0, -1
		for i, label := range labels {
			if v := mat.Dot(x.ColView(i), y.ColView(j)); v > best {
				best, at = v, label
			}
		}
		if got != at {
			t.Errorf("sample %d is of class %d, its neighbour of %d", j, got, at)
		}
	}
}
