package openset

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

func centredLaw(t *testing.T) *Impostors {
	t.Helper()
	for _, l := range Shipped() {
		if l.Centring != "" {
			return l
		}
	}
	t.Fatal("no law of centred vectors")
	return nil
}

// People with few photographs count more, all together as many as they are, and by one number of photographs as one
// each.
func TestCounted(t *testing.T) {
	for _, l := range Shipped() {
		if as := l.counted([]int{3, 3, 3}); as != nil {
			t.Errorf("%v", as)
		}
		photographs := []int{1, 1, 5, 5, 9, 2}
		as, sum := l.counted(photographs), 0.0
		for _, k := range photographs {
			sum += as[min(k, len(as))-1]
		}
		if math.Abs(sum-float64(len(photographs))) > 1e-9 {
			t.Errorf("%v, sum %v", as, sum)
		}
		if l.Centring != "" && (as[0] <= as[1] || as[1] <= as[len(as)-1]) {
			t.Errorf("%v", as)
		}
	}
}

// Strangers exceed an evidence as often as it says, whatever the numbers of photographs: the deviates of strangers
// are drawn. People with one photograph are named for more of them. Of faces as those of the law more get their name
// than without weights, and of faces that are hard to recognise at most 3 in a hundred fewer.
func TestStrangersOfCountedPeople(t *testing.T) {
	l := centredLaw(t)
	photographs := []int{1, 1, 5, 5, 5, 5}
	const draws, evidence = 10_000, 2.
	reach := func(draws int, deviate func(p int) float64, among []int) (above int, of [6]int) {
		for range draws {
			scores := make([]float64, len(photographs))
			for p, k := range photographs {
				scores[p] = l.Cosine(k, deviate(p))
			}
			l.Level(scores, photographs, among)
			best := 0
			for p, v := range scores {
				if v > scores[best] {
					best = p
				}
			}
			if l.Evidence(scores[best], len(scores)) >= evidence {
				above++
				of[best]++
			}
		}
		return above, of
	}
	rng := rand.New(rand.NewPCG(1, 2))
	stranger := func(int) float64 { return rng.NormFloat64() }
	above, of := reach(draws, stranger, photographs)
	// Tables of 50 points are off by a few per mille.
	if want, bound := draws*math.Pow(10, -evidence),
		4*math.Sqrt(draws*math.Pow(10, -evidence)); math.Abs(float64(above)-want) > bound+0.02*want {
		t.Errorf("%d strangers, want %v ± %v", above, want, bound)
	}
	if of[0]+of[1] < 2*(of[2]+of[3]) {
		t.Errorf("%v", of)
	}
	right := func(among []int, mean, sd float64) (all int) {
		rng := rand.New(rand.NewPCG(1, 2)) // the same faces with and without weights
		for own, k := range photographs {
			g := l.Genuine[min(k, len(l.Genuine))-1]
			_, of := reach(draws/6, func(p int) float64 {
				if p == own {
					return mean*g[0] + sd*g[1]*rng.NormFloat64()
				}
				return rng.NormFloat64()
			}, among)
			all += of[own]
		}
		return all
	}
	if weighted, plain := right(photographs, 1, 1), right(nil, 1, 1); weighted <= plain {
		t.Errorf("%d names, %d without weights", weighted, plain)
	}
	if weighted, plain := right(photographs, 0.6, 1.5), right(nil, 0.6, 1.5); float64(weighted) < 0.97*float64(plain) {
		t.Errorf("%d names of hard faces, %d without weights", weighted, plain)
	}
}

// The weights are the best ones: with the genuine deviates of the law, no weights that are a little different let more
// faces be named at the share of strangers that they are for.
func TestWeightsAreBest(t *testing.T) {
	l := centredLaw(t)
	named := func(shares []float64) (sum float64) {
		for k, share := range shares {
			z := -distuv.UnitNormal.Quantile(share)
			sum += distuv.UnitNormal.Survival((z - l.Genuine[k][0]) / l.Genuine[k][1])
		}
		return sum
	}
	var best []float64
	for k := range l.Genuine {
		best = append(best, l.weight(k+1))
	}
	for i := range best {
		for j := range best {
			if i == j {
				continue
			}
			other := append([]float64(nil), best...)
			other[i], other[j] = other[i]+0.05*best[j], other[j]-0.05*best[j]
			if named(other) > named(best)*(1+1e-9) {
				t.Errorf("%v is better than %v", other, best)
			}
		}
	}
}
