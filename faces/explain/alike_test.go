package explain

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/frontend/embedding"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/openset"
)

// Where people are too alike, the text names nobody, and does not claim that another threshold would help.
func TestPeopleTooAlike(t *testing.T) {
	ctx, f := t.Context(), embedding.Default().Frame()
	rng := rand.New(rand.NewPCG(3, 5))
	x := mat.NewDense(f.Len(), 8, nil)
	x.Apply(func(i, _ int, _ float64) float64 { return math.Sin(float64(i)) + 0.2*rng.NormFloat64() }, x)
	var names []string
	for j := range 8 {
		names = append(names, fmt.Sprintf("Baby %d", j))
	}
	images, err := dataset.NewImages(classify.Unit(x), names, nil, nil, f)
	if err != nil {
		t.Fatal(err)
	}
	g, err := gallery.Learn(ctx, images, frontend.Pipeline{}.ForImages(f), method.Mean{}, classify.Run{}, 0)
	if err == nil {
		g, err = g.Calibrate(ctx, openset.Default, nil, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	e, err := New(ctx, g, images.Select([]int{2}))
	if err != nil {
		t.Fatal(err)
	}
	if s := Sentence(g, e); !strings.HasPrefix(s, "Most similar is Baby 2. The people of this model are too alike") {
		t.Error(s)
	}
}
