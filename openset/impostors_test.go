package openset

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
)

func TestDeviatesAndCosinesAreInverse(t *testing.T) {
	if len(Shipped()) == 0 {
		t.Fatal("no law is shipped")
	}
	for _, l := range Shipped() {
		for k := 1; k < 8; k++ {
			last := math.Inf(-1)
			for c := 0.6; c < 1; c += 0.001 {
				z := l.Deviate(k, c)
				if back := l.Cosine(k, z); z <= last || math.Abs(back-c) > 1e-9 {
					t.Fatalf("%d photographs, cosine %v: deviate %v after %v, and back %v", k, c, z, last, back)
				}
				last = z
			}
		}
	}
}

func TestThresholdOfManyPeopleIsTheWantedShare(t *testing.T) {
	for _, people := range []int{1, 2, 10, 1000} {
		for _, share := range []float64{0.5, 0.01, 1e-6} {
			z := AtLarge(share, people)
			if got := math.Pow(10, -evidenceOf(z, people)); math.Abs(got/share-1) > 1e-6 {
				t.Errorf("%d people: %v pass, not %v", people, got, share)
			}
			if back := deviateOf(evidenceOf(z, people), people); math.Abs(back-z) > 1e-6 {
				t.Errorf("%d people: deviate %v, and back %v", people, z, back)
			}
		}
	}
}

// drawn are unit vectors of people with a part in common, as the law has them.
func drawn(rng *rand.Rand, l *Impostors, counts ...int) (x *mat.Dense, groups []int) {
	const d = 128
	common, person, photograph := math.Sqrt(l.Different.Mean), math.Sqrt((l.Same.Mean-l.Different.Mean)/d), math.Sqrt((1-l.Same.Mean)/d)
	n := 0
	for _, k := range counts {
		n += k
	}
	x, groups = mat.NewDense(d, n, nil), []int{0}
	for _, k := range counts {
		own := make([]float64, d)
		for i := range own {
			own[i] = person * rng.NormFloat64()
		}
		own[0] += common
		at := groups[len(groups)-1]
		for j := at; j < at+k; j++ {
			for i, v := range own {
				x.Set(i, j, v+photograph*rng.NormFloat64())
			}
		}
		groups = append(groups, at+k)
	}
	norms := make([]float64, n)
	lin.SquaredColumnNorms(norms, x)
	for i := range d {
		for j, v := range norms {
			x.Set(i, j, x.At(i, j)/math.Sqrt(v))
		}
	}
	return x, groups
}

// Compare against its definition: each photograph with the means of the others.
func TestCompareAgainstItsDefinition(t *testing.T) {
	l := Shipped()[0]
	x, groups := drawn(rand.New(rand.NewPCG(1, 2)), l, 3, 1, 2, 7)
	people := len(groups) - 1
	as := l.counted([]int{3, 1, 2, 7})
	all := l.Compare(x, groups, 0)
	if len(all) != 13 {
		t.Fatalf("%d photographs are compared", len(all))
	}
	const table = 0.02 // what the weights of a table of 50 points may be off
	for _, c := range all {
		var deviates []float64
		own := -1
		for p := range people {
			mean, k := mat.NewVecDense(128, nil), 0
			for j := groups[p]; j < groups[p+1]; j++ {
				if j == c.Column {
					own = p
					continue
				}
				mean.AddVec(mean, x.ColView(j))
				k++
			}
			z := math.Inf(-1)
			if k > 0 {
				z = among(l.Deviate(k, mat.Dot(mean, x.ColView(c.Column))/mat.Norm(mean, 2)), as[min(k, len(as))-1])
			}
			deviates = append(deviates, z)
		}
		want := compared(c.Column, own, deviates)
		count := as[min(groups[own+1]-groups[own], len(as))-1] // the others are compared, who count as 4 − count
		share := ofMany(ofOne(math.Pow(10, -want.Stranger), people), 1)
		want.Stranger = -math.Log10(1 - math.Pow(1-share, (4-count)/3*4))
		want.Single = groups[own+1]-groups[own] == 1
		if c.Best != want.Best || c.Rival != want.Rival || math.Abs(c.Evidence-want.Evidence) > table ||
			math.Abs(c.Stranger-want.Stranger) > table || c.Single != want.Single {
			t.Errorf("%+v, want %+v", c, want)
		}
	}
	if some := l.Compare(x, groups, 20); len(some) != 5 {
		t.Errorf("of %d photographs with %d people %d are compared", 13, people, len(some))
	}
}

