package experiment

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/stat"

	"nrdl.example/nrdl/method"
)

// A Latin hypercube has one place in each part of every axis, and a value has
// its own place.
func TestSpace(t *testing.T) {
	s, err := newSpace(method.DefaultNRC)
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 1))
	const n = 9
	points := s.spread(rng, n)
	for k := range s.axes {
		var in [n]int
		for _, p := range points {
			in[int(p.position[k]*n)]++
		}
		if slices.Min(in[:]) != 1 {
			t.Errorf("axis %d has %v in its parts", k, in)
		}
	}
	for _, m := range method.All() {
		if len(method.Params(m)) == 0 { // nothing to tune
			continue
		}
		s, err := newSpace(m)
		if err != nil {
			t.Fatal(err)
		}
		for range 10 {
			p := s.draw(rng)
			q := s.near(rng, p, lastStep)
			for i, a := range s.axes {
				for _, p := range []point{p, q} {
					if v := a.valueAt(a.place(p.value[i])); v != p.value[i] {
						t.Errorf("%s: %s=%s has the place of %s", m.Name(), a.Path, p.value[i], v)
					}
					if edited, _, err := s.configure(p); err != nil || edited.Validate() != nil {
						t.Errorf("%s: %v is refused", m.Name(), p.value)
					}
				}
			}
		}
		if _, set, err := s.configure(s.initial()); err != nil || len(set) != 0 {
			t.Errorf("%s as given sets %v, %v", m.Name(), set, err)
		}
	}
}

// A search spreads its first half, and then stays near the best so far, by steps
// that become shorter.
func TestSearchClosesIn(t *testing.T) {
	const budget, seeds = 32, 8
	train, κ := hard(t), method.DefaultCRC.Traits().Ranges[0]
	place := func(trial Trial) float64 {
		m := edited(t, method.DefaultCRC, trial.Set).(method.CRC)
		return math.Log(m.Kappa/κ.Low) / math.Log(κ.High/κ.Low)
	}
	var spread, early, late []float64 // distances from the best so far
	for seed := range uint64(seeds) {
		trials := tune(t, train, method.DefaultCRC, Search{Budget: budget, Folds: 2, Seed: seed}).Trials
		best := trials[0]
		for i, trial := range trials[1:] {
			far := math.Abs(place(trial) - place(best))
			switch {
			case i < budget/2:
				spread = append(spread, far)
			case i < budget*3/4:
				early = append(early, far)
			default:
				late = append(late, far)
			}
			if trial.Compare(best) < 0 {
				best = trial
			}
		}
	}
	first, then, last := stat.Mean(spread, nil), stat.Mean(early, nil), stat.Mean(late, nil)
	if !(then < first/1.5 && last < then/1.5) {
		t.Errorf("mean distances from the best of %.3f, then %.3f, at last %.3f of the range", first, then, last)
	}
}
