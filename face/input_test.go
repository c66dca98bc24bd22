package face

import (
	"image"
	"math"
	"math/rand"
	"testing"
)

func TestZZWhole(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for range 200 {
		w, h := 5+rng.Intn(40), 5+rng.Intn(40)
		var c channels
		for i := range c {
			m := image.NewGray(image.Rect(0, 0, w, h))
			rng.Read(m.Pix)
			c[i] = view{m, similarity{1, 0, 0, 0}}
		}
		ang := float64(rng.Intn(4)) * math.Pi / 2
		to := about(10, 12, 1, ang, Point{float64(w) / 2, float64(h) / 2}).snapped()
		a := c.input(to, 32, 32, 0)
		// naive: shift tiny so that the copy is not taken
		to.x += 2e-6
		b := c.input(to, 32, 32, 0)
		for i := range a {
			if math.Abs(float64(a[i]-b[i])) > 0.01 {
				t.Fatal(ang, i, a[i], b[i])
			}
		}
	}
}
