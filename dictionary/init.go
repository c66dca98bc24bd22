package dictionary

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/lin"
)

// FromSamples draws k samples of x, d×N with one per column, and returns them as
// atoms of unit norm, d×k. It is the usual start of a learner. Samples of zeros
// are passed over, and so are those whose direction, up to its sign, is one that
// is drawn already. Equal seeds draw equal samples. It is an error if fewer than
// k directions are left, or if x holds NaN or an infinity.
func FromSamples(x *mat.Dense, k int, seed uint64) (*mat.Dense, error) {
	drawn, err := AtMost(x, k, seed)
	if err != nil {
		return nil, err
	}
	_, n := x.Dims()
	if _, found := drawn.Dims(); found < k {
		err := fmt.Errorf("draw %d atoms from %d samples: they have only %d directions", k, n, found)
		return nil, advice.Add(err, "learn at most %d atoms", found)
	}
	return drawn, nil
}

// AtMost is FromSamples for a caller who also accepts fewer atoms: where x has fewer than k
// directions, it returns as many atoms as x has directions. It is an error if x has none.
func AtMost(x *mat.Dense, k int, seed uint64) (*mat.Dense, error) {
	if x == nil {
		return nil, errors.New("draw atoms from samples: no samples")
	}
	d, n := x.Dims()
	if err := sized(d, k); err != nil {
		return nil, fmt.Errorf("draw atoms from samples: %w", err)
	}
	if err := lin.Finite("sample", x); err != nil {
		return nil, fmt.Errorf("draw atoms from samples: %w", err)
	}
	k = min(k, n)
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
	return mat.DenseCopyOf(drawn.Slice(0, found, 0, d).T()), nil
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

// maxNumbers bounds a dictionary, 2 GiB: a slip of the keyboard is refused before
// it takes the machine's memory.
const maxNumbers = 1 << 28

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

// alike is an error unless the samples x and the first atoms d0 are there and of one length.
func alike(x, d0 *mat.Dense) error {
	if x == nil || x.IsEmpty() || d0 == nil || d0.IsEmpty() {
		return errors.New("no samples, or no first atoms")
	}
	d, _ := x.Dims()
	if rows, _ := d0.Dims(); rows != d {
		return fmt.Errorf("samples of %d features, and first atoms of %d", d, rows)
	}
	return nil
}

// unitAtoms returns the atoms d0 at unit norm; one that is not finite, or zero, is
// an error.
func unitAtoms(d0 *mat.Dense) (*mat.Dense, error) {
	if err := lin.Finite("atom", d0); err != nil {
		return nil, err
	}
	u := classify.Unit(d0)
	for j := range d0.RawMatrix().Cols {
		if mat.Norm(u.ColView(j), 2) == 0 {
			return nil, advice.Add(fmt.Errorf("atom %d of the first dictionary is zero", j),
				"start from samples that are not zero: FromSamples draws such")
		}
	}
	return u, nil
}

// learnable refuses samples that are not finite or whose squares are out of range.
func learnable(x *mat.Dense) error {
	if err := lin.Finite("sample", x); err != nil {
		return err
	}
	if largest := lin.MaxAbs(x); largest > 1e100 || largest > 0 && largest < 1e-100 {
		return advice.Add(fmt.Errorf("the largest element of the samples is %v, whose square is out of range", largest),
			"scale the samples")
	}
	return nil
}

func isZero(v []float64) bool {
	return !slices.ContainsFunc(v, func(x float64) bool { return x != 0 })
}