func TestByLawNamesKnownFacesAndIsSure(t *testing.T) {
	l := Shipped()[0]
	rng := rand.New(rand.NewPCG(5, 6))
	x, groups := drawn(rng, l, 5, 1, 8, 5, 2, 5)
	c, err := ByLaw(Default, l, x, groups, nil)
	if err != nil {
		t.Fatal(err)
	}
	if r := c.Rates(); r.Held != 25 || r.Right < 0.9 {
		t.Errorf("rates %+v", r)
	}
	last := -1.0
	for e := 0.0; e < 9; e += 0.1 {
		p := c.Probability(e)
		if p < last || p < 0 || p > 1 {
			t.Fatalf("evidence %v has the probability %v, less evidence %v", e, p, last)
		}
		last = p
	}
	atLarge, like := c.StrangerRates(l)
	for _, s := range []Share{atLarge, like} {
		if !(s.Low <= s.Rate && s.Rate <= s.High && s.Rate <= 0.011) {
			t.Errorf("share %+v", s)
		}
	}
}

func TestSameRatioGrowsWithTheCosine(t *testing.T) {
	l := Shipped()[0]
	for _, n := range [][2]float64{{1, 1}, {1, 9}, {20, 30}} {
		last := math.Inf(-1)
		for c := 0.7; c < 1; c += 0.005 {
			v := l.SameRatio(c, n[0], n[1], 0)
			if v < last {
				t.Errorf("%v photographs, cosine %v: %v after %v", n, c, v, last)
			}
			last = v
		}
	}
}

// The number of steps that a line beyond a table follows is stored with the table.
func TestExtrapolatedIsStored(t *testing.T) {
	l := *Shipped()[0]
	l.Extrapolated = 2
	text, err := json.Marshal(&l)
	if err != nil {
		t.Fatal(err)
	}
	again, err := ParseImpostors(text)
	if err != nil || again.Deviate(1, 0.99) != l.Deviate(1, 0.99) || l.Deviate(1, 0.99) == Shipped()[0].Deviate(1, 0.99) {
		t.Errorf("%v: %v, want %v, not %v", err, again.Deviate(1, 0.99), l.Deviate(1, 0.99), Shipped()[0].Deviate(1, 0.99))
	}
	if l.Extrapolated = -1; l.Validate() == nil {
		t.Error("-1 steps are valid")
	}
}

// A table is the interpolation, to the bit.
func TestTableIsInterpolation(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, l := range Shipped() {
		for k := range l.Cosines {
			for _, xy := range [][2][]float64{{l.Cosines[k], l.Deviates}, {l.Deviates, l.Cosines[k]}} {
				table := l.newTable(xy[0], xy[1])
				lo, hi := xy[0][0], xy[0][len(xy[0])-1]
				values := append([]float64{math.Inf(-1), math.Inf(1), -1e300, 1e300}, xy[0]...)
				for range 10000 {
					values = append(values, lo+(hi-lo)*(1.4*rng.Float64()-0.2))
				}
				for _, v := range values {
					if got, want := table.value(v), l.interpolate(xy[0], xy[1], v); got != want {
						t.Fatalf("%d photographs, %v: %v, want %v", k+1, v, got, want)
					}
				}
			}
		}
	}
	if table := Shipped()[0].newTable(Shipped()[0].Deviates, Shipped()[0].Cosines[0]); !math.IsNaN(table.value(math.NaN())) {
		t.Error("NaN has a number")
	}
}
