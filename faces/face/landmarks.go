package face

import (
	"context"
	_ "embed" // the network
	"fmt"
	"sync"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/network"
	"nrdl.example/nrdl/internal/kit/packed"
)

//go:embed networks/landmarks.onnx.zst
var landmarkFile []byte

var landmarkNetwork = sync.OnceValues(func() (*network.Network, error) {
	return network.Open(context.Background(), packed.Bytes(landmarkFile))
})

// landmarkSide is the side of the network's input.
const landmarkSide = 112

// landmarkCount is how many landmarks the network has.
const landmarkCount = 68

// landmarks68 returns the landmarks of the face in a square of photo about centre that
// is turned by angle.
func landmarks68(ctx context.Context, photo *dataset.Photo, centre Point, side, angle float64) ([]Point, error) {
	net, err := landmarkNetwork()
	if err != nil {
		panic("face: embedded network of landmarks: " + err.Error())
	}
	scale := side / landmarkSide
	to := about(landmarkSide/2, landmarkSide/2, scale, angle, centre)
	part := window{Point: centre, side: 1.5 * side}.box(photo.Grey.Rect)
	if part.Empty() {
		return nil, nil
	}
	need := reachedBy(to, landmarkSide, landmarkSide, max(1, scale)).Intersect(part)
	out, err := net.Run(ctx, nil, coloursOf(photo, part, scale, need).input(to, landmarkSide, landmarkSide, 0))
	if err != nil {
		return nil, fmt.Errorf("landmarks: %w", err)
	}
	points := make([]Point, landmarkCount)
	for i := range points {
		points[i] = to.at(float64(out[0][2*i])*landmarkSide, float64(out[0][2*i+1])*landmarkSide)
	}
	return points, nil
}
