package gallery

import (
	"errors"
	"fmt"
	"testing"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend/embedding"
	"nrdl.example/nrdl/method"
)

// No rate is promised of people who are as alike as photographs of one person, and the gallery says why.
// Two names of one person among others are no reason.
func TestTooAlike(t *testing.T) {
	f := embedding.Default().Frame()
	for _, c := range []struct {
		people, max int // photographs of a person
		alike       bool
	}{{1, 8, true}, {7, 1, false}, {6, 2, false}, {1, 3, false}} {
		drawn := drawnAs(t, f, f.Len(), 0, c.people, func(p int) int {
			if p == 0 {
				return c.max
			}
			return 1
		})
		var names, ids []string
		for j := range drawn.Len() { // each photograph is a person
			names, ids = append(names, fmt.Sprintf("person %d", j)), append(ids, fmt.Sprintf("person %d/1.jpg", j))
		}
		images, err := dataset.NewImages(drawn.X, names, ids, nil, f)
		if err != nil {
			t.Fatal(err)
		}
		g := calibrated(t, learnBy(t, images, method.Mean{}, 0))
		var useless *UselessError
		if err := g.Usable(); c.alike != (errors.As(err, &useless) && useless.TooAlike) {
			t.Errorf("%+v: %v, levels %v", c, err, g.Calibration.Levels)
		}
		if c.alike && g.Promise() != "" {
			t.Errorf("promised: %s", g.Promise())
		}
	}
}
