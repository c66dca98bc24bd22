package nrdl_test

import (
	"errors"
	"math"
	"strings"
	"testing"

	"nrdl"
)

// growing is bounded by an element that grows tenfold a pass, or is what it
// becomes.
type growing struct {
	element float64
	becomes map[int]float64
	passes  int
}

func (g *growing) Step() (float64, error) {
	g.passes++
	g.element *= 10
	if v, ok := g.becomes[g.passes]; ok {
		g.element = v
	}
	return 1, nil // which tells of nothing
}

func (g *growing) Objective() []nrdl.Term { return nil }

func (g *growing) Largest() float64 { return g.element }

// An iterate that leaves the range of what serves is a divergence in that pass,
// of which a watch is not told.
func TestIterateOfWhatGrows(t *testing.T) {
	for _, c := range []struct {
		g    growing
		pass int
		want string
	}{
		{growing{element: 2}, 6, "diverged in pass 6: an element is 2e+06"},
		{growing{becomes: map[int]float64{4: math.NaN()}}, 4, "diverged in pass 4: an element is NaN"},
		{growing{becomes: map[int]float64{3: math.Inf(1)}}, 3, "diverged in pass 3: an element is +Inf"},
		{growing{becomes: map[int]float64{2: math.Nextafter(nrdl.DivergenceBound, math.Inf(1))}}, 2, "diverged in pass 2: an element is 1e+06"},
	} {
		told := 0
		out, err := nrdl.Iterate(t.Context(), &c.g, nrdl.Limits{Passes: 9, Tol: 0.1}, func(nrdl.Progress) { told++ })
		if !errors.Is(err, nrdl.ErrDiverged) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
		if c.g.passes != c.pass || out.Iter != c.pass || told != c.pass-1 {
			t.Errorf("%s: %d passes, %d said, %d told", c.want, c.g.passes, out.Iter, told)
		}
	}
	edge := growing{becomes: map[int]float64{1: nrdl.DivergenceBound / 10}}
	if out, err := nrdl.Iterate(t.Context(), &edge, nrdl.Limits{Passes: 2}, nil); err != nil || out.Iter != 2 || out.Status != nrdl.Complete {
		t.Errorf("an element of %v: %+v, %v", edge.element, out, err)
	}
}
