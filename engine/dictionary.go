package engine

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/dictionary"
	"nrdl.example/nrdl/internal/config"
	"nrdl.example/nrdl/internal/npz"
)

// A learner learns a dictionary without labels.
type learner interface {
	Validate() error
	Learn(ctx context.Context, x, d0 *mat.Dense, run classify.Run) (*mat.Dense, classify.Outcome, error)
}

// learners are those of package dictionary.
var learners = []struct {
	name, title, description, formulation string
	defaults                              learner
}{
	{
		"ksvd", "K-SVD", "dictionary for sparse codes, learned from all samples",
		"min_{D,Γ}  ‖X − DΓ‖²   s.t. ‖γ_j‖₀ ≤ T₀ or ‖x_j − Dγ_j‖ ≤ ε for every sample j", dictionary.DefaultKSVD,
	},
	{
		"online", "online dictionary learning", "dictionary learned from small batches of samples",
		"min_D  1/N Σ_j min_s ½‖x_j − D·s‖² + ψ(s)   s.t. ‖d_k‖ ≤ 1 for every atom k", dictionary.DefaultOnline,
	},
}

var codec = config.New(coding.All)

func dictionaries() (all []Description) {
	for _, l := range learners {
		all = append(all, Description{
			Name: l.name, Title: l.title, Type: typeOf(l.defaults), Description: l.description, Formulation: l.formulation,
			Iterative: true, Params: codec.Params(l.defaults),
		})
	}
	return all
}

func (f *incoming) learner() (learner, error) {
	var names []string
	for _, l := range learners {
		if names = append(names, l.name); l.name != f.Method {
			continue
		}
		set := any(l.defaults)
		var err error
		for _, p := range f.Params {
			if set, err = codec.Set(set, p.Name, p.Value); err != nil {
				return nil, fmt.Errorf("%s: %w", l.name, err)
			}
		}
		made := set.(learner)
		if err := made.Validate(); err != nil {
			return nil, fmt.Errorf("%s: %w", l.name, err)
		}
		return made, nil
	}
	return nil, advice.Unknown("learner of dictionaries", f.Method, names)
}

// dictionary answers with the atoms that a learner finds for the samples, which start from the
// atoms d0, or from as many samples as f asks for.
func (s *session) dictionary(ctx context.Context, f *incoming) (*answer, error) {
	if err := f.only("x", "d0"); err != nil {
		return nil, err
	}
	l, err := f.learner()
	if err != nil {
		return nil, err
	}
	x, err := f.rows("x")
	if err != nil {
		return nil, err
	}
	d0, err := f.matrix("d0")
	if err == nil && d0 == nil {
		d0, err = dictionary.FromSamples(x, f.Atoms, f.Seed)
	}
	if err != nil {
		return nil, err
	}
	d, out, err := l.Learn(ctx, x, d0, classify.Run{Seed: f.Seed})
	if err != nil {
		return nil, err
	}
	return &answer{map[string]any{"status": out.Status, "passes": out.Iter, "residual": out.Residual}, []npz.Array{plain("D", d)}}, nil
}

// code answers with the codes of samples over the atoms D: those of the learner that f names,
// K-SVD's by orthogonal matching pursuit.
func (s *session) code(ctx context.Context, f *incoming) (*answer, error) {
	if err := f.only("x", "D"); err != nil {
		return nil, err
	}
	l, err := f.learner()
	if err != nil {
		return nil, err
	}
	x, err := f.rows("x")
	if err != nil {
		return nil, err
	}
	d, err := f.matrix("D")
	if err != nil {
		return nil, err
	}
	if d == nil {
		return nil, &coded{"request", fmt.Errorf("%s needs the array D", f.Verb)}
	}
	m, k := d.Dims()
	if rows, _ := x.Dims(); rows != m {
		return nil, fmt.Errorf("samples of %d numbers, and atoms of %d", rows, m)
	}
	by := coderOf(l)
	if err := coding.Check(by, m, k); err != nil {
		return nil, err
	}
	over, err := by.Over(coding.Basis{D: d})
	if err != nil {
		return nil, err
	}
	_, n := x.Dims()
	codes := mat.NewDense(k, n, nil)
	if err := over.Code(ctx, codes, x); err != nil {
		return nil, err
	}
	return &answer{arrays: []npz.Array{asRows("codes", codes)}}, nil
}

func coderOf(l learner) coding.Coder {
	switch l := l.(type) {
	case dictionary.KSVD:
		return coding.OMP{Sparsity: l.Sparsity, Error: l.Error}
	case dictionary.Online:
		return l.Coder
	}
	panic(fmt.Sprintf("engine: %T has no coder", l))
}
