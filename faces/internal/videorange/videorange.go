// Package videorange maps the values of video to those of photographs.
package videorange

import (
	"image"
	"math"
)

// Expand maps luma 16 … 235 and chroma 16 … 240 of m to 0 … 255.
func Expand(m *image.YCbCr) {
	expand(m.Y, 16, 0, 219)
	expand(m.Cb, 128, 128, 224)
	expand(m.Cr, 128, 128, 224)
}

// expand maps v to zero + (v − from)·255/span.
func expand(samples []byte, from, zero, span float64) {
	var table [256]byte
	for v := range table {
		w := math.Round(zero + (float64(v)-from)*255/span)
		table[v] = byte(max(0, min(255, w)))
	}
	for i, v := range samples {
		samples[i] = table[v]
	}
}
