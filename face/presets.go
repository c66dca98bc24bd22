package face

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/network"
)

// Names of the detectors that are built in, and of the kinds of networks in files.
const (
	autoDetector, cascadeDetector, tinyDetector, ssdDetector = "auto", "cascade", "tiny", "ssd"

	yunet, scrfd, corners = "yunet", "scrfd", "corners"
)

// Detectors lists the detectors that are built in.
var Detectors = []string{autoDetector, cascadeDetector, tinyDetector, ssdDetector}

// OpenSearch returns the Search by the detector of this name, or by the network in an
// ONNX file, whose kind its outputs tell:
//
//	yunet     cls_S, obj_S, bbox_S and kps_S for each stride S
//	scrfd     scores, distances and landmarks for each stride
//	corners   scores of the background and of faces, and corners from 0 to 1
//	ssd, tiny those of the networks that are built in, by "preset" in the metadata
func OpenSearch(text string) (*Search, error) {
	alone := *DefaultSearch
	alone.Name, alone.First, alone.Last, alone.Turns = text, false, nil, nil
	switch text {
	case "", autoDetector:
		return DefaultSearch, nil
	case cascadeDetector:
		alone.Network = nil
		return &alone, nil
	case tinyDetector:
		alone.Network, alone.Turns = DefaultSearch.Network, DefaultSearch.Turns
		return &alone, nil
	case ssdDetector:
		alone.Network = NetDetector{Side: 512, Border: 0.15, Overlap: 0.4, Least: 0.1, kind: ssdKind}
		return &alone, nil
	}
	if !strings.HasSuffix(strings.ToLower(text), ".onnx") {
		return nil, advice.Unknown("detector", text, append(slices.Clone(Detectors), "FILE.onnx"))
	}
	data, err := readDetector(text)
	if err != nil {
		return nil, fmt.Errorf("detector: %w", err)
	}
	kind, side, err := kindOf(data)
	if err != nil {
		err = fmt.Errorf("detector %s: %w", text, err)
		if advice.Text(err) == "" {
			err = advice.Add(err, "the file has to be an ONNX network that finds faces, as YuNet or SCRFD; built in are %s", strings.Join(Detectors, ", "))
		}
		return nil, err
	}
	sum := sha256.Sum256(data)
	alone.Name, alone.path, alone.Digest = filepath.Base(text), text, hex.EncodeToString(sum[:])
	alone.Network = NetDetector{Side: side, Border: 0.15, Overlap: 0.4, Least: 0.1, kind: kind}
	return &alone, nil
}

// maxDetectorBytes bounds the file of a detector.
const maxDetectorBytes = 1 << 30

func readDetector(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > maxDetectorBytes {
		return nil, fmt.Errorf("%s is not a file of at most %d MiB", path, maxDetectorBytes>>20)
	}
	return os.ReadFile(path)
}

