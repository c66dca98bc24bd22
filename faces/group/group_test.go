package group_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/frontend/embedding"
	"nrdl.example/nrdl/faces/group"
	"nrdl.example/nrdl/internal/lin"
)

var law = frontend.Pipeline{Frame: embedding.Default().Frame()}.Law()

// drawn are unit vectors of people with so many faces each, and whose they are.
func drawn(rng *rand.Rand, counts ...int) (x *mat.Dense, labels []int) {
	const d = 128
	common, person, face := math.Sqrt(law.Different.Mean), math.Sqrt((law.Same.Mean-law.Different.Mean)/d), math.Sqrt((1-law.Same.Mean)/d)
	for p, k := range counts {
		labels = append(labels, slices.Repeat([]int{p}, k)...)
	}
	x = mat.NewDense(d, len(labels), nil)
	own := make([]float64, d)
	for j, p := range labels {
		if j == 0 || labels[j-1] != p {
			for i := range own {
				own[i] = person * rng.NormFloat64()
			}
			own[0] += common
		}
		for i, v := range own {
			x.Set(i, j, v+face*rng.NormFloat64())
		}
	}
	return classify.Unit(x), labels
}

func found(t *testing.T, x *mat.Dense, photographs []int) [][]int {
	t.Helper()
	groups, err := group.Faces(t.Context(), x, photographs, law, group.Default)
	if err != nil {
		t.Fatal(err)
	}
	var all [][]int
	for _, g := range groups {
		all = append(all, g.Faces)
	}
	return all
}

func TestPeopleAreGroups(t *testing.T) {
	x, _ := drawn(rand.New(rand.NewPCG(1, 2)), 2, 9, 1, 5, 1)
	want := [][]int{{2, 3, 4, 5, 6, 7, 8, 9, 10}, {12, 13, 14, 15, 16}, {0, 1}, {11}, {17}}
	if d := cmp.Diff(want, found(t, x, nil)); d != "" {
		t.Errorf("(-want +got)\n%s", d)
	}
}

// Every face is in one group, whatever there is, and the order of the faces does not
// matter.
func TestFacesArePartitioned(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	counts := make([]int, 60)
	for i := range counts {
		counts[i] = 1 + rng.IntN(8)
	}
	x, labels := drawn(rng, counts...)
	perm := rng.Perm(len(labels))
	y := mat.NewDense(128, len(labels), nil)
	for to, from := range perm {
		y.SetCol(to, mat.Col(nil, from, x))
	}
	sets := func(groups [][]int, name func(int) int) (all [][]int) {
		seen := map[int]bool{}
		for _, g := range groups {
			var s []int
			for _, j := range g {
				s = append(s, name(j))
				seen[j] = true
			}
			slices.Sort(s)
			all = append(all, s)
		}
		if len(seen) != len(labels) {
			t.Errorf("%d of %d faces are in groups", len(seen), len(labels))
		}
		slices.SortFunc(all, slices.Compare)
		return all
	}
	a := sets(found(t, x, nil), func(j int) int { return j })
	b := sets(found(t, y, nil), func(j int) int { return perm[j] })
	if d := cmp.Diff(a, b); d != "" {
		t.Errorf("another order gives other groups:\n%s", d)
	}
}

// The last faces merge with earlier ones, so that groups are left whose best partner is gone
// and stood behind all that are left.
func TestLastFacesMerge(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 9))
		x, labels := drawn(rng, 6, 6, 6, 6, 6, 6)
		_, n := x.Dims()
		order := rng.Perm(n)
		for _, g := range found(t, lin.Select(x, order), nil) {
			for _, j := range g {
				if labels[order[j]] != labels[order[g[0]]] {
					t.Errorf("seed %d: faces of two people are in %v", seed, g)
				}
			}
		}
	}
}

func TestFacesOfOnePhotographAreApart(t *testing.T) {
	x, _ := drawn(rand.New(rand.NewPCG(5, 6)), 6)
	photographs := []int{0, 0, 1, 1, 2, 2}
	for _, g := range found(t, x, photographs) {
		in := map[int]bool{}
		for _, j := range g {
			if in[photographs[j]] {
				t.Errorf("group %v has two faces of a photograph", g)
			}
			in[photographs[j]] = true
		}
	}
}

