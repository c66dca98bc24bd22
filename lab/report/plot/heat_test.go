package plot_test

import (
	"encoding/xml"
	"math"
	"strings"
	"testing"

	"nrdl.example/nrdl/lab/report/plot"
)

// A heat map is well-formed, has every value and name, and says where the best is; larger
// values are darker.
func TestHeat(t *testing.T) {
	h := &plot.Heat{
		Title: "a & b", X: "lambda", Y: "gamma", XNames: []string{"1", "2", "3"}, YNames: []string{"u", "v"},
		Values: [][]float64{{90, 91.5, math.NaN()}, {88, 93.25, 92}},
	}
	svg, err := h.SVG()
	if err != nil {
		t.Fatal(err)
	}
	if err := xml.Unmarshal(svg, new(struct{})); err != nil {
		t.Error(err)
	}
	for _, want := range []string{"90.0", "91.5", "88.0", "93.2", "92.0", "lambda", "gamma", ">u<", ">v<", "a &amp; b"} {
		if !strings.Contains(string(svg), want) {
			t.Errorf("no %q", want)
		}
	}
	if n := strings.Count(string(svg), "fill-opacity"); n != 5 {
		t.Errorf("%d cells", n)
	}
	if best, x, y := h.Best(); best != 93.25 || x != 1 || y != 1 {
		t.Errorf("the best is %v at %d, %d", best, x, y)
	}
	if h.Share(88) != 0 || h.Share(93.25) != 1 || h.Share(90) >= h.Share(91.5) {
		t.Error("shares are not ordered")
	}
	h.Range = 10.5
	if low, high := h.Ends(); low != 88 || high != 98.5 || h.Share(93.25) != 0.5 {
		t.Errorf("the colours are from %v to %v", low, high)
	}
	if equal := (&plot.Heat{Values: [][]float64{{3, 3}}}); equal.Share(3) != 0 {
		t.Error("equal values look large")
	}
	for _, bad := range []*plot.Heat{
		{},
		{XNames: []string{"a"}, YNames: []string{"b"}, Values: [][]float64{{math.NaN()}}},
		{XNames: []string{"a"}, YNames: []string{"b"}, Values: [][]float64{{1, 2}}},
	} {
		if _, err := bad.SVG(); err == nil {
			t.Errorf("%+v is drawn", bad)
		}
	}
}
