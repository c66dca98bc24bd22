package face

import (
	"slices"
	"testing"

	"nrdl.example/nrdl/faces/dataset"
)

// Of several faces the one is taken that is like those of the other photographs, also where it is the
// smallest and no photograph shows the person alone. Where nobody is like anybody, or there is no
// other photograph, it is the largest. A reason is given where it is not the largest.
func TestAgreeing(t *testing.T) {
	ann := func(tilt float64) dataset.Crop { return dataset.Crop{Values: []float64{1 - tilt, tilt, 0, 0, 0}} }
	other := func(axis int) dataset.Crop {
		v := make([]float64, 5)
		v[axis] = 1
		return dataset.Crop{Values: v}
	}
	var network struct{ dataset.Embedder }
	r := &Reader{Which: Agreeing, Cut: Cut{Embedder: network}}
	for name, c := range map[string]struct {
		photos [][]dataset.Crop
		want   []int
	}{
		"beside larger people": {[][]dataset.Crop{{other(2), ann(0.1)}, {ann(0.2)}, {other(3), other(4), ann(0)}}, []int{1, 0, 2}},
		"nobody is alone":      {[][]dataset.Crop{{other(2), ann(0.1)}, {other(3), ann(0.2)}, {ann(0), other(4)}}, []int{1, 1, 0}},
		"nobody is alike":      {[][]dataset.Crop{{other(2), other(3)}, {other(4)}}, []int{0, 0}},
		"one photograph":       {[][]dataset.Crop{{other(2), ann(0)}}, []int{0}},
		"a couple":             {[][]dataset.Crop{{other(2), ann(0)}, {other(2), ann(0)}}, []int{0, 0}},
	} {
		chosen, reasons := r.Choose(c.photos)
		if !slices.Equal(chosen, c.want) {
			t.Errorf("%s: %v, not %v", name, chosen, c.want)
		}
		for i, n := range chosen {
			if (reasons[i] != "") != (n > 0) {
				t.Errorf("%s: the reason for photograph %d is %q", name, i, reasons[i])
			}
		}
	}
	if chosen, _ := (&Reader{Which: Agreeing}).Choose([][]dataset.Crop{{other(2), ann(0)}}); chosen != nil {
		t.Error("features that are no vectors of a network are compared")
	}
	r.Which = Every
	if chosen, _ := r.Choose([][]dataset.Crop{{other(2), ann(0)}}); chosen != nil {
		t.Error("another is chosen where all are taken")
	}
}
