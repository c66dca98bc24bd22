package coding

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/internal/parallel"
)

// PerClass codes over each class alone: the coefficients of class c solve
//
//	min_{s_c} ‖y − D_c·s_c‖² + λ‖s_c‖²   [lrc] for λ = 0
//
// and depend on no atom of another class. With the singular value decomposition
// D_c = UΣVᵀ they are s_c = V(Σ² + λI)⁻¹ΣUᵀy, accurate where D_cᵀD_c is too
// ill-conditioned for the normal equations. Singular values of no more than
// max(d, n_c)·2⁻⁵² times the largest count as zero: of dependent atoms, as with
// n_c > d, the code is the shortest of those that fit best.
type PerClass struct {
	Lambda float64 `json:"lambda" help:"λ ≥ 0, weight of ‖s_c‖²; 0 is least squares" eq:"[lrc]"`
}

// DefaultPerClass is the least squares of [lrc].
var DefaultPerClass = PerClass{Lambda: 0}

func (PerClass) Name() string { return "perclass" }

func (c PerClass) Validate() error {
	return weight(c, "lambda", c.Lambda)
}

// Over implements Coder. It needs the groups of b.
func (c PerClass) Over(b Basis) (Coding, error) {
	if err := readyByClass(c, b); err != nil {
		return nil, err
	}
	d, groups := b.D, b.Groups
	m, _ := d.Dims()
	p := &perClass{d: m, groups: groups, bounds: make([]int, len(groups)), v: make([]*mat.Dense, len(groups)-1)}
	for class := range p.v {
		p.bounds[class+1] = p.bounds[class] + min(m, groups[class+1]-groups[class])
	}
	p.u = mat.NewDense(m, p.bounds[len(p.v)], nil)
	errs := make([]error, len(p.v))
	parallel.For(len(p.v), 1, func(class, _ int) {
		errs[class] = p.decompose(lin.Cols(d, groups[class], groups[class+1]), class, c.Lambda)
	})
	for class, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("prepare the per-class coder: class %d: %w", class, err)
		}
	}
	return p, nil
}

// grouped reports groups that are missing or do not divide k atoms.
func grouped(groups []int, k int) error {
	if groups == nil {
		return fmt.Errorf("it needs the classes of the atoms")
	}
	if len(groups) < 2 || groups[0] != 0 || groups[len(groups)-1] != k || !slices.IsSorted(groups) {
		return fmt.Errorf("the groups %v do not divide %d atoms", groups, k)
	}
	return nil
}

type perClass struct {
	d      int          // number of features
	groups []int        // len C+1
	bounds []int        // the columns of U that belong to class c: at[c] ≤ r < at[c+1]; len C+1
	u      *mat.Dense   // U of all classes side by side, d×R
	v      []*mat.Dense // V(Σ² + λI)⁻¹Σ of class c, n_c×r_c
}

// decompose finds U and V(Σ² + λI)⁻¹Σ of class c, whose atoms are a, d×n_c.
func (p *perClass) decompose(a *mat.Dense, c int, lambda float64) error {
	var f mat.SVD
	if !f.Factorize(a, mat.SVDThin) {
		return fmt.Errorf("its singular value decomposition does not converge")
	}
	var u mat.Dense
	f.UTo(&u)
	lin.Set(lin.Cols(p.u, p.bounds[c], p.bounds[c+1]), 1, &u)
	v := new(mat.Dense)
	f.VTo(v)
	σ := f.Values(nil)
	d, n := a.Dims()
	minSingular := float64(max(d, n)) * 0x1p-52 * σ[0]
	for r, x := range σ {
		gain := 0.0
		if x > minSingular {
			gain = 1 / (x + lambda/x) // (Σ² + λI)⁻¹Σ
		}
		σ[r] = gain
	}
	for i := range n {
		zero := isZero(mat.Col(nil, i, a)) // its row of V is, but for rounding
		row := v.RawRowView(i)
		for r := range row {
			if row[r] *= σ[r]; zero {
				row[r] = 0
			}
		}
	}
	p.v[c] = v
	return nil
}

func (p *perClass) Code(ctx context.Context, s, y *mat.Dense) error {
	_, n := y.Dims()
	_, r := p.u.Dims()
	t := mat.NewDense(r, min(n, chunk), nil)
	return inChunks(ctx, s, y, p.d, p.groups[len(p.v)], chunk, "the per-class code of column", func(s, y *mat.Dense) error {
		_, n := y.Dims()
		lin.AtB(lin.Cols(t, 0, n), 1, p.u, y) // Uᵀy of every class
		for c, v := range p.v {
			sc, uy := lin.Block(s, p.groups[c], p.groups[c+1], 0, n), lin.Block(t, p.bounds[c], p.bounds[c+1], 0, n)
			lin.AB(sc, 1, v, uy) // V(Σ² + λI)⁻¹ΣUᵀy
		}
		return nil
	})
}
