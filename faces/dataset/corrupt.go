package dataset

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/internal/scatter"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/internal/parallel"
)

// SaltAndPepper is noise that turns single pixels black or white, as MATLAB's
// imnoise(I, 'salt & pepper', Density) does: each pixel independently becomes 0
// (pepper) with probability Density/2 and white (salt) with probability
// Density/2. White is the first of 1, 255 and 65535 that no value of the set
// exceeds, or else the largest value of the set.
//
// A pixel draws one number x, even on 0 ≤ x < 1, that does not depend on the
// density: x < Density/2 is pepper and x ≥ 1 − Density/2 is salt. imnoise has
// salt on Density/2 ≤ x < Density, so the noise has the same distribution. But
// here, with the same seed, a pixel changed at one density is changed in the
// same way at every higher one. Results at two densities then differ only by
// the additional noise, so their difference has less variance.
type SaltAndPepper struct {
	Density float64 `json:"density"` // probability that a pixel is hit, 0 … 1
}

// Validate reports a density outside 0 … 1.
func (n SaltAndPepper) Validate() error {
	if !(n.Density >= 0 && n.Density <= 1) {
		return fmt.Errorf("add salt and pepper: density = %v is outside 0 … 1", n.Density)
	}
	return nil
}

// Apply returns set with noise on every image; it shares everything but X with set. The
// noise of an image depends on the seed, on its column, and on the value of white. It is
// an error if the samples are not images or have negative values.
func (n SaltAndPepper) Apply(set *Images, seed uint64) (*Images, error) {
	return corruptAll(n, set, seed)
}

// Select returns set.Select(columns) with the same noise on these images as Apply gives.
// It returns an error if columns is empty.
func (n SaltAndPepper) Select(set *Images, columns []int, seed uint64) (*Images, error) {
	return corruptSelected(n, set, columns, seed)
}

func (n SaltAndPepper) stream() uint64 { return noiseStream }

func (n SaltAndPepper) spoiler(in Size, white float64) spoiler {
	pepper, salt := n.Density/2, 1-n.Density/2
	return func(x *mat.Dense, j int, rng *rand.Rand) {
		for i := range in.Len() {
			switch u := rng.Float64(); {
			case u < pepper:
				x.Set(i, j, 0)
			case u >= salt:
				x.Set(i, j, white)
			}
		}
	}
}

// Occlusion covers a block of each image with an unrelated picture, a drawn
// heap of leaves, which is the same for all images. It is resized to the block;
// its black is 0 and its white that of SaltAndPepper.
//
// The block is a square of side √(Share·Height·Width), rounded to whole pixels.
// Where this root is more than the shorter side of the image, the block is a
// rectangle over all of the shorter side which has the same area, rounded to
// whole rows or columns. Its position is random and uniform inside the image.
// With the same seed, the block of one share lies inside the block of every
// larger share.
type Occlusion struct {
	Share float64 `json:"share"` // of the image's area that is covered, 0 … 1
}

// Validate reports a share outside 0 … 1.
func (o Occlusion) Validate() error {
	if !(o.Share >= 0 && o.Share <= 1) {
		return fmt.Errorf("occlude: share = %v is outside 0 … 1", o.Share)
	}
	return nil
}

// Apply returns set with a block of every image covered; it shares everything but X with
// set. The position of a block depends only on the seed and the column of the image. It
// is an error if the samples are not images or have negative values.
func (o Occlusion) Apply(set *Images, seed uint64) (*Images, error) {
	return corruptAll(o, set, seed)
}

// Select returns set.Select(columns) with the same blocks as Apply covers, so that an
// image is covered in the same way in every split. It is an error if columns is empty.
func (o Occlusion) Select(set *Images, columns []int, seed uint64) (*Images, error) {
	return corruptSelected(o, set, columns, seed)
}

// Block returns the size of the block in images of size in; the zero Size if
// the share rounds to no pixel.
func (o Occlusion) Block(in Size) Size {
	short := min(in.Height, in.Width)
	area := o.Share * float64(in.Len())
	if side := math.Sqrt(area); side <= float64(short) {
		s := int(math.Round(side))
		return Size{Height: s, Width: s}
	}
	long := int(math.Round(area / float64(short)))
	if in.Height < in.Width {
		return Size{Height: short, Width: long}
	}
	return Size{Height: long, Width: short}
}

