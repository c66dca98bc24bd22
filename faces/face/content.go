package face

import (
	"context"
	"fmt"

	"nrdl.example/nrdl/faces/dataset"
)

// A Content says what the images of a data set show.
type Content string

// The values.
const (
	Photographs Content = "photographs" // faces have to be found
	Crops       Content = "crops"       // the face fills the image, and can be found and aligned
	Unfound     Content = "unfound"     // the images are too small, or most show no face that can be found
)

// ContentOptions say how the Content of a data set is judged.
type ContentOptions struct {
	Judged      int     // images, at most
	Glance      int     // images, at most, where the Content is known and only a mistake is looked for
	CropEyes    float64 // least eye distance of a crop, a share of its shorter side
	MinSide     int     // pixels of the shorter side; in smaller images no face is searched
	EnoughSeen  float64 // least share of photographs in which a face is found
	EnoughCrops float64 // the same of crops, which can also be used as they are
}

// DefaultContent is for photographs of people. The eyes are apart by 0.33 … 0.42 of the shorter
// side in the crops of ORL, and by 0.10 … 0.23 in the photographs of Georgia Tech and LFW.
var DefaultContent = ContentOptions{Judged: 16, Glance: 4, CropEyes: 0.28, MinSide: 80, EnoughSeen: 0.5, EnoughCrops: 0.75}

// Of returns what the images at paths show: the majority of at most o.Judged evenly spread
// ones, in which DefaultSearch looks for faces. Unreadable images are ignored; if all are, the
// answer is Unfound. The error is that of ctx, or of a network.
func (o ContentOptions) Of(ctx context.Context, paths []string) (Content, error) {
	n := min(o.Judged, len(paths))
	var read, photographs, crops int
	for i := range n {
		if err := context.Cause(ctx); err != nil {
			return "", fmt.Errorf("look for faces: %w", err)
		}
		path := paths[i*len(paths)/n]
		side, eyes, err := eyesIn(ctx, path, o.MinSide)
		switch {
		case err != nil:
			return "", err
		case side == 0:
			continue
		}
		read++
		switch {
		case eyes == 0:
		case eyes < o.CropEyes*float64(side):
			photographs++
		default:
			crops++
		}
	}
	switch seen := float64(photographs + crops); {
	case photographs > crops && seen >= o.EnoughSeen*float64(read):
		return Photographs, nil
	case crops > 0 && seen >= o.EnoughCrops*float64(read):
		return Crops, nil
	}
	return Unfound, nil
}

// eyesIn returns the shorter side of the photograph at path, 0 if it cannot be read, and the distance
// of the eyes of its largest face, 0 without one, or if the side is shorter than minSide.
func eyesIn(ctx context.Context, path string, minSide int) (side int, eyes float64, err error) {
	data, ctx, done, err := dataset.Load(ctx, path, 0)
	defer done()
	if err != nil {
		return 0, 0, nil //nolint:nilerr // it is left out
	}
	photo, err := dataset.DecodeColour(ctx, data, path)
	if err != nil {
		return 0, 0, nil //nolint:nilerr // it is left out
	}
	if side = min(photo.Grey.Rect.Dx(), photo.Grey.Rect.Dy()); side < minSide {
		return side, 0, nil
	}
	eyes, err = DefaultSearch.largestEyes(ctx, photo)
	return side, eyes, err
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
	s.Cascade.bySize(faces)
	return faces[0].Quality.Eyes, nil
}
