package method

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/lin"
)

// outside returns the largest element of what of x is outside the span of a.
func outside(a, x *mat.Dense) float64 {
	var svd mat.SVD
	svd.Factorize(a, mat.SVDThinU)
	var u, along, p mat.Dense
	svd.UTo(&u)
	span := lin.Cols(&u, 0, svd.Rank(1e-8))
	along.Mul(span.T(), x)
	p.Mul(span, &along)
	return lin.MaxAbsDiff(&p, x)
}

// The mean and n − 1 eigenfaces are unit vectors that span the n samples;
// with fewer atoms they are the first of these, and where samples are equal,
// samples take the places that are left.
func TestEigenfaces(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	equal := classify.Unit(positive(r, 8, 5).X) // whose mean has rounding errors
	for i := range 8 {
		for j := 1; j < 5; j++ {
			equal.Set(i, j, equal.At(i, 0))
		}
	}
	for _, c := range []struct {
		name string
		x    *mat.Dense
		k    int
		span bool
	}{
		{"all", classify.Unit(positive(r, 8, 5).X), 5, true},
		{"first", classify.Unit(positive(r, 8, 5).X), 3, false},
		{"one sample", classify.Unit(positive(r, 8, 1).X), 1, true},
		{"more samples than features", classify.Unit(positive(r, 3, 6).X), 6, true},
		{"equal samples", equal, 5, true},
		{"opposite samples", mat.NewDense(2, 2, []float64{1, -1, 0, 0}), 2, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, _ := c.x.Dims()
			e := mat.NewDense(d, c.k, nil)
			if err := eigenfaces(e, c.x); err != nil {
				t.Fatal(err)
			}
			norms := make([]float64, c.k)
			lin.SquaredColumnNorms(norms, e)
			for k, v := range norms {
				if math.Abs(v-1) > 1e-12 {
					t.Errorf("atom %d has squared norm %v", k, v)
				}
			}
			if v := outside(c.x, e); v > 1e-8 {
				t.Errorf("the samples miss %v of the atoms", v)
			}
			if v := outside(e, c.x); c.span && v > 1e-8 {
				t.Errorf("the atoms miss %v of the samples", v)
			}
		})
	}
	x := classify.Unit(positive(r, 8, 5).X)
	e := mat.NewDense(8, 5, nil)
	if err := eigenfaces(e, x); err != nil {
		t.Fatal(err)
	}
	last := math.Inf(1)
	for k := 1; k < 5; k++ {
		var along mat.VecDense
		along.MulVec(x.T(), e.ColView(k))
		mean := mat.Sum(&along) / 5
		var variance float64
		for j := range 5 {
			variance += (along.AtVec(j) - mean) * (along.AtVec(j) - mean)
		}
		if variance > last {
			t.Errorf("eigenface %d has more variance than the one before", k)
		}
		last = variance
		for l := 1; l < k; l++ {
			if v := math.Abs(mat.Dot(e.ColView(k), e.ColView(l))); v > 1e-10 {
				t.Errorf("eigenfaces %d and %d have the product %v", k, l, v)
			}
		}
	}
}

// The iteration on coordinates in the span of X is the iteration on X.
func TestFisherCompressionChangesNothing(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 1))
	train := positive(r, 30, 4, 5, 3)
	x := classify.Unit(train.X)
	small, expand := compress(x)
	if v := lin.MaxAbsDiff(expand(small), x); v > 1e-14 {
		t.Fatalf("U·R differs from X by %v", v)
	}
	full, err := newFDDLState(DefaultFDDL, x, train.Groups, train.Groups)
	if err != nil {
		t.Fatal(err)
	}
	short, err := newFDDLState(DefaultFDDL, small, train.Groups, train.Groups)
	if err != nil {
		t.Fatal(err)
	}
	for pass := range 8 {
		for _, s := range []*fddlState{full, short} {
			if _, err := s.Step(); err != nil {
				t.Fatal(err)
			}
		}
		if math.Abs(full.J-short.J) > 1e-9*full.J {
			t.Fatalf("pass %d: J %v and %v", pass, full.J, short.J)
		}
	}
	back := expand(short.D)
	_, k := back.Dims()
	for a := range k { // an eigenface has no sign
		if v := math.Abs(mat.Dot(back.ColView(a), full.D.ColView(a))); math.Abs(v-1) > 1e-9 {
			t.Errorf("atom %d has the product %v with itself", a, v)
		}
	}
}
