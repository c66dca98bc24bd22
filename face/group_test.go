package face

import (
	"image"
	"testing"

	xdraw "golang.org/x/image/draw"
)

// Ten faces far from each other in a photograph of twelve megapixels, each of a
// thirtieth of its width.
func TestRealSmallGroup(t *testing.T) {
	images, _ := photographs(t, 10, "photos", "gt_db")
	group := image.NewGray(image.Rect(0, 0, 4000, 3000))
	for i := range group.Pix {
		group.Pix[i] = 120
	}
	for k, img := range images[:10] {
		x, y := 750*(k%5), 1400*(k/5)
		xdraw.CatmullRom.Scale(group, image.Rect(x, y, x+680, y+680*img.Rect.Dy()/img.Rect.Dx()), img, img.Rect, xdraw.Src, nil)
	}
	if found := DefaultFinder.Find(group); len(found) != 10 {
		t.Errorf("%d faces of 10", len(found))
	}
}
