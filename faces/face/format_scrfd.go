package face

import (
	"cmp"
	"slices"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/network"
)

// scrfdFormat is InsightFace's SCRFD: scores, distances and landmarks for each stride.
// Landmarks may be missing.
var scrfdFormat = format{
	name: "scrfd", outputs: []int{6, 9}, axes: [][]int{{1, 1, 1, 4, 4, 4, 10, 10, 10}, {1, 1, 1, 4, 4, 4}},
	input: pixels{mean: 127.5, scale: 1. / 128},
	bind: func(outputs []network.Info, size dataset.Size) (layout, error) {
		var l layout
		for i := range outputs {
			l.order = append(l.order, i)
		}
		slices.SortStableFunc(l.order, func(a, b int) int {
			return cmp.Or(cmp.Compare(lastAxis(outputs[a]), lastAxis(outputs[b])), cmp.Compare(outputs[b].Len(), outputs[a].Len()))
		})
		anchors := max(1, outputs[l.order[0]].Len()/max(1, cells(size, strides[0])))
		for i := range outputs {
			l.lengths = append(l.lengths, []int{1, 4, landmarkNumbers}[i/len(strides)]*anchors*cells(size, strides[i%len(strides)]))
		}
		l.decode = func(o [][]float32, w, _ int, minScore float64) []Detection {
			return decodeSCRFD(o, w, anchors, minScore)
		}
		return l, nil
	},
}

// decodeSCRFD takes, for each stride, scores of the anchors of each cell; then the
// distances of the left, upper, right and lower edge from its corner, and landmarks from
// there, all in cells. Landmarks may be missing.
func decodeSCRFD(o [][]float32, width, anchors int, minScore float64) (found []Detection) {
	for level, stride := range strides {
		cell := float64(stride)
		columns := width / stride
		for i, v := range o[level] {
			score := float64(v)
			if score < minScore {
				continue
			}
			x, y := float64(i/anchors%columns)*cell, float64(i/anchors/columns)*cell
			b := o[3+level][4*i:]
			d := Detection{Box: Box{x - float64(b[0])*cell, y - float64(b[1])*cell, x + float64(b[2])*cell, y + float64(b[3])*cell}, Score: score}
			if len(o) > 6 {
				d.Landmarks = landmarksOf(o[6+level][landmarkNumbers*i:], x, y, cell)
			}
			found = append(found, d)
		}
	}
	return found
}
