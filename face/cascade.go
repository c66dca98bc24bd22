package face

import (
	_ "embed" // the cascade
	"encoding/binary"
	"image"
	"sync"
)

//go:embed cascades/facefinder
var faceFile []byte

// faceCascade is only read once it is unpacked.
var faceCascade = sync.OnceValue(func() []faceTree { return unpackFaces(faceFile) })

// treeDepth is the depth of the trees in the cascade of faces.
const treeDepth = 6

// A faceTree is a tree of the cascade of [pico], as it is in the file. Each of its
// nodes compares two pixels.
type faceTree struct {
	Nodes  [1<<treeDepth - 1][4]byte // row, column, row, column of the two pixels, 1/256 of the window's side; the children of node i are 2i+1 and 2i+2
	Scores [1 << treeDepth]float32   // of the leaves
	Least  float32                   // a window goes on to the next tree if the sum of its scores is larger
}

// unpackFaces reads the file: 8 bytes that are not used, the depth (uint32) and
// the number of trees (uint32), little-endian, then the trees. It panics if the
// file is of another depth or length.
func unpackFaces(file []byte) []faceTree {
	trees := make([]faceTree, binary.LittleEndian.Uint32(file[12:]))
	n, err := binary.Decode(file[16:], binary.LittleEndian, trees)
	if err != nil || binary.LittleEndian.Uint32(file[8:]) != treeDepth || len(file) != 16+n {
		panic("face: embedded cascade of faces: wrong depth or length")
	}
	return trees
}

// A hit is a window that passes all trees.
type hit struct {
	row, col int // of its centre
	side     int // pixels
	score    float32
}

// A candidate is a window that has passed the trees so far.
type candidate struct {
	centre int // in the pixels of the image
	score  float32
}

// hits returns the windows of m with sides from least to most that pass all
// trees, by side, row and column: those of pigo's RunCascade. All windows of one
// side go through a tree before the next tree, so that the places of its pixels
// are computed once.
func (f Finder) hits(m *image.Gray, least, most int) []hit {
	trees := faceCascade()
	var found []hit
	var windows []candidate
	for side := least; side <= most; side = int(float64(side) + max(2, float64(side)*f.Scale-float64(side))) {
		windows = windows[:0]
		step, edge := int(max(f.Shift*float64(side), 1)), side/2+1
		for row := edge; row <= m.Rect.Dy()-edge; row += step {
			for col := edge; col <= m.Rect.Dx()-edge; col += step {
				windows = append(windows, candidate{centre: row*m.Stride + col})
			}
		}
		at := newOffsets(side, m.Stride)
		for i := range trees {
			windows = trees[i].passing(windows, m.Pix, at)
		}
		for _, w := range windows {
			found = append(found, hit{w.centre / m.Stride, w.centre % m.Stride, side, w.score - trees[len(trees)-1].Least})
		}
	}
	return found
}

// passing returns the windows that pass the tree. It overwrites windows.
func (t *faceTree) passing(windows []candidate, pix []byte, at *offsets) []candidate {
	if len(windows) == 0 {
		return windows
	}
	var pairs [len(t.Nodes)][2]int
	for i := range t.Nodes {
		n := &t.Nodes[i]
		pairs[i] = [2]int{at.row[n[0]] + at.col[n[1]], at.row[n[2]] + at.col[n[3]]}
	}
	passed := 0
	for _, w := range windows {
		w.score += t.Scores[leaf(&pairs, pix, w.centre)]
		windows[passed] = w
		if w.score > t.Least {
			passed++
		}
	}
	return windows[:passed]
}

// leaf returns the leaf of a tree at which the window with this centre arrives.
func leaf(pairs *[1<<treeDepth - 1][2]int, pix []byte, centre int) int {
	i := 0
	for range treeDepth {
		right := 0 // without a branch, which the processor would mispredict
		if pix[centre+pairs[i][0]] <= pix[centre+pairs[i][1]] {
			right = 1
		}
		i = 2*i + 1 + right
	}
	return i - len(pairs)
}

// offsets are the steps in the pixels of an image that the bytes of a node, as
// int8, mean for windows of one side.
type offsets struct{ row, col [256]int }

func newOffsets(side, stride int) *offsets {
	at := new(offsets)
	for b := range at.row {
		share := int(int8(b)) * side >> 8
		at.row[b], at.col[b] = share*stride, share
	}
	return at
}
