package face

import (
	"context"
	_ "embed" // the weights
	"strings"
	"sync"

	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/frontend/feature"
)

// coverWeights has, for each of CoverParts, the weights of CoverFeatures and the number that is
// added to their sum, in single precision, little-endian. `go -C studies run ./detect -fitted`
// makes it.
//
//go:embed networks/covered.f32
var coverWeights []byte

// CoverParts are the parts of a face that may be covered.
var CoverParts = []string{"eyes", "mouth"}

// coverSide is the side of the crop from which covers are told.
const coverSide = 56

// coverHOG tells a mouth or an eye from cloth or glass. Its blocks have unit length, so
// that neither the light nor the colour of a mask counts.
var coverHOG = feature.HOG{Cell: 8, Bins: 4, Clip: 1}

var coverExtractor = sync.OnceValue(func() feature.Extractor {
	e, err := coverHOG.Over(coverSide, coverSide)
	if err != nil {
		panic("face: covers: " + err.Error())
	}
	return e
})

// CoverFeatures returns what tells whether the face f of photo is covered: histograms of
// oriented gradients of its crop, aligned by five landmarks. The error is that of ctx, or of the
// network of landmarks.
func CoverFeatures(ctx context.Context, photo *dataset.Photo, f Face) ([]float64, error) {
	five, err := DefaultSearch.Sighting.five(ctx, photo, f)
	if err != nil {
		return nil, err
	}
	return coverFeatures(photo, five), nil
}

func coverFeatures(photo *dataset.Photo, five []Point) []float64 {
	to := coverPlace(five)
	scale := max(1, to.scale())
	part := reachedBy(to, coverSide, coverSide, scale).Intersect(photo.Grey.Rect)
	if part.Empty() {
		part = photo.Grey.Rect
	}
	return coverShapes(reduced(photo.Grey, part, scale), to)
}

// coverPlace is the similarity from the crop to the face with these landmarks.
func coverPlace(five []Point) similarity {
	places, _ := dataset.ToArcFace.Template(dataset.ArcFaceEyes, dataset.Size{})
	return fitted(pointsOf(places, coverSide, coverSide), five)
}

// coverShapes are the histograms of the crop that to places in v.
func coverShapes(v view, to similarity) []float64 {
	return histograms(v.warped(v.back.inverse().after(to), coverSide, coverSide), coverHOG, coverExtractor())
}

// covered returns the parts of a face that are probably covered, with " and " between.
func covered(features []float64) string {
	var parts []string
	row := 4 * (len(features) + 1)
	for i, name := range CoverParts {
		if linear(coverWeights[i*row:][:row], features) > 0 {
			parts = append(parts, name)
		}
	}
	return strings.Join(parts, " and ")
}