func (o Occlusion) stream() uint64 { return occlusionStream }

func (o Occlusion) spoiler(in Size, white float64) spoiler {
	b := o.Block(in)
	if b.Len() == 0 {
		return func(*mat.Dense, int, *rand.Rand) {}
	}
	cover := leaves(b, white)
	return func(x *mat.Dense, j int, rng *rand.Rand) {
		// ⌊u·(n−b+1)⌋ moves back by at most one pixel when b grows by one, so
		// that the greater block covers the smaller.
		top := int(rng.Float64() * float64(in.Height-b.Height+1))
		left := int(rng.Float64() * float64(in.Width-b.Width+1))
		for c := range b.Width {
			for r := range b.Height {
				x.Set((left+c)*in.Height+top+r, j, cover[c*b.Height+r])
			}
		}
	}
}

// A corruption is a way to damage images one by one.
type corruption interface {
	Validate() error
	stream() uint64
	spoiler(in Size, white float64) spoiler
}

// A spoiler damages the image in column j of x with random numbers from rng. It is
// called for several columns concurrently.
type spoiler func(x *mat.Dense, j int, rng *rand.Rand)

// These keep the random numbers of corruptions apart from those that others
// draw from the same seed: the fractional parts of √11 and √13.
const (
	noiseStream     = 0x510e527fade682d1
	occlusionStream = 0x9b05688c2b3e6c1f
)

// corruptChunk is how many images one goroutine damages at a time: enough to
// fill a cache line of X, few enough to share out a small set.
const corruptChunk = 32

func corruptAll(c corruption, set *Images, seed uint64) (*Images, error) {
	white, err := corruptible(c, set)
	if err != nil {
		return nil, err
	}
	t := *set
	t.X = mat.DenseCopyOf(set.X)
	corrupt(c, &t, white, seed, func(j int) int { return j })
	return &t, nil
}

func corruptSelected(c corruption, set *Images, columns []int, seed uint64) (*Images, error) {
	white, err := corruptible(c, set)
	if err != nil {
		return nil, err
	}
	if len(columns) == 0 {
		return nil, errors.New("corrupt images: no columns are selected")
	}
	_, n := set.X.Dims()
	columns = slices.Sorted(slices.Values(columns)) // the order of Images.Select
	if lo, hi := columns[0], columns[len(columns)-1]; lo < 0 || hi >= n {
		return nil, fmt.Errorf("corrupt images: columns %d … %d are selected from %s", lo, hi, legible.Count(n, "image"))
	}
	t := set.Select(columns)
	corrupt(c, t, white, seed, func(j int) int { return columns[j] })
	return t, nil
}

// corruptible returns the value of white in set. It is an error if c cannot be applied.
func corruptible(c corruption, set *Images) (white float64, err error) {
	if err := c.Validate(); err != nil {
		return 0, err
	}
	if err := set.Validate(); err != nil {
		return 0, fmt.Errorf("corrupt images: %w", err)
	}
	if !set.AreImages() {
		return 0, advice.Add(errors.New("corrupt images: the samples are not images of a known size"),
			"set the height and the width of the images; features cannot be corrupted, the images they are made from can")
	}
	if smallest := mat.Min(set.X); smallest < 0 {
		return 0, advice.Add(fmt.Errorf("corrupt images: the least value is %.4g, grey values are not negative", smallest),
			"corrupt the images before a mean is subtracted from them")
	}
	return whiteOf(mat.Max(set.X)), nil
}

// whiteOf returns the value of white in images with this largest value: that of the
// first MATLAB type that can hold it.
func whiteOf(largest float64) float64 {
	for _, white := range []float64{1, math.MaxUint8, math.MaxUint16} { // double, uint8, uint16
		if largest <= white {
			return white
		}
	}
	return largest
}

// corrupt damages the images of t. Image j of t is image number(j) of the whole set,
// which determines its random numbers.
func corrupt(c corruption, t *Images, white float64, seed uint64, number func(j int) int) {
	spoil := c.spoiler(t.Frame.Size, white)
	_, n := t.X.Dims()
	parallel.For(n, corruptChunk, func(lo, hi int) {
		for j := lo; j < hi; j++ {
			key := scatter.Bits(seed ^ scatter.Bits(c.stream()^uint64(number(j))))
			spoil(t.X, j, rand.New(rand.NewPCG(key, c.stream())))
		}
	})
}

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