// RestoreSearch returns the Search of this name and digest, as a model file has them. A
// network in a file is looked for in folders, in turn. One that is in none of them, or that
// has another digest there, gives a Search whose Find is an error that says so: a model
// may be used for much that looks at no photograph.
func RestoreSearch(name, digest string, folders []string) (*Search, error) {
	if digest == "" {
		if !slices.Contains(Detectors, name) {
			return nil, fmt.Errorf("the detector %.80q is not built in, and has no digest", name)
		}
		return OpenSearch(name)
	}
	if filepath.Base(name) != name || !strings.HasSuffix(strings.ToLower(name), ".onnx") {
		return nil, fmt.Errorf("the detector %.80q is no name of an ONNX file", name)
	}
	lost := absent{advice.Add(fmt.Errorf("the faces of this model were found by the detector %s, which is not at hand", name),
		"put the file beside the model, or name another detector: --detector NAME")}
	for _, folder := range folders {
		s, err := OpenSearch(filepath.Join(folder, name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
		case err != nil:
			return nil, err
		case s.Digest == digest:
			return s, nil
		default:
			lost.why = advice.Add(fmt.Errorf("the detector %s in %s is not the one by which the faces of this model were found", name, folder), "%s", advice.Text(lost.why))
		}
	}
	return &Search{Name: name, Digest: digest, Network: lost}, nil
}

// absent is a detector that is not at hand.
type absent struct{ why error }

// Detect implements BoxDetector.
func (a absent) Detect(context.Context, *dataset.Photo) ([]Detection, error) { return nil, a.why }

// openSide is the side of the input where the file leaves it open.
const openSide = 640

// kindOf returns the network in the content of an ONNX file, and the side of its input.
func kindOf(data []byte) (*netKind, int, error) {
	n, err := network.Open(context.Background(), data, openAxes(openSide)...)
	if err != nil {
		return nil, 0, err
	}
	in := n.Inputs()
	if len(in) != 1 || len(in[0].Shape) != 4 || in[0].Shape[1] != 3 {
		return nil, 0, errors.New("a detector has one input, 1×3×height×width")
	}
	k := &netKind{file: func() []byte { return data }, size: dataset.Size{Height: in[0].Shape[2], Width: in[0].Shape[3]}}
	if err := k.decodes(n.Outputs(), n.Metadata()["preset"]); err != nil {
		return nil, 0, err
	}
	side := max(k.size.Height, k.size.Width)
	k.open = map[int]*network.Network{side: n}
	return k, side, nil
}

// openAxes gives the height and width of an image, by the names that files give them.
func openAxes(side int) (axes []network.Axis) {
	for _, name := range []string{"height", "width", "h", "w", "H", "W"} {
		axes = append(axes, network.Axis{Name: name, Size: side})
	}
	for _, in := range []string{"image", "input", "input.1", "input_1", "images", "data", "x"} {
		axes = append(axes, network.Axis{Name: in + ":2", Size: side}, network.Axis{Name: in + ":3", Size: side})
	}
	return axes
}

// outputsOf is how many outputs a kind may have: SCRFD has landmarks, or not.
var outputsOf = map[string][]int{ssdDetector: {2}, tinyDetector: {1}, yunet: {12}, scrfd: {6, 9}, corners: {2}}

// decodes sets how the outputs are decoded and what the input is, as a preset says or as
// the outputs tell.
func (k *netKind) decodes(outputs []network.Info, preset string) error {
	var lasts []int
	for _, o := range outputs {
		if len(o.Shape) == 0 {
			return fmt.Errorf("output %.80q is a single number; no detector that is known has one", o.Name)
		}
		lasts = append(lasts, o.Shape[len(o.Shape)-1])
	}
	slices.Sort(lasts)
	if preset == "" {
		switch {
		case len(outputs) == 12 && slices.Equal(lasts, []int{1, 1, 1, 1, 1, 1, 4, 4, 4, 10, 10, 10}):
			preset = yunet
		case len(outputs) == 9 && slices.Equal(lasts, []int{1, 1, 1, 4, 4, 4, 10, 10, 10}), len(outputs) == 6 && slices.Equal(lasts, []int{1, 1, 1, 4, 4, 4}):
			preset = scrfd
		case len(outputs) == 2 && slices.Equal(lasts, []int{2, 4}):
			preset = corners
		}
	}
	if counts := outputsOf[preset]; counts != nil && !slices.Contains(counts, len(outputs)) {
		return fmt.Errorf("it has %d outputs; a detector of the kind %s has %d", len(outputs), preset, counts[len(counts)-1])
	}
	var want []int // elements of each output
	cells := func(stride int) int { return k.size.Height / stride * (k.size.Width / stride) }
	switch preset {
	case ssdDetector:
		n := 0
		rows, columns := halved(k.size.Height, 4), halved(k.size.Width, 4)
		for level := range len(ssdScales) - 1 {
			n += rows * columns * len(ssdShapes(level))
			rows, columns = halved(rows, 1), halved(columns, 1)
		}
		k.decode, want = decodeSSD, []int{4 * n, n}
	case tinyDetector:
		k.decode, want = decodeTiny, []int{tinyCells(k.size.Height) * tinyCells(k.size.Width) * len(tinyAnchors) * 5}
	case yunet:
		order := make([]int, 0, len(outputs))
		for _, what := range []struct {
			prefix string
			length int
		}{{"cls", 1}, {"obj", 1}, {"bbox", 4}, {"kps", 10}} {
			for _, stride := range strides {
				name := fmt.Sprintf("%s_%d", what.prefix, stride)
				order = append(order, slices.IndexFunc(outputs, func(o network.Info) bool { return o.Name == name }))
				want = append(want, what.length*cells(stride))
			}
		}
		if slices.Contains(order, -1) {
			return advice.Add(errors.New("its outputs are not named as those of YuNet"), "cls_8, obj_8, bbox_8, kps_8, and the same for 16 and 32")
		}
		outputs = picked(outputs, order)
		k.bgr = true
		k.decode = func(o [][]float32, w, h int, least float64) []Detection {
			return decodeYuNet(picked(o, order), w, h, least)
		}
	case scrfd:
		order := make([]int, len(outputs))
		for i := range order {
			order[i] = i
		}
		last := func(i int) int { return outputs[i].Shape[len(outputs[i].Shape)-1] }
		slices.SortStableFunc(order, func(a, b int) int {
			return cmp.Or(cmp.Compare(last(a), last(b)), cmp.Compare(outputs[b].Len(), outputs[a].Len()))
		})
		outputs = picked(outputs, order)
		anchors := max(1, outputs[0].Len()/max(1, cells(strides[0])))
		for i := range outputs {
			want = append(want, []int{1, 4, 10}[i/len(strides)]*anchors*cells(strides[i%len(strides)]))
		}
		k.mean, k.scale = 127.5, 1./128
		k.decode = func(o [][]float32, w, h int, least float64) []Detection {
			return decodeSCRFD(picked(o, order), w, h, anchors, least)
		}
	case corners:
		order := []int{0, 1}
		if outputs[0].Shape[len(outputs[0].Shape)-1] == 4 {
			order = []int{1, 0}
		}
		outputs = picked(outputs, order)
		want = []int{outputs[1].Len() / 2, outputs[1].Len()}
		k.mean, k.scale = 127, 1./128
		k.decode = func(o [][]float32, w, h int, least float64) []Detection {
			return decodeCorners(picked(o, order), w, h, least)
		}
	default:
		var shapes []string
		for _, o := range outputs {
			shapes = append(shapes, strings.Trim(strings.ReplaceAll(fmt.Sprint(o.Shape), " ", "×"), "[]"))
		}
		return advice.Add(fmt.Errorf("it is no detector that is known: its outputs have the shapes %s", strings.Join(shapes, ", ")),
			"known are YuNet, SCRFD, and scores with corners; or name one of: %s", strings.Join(Detectors, ", "))
	}
	for i, o := range outputs {
		if o.Len() != want[i] {
			return fmt.Errorf("output %q has %d numbers; for an input of %v, a detector of the kind %s has %d there", o.Name, o.Len(), k.size, preset, want[i])
		}
	}
	return nil
}

// picked returns the elements of list at these places.
func picked[T any](list []T, at []int) []T {
	some := make([]T, len(at))
	for i, k := range at {
		some[i] = list[k]
	}
	return some
}

// strides are the sides of the cells of the levels of YuNet and SCRFD, in pixels.
var strides = [...]int{8, 16, 32}

const landmarkNumbers = 10 // of five landmarks

// decodeYuNet takes, for each stride, scores of the class and of being an object; then
// boxes (the place of the middle from the cell, and the logarithm of the size) and
// landmarks, all in cells.
func decodeYuNet(o [][]float32, width, height int, least float64) (found []Detection) {
	for level, stride := range strides {
		cell := float64(stride)
		columns := width / stride
		for i, class := range o[level] {
			unit := func(v float32) float64 { return max(0, min(1, float64(v))) }
			score := math.Sqrt(unit(class) * unit(o[3+level][i]))
			if score < least {
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

// decodeSCRFD takes, for each stride, scores of the anchors of each cell; then the
// distances of the left, upper, right and lower edge from its corner, and landmarks from
// there, all in cells. Landmarks may be missing.
func decodeSCRFD(o [][]float32, width, _, anchors int, least float64) (found []Detection) {
	for level, stride := range strides {
		cell := float64(stride)
		columns := width / stride
		for i, v := range o[level] {
			score := float64(v)
			if score < least {
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

func landmarksOf(v []float32, x, y, cell float64) []Point {
	points := make([]Point, landmarkNumbers/2)
	for i := range points {
		points[i] = Point{x + float64(v[2*i])*cell, y + float64(v[2*i+1])*cell}
	}
	return points
}

// decodeCorners takes two scores of each box, the second that of a face, and its left,
// upper, right and lower edge in shares of the sides of the image.
func decodeCorners(o [][]float32, width, height int, least float64) (found []Detection) {
	w, h := float64(width), float64(height)
	for i := range len(o[0]) / 2 {
		if score := float64(o[0][2*i+1]); score >= least {
			b := o[1][4*i:]
			found = append(found, Detection{Box: Box{float64(b[0]) * w, float64(b[1]) * h, float64(b[2]) * w, float64(b[3]) * h}, Score: score})
		}
	}
	return found
}
