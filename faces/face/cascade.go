package face

import (
	_ "embed" // the cascade
	"encoding/binary"
	"image"
	"slices"
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
	Nodes [1<<treeDepth -
		1][4]byte // row, column, row, column of the two pixels, 1/256 of the window's side; the children of node i are 2i+1 and 2i+2
	Scores    [1 << treeDepth]float32 // of the leaves
	Threshold float32                 // a window goes on to the next tree if the sum of its scores is larger
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

// hits returns the windows of v with sides from minSide to maxSide that pass all
// trees, by side, row and column: those of pigo's RunCascade whose middle is in the
// photograph, or hardly outside. All windows of one side go through a tree before the
// next tree, so that the places of its pixels are computed once.
func (f Finder) hits(v view, photo image.Rectangle, minSide, maxSide int) []hit {
	trees := faceCascade()
	var grids []grid
	for side := minSide; side <= maxSide; side = int(float64(side) + max(2, float64(side)*f.Scale-float64(side))) {
		grids = append(grids, f.gridOf(v, photo, side))
	}
	var windows []candidate
	if f.coarse > 0 {
		for i, g := range grids {
			windows = g.all(windows[:0], 2)
			grids[i].sparse = slices.Clone(g.pass(windows, trees[:min(f.coarse, len(trees))], v))
		}
	}
	var found []hit
	var seen []bool
	for i, g := range grids {
		if f.coarse > 0 {
			windows, seen = g.about(windows[:0], seen, grids[max(0, i-1):min(len(grids), i+2)])
		} else {
			windows = g.all(windows[:0], 1)
		}
		for _, w := range g.pass(windows, trees, v) {
			found = append(found, hit{w.centre / v.Stride, w.centre % v.Stride, g.side, w.score - trees[len(trees)-1].Threshold})
		}
	}
	return found
}

// A grid is the centres of the windows of one side: of each row, columns from … to before end.
type grid struct {
	side, step, stride int
	edge               int // row and column of the first window, pixels
	columns            [][2]int
	sparse             []candidate // of every second row and column, that pass some trees
}

// gridOf returns the windows of this side in v.
func (f Finder) gridOf(v view, photo image.Rectangle, side int) grid {
	const outside = 0.1 // of the side, of a face that is cut by the edge
	edge := side/2 + 1
	g := grid{side: side, step: int(max(f.Shift*float64(side), 1)), stride: v.Stride, edge: edge}
	within := boxOf(photo).grown(outside * float64(side) * v.back.scale())
	for row := edge; row <= v.Rect.Dy()-edge; row += g.step {
		from, end := v.back.columnsIn(row, v.Rect.Dx(), within)
		from, end = (max(from, edge)-edge+g.step-1)/g.step, (min(end, v.Rect.Dx()-edge+1)-edge+g.step-1)/g.step
		g.columns = append(g.columns, [2]int{from, max(from, end)})
	}
	return g
}

func (g grid) window(row, column int) candidate {
	return candidate{centre: (g.edge+row*g.step)*g.stride + g.edge + column*g.step}
}

// all appends the windows of every nth row and column to windows.
func (g grid) all(windows []candidate, n int) []candidate {
	for row := 0; row < len(g.columns); row += n {
		for column := (g.columns[row][0] + n - 1) / n * n; column < g.columns[row][1]; column += n {
			windows = append(windows, g.window(row, column))
		}
	}
	return windows
}

// about appends to windows those of g at those that are some of grids, and beside them. It
// overwrites seen, and returns it.
func (g grid) about(windows []candidate, seen []bool, grids []grid) ([]candidate, []bool) {
	across := max(1, (g.stride-2*g.edge)/g.step+1)
	seen = slices.Grow(seen[:0], len(g.columns)*across)[:len(g.columns)*across]
	clear(seen)
	for _, o := range grids {
		for _, w := range o.sparse {
			row, column := (w.centre/g.stride-g.edge+g.step/2)/g.step, (w.centre%g.stride-g.edge+g.step/2)/g.step
			for r := max(0, row-1); r <= min(len(g.columns)-1, row+1); r++ {
				for c := max(g.columns[r][0], column-1); c < min(g.columns[r][1], column+2); c++ {
					if at := r*across + c; !seen[at] {
						seen[at] = true
						windows = append(windows, g.window(r, c))
					}
				}
			}
		}
	}
	return windows, seen
}

// pass returns the windows that pass all trees. It overwrites windows.
func (g grid) pass(windows []candidate, trees []faceTree, v view) []candidate {
	at := newOffsets(g.side, v.Stride)
	for i := range trees {
		windows = trees[i].passing(windows, v.Pix, at)
	}
	return windows
}

// passing returns the windows that pass the tree. It overwrites windows.
func (t *faceTree) passing(windows []candidate, pix []byte, at *offsets) []candidate {
	const few = 10 // windows, for which it is faster to compute the places that each of them needs
	if len(windows) < few {
		return t.passingFew(windows, pix, at)
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
		if w.score > t.Threshold {
			passed++
		}
	}
	return windows[:passed]
}

// passingFew is passing.
func (t *faceTree) passingFew(windows []candidate, pix []byte, at *offsets) []candidate {
	passed := 0
	for _, w := range windows {
		i := 0
		for range treeDepth {
			n := &t.Nodes[i]
			i = 2*i + 1
			if pix[w.centre+at.row[n[0]]+at.col[n[1]]] <= pix[w.centre+at.row[n[2]]+at.col[n[3]]] {
				i++
			}
		}
		w.score += t.Scores[i-len(t.Nodes)]
		windows[passed] = w
		if w.score > t.Threshold {
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

// offsets are the steps in pixels, for windows of one size, of each value of the
// bytes of a node, which are int8.
type offsets struct{ row, col [256]int }

func newOffsets(side, stride int) *offsets {
	at := new(offsets)
	for b := range at.row {
		share := int(int8(b)) * side >> 8
		at.row[b], at.col[b] = share*stride, share
	}
	return at
}
