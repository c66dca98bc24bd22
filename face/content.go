package face

import (
	"context"
	"fmt"

	"nrdl.example/nrdl/dataset"
)

// A Content says what the images of a data set show.
type Content string

// The values.
const (
	Photographs Content = "photographs" // faces have to be found
	Crops       Content = "crops"       // the face fills the image, and can be found and aligned
	Unfound     Content = "unfound"     // the images are too small, or most show no face that can be found
)

// How ContentOf judges. The eyes are apart by 0.33 … 0.42 of the shorter side in the crops
// of ORL, and by 0.10 … 0.23 in the photographs of Georgia Tech and LFW.
const (
	judged      = 16   // images, at most
	cropEyes    = 0.28 // eye distance of a crop, a share of its shorter side, at least
	leastSide   = 80   // pixels of the shorter side: in smaller images nothing is searched
	enoughSeen  = 0.5  // share of the judged images in which a face is found, at least, of photographs
	enoughCrops = 0.75 // of crops, which can be used without that
)

// ContentOf returns what the images at paths show: the majority of at most 16 evenly spread
// ones. Unreadable images are ignored; if all are, the answer is Unfound. The error is that
// of ctx, or of a network.
func ContentOf(ctx context.Context, paths []string) (Content, error) {
	n := min(judged, len(paths))
	var read, photographs, crops int
	for i := range n {
		if err := context.Cause(ctx); err != nil {
			return "", fmt.Errorf("look for faces: %w", err)
		}
		path := paths[i*len(paths)/n]
		data, err := dataset.ReadFile(path)
		if err != nil {
			continue
		}
		photo, err := dataset.DecodeColour(ctx, data, path)
		if err != nil {
			continue
		}
		read++
		side := min(photo.Grey.Rect.Dx(), photo.Grey.Rect.Dy())
		if side < leastSide {
			continue
		}
		switch eyes, err := DefaultSearch.largestEyes(ctx, photo); {
		case err != nil:
			return "", err
		case eyes == 0:
		case eyes < cropEyes*float64(side):
			photographs++
		default:
			crops++
		}
	}
	switch seen := float64(photographs + crops); {
	case photographs > crops && seen >= enoughSeen*float64(read):
		return Photographs, nil
	case crops > 0 && seen >= enoughCrops*float64(read):
		return Crops, nil
	}
	return Unfound, nil
}

// largestEyes returns the distance of the eyes of the largest face in photo, upright and
// whole; 0 without a face. It takes less time than Find, and misses more faces.
func (s *Search) largestEyes(ctx context.Context, photo *dataset.Photo) (float64, error) {
	p := newPicture(photo)
	quick, err := s.quick(ctx, p)
	if err != nil {
		return 0, err
	}
	var faces []Face
	for _, f := range quick {
		faces = append(faces, f.Face)
	}
	if len(faces) == 0 {
		upright := s.Cascade
		upright.Sure = 0 // the cascade does not turn the photograph
		faces = upright.find(p).faces
	}
	if len(faces) == 0 {
		return 0, nil
	}
	bySize(faces)
	return faces[0].Quality.Eyes, nil
}
