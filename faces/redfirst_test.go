package faces_test

import (
	"encoding/json"
	"image"
	"image/color"
	"math"
	"os"
	"path/filepath"
	"testing"

	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/frontend"
)

// A redFirstAnswer is the result for an image of the version that made testdata/redfirst.nrdl.
type redFirstAnswer struct {
	Name   string
	Known  bool
	Margin float64
	Scores []float64
}

// A model made when red came first in the built-in network keeps red first, its impostor
// distribution and its threshold; new models have blue first.
func TestRedFirst(t *testing.T) {
	path := filepath.Join("testdata", "redfirst.nrdl")
	r, err := faces.Open(path)
	check(err)
	r, err = r.With(face.Options{Detect: face.Never}, faces.Observer{})
	check(err)
	var got []redFirstAnswer
	for _, swapped := range []bool{false, true} {
		faces, err := r.Identify(t.Context(), pattern(swapped))
		check(err)
		a := redFirstAnswer{Name: faces[0].Ranking[0].Name, Known: faces[0].Known, Margin: faces[0].Margin}
		for _, c := range faces[0].Ranking {
			a.Scores = append(a.Scores, c.Score)
		}
		got = append(got, a)
	}
	if os.Getenv("NRDL_WRITE") != "" { // with the version before
		text, err := json.MarshalIndent(got, "", "\t")
		check(err)
		check(os.WriteFile(path+".json", append(text, '\n'), 0o666))
	}
	var want []redFirstAnswer
	text, err := os.ReadFile(path + ".json")
	check(err)
	check(json.Unmarshal(text, &want))
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-5*max(1, math.Abs(b)) } // other processors round otherwise
	for i, w := range want {
		g := got[i]
		same := g.Name == w.Name && g.Known == w.Known && near(g.Margin, w.Margin) && len(g.Scores) == len(w.Scores)
		for j := range g.Scores {
			same = same && near(g.Scores[j], w.Scores[j])
		}
		if !same {
			t.Errorf("image %d: %+v, want %+v", i, g, w)
		}
	}
	if near(want[0].Scores[0], want[1].Scores[0]) {
		t.Error("the order of the channels does not count")
	}
	is, was := frontend.Embedding, r.Model().Pipeline
	if is.Embedding.Channels != "bgr" || was.Embedding.Channels != "" {
		t.Errorf("the order of the channels is %q, and was %q", is.Embedding.Channels, was.Embedding.Channels)
	}
	if is.Law() == nil || was.Law() == nil || is.Law() == was.Law() || r.Model().Impostors() != was.Law() {
		t.Error("impostors of the other order")
	}
}

// pattern is an image of the size of the network, with red and blue exchanged if swapped.
func pattern(swapped bool) image.Image {
	const side = 112
	m := image.NewNRGBA(image.Rect(0, 0, side, side))
	for y := range side {
		for x := range side {
			a, b := uint8(2*x), uint8((x*y+3*y)%200)
			if swapped {
				a, b = b, a
			}
			m.SetNRGBA(x, y, color.NRGBA{a, uint8(2 * y), b, 255})
		}
	}
	return m
}
