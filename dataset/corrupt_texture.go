package dataset

import (
	"math"
	"math/rand/v2"
	"sync"
)

// The heap of leaves: the dead leaves model, a picture of objects of many sizes
// in front of one another. It has strong edges and structure from the size of
// a rib to that of the picture, as a photograph has, and nothing of a face.
//
// References
//
//	[leaves] Lee, Mumford, Huang: Occlusion models for natural images: A
//	         statistical study of a scale-invariant dead leaves model.
//	         International Journal of Computer Vision 41, 2001.

// What the heap is made of. Lengths are in pixels of the heap.
const (
	heapSide   = 256
	heapStream = 0x1f83d9abfb41bd6b // the fractional part of √17

	leafLeast    = 9.0   // half the length of the smallest leaf
	leafGreatest = 120.0 // and of the largest
	leafSlim     = 0.3   // width over length of the slimmest leaf
	leafBroad    = 0.6   // and of the broadest
	leafBent     = 0.35  // how far the darker half of a leaf is from the lighter, of white
	leafRibs     = 7.0   // of half a leaf
	leafRib      = 0.12  // half the strength of a rib, of white
	leafVein     = 0.08  // half the width of the middle vein, of the leaf's
)

// leaves returns the heap as an image of size in, pixels column-major, values
// 0 … white.
func leaves(in Size, white float64) []float64 {
	h := drawHeap()
	src := grey{height: heapSide, width: heapSide, row: func(y int, dst []float64) {
		for x := range dst {
			dst[x] = white * h[y*heapSide+x]
		}
	}}
	return resample(src, Frame{Size: in}, 0, white)
}

// drawHeap draws the heap once, row-major, 0 … 1: from the front to the back,
// each leaf where no earlier one is, until nothing is bare. The half length r
// of leaves has a density ∝ r⁻³, which makes a picture of small leaves look
// like one of large leaves [leaves]. What crosses one side of the heap enters
// at the opposite one.
var drawHeap = sync.OnceValue(func() []float64 {
	rng := rand.New(rand.NewPCG(0, heapStream))
	heap := make([]float64, heapSide*heapSide)
	covered := make([]bool, len(heap))
	for bare := len(heap); bare > 0; {
		l := newLeaf(rng)
		reach := int(l.length) + 1
		for dy := -reach; dy <= reach; dy++ {
			for dx := -reach; dx <= reach; dx++ {
				tone, ok := l.tone(float64(dx), float64(dy))
				at := wrap(l.y+dy)*heapSide + wrap(l.x+dx)
				if ok && !covered[at] {
					heap[at], covered[at] = tone, true
					bare--
				}
			}
		}
	}
	return heap
})

func wrap(i int) int { return (i + heapSide) % heapSide }

// A leaf lies with its middle at the pixel (x, y).
type leaf struct {
	x, y          int
	length, width float64 // half of each
	cos, sin      float64 // of the angle of the middle vein
	shade         float64 // tone of the leaf, 0 … 1
}

func newLeaf(r *rand.Rand) leaf {
	const ratio = leafLeast / leafGreatest
	l := leaf{x: r.IntN(heapSide), y: r.IntN(heapSide), shade: r.Float64()}
	l.length = leafLeast / math.Sqrt(1-r.Float64()*(1-ratio*ratio)) // inverse distribution function
	l.width = l.length * between(r, leafSlim, leafBroad)
	l.sin, l.cos = math.Sincos(between(r, 0, 2*math.Pi))
	return l
}

func between(r *rand.Rand, lo, hi float64) float64 { return lo + (hi-lo)*r.Float64() }

// tone is the grey, 0 … 1, of the leaf at (dx, dy) from its middle, and whether
// it is there.
func (l leaf) tone(dx, dy float64) (tone float64, ok bool) {
	along, across := (dx*l.cos+dy*l.sin)/l.length, (dy*l.cos-dx*l.sin)/l.width
	off := math.Abs(across)
	if off > 1-along*along {
		return 0, false
	}
	tone = l.shade + leafRib*math.Cos(2*math.Pi*leafRibs*(along-off/3))
	switch {
	case off < leafVein:
		tone += leafBent
	case across < 0:
		tone -= leafBent / 2
	default:
		tone += leafBent / 2
	}
	return min(1, max(0, tone)), true
}
