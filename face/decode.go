package face

import (
	"math"
)

// A decoder turns the outputs of a detector's network for one input image into boxes
// and landmarks in pixels of that image. Those with a lower score than least are left
// out.
type decoder func(outputs [][]float32, width, height int, least float64) []Detection

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
func decodeSSD(outputs [][]float32, width, height int, least float64) (found []Detection) {
	boxes, scores := outputs[0], outputs[1]
	i := 0
	rows, columns := halved(height, 4), halved(width, 4)
	for level := range len(ssdScales) - 1 {
		cell := float64(int(ssdCell) << level)
		for row := range rows {
			for column := range columns {
				for _, s := range ssdShapes(level) {
					if score := float64(scores[i]); score >= least {
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

// tinyAnchors are the anchors of the tiny detector: width and height in cells.
var tinyAnchors = [...][2]float64{
	{1.603231, 2.094468}, {6.041143, 7.080126}, {2.882459, 3.518061}, {4.266906, 5.178857}, {9.041765, 10.66308},
}

// decodeTiny takes, for each cell and anchor, x and y within the cell and the logarithm
// of width and height over the anchor's, and the score; x, y and the score are logits.
func decodeTiny(outputs [][]float32, width, height int, least float64) (found []Detection) {
	const numbers = 5
	rows, columns := tinyCells(height), tinyCells(width)
	for i := range rows * columns * len(tinyAnchors) {
		v := outputs[0][numbers*i:]
		score := sigmoid(v[4])
		if score < least {
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
