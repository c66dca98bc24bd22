package face

import (
	"math"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/network"
)

// tinyFormat is face-api's tiny detector, after YOLO: boxes and scores of each cell and
// anchor.
var tinyFormat = format{
	name: tinyDetector, outputs: []int{1},
	bind: func(_ []network.Info, size dataset.Size) (layout, error) {
		return layout{lengths: []int{tinyCells(size.Height) * tinyCells(size.Width) * len(tinyAnchors) * 5}, decode: decodeTiny}, nil
	},
}

// tinyAnchors are the anchors of the tiny detector: width and height in cells.
var tinyAnchors = [...][2]float64{
	{1.603231, 2.094468}, {6.041143, 7.080126}, {2.882459, 3.518061}, {4.266906, 5.178857}, {9.041765, 10.66308},
}

// decodeTiny takes, for each cell and anchor, x and y within the cell and the logarithm
// of width and height over the anchor's, and the score; x, y and the score are logits.
func decodeTiny(outputs [][]float32, width, height int, minScore float64) (found []Detection) {
	const numbers = 5
	rows, columns := tinyCells(height), tinyCells(width)
	for i := range rows * columns * len(tinyAnchors) {
		v := outputs[0][numbers*i:]
		score := sigmoid(v[4])
		if score < minScore {
			continue
		}
		cell, anchor := i/len(tinyAnchors), tinyAnchors[i%len(tinyAnchors)]
		x := (float64(cell%columns) + sigmoid(v[0])) * float64(width) / float64(columns)
		y := (float64(cell/columns) + sigmoid(v[1])) * float64(height) / float64(rows)
		w := anchor[0] * math.Exp(float64(v[2])) * float64(width) / float64(columns) / 2
		h := anchor[1] * math.Exp(float64(v[3])) * float64(height) / float64(rows) / 2
		found = append(found, Detection{Box: Box{x - w, y - h, x + w, y + h}, Score: score})
	}
	return found
}

// tinyCells is how many cells the network makes of n pixels: its first convolution has
// no border.
func tinyCells(n int) int { return halved(n-2, 5) }

func sigmoid(v float32) float64 { return 1 / (1 + math.Exp(-float64(v))) }