// Photographs that are nearly equal count as one: many of them do not join two people who
// resemble each other.
func TestCopiesAreOnePhotograph(t *testing.T) {
	const k = 10
	rng := rand.New(rand.NewPCG(11, 12))
	x := mat.NewDense(128, 2*k, nil)
	for j := range 2 * k {
		x.Set(0, j, math.Sqrt(0.5)) // what the people have in common
		x.Set(1+j/k, j, math.Sqrt(0.5))
		for i := 3; i < 128; i++ {
			x.Set(i, j, 0.1*rng.NormFloat64()/math.Sqrt(125))
		}
	}
	if g := found(t, classify.Unit(x), nil); len(g) != 2 || len(g[0]) != k {
		t.Errorf("copies of two people: %v", g)
	}
}

// Where everybody resembles everybody, a cosine that elsewhere makes a group does not.
func TestPeopleWhoLookAlikeStayApart(t *testing.T) {
	const people, cosine = 30, 0.58 // of the first two
	in := func(common float64) int {
		x := mat.NewDense(128, people, nil)
		for j := range people {
			x.Set(0, j, math.Sqrt(common))
			x.Set(1+j, j, math.Sqrt(1-common))
		}
		ρ := (cosine - common) / (1 - common)
		x.Set(1, 1, ρ*math.Sqrt(1-common))
		x.Set(2, 1, math.Sqrt((1-ρ*ρ)*(1-common)))
		return len(found(t, x, nil))
	}
	if in(0) != people-1 {
		t.Error("two faces of a person are not a group")
	}
	if in(0.45) != people {
		t.Error("people who look alike are a group")
	}
}

// A face joins a large group by a similarity that one in 200 strangers has if about as many faces are in large
// groups as are not; among many strangers it needs more, as more of them would join.
func TestFacesAmongStrangersStayAlone(t *testing.T) {
	const d, minFaces = 400, 5 // faces of the group
	for _, c := range []struct {
		strangers int
		share     float64 // of strangers who are as similar
		joins     bool
	}{{3, 0.004, true}, {3, 0.006, false}, {99, 0.004, false}, {99, 0.0003, false}, {99, 0.0002, true}} {
		x := mat.NewDense(d, minFaces+1+c.strangers, nil)
		for j := range minFaces {
			x.Set(0, j, math.Sqrt(0.7)) // what photographs of a person share
			x.Set(1+j, j, math.Sqrt(0.3))
		}
		toMean := law.Cosine(minFaces, distuv.UnitNormal.Quantile(1-c.share))
		x.Set(0, minFaces, toMean*math.Sqrt(0.7+0.3/minFaces)/math.Sqrt(0.7))
		x.Set(1+minFaces, minFaces, math.Sqrt(1-math.Pow(x.At(0, minFaces), 2)))
		for j := range c.strangers {
			x.Set(100+j, minFaces+1+j, 1)
		}
		if g := found(t, x, nil); (len(g[0]) == minFaces+1) != c.joins {
			t.Errorf("%+v: the largest group has %d faces", c, len(g[0]))
		}
	}
}

func TestFewFaces(t *testing.T) {
	x, _ := drawn(rand.New(rand.NewPCG(7, 8)), 1)
	if d := cmp.Diff([][]int{{0}}, found(t, x, nil)); d != "" {
		t.Error(d)
	}
}

func TestMistakesAreErrors(t *testing.T) {
	x, _ := drawn(rand.New(rand.NewPCG(9, 10)), 3, 3)
	if _, err := group.Faces(t.Context(), x, []int{1}, law, group.Default); err == nil {
		t.Error("too few photographs")
	}
	if _, err := group.Faces(t.Context(), x, nil, law, group.Options{FPIR: 2, Rivals: 1}); err == nil {
		t.Error("a rate of 2")
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := group.Faces(ctx, x, nil, law, group.Default); err == nil {
		t.Error("it was cancelled")
	}
}
