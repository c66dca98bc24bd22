package method

import (
	"slices"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
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
	t = &classify.Samples{Groups: []int{0}, Grid: train.Grid, Projection: train.Projection}
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
	b := mat.NewDense(len(idx), a.RawMatrix().Cols, nil)
	for i, k := range idx {
		b.SetRow(i, a.RawRowView(k))
	}
	return b
}
