package engine

import (
	"context"
	"fmt"
	"slices"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/dictionary"
	"nrdl.example/nrdl/internal/config"
	"nrdl.example/nrdl/internal/kit/npz"
	"nrdl.example/nrdl/internal/lin"
)

// A learner learns a dictionary without labels.
type learner interface {
	Validate() error
	Learn(ctx context.Context, x, d0 *mat.Dense, run classify.Run) (*mat.Dense, classify.Outcome, error)
}

// sparse has a penalty by which most coefficients are zero, also where there are ten atoms.
func sparse(o dictionary.Online) dictionary.Online {
	o.Coder = coding.Lasso{Lambda: 0.1, Gap: coding.DefaultLasso.Gap}
	return o
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
		"min_D  1/N Σ_j min_s ½‖x_j − D·s‖² + ψ(s)   s.t. ‖d_k‖ ≤ 1 for every atom k", sparse(dictionary.DefaultOnline),
	},
}

// codec has the coders that code over atoms alone, without classes and the grid of pixels.
var codec = config.New(slices.DeleteFunc(slices.Clone(coding.All), func(c coding.Coder) bool {
	_, err := c.Over(coding.Basis{D: mat.NewDense(2, 2, []float64{1, 0, 0, 1})})
	return err != nil
}))

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
		if online, ok := set.(dictionary.Online); ok {
			online.NonNegative = f.Positive
			set = online
		} else if f.Positive {
			return nil, fmt.Errorf("%s has no atoms ≥ 0: online has", l.name)
		}
		made := set.(learner)
		if err := made.Validate(); err != nil {
			return nil, fmt.Errorf("%s: %w", l.name, err)
		}
		return made, nil
	}
	return nil, advice.Unknown("learner of dictionaries", f.Method, names)
}

// learnerOf returns the learner that f names and the samples x; f may have these arrays, too.
func (f *incoming) learnerOf(arrays ...string) (learner, *mat.Dense, error) {
	if err := f.only(append(arrays, "x")...); err != nil {
		return nil, nil, err
	}
	l, err := f.learner()
	if err != nil {
		return nil, nil, err
	}
	x, err := f.rows("x", nil)
	return l, x, err
}

// defaultAtoms is the number of atoms where nobody asks for one and the samples have so many
// directions.
const defaultAtoms = 10

// firstAtoms returns the array d0, or as many samples as f asks for.
func (f *incoming) firstAtoms(x *mat.Dense) (*mat.Dense, error) {
	d0, err := f.matrix("d0")
	switch {
	case err != nil || d0 != nil:
		return d0, err
	case f.Atoms == nil:
		return dictionary.AtMost(x, defaultAtoms, f.Seed)
	}
	return dictionary.FromSamples(x, *f.Atoms, f.Seed)
}

// dictionary answers with the atoms that a learner finds for the samples, which start from the
// atoms d0, or from as many samples as f asks for.
func (s *session) dictionary(ctx context.Context, f *incoming) (*answer, error) {
	l, x, err := f.learnerOf("d0")
	if err != nil {
		return nil, err
	}
	d0, err := f.firstAtoms(x)
	if err != nil {
		return nil, err
	}
	var h history
	d, out, err := l.Learn(ctx, x, d0, s.watched(f, &h))
	if err != nil {
		return nil, err
	}
	a := &answer{map[string]any{"status": out.Status, "passes": out.Iter, "residual": out.Residual}, []npz.Array{plain("D", d)}}
	a.arrays = append(a.arrays, h.arrays()...)
	return a, nil
}

// The state of a learner that observes: matrices, and the counts of dictionary.LearnerState.
const (
	stateAtoms, stateA, stateB, stateIdle = "state.atoms", "state.A", "state.B", "state.idle"
	stateSums                             = "state.sums" // seen, weight, energy, size, count, replaced
)

// observe answers with the atoms and the state of the online learner after the samples, each of
// which it takes once; it goes on from the state that an earlier answer had.
func (s *session) observe(ctx context.Context, f *incoming) (*answer, error) {
	l, x, err := f.learnerOf("d0", stateAtoms, stateA, stateB, stateIdle, stateSums)
	if err != nil {
		return nil, err
	}
	online, ok := l.(dictionary.Online)
	if !ok {
		return nil, fmt.Errorf("%s learns from all samples together: observe takes online", f.Method)
	}
	var to *dictionary.Learner
	if f.arrays.Index(stateAtoms) >= 0 {
		to, err = f.resumed(online)
	} else {
		var d0 *mat.Dense
		if d0, err = f.firstAtoms(x); err == nil {
			to, err = online.Start(d0)
		}
	}
	if err == nil {
		err = to.Add(ctx, x)
	}
	if err != nil {
		return nil, err
	}
	now := to.State()
	return &answer{map[string]any{"seen": to.Seen()}, []npz.Array{
		plain("D", to.Dictionary()), plain(stateAtoms, now.Atoms), plain(stateA, now.A), plain(stateB, now.B),
		npz.Float64(stateIdle, []int{1, len(now.Idle)}, now.Idle),
		npz.Float64(stateSums, []int{1, 6}, []float64{now.Seen, now.Weight, now.Energy, now.Size, now.Count, now.Replaced}),
	}}, nil
}

// resumed returns a learner with the state in f.
func (f *incoming) resumed(online dictionary.Online) (*dictionary.Learner, error) {
	var all [5]*mat.Dense
	for i, name := range []string{stateAtoms, stateA, stateB, stateIdle, stateSums} {
		m, err := f.matrix(name)
		if err == nil && m == nil {
			err = fmt.Errorf("the array %s of the state is missing", name)
		}
		if err == nil {
			err = lin.Finite(name, m)
		}
		if err != nil {
			return nil, err
		}
		all[i] = m
	}
	d, k := all[0].Dims()
	for i, want := range [][2]int{1: {k, k}, 2: {d, k}, 3: {1, k}, 4: {1, 6}} {
		if r, c := all[i].Dims(); i > 0 && [2]int{r, c} != want {
			return nil, fmt.Errorf("the state does not fit together: %d×%d instead of %d×%d for %d atoms of %d numbers",
				r, c, want[0], want[1], k, d)
		}
	}
	to, err := online.Start(all[0])
	if err != nil {
		return nil, err
	}
	sums := all[4].RawRowView(0)
	to.Resume(dictionary.LearnerState{
		Atoms: all[0], A: all[1], B: all[2], Idle: all[3].RawRowView(0),
		Seen: sums[0], Weight: sums[1], Energy: sums[2], Size: sums[3], Count: sums[4], Replaced: sums[5],
	})
	return to, nil
}

// code answers with the codes of samples over the atoms D: those of the learner that f names,
// K-SVD's by orthogonal matching pursuit.
func (s *session) code(ctx context.Context, f *incoming) (*answer, error) {
	l, x, err := f.learnerOf("D")
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
	if pursuit, ok := by.(coding.OMP); ok {
		return pursued(ctx, pursuit, d, x)
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

// pursued is code without the zeros of the codes in memory.
func pursued(ctx context.Context, by coding.OMP, d, x *mat.Dense) (*answer, error) {
	over, err := by.OverSparse(coding.Basis{D: d})
	if err != nil {
		return nil, err
	}
	var codes coding.SparseCodes
	if err := over.CodeSparse(ctx, &codes, x); err != nil {
		return nil, err
	}
	_, k := d.Dims()
	return &answer{arrays: []npz.Array{sparseRows("codes", k, &codes)}}, nil
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
