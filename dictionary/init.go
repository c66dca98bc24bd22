package dictionary

import (
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"nrdl/classify"
	"nrdl/internal/hint"
	"nrdl/internal/lin"
)

// FromSamples draws k samples of x, d×N with one a column, and returns them as
// atoms of unit norm, d×k. It is the usual start of a learner. Samples of zeros
// are passed over, and so are those whose direction, up to its sign, is one that
// is drawn already. Equal seeds draw equal samples. It is an error if fewer than
// k directions are left, or if x holds NaN or an infinity.
func FromSamples(x *mat.Dense, k int, seed uint64) (*mat.Dense, error) {
	d, n := x.Dims()
	if err := sized(d, k); err != nil {
		return nil, fmt.Errorf("draw atoms from samples: %w", err)
	}
	if err := lin.Finite("sample", x); err != nil {
		return nil, fmt.Errorf("draw atoms from samples: %w", err)
	}
	if k > n {
		err := fmt.Errorf("draw %d atoms from %d samples", k, n)
		return nil, hint.Add(err, "learn at most %d atoms, or start from random ones or cosines", n)
	}
	drawn := mat.NewDense(k, d, nil) // atoms, a row each
	found := 0
	for _, j := range order(n, seed, 0) {
		if found == k {
			break
		}
		u := classify.Unit(mat.DenseCopyOf(x.ColView(j))).RawMatrix().Data
		if isZero(u) || repeats(u, drawn, found) {
			continue
		}
		drawn.SetRow(found, u)
		found++
	}
	if found == 0 {
		return nil, fmt.Errorf("draw %d atoms from %d samples: all are zero", k, n)
	}
	if found < k {
		err := fmt.Errorf("draw %d atoms from %d samples: they have only %d directions", k, n, found)
		return nil, hint.Add(err, "learn at most %d atoms, or start from random ones or cosines", found)
	}
	return mat.DenseCopyOf(drawn.T()), nil
}

// order is a random order of 0 … n−1; streams of a seed differ.
func order(n int, seed, stream uint64) []int {
	return rand.New(rand.NewPCG(seed, stream)).Perm(n)
}

// sameDirection is the largest distance, element by element, between unit
// vectors that are one direction but for rounding.
const sameDirection = 1e-12

// repeats reports whether u or −u is one of the first n rows of a.
func repeats(u []float64, a *mat.Dense, n int) bool {
	for i := range n {
		row := a.RawRowView(i)
		if within(u, row, 1) || within(u, row, -1) {
			return true
		}
	}
	return false
}

func within(u, v []float64, sign float64) bool {
	for i, a := range u {
		if math.Abs(a-sign*v[i]) > sameDirection {
			return false
		}
	}
	return true
}

// Random returns k atoms of d features, d×k, whose directions are independent
// and uniform on the unit sphere.
func Random(d, k int, seed uint64) (*mat.Dense, error) {
	if err := sized(d, k); err != nil {
		return nil, fmt.Errorf("draw random atoms: %w", err)
	}
	r := rand.New(rand.NewPCG(seed, 0))
	atoms := mat.NewDense(d, k, nil)
	for j := range k { // atom after atom: the first do not depend on how many follow
		for i := range d {
			atoms.Set(i, j, r.NormFloat64())
		}
	}
	return classify.Unit(atoms), nil
}

// maxPatch bounds the side of a patch, in pixels.
const maxPatch = 1024

// Cosines returns the separable cosines of patches of height×width pixels: the
// overcomplete DCT from which patches of pictures are learnt [ksvd]. There are
// down vertical and across horizontal frequencies, so that K = down·across: with
// frequency q of p, pixel i has cos((i+½)qπ/p), less the mean unless q = 0. With
// as many frequencies as pixels the atoms are the orthonormal DCT-II; with more
// they are overcomplete, K > d. The pixels of an atom are stored column after
// column, as those of Patches, and the frequency down counts fastest. Columns of
// one or two pixels have no more frequencies than pixels.
func Cosines(height, width, down, across int) (*mat.Dense, error) {
	vertical, err := waves(height, down)
	if err != nil {
		return nil, fmt.Errorf("make cosines: %d frequencies for %d pixels down: %w", down, height, err)
	}
	horizontal, err := waves(width, across)
	if err != nil {
		return nil, fmt.Errorf("make cosines: %d frequencies for %d pixels across: %w", across, width, err)
	}
	if err := sized(height*width, down*across); err != nil {
		return nil, fmt.Errorf("make cosines: %w", err)
	}
	var atoms mat.Dense
	atoms.Kronecker(horizontal, vertical)
	return &atoms, nil
}

// waves returns the cosines of p frequencies over n pixels as unit columns, n×p.
func waves(n, p int) (*mat.Dense, error) {
	switch {
	case n < 1 || n > maxPatch:
		return nil, fmt.Errorf("a patch has 1 to %d pixels a side", maxPatch)
	case p < 1 || p > maxSide:
		return nil, fmt.Errorf("1 to %d frequencies are possible", maxSide)
	case n <= 2 && p > n:
		return nil, fmt.Errorf("%d pixels have %d frequencies", n, n)
	}
	a := mat.NewDense(n, p, nil)
	for q := range p {
		var mean float64
		for i := range n {
			v := math.Cos((float64(i) + 0.5) * float64(q) * math.Pi / float64(p))
			a.Set(i, q, v)
			mean += v / float64(n)
		}
		for i := range n {
			if q > 0 {
				a.Set(i, q, a.At(i, q)-mean)
			}
		}
	}
	return classify.Unit(a), nil
}

// What a dictionary may come to: a slip of the keyboard is refused before it
// takes the machine's memory.
const (
	maxSide    = 1 << 12 // frequencies
	maxNumbers = 1 << 28 // numbers of a dictionary, 2 GiB
)

// sized reports d features or k atoms that no dictionary has.
func sized(d, k int) error {
	switch {
	case d < 1:
		return fmt.Errorf("%d features, at least 1 is needed", d)
	case k < 1:
		return fmt.Errorf("%d atoms, at least 1 is needed", k)
	case k > maxNumbers/d:
		return fmt.Errorf("%d atoms of %d features are more than the %d numbers that a dictionary may hold", k, d, maxNumbers)
	}
	return nil
}

// squarable refuses samples whose squares are out of range.
func squarable(x *mat.Dense) error {
	if most := lin.MaxAbs(x); most > 1e100 || most > 0 && most < 1e-100 {
		return hint.Add(fmt.Errorf("the largest element of the samples is %v, whose square is out of range", most),
			"scale the samples")
	}
	return nil
}

func isZero(v []float64) bool {
	for _, x := range v {
		if x != 0 {
			return false
		}
	}
	return true
}
