package reference_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/lab/reference"
)

// arLike draws noise with the lights of AR's protocol: so many people, images and pixels.
func arLike(people, each int) (all []image) {
	rng := rand.New(rand.NewPCG(5, 7))
	for p := range people {
		for n := range each {
			pixels := make([]float64, 12*8)
			for i := range pixels {
				left := i < 12*4
				pixels[i] = 100 + 20*rng.Float64()
				if k := n%7 + 1; k == 5 && left || k == 6 && !left {
					pixels[i] += 60
				}
			}
			all = append(all, image{p + 1, pixels})
		}
	}
	return all
}

// The protocol of AR is checked without an image of it.
func TestAR(t *testing.T) {
	t.Parallel()
	size := dataset.Size{Height: 12, Width: 8}
	for _, c := range []struct {
		says   string
		people int
		each   int
		change func(all []image)
		size   dataset.Size
	}{
		{"", 100, 14, func([]image) {}, size},
		{"99 people, not 100", 99, 14, func([]image) {}, size},
		{"take the 1st to 7th", 100, 26, func([]image) {}, size},
		{"wider than high", 100, 14, func([]image) {}, dataset.Size{Height: 8, Width: 12}},
		{"the size is not in the file", 100, 14, func([]image) {}, dataset.Size{}},
		{"image 9 of person 3 is the same as image 2 of person 3", 100, 14, func(all []image) { all[36].pixels = all[29].pixels }, size},
		{"may not be the first session", 100, 14, func(all []image) {
			for p := range 30 {
				all[14*p+4], all[14*p+6] = all[14*p+6], all[14*p+4]
			}
		}, size},
	} {
		all := arLike(c.people, c.each)
		c.change(all)
		db, err := reference.Named("ar")
		if err != nil {
			t.Fatal(err)
		}
		r, err := reference.Check(put(t, all, c.size), db)
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := r.WriteText(&text); err != nil || r.Same != (c.says == "") || !strings.Contains(text.String(), c.says) {
			t.Errorf("%q: %v, %s", c.says, err, text.String())
		}
	}
}
