package face

import (
	"fmt"
	"math"
	"slices"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/network"
)

// yunetFormat is OpenCV's YuNet: cls_S, obj_S, bbox_S and kps_S for each stride S.
var yunetFormat = format{
	name: "yunet", outputs: []int{12}, axes: [][]int{{1, 1, 1, 1, 1, 1, 4, 4, 4, 10, 10, 10}},
	input: pixels{bgr: true},
	bind: func(outputs []network.Info, size dataset.Size) (layout, error) {
		l := layout{decode: decodeYuNet}
		for i, prefix := range []string{"cls", "obj", "bbox", "kps"} {
			for _, stride := range strides {
				name := fmt.Sprintf("%s_%d", prefix, stride)
				l.order = append(l.order, slices.IndexFunc(outputs, func(o network.Info) bool { return o.Name == name }))
				l.lengths = append(l.lengths, []int{1, 1, 4, landmarkNumbers}[i]*cells(size, stride))
			}
		}
		if slices.Contains(l.order, -1) {
			return l, errNaming("YuNet", "cls_8, obj_8, bbox_8, kps_8, and the same for 16 and 32")
		}
		return l, nil
	},
}

// decodeYuNet takes, for each stride, scores of the class and of being an object; then
// boxes (the place of the middle from the cell, and the logarithm of the size) and
// landmarks, all in cells.
func decodeYuNet(o [][]float32, width, height int, minScore float64) (found []Detection) {
	for level, stride := range strides {
		cell := float64(stride)
		columns := width / stride
		for i, class := range o[level] {
			unit := func(v float32) float64 { return max(0, min(1, float64(v))) }
			score := math.Sqrt(unit(class) * unit(o[3+level][i]))
			if score < minScore {
				continue
			}
			b, x, y := o[6+level][4*i:], float64(i%columns), float64(i/columns)
			cx, cy := (x+float64(b[0]))*cell, (y+float64(b[1]))*cell
			w, h := math.Exp(float64(b[2]))*cell/2, math.Exp(float64(b[3]))*cell/2
			found = append(found, Detection{
				Box: Box{cx - w, cy - h, cx + w, cy + h}, Score: score,
				Landmarks: landmarksOf(o[9+level][landmarkNumbers*i:], x*cell, y*cell, cell),
			})
		}
	}
	return found
}
