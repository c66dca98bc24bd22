package method

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/dictionary"
	"nrdl.example/nrdl/internal/lin"
)

// classwise returns a dictionary of so many atoms per class, d×K with the atoms
// of a class side by side, and the groups of its atoms. Those of a class are
// learned by k from the samples of that class, columns of x, d×N in the order of
// train, starting from the first of them; with at most as many atoms a code as
// the class has, as published code does, which asks for T₀ = 30 of classes that
// have fewer atoms. With atoms = 0 all samples are the dictionary, a copy.
//
// A class with fewer samples than atoms is an error.
func classwise(ctx context.Context, k dictionary.KSVD, x *mat.Dense, train *classify.Samples, atoms int) (*mat.Dense, []int, error) {
	if atoms == 0 {
		return mat.DenseCopyOf(x), train.Groups, nil
	}
	k.Sparsity = min(k.Sparsity, atoms)
	groups, err := atomGroups(train, atoms)
	if err != nil {
		return nil, nil, err
	}
	d, _ := x.Dims()
	d0 := mat.NewDense(d, atoms*len(train.Classes), nil)
	for c, name := range train.Classes {
		own := lin.Cols(x, train.Groups[c], train.Groups[c+1])
		learned, _, err := k.Learn(ctx, own, lin.Cols(own, 0, atoms), classify.Run{})
		if err != nil {
			return nil, nil, fmt.Errorf("atoms of %s: %w", name, err)
		}
		lin.Set(lin.Cols(d0, groups[c], groups[c+1]), 1, learned)
	}
	return d0, groups, nil
}

// classwise returns the D that the fit is to start from, or else what classwise draws by k
// from the samples x, in any coordinates.
func (t *task) classwise(k dictionary.KSVD, x *mat.Dense, atoms int) (*mat.Dense, error) {
	if d := t.start["D"]; d != nil {
		return d, nil
	}
	d, _, err := classwise(t.ctx, k, x, t.Samples, atoms)
	return d, err
}

// atomGroups returns the groups of so many atoms per class, 0 for as many as
// samples, or why there cannot be so many.
func atomGroups(train *classify.Samples, atoms int) ([]int, error) {
	if atoms == 0 {
		return train.Groups, nil
	}
	groups := []int{0}
	for c, name := range train.Classes {
		if n := train.Groups[c+1] - train.Groups[c]; atoms > n {
			return nil, advice.Add(fmt.Errorf("atoms = %d, more than the %d training samples of class %s", atoms, n, name),
				"set atoms to at most the minClass training samples of a class, or to 0 for all")
		}
		groups = append(groups, atoms*(c+1))
	}
	return groups, nil
}

// compress returns R of X = U·R, UᵀU = I, where d > N: every inner product, and
// so every update, is the same for R, N×N, as for X; expand gives U·D for atoms
// learned from R. Else it returns x and the identity.
func compress(x *mat.Dense) (r *mat.Dense, expand func(d *mat.Dense) *mat.Dense) {
	d, n := x.Dims()
	if d <= n {
		return x, func(d *mat.Dense) *mat.Dense { return d }
	}
	qr := lin.FactorQR(x)
	return qr.R(), qr.Q
}

// minClass is the size of the smallest class of t.
func minClass(t *classify.Samples) int {
	n := t.Len()
	for c := range t.Classes {
		n = min(n, t.Groups[c+1]-t.Groups[c])
	}
	return n
}
