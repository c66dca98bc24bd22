package face

import (
	"math"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/network"
)

// ssdFormat is face-api's SSD: boxes relative to priors, and their scores.
var ssdFormat = format{
	name: ssdDetector, outputs: []int{2},
	bind: func(_ []network.Info, size dataset.Size) (layout, error) {
		n := 0
		rows, columns := halved(size.Height, 4), halved(size.Width, 4)
		for level := range len(ssdScales) - 1 {
			n += rows * columns * len(ssdShapes(level))
			rows, columns = halved(rows, 1), halved(columns, 1)
		}
		return layout{lengths: []int{4 * n, n}, decode: decodeSSD}, nil
	},
}

// The priors of [ssd]: boxes of these sizes, shares of 512 pixels, about the middle of
// each cell; a level has cells of twice the side of that before. Shapes are a size and
// width over height.
const (
	ssdSide = 512
	ssdCell = 16
)

var ssdScales = [...]float64{0.2, 0.35, 0.5, 0.65, 0.8, 0.95, 1}

func ssdShapes(level int) [][2]float64 {
	s := ssdScales[level]
	if level == 0 {
		return [][2]float64{{0.1, 1}, {s, 2}, {s, 0.5}}
	}
	return [][2]float64{{s, 1}, {math.Sqrt(s * ssdScales[level+1]), 1}, {s, 2}, {s, 0.5}, {s, 3}, {s, 1. / 3}}
}

// decodeSSD takes boxes (y, x, height, width relative to the priors, the first two by
// tenths of the size of the prior and the others by fifths of the logarithm) and scores.
func decodeSSD(outputs [][]float32, width, height int, minScore float64) (found []Detection) {
	boxes, scores := outputs[0], outputs[1]
	i := 0
	rows, columns := halved(height, 4), halved(width, 4)
	for level := range len(ssdScales) - 1 {
		cell := float64(int(ssdCell) << level)
		for row := range rows {
			for column := range columns {
				for _, s := range ssdShapes(level) {
					if score := float64(scores[i]); score >= minScore {
						b := boxes[4*i:]
						h, w := ssdSide*s[0]/math.Sqrt(s[1]), ssdSide*s[0]*math.Sqrt(s[1])
						y := (float64(row)+0.5)*cell + float64(b[0])/10*h
						x := (float64(column)+0.5)*cell + float64(b[1])/10*w
						h *= math.Exp(float64(b[2])/5) / 2
						w *= math.Exp(float64(b[3])/5) / 2
						found = append(found, Detection{Box: Box{x - w, y - h, x + w, y + h}, Score: score})
					}
					i++
				}
			}
		}
		rows, columns = halved(rows, 1), halved(columns, 1)
	}
	return found
}

// halved is n halved so often, rounded up each time.
func halved(n, times int) int {
	for range times {
		n = (n + 1) / 2
	}
	return n
}
