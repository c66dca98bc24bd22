package face

import (
	"context"
	"fmt"

	"nrdl.example/nrdl/dataset"
)

// How Photographs judges. The eyes are apart by 0.33 … 0.42 of the shorter side
// in the crops of ORL, and by 0.10 … 0.23 in the photographs of Georgia Tech and
// LFW.
const (
	judged     = 16   // images, at most
	cropEyes   = 0.28 // eye distance of a crop, a share of its shorter side, at least
	cropSide   = 80   // pixels of the shorter side: an image with fewer is a crop
	enoughSeen = 0.5  // share of the judged images in which a face is found, at least, of photographs
)

// Photographs reports whether the images at paths are photographs in which
// faces have to be detected, or face crops, in which the face fills the image
// or is not found at all. The majority of at most 16 evenly spread images
// decides; unreadable images are ignored, and if all are, the answer is crops.
// The error is that of ctx.
func (f Finder) Photographs(ctx context.Context, paths []string) (bool, error) {
	f.Sure = 0 // whole upright faces will do
	n := min(judged, len(paths))
	var read, photographs, crops int
	for i := range n {
		if err := context.Cause(ctx); err != nil {
			return false, fmt.Errorf("look for faces: %w", err)
		}
		img, err := dataset.ReadGrey(ctx, paths[i*len(paths)/n])
		if err != nil {
			continue
		}
		read++
		side := min(img.Rect.Dx(), img.Rect.Dy())
		if side < cropSide {
			crops++
			continue
		}
		switch faces := f.Find(img); {
		case len(faces) == 0:
		case faces[0].Quality.Eyes < cropEyes*float64(side):
			photographs++
		default:
			crops++
		}
	}
	return photographs > crops && float64(photographs+crops) >= enoughSeen*float64(read), nil
}
