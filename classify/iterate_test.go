package classify

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
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

func (g *growing) Objective() []Term { return nil }

func (g *growing) Largest() float64 { return g.element }

// An iterate that leaves its range has diverged in that pass. That pass is not
// reported to the Watch.
func TestIterateOfWhatGrows(t *testing.T) {
	for _, c := range []struct {
		g    growing
		pass int
		want string
	}{
		{growing{element: 2}, 6, "diverged in pass 6: an element is 2e+06"},
		{growing{becomes: map[int]float64{4: math.NaN()}}, 4, "diverged in pass 4: an element is NaN"},
		{growing{becomes: map[int]float64{3: math.Inf(1)}}, 3, "diverged in pass 3: an element is +Inf"},
		{growing{becomes: map[int]float64{2: math.Nextafter(DivergenceBound, math.Inf(1))}}, 2, "diverged in pass 2: an element is 1e+06"},
	} {
		reports := 0
		out, err := Iterate(t.Context(), &c.g, Limits{Passes: 9, Tol: 0.1}, func(Progress) { reports++ })
		if !errors.Is(err, ErrDiverged) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, want %s", err, c.want)
		}
		if c.g.passes != c.pass || out.Iter != c.pass || reports != c.pass-1 {
			t.Errorf("%s: %d passes, Iter = %d, %d reports", c.want, c.g.passes, out.Iter, reports)
		}
	}
	edge := growing{becomes: map[int]float64{1: DivergenceBound / 10}}
	if out, err := Iterate(t.Context(), &edge, Limits{Passes: 2}, nil); err != nil || out.Iter != 2 || out.Status != Complete {
		t.Errorf("an element of %v: %+v, %v", edge.element, out, err)
	}
}

// A stepper that converges by halves, or does what fail says.
type halving struct {
	r    float64
	fail func(pass int) (float64, error)
	pass int
}

func (h *halving) Step() (float64, error) {
	h.pass++
	if h.fail != nil {
		return h.fail(h.pass)
	}
	h.r /= 2
	return h.r, nil
}
func (h *halving) Largest() float64  { return 0 }
func (h *halving) Objective() []Term { return []Term{{Name: "r", Value: h.r}} }

func TestIterate(t *testing.T) {
	ctx := context.Background()
	out, err := Iterate(ctx, &halving{r: 1}, Limits{Passes: 100, Tol: 0.1}, nil)
	if want := (Outcome{Converged, 4, 0.0625}); err != nil || out != want {
		t.Errorf("%+v, %v, want %+v", out, err, want)
	}
	out, err = Iterate(ctx, &halving{r: 1}, Limits{Passes: 3, Tol: 0.1}, nil)
	if want := (Outcome{Exhausted, 3, 0.125}); err != nil || out != want {
		t.Errorf("%+v, %v, want %+v", out, err, want)
	}
	out, err = Iterate(ctx, &halving{r: 1}, Limits{Passes: 3}, nil)
	if want := (Outcome{Complete, 3, 0.125}); err != nil || out != want {
		t.Errorf("%+v, %v, want %+v", out, err, want)
	}
	for _, v := range []float64{math.NaN(), math.Inf(1)} {
		_, err = Iterate(ctx, &halving{fail: func(int) (float64, error) { return v, nil }}, Limits{Passes: 3}, nil)
		if !errors.Is(err, ErrDiverged) {
			t.Errorf("residual %v: %v", v, err)
		}
	}
	broken := errors.New("broken")
	_, err = Iterate(ctx, &halving{fail: func(int) (float64, error) { return 0, broken }}, Limits{Passes: 3}, nil)
	if !errors.Is(err, broken) {
		t.Errorf("a failing step: %v", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	h := &halving{r: 1}
	_, err = Iterate(ctx, h, Limits{Passes: 100}, func(p Progress) {
		if p.Iter == 5 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || h.pass != 5 {
		t.Errorf("cancelled in pass 5: %v after %d passes", err, h.pass)
	}
}
