package face

import (
	"context"
	_ "embed" // the weights
	"encoding/binary"
	"math"
	"strings"
	"sync"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend/feature"
)

// coverWeights has, for each of CoverParts, the weights of CoverFeatures and the number that is
// added to their sum, in single precision, little-endian. `go -C tools run ./detect -fitted`
// makes it.
//
//go:embed networks/covered.f32
var coverWeights []byte

// CoverParts are the parts of a face that may be covered.
var CoverParts = []string{"eyes", "mouth"}

// coverSide is the side of the crop in which covers are looked for.
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
	places, _ := dataset.ToArcFace.Template(dataset.ArcFaceEyes, dataset.Size{})
	to := fitted(pointsOf(places, coverSide, coverSide), five)
	scale := max(1, to.scale())
	part := reachedBy(to, coverSide, coverSide, scale).Intersect(photo.Grey.Rect)
	if part.Empty() {
		part = photo.Grey.Rect
	}
	v := reduced(photo.Grey, part, scale)
	crop := v.warped(v.back.inverse().after(to), coverSide, coverSide)
	pix := make([]float64, coverSide*coverSide)
	for y := range coverSide {
		for x := range coverSide {
			pix[x*coverSide+y] = float64(crop.Pix[y*crop.Stride+x])
		}
	}
	features := make([]float64, coverHOG.Len(coverSide, coverSide))
	coverExtractor().Extract(features, pix)
	return features
}

// covered returns the parts of a face that are probably covered, with " and " between.
func covered(features []float64) string {
	var parts []string
	row := 4 * (len(features) + 1)
	for i, name := range CoverParts {
		weights := coverWeights[i*row:][:row]
		at := func(k int) float64 {
			return float64(math.Float32frombits(binary.LittleEndian.Uint32(weights[4*k:])))
		}
		sum := at(len(features))
		for k, v := range features {
			sum += at(k) * v
		}
		if sum > 0 {
			parts = append(parts, name)
		}
	}
	return strings.Join(parts, " and ")
}
