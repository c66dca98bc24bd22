package face

import (
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/network"
)

// cornersFormat has scores of the background and of faces, and corners from 0 to 1, as
// UltraFace.
var cornersFormat = format{
	name: "corners", outputs: []int{2}, axes: [][]int{{2, 4}},
	input: pixels{mean: 127, scale: 1. / 128},
	bind: func(outputs []network.Info, _ dataset.Size) (layout, error) {
		order := []int{0, 1}
		if lastAxis(outputs[0]) == 4 {
			order = []int{1, 0}
		}
		n := outputs[order[1]].Len()
		return layout{order: order, lengths: []int{n / 2, n}, decode: decodeCorners}, nil
	},
}

// decodeCorners takes two scores of each box, the second that of a face, and its left,
// upper, right and lower edge in shares of the sides of the image.
func decodeCorners(o [][]float32, width, height int, minScore float64) (found []Detection) {
	w, h := float64(width), float64(height)
	for i := range len(o[0]) / 2 {
		if score := float64(o[0][2*i+1]); score >= minScore {
			b := o[1][4*i:]
			found = append(found, Detection{Box: Box{float64(b[0]) * w, float64(b[1]) * h, float64(b[2]) * w, float64(b[3]) * h}, Score: score})
		}
	}
	return found
}
