package experiment

import (
	"math/rand/v2"
	"slices"
	"testing"

	"nrdl/method"
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
			in[int(p.at[k]*n)]++
		}
		if slices.Min(in[:]) != 1 {
			t.Errorf("axis %d has %v in its parts", k, in)
		}
	}
	for _, m := range method.All {
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
		if _, set, err := s.configure(s.given()); err != nil || len(set) != 0 {
			t.Errorf("%s as given sets %v, %v", m.Name(), set, err)
		}
	}
}
