package method

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/dictionary"
	"nrdl.example/nrdl/internal/lin"
)

// ordered returns train with its classes, and the samples inside each, in an
// order that depends on their pixels alone: lexicographic at unit norm. A
// method that renews atom after atom, or starts from the first samples of a
// class, learns from it, so that neither names nor the order of files matter;
// reordered undoes it. Sample j of the result is that at columns[j] of train.
func ordered(train *classify.Samples) (t *classify.Samples, columns []int) {
	var x mat.Dense
	x.CloneFrom(classify.Unit(train.X).T()) // a sample a row
	compare := func(a, b int) int { return slices.Compare(x.RawRowView(a), x.RawRowView(b)) }
	type class struct {
		name    string
		members []int
	}
	classes := make([]class, len(train.Classes))
	for c, name := range train.Classes {
		classes[c].name = name
		for j := train.Groups[c]; j < train.Groups[c+1]; j++ {
			classes[c].members = append(classes[c].members, j)
		}
		slices.SortStableFunc(classes[c].members, compare)
	}
	slices.SortStableFunc(classes, func(a, b class) int {
		return slices.CompareFunc(a.members, b.members, compare)
	})
	t = &classify.Samples{Groups: []int{0}, Grid: train.Grid, Projected: train.Projected}
	for _, c := range classes {
		columns = append(columns, c.members...)
		t.Classes, t.Groups = append(t.Classes, c.name), append(t.Groups, len(columns))
	}
	t.X = lin.Select(train.X, columns)
	if train.IDs != nil {
		for _, j := range columns {
			t.IDs = append(t.IDs, train.IDs[j])
		}
	}
	return t, columns
}

// reordered returns p, whose classes are called from, with its classes in the
// order of to.
func reordered(p classify.Parts, from, to []string) classify.Parts {
	groups := []int{0}
	var classes, atoms []int
	for _, name := range to {
		c := slices.Index(from, name)
		classes = append(classes, c)
		for k := p.Groups[c]; k < p.Groups[c+1]; k++ {
			atoms = append(atoms, k)
		}
		groups = append(groups, len(atoms))
	}
	_, all := p.D.Dims()
	for k := groups[len(groups)-1]; k < all; k++ {
		atoms = append(atoms, k) // common to all classes
	}
	p.D, p.Groups = lin.Select(p.D, atoms), groups
	if c, ok := p.Coder.(coding.TrainedCoder); ok {
		_, m := c.Learned()
		p.Coder = c.With(lin.Select(m, atoms))
	}
	if l := p.Rule.Learned(); l.Matrix != nil {
		rows, columns := atoms, classes
		if l.ByClass {
			rows, columns = classes, atoms
		}
		l.Matrix = lin.Select(selectRows(l.Matrix, rows), columns)
		p.Rule = p.Rule.With(l)
	}
	return p
}

// selectRows returns a copy of the rows idx of a, in that order.
func selectRows(a *mat.Dense, idx []int) *mat.Dense {
	_, n := a.Dims()
	b := mat.NewDense(len(idx), n, nil)
	for i, k := range idx {
		b.SetRow(i, a.RawRowView(k))
	}
	return b
}

// classifier returns the C×K linear classifier W = HSᵀ(SSᵀ + λI)⁻¹ of the codes
// s, K×N, of samples with these groups: ridge regression onto the labels [lcksvd].
func classifier(s *mat.Dense, groups []int, λ float64) (*mat.Dense, error) {
	k, _ := s.Dims()
	r := newRegression(k, len(groups)-1)
	r.add(s, groups, 0)
	return r.classifier(λ)
}

// regressed is how many codes of a regression are held at once.
const regressed = 1 << 14

// A regression collects what a linear classifier needs of codes.
type regression struct {
	w    *mat.Dense // HSᵀ, C×K
	gram *mat.Dense // SSᵀ, K×K, its upper triangle
}

func newRegression(k, classes int) *regression {
	return &regression{mat.NewDense(classes, k, nil), mat.NewDense(k, k, nil)}
}

// add adds the codes s, K×n, of the samples from on of a set with these groups. H
// is not formed: HSᵀ sums the codes of a class.
func (r *regression) add(s *mat.Dense, groups []int, from int) {
	k, n := s.Dims()
	for i := range k {
		row := s.RawRowView(i)
		for c := range len(groups) - 1 {
			lo, hi := max(groups[c], from)-from, min(groups[c+1], from+n)-from
			if lo >= hi {
				continue
			}
			var sum float64
			for _, v := range row[lo:hi] {
				sum += v
			}
			r.w.Set(c, i, r.w.At(c, i)+sum) // HSᵀ
		}
	}
	lin.AddAAt(r.gram, 1, s) // SSᵀ
}

// classifier returns W = HSᵀ(SSᵀ + λI)⁻¹, in the place of HSᵀ.
func (r *regression) classifier(λ float64) (*mat.Dense, error) {
	lin.AddDiag(r.gram, λ) // SSᵀ + λI
	var factor lin.SPD
	if _, err := factor.FactorOrRidge(r.gram); err != nil {
		return nil, err
	}
	factor.SolveRight(r.w) // HSᵀ(SSᵀ + λI)⁻¹
	return r.w, nil
}

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
				"set atoms to at most the fewest training samples of a class, or to 0 for all")
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

// fewest is the size of the smallest class of t.
func fewest(t *classify.Samples) int {
	n := t.Len()
	for c := range t.Classes {
		n = min(n, t.Groups[c+1]-t.Groups[c])
	}
	return n
}
