package gallery

import (
	"math"
	"os"
	"testing"

	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/frontend/embedding"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/openset"
)

// Where a gallery shortlists, the faces that it holds out keep the rate of strangers, and the
// law of the network, with the resemblance of the people or without, names far fewer than it
// should: doc/adr/0068-held-out-faces-of-large-galleries.md has what this test prints.
func TestStrangersOfLargeGalleries(t *testing.T) {
	if os.Getenv("NRDL_LONG") == "" {
		t.Skip("NRDL_LONG is not set")
	}
	const strange = 2000
	l := frontend.Pipeline{Frame: embedding.Default().Frame()}.Law()
	between := l.Same.Mean - l.Different.Mean
	dims := int(between * between / l.Different.Pair) // so that cosines of two people vary as measured
	strangers := drawnIn(t, dims, 10_000_000, strange, 1)
	for _, people := range []int{2500, 25000} {
		images := drawnIn(t, dims, 1, people, 7)
		g := learnBy(t, images, method.Mean{}, people)
		raw := *g
		scores, err := raw.Margins(t.Context(), strangers)
		if err != nil {
			t.Fatal(err)
		}
		for _, fpir := range []float64{0.01, 0.001} {
			o := openset.Default
			o.FPIR = fpir
			w, err := g.Whole()
			if err == nil {
				w, err = w.Calibrate(t.Context(), o, nil, nil)
			}
			if err == nil {
				g, err = g.Calibrate(t.Context(), o, nil, nil)
			}
			if err != nil {
				t.Fatal(err)
			}
			share := func(evidence func(score float64) float64, threshold float64) float64 {
				n := 0
				for _, s := range scores {
					if evidence(s) >= threshold {
						n++
					}
				}
				return 100 * float64(n) / strange
			}
			law := func(score float64) float64 { return l.Evidence(score, people) }
			held, alone, alike := share(g.Calibration.Evidence, g.Calibration.Threshold), share(law, -math.Log10(fpir)),
				share(law, w.Calibration.Threshold)
			t.Logf("%d faces, aimed at %v %%: named by held-out faces %v %%, by the law %v %%, by the law and the resemblance %v %%",
				images.Len(), 100*fpir, held, alone, alike)
			if fpir == 0.01 && !(held > 0.3 && held < 2) {
				t.Errorf("%v %% of the strangers are named, want 1 %%", held)
			}
		}
	}
}
