package face

import (
	"image"
	"testing"

	"nrdl.example/nrdl/faces/dataset"

	xdraw "golang.org/x/image/draw"
)

// Ten faces far from each other in a photograph of twelve megapixels (of three without
// NRDL_LONG=1), each of a thirtieth of its width.
func TestRealSmallGroup(t *testing.T) {
	images, _ := photographs(t, 10, "photos", "gt_db")
	unit := often(5, 10)
	group := image.NewGray(image.Rect(0, 0, 400*unit, 300*unit))
	for i := range group.Pix {
		group.Pix[i] = 120
	}
	for k, img := range images[:10] {
		x, y := 75*unit*(k%5), 140*unit*(k/5)
		xdraw.CatmullRom.Scale(group, image.Rect(x, y, x+68*unit, y+68*unit*img.Rect.Dy()/img.Rect.Dx()), img, img.Rect, xdraw.Src, nil)
	}
	if found := DefaultFinder.Find(group); len(found) != 10 {
		t.Errorf("%d faces of 10", len(found))
	}
}

// A face that is less than half as large as the largest is left out and counted, and taken
// where every face is asked for.
func TestSmallerFaces(t *testing.T) {
	portrait := drawnPortrait(t)
	photo := onGrey(900, 500,
		map[image.Rectangle]image.Image{image.Rect(40, 40, 440, 440): portrait, image.Rect(600, 200, 760, 360): portrait})
	frame := dataset.Frame{Size: dataset.Size{Height: 16, Width: 16}, Eyes: dataset.DefaultEyes}
	for which, want := range map[Which]struct{ faces, smaller int }{
		Central: {1, 1}, All: {1, 1},
		Largest: {1, 1}, Refuse: {1, 1}, Every: {2, 0},
	} {
		seen, err := In(t.Context(), photo, which, Cut{Frame: frame})
		if err != nil || len(seen) != want.faces || seen[0].Reason != nil || seen[0].Smaller != want.smaller {
			t.Errorf("%s: %+v, %v", which, seen, err)
		}
	}
}

// The face in the middle is taken where a bystander is somewhat larger.
func TestCentralFace(t *testing.T) {
	portrait := drawnPortrait(t)
	photo := onGrey(900, 500,
		map[image.Rectangle]image.Image{image.Rect(0, 100, 330, 430): portrait, image.Rect(360, 130, 660, 430): portrait})
	frame := dataset.Frame{Size: dataset.Size{Height: 16, Width: 16}, Eyes: dataset.DefaultEyes}
	for which, left := range map[Which]bool{Largest: true, Central: false} {
		seen, err := In(t.Context(), photo, which, Cut{Frame: frame})
		if err != nil || len(seen) != 1 || seen[0].Total != 2 || (seen[0].Face.Pupils[0].X < 300) != left {
			t.Errorf("%s: %+v, %v", which, seen, err)
		}
	}
}
