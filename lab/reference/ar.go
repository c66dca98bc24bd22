package reference

import (
	"fmt"
	"io"
	"slices"

	"nrdl.example/nrdl/faces/dataset"
)

// AR is the database AR as papers about representation based classification use it: 100 people,
// 14 images of each without scarf and sunglasses, 7 of each of two sessions. No image of it is
// known here, so that only what its protocol says is checked: the counts, the size, the order of
// the images by their light, and images that are there twice.
var AR = Database{Name: "ar", Title: "AR", File: "sets/ar_60x43.mat", Size: dataset.Size{Height: 60, Width: 43}, Length: 60 * 43, Images: slices.Repeat([]int{arImages}, 100)}

const (
	arImages = 14
	arAll    = 26 // with scarf and sunglasses
)

// isAR reports whether db has no images to compare with, but the protocol of AR.
func (db *Database) isAR() bool { return db.Name == AR.Name && db.Hash == "" }

// ar compares here with the protocol of AR.
func (c *comparison) ar() {
	here := c.here
	if all := slices.Repeat([]int{arAll}, len(here.Images)); slices.Equal(here.Images, all) {
		c.say("each person has %d images: take the 1st to 7th and the 14th to 20th, which are without scarf and sunglasses", arAll)
		return
	}
	c.counts()
	switch s := here.Size; {
	case s == dataset.Size{}:
		c.say("the size is not in the file: images are needed to see their order (variables height and width)")
	case s.Width > s.Height:
		c.say("the images are %v, wider than high: they may be transposed", s)
	}
	seen := map[[5]byte]int{}
	var twice []string
	for j, p := range here.prints {
		if first, ok := seen[p.key]; ok {
			a, n := here.place(j)
			b, m := here.place(first)
			twice = append(twice, fmt.Sprintf("image %d of person %d is the same as image %d of person %d", n, a, m, b))
		} else {
			seen[p.key] = j
		}
	}
	if len(twice) > 0 {
		c.say("%s there twice: %s", images(len(twice), "is", "are"), some(twice))
	}
	if len(c.findings) == 0 {
		c.light()
	}
}

// light compares the order of the images with that of the sessions: light comes from one side
// in the 5th image and from the other in the 6th, and again in the 12th and 13th.
func (c *comparison) light() {
	var wrong []string
	for p := range c.here.Images {
		side := func(image int) float64 { return lit(c.set, p*arImages+image-1) }
		first, second := side(5)-side(6), side(12)-side(13)
		if first*second <= 0 || side(5)*side(6) >= 0 {
			wrong = append(wrong, fmt.Sprintf("person %d", p+1))
		}
	}
	// A shadow or a haircut may hide the side in a few.
	if few := len(c.here.Images) / 10; len(wrong) > few {
		c.say("light does not come from two sides in the 5th and 6th and in the 12th and 13th images of %d of %d people, so that first:7 may not be the first session: %s",
			len(wrong), len(c.here.Images), some(wrong))
	}
}

// lit is how much brighter the left half of image j is than the right one, as a part of both.
func lit(set *dataset.Images, j int) float64 {
	size := set.Frame.Size
	var left, right float64
	for x := range size.Width {
		for y := range size.Height {
			switch v := set.X.At(x*size.Height+y, j); {
			case 2*x+1 < size.Width:
				left += v
			case 2*x+1 > size.Width:
				right += v
			}
		}
	}
	return (left - right) / max(left+right, 1e-300)
}

func (r *Result) writeAR(w io.Writer) error {
	fmt.Fprintf(w, "compared   with the protocol of %s: %d people, %d images of each\n", AR.Title, len(AR.Images), arImages)
	fmt.Fprintf(w, "found      %d people, %d images\n", r.People, r.Images)
	for _, s := range r.Differences {
		fmt.Fprintf(w, "differs    %s\n", s)
	}
	verdict := "not as the protocol has it"
	if r.Same {
		verdict = "people, images and the order of the lights are as the protocol has them; the pixels are not known here"
	}
	_, err := fmt.Fprintf(w, "result     %s\n", verdict)
	return err
}
