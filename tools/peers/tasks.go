package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/dictionary"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/internal/kit/npz"
	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/tools/internal/cputime"
)

// What is asked of both sides.
const (
	perPerson = 20 // atoms per person, as in the paper's Extended Yale B
	sparsity  = 30
	gap       = 1e-6
	patches   = 10000
	heldOut   = 0.2 // of the samples that a dictionary is learned from
)

// penalties are those of the lasso, and of how many probes every one is coded:
// scikit-learn takes minutes for all of them with the small one.
var penalties = []struct {
	λ     float64
	every int
}{{0.05, 1}, {0.001, 120}}

// tasks are the samples, one per column, and what to do with them.
type tasks struct {
	atoms, probes *mat.Dense // for the coders
	learn         []learning
}

// A learning is a dictionary to learn.
type learning struct {
	name, title      string
	start            *mat.Dense // d×K
	samples, heldOut *mat.Dense // to learn from, and to judge by
	penalty          float64
	batch, passes    int
}

func draw(ctx context.Context) (*tasks, error) {
	set, err := dataset.Open(ctx, filepath.Join(os.Getenv("NRDL_DATA"), "sets", "yaleb_32x32.mat"), dataset.Options{})
	if err != nil {
		return nil, err
	}
	split, err := dataset.ParseSplit(fmt.Sprintf("random:%d", perPerson))
	if err != nil {
		return nil, err
	}
	train, test, err := split.Apply(set, 1)
	if err != nil {
		return nil, err
	}
	t := &tasks{atoms: classify.Unit(set.Select(train).X), probes: classify.Unit(set.Select(test).X)}
	whole, err := newLearning("faces", classify.Unit(set.X), 256)
	if err != nil {
		return nil, err
	}
	cut, err := cuttings(set)
	if err != nil {
		return nil, err
	}
	small, err := newLearning("patches", cut, 256)
	t.learn = []learning{whole, small}
	return t, err
}

// cuttings are 8×8 patches from all over the faces, less their means, at unit
// norm.
func cuttings(set *dataset.Images) (*mat.Dense, error) {
	r := rand.New(rand.NewPCG(1, 1))
	d, n := set.X.Dims()
	each := patches/n + 1
	all := mat.NewDense(64, n*each, nil)
	p := dictionary.Patches{Height: 8, Width: 8, Stride: 4}
	for j := range n {
		face := mat.NewDense(set.Frame.Width, set.Frame.Height, mat.Col(make([]float64, d), j, set.X))
		x, err := p.Cut(mat.DenseCopyOf(face.T()))
		if err != nil {
			return nil, err
		}
		_, places := x.Dims()
		for i, at := range r.Perm(places)[:each] {
			all.ColView(j*each + i).(*mat.VecDense).CopyVec(x.ColView(at))
		}
	}
	dictionary.TakeMeans(all)
	return classify.Unit(all), nil
}

// newLearning holds out a part of the samples and draws the start from the rest.
func newLearning(name string, x *mat.Dense, k int) (learning, error) {
	d, n := x.Dims()
	mixed := lin.Select(x, rand.New(rand.NewPCG(2, 1)).Perm(n))
	cut := int(heldOut * float64(n))
	l := learning{
		name: name, samples: lin.Cols(mixed, cut, n), heldOut: lin.Cols(mixed, 0, cut),
		penalty: 0.1, batch: 256, passes: 3,
	}
	l.title = fmt.Sprintf("%d %s, d = %d, K = %d, λ = %v, batches of %d, %d passes", n-cut, name, d, k, l.penalty, l.batch, l.passes)
	var err error
	l.start, err = dictionary.FromSamples(l.samples, k, 1)
	return l, err
}

// write writes what the Python program needs, samples as rows.
func (t *tasks) write(path string) error {
	list := []npz.Array{
		rows("atoms", t.atoms), rows("probes", t.probes), number("sparsity", sparsity), number("gap", gap),
	}
	for i, p := range penalties {
		list = append(list, number(fmt.Sprintf("penalty%d", i), p.λ), rows(fmt.Sprintf("probes%d", i), t.every(p.every)))
	}
	var names []string
	for _, l := range t.learn {
		names = append(names, l.name)
		list = append(list, rows(l.name+"_start", l.start), rows(l.name+"_samples", l.samples),
			number(l.name+"_penalty", l.penalty), number(l.name+"_batch", float64(l.batch)), number(l.name+"_passes", float64(l.passes)))
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	return npz.Write(f, append(list, npz.Text("dictionaries", names))...)
}

func rows(name string, x *mat.Dense) npz.Array {
	d, n := x.Dims()
	return npz.Float64(name, []int{n, d}, mat.DenseCopyOf(x.T()).RawMatrix().Data)
}

func number(name string, v float64) npz.Array { return npz.Float64(name, []int{1}, []float64{v}) }

// every is each n-th probe.
func (t *tasks) every(n int) *mat.Dense {
	_, all := t.probes.Dims()
	at := make([]int, 0, all/n+1)
	for j := 0; j < all; j += n {
		at = append(at, j)
	}
	return lin.Select(t.probes, at)
}

// measure does every task several times.
func (t *tasks) measure(ctx context.Context, rounds int) (*results, error) {
	r := &results{results: map[string]found{}}
	code := func(c coding.Coder, probes *mat.Dense) func() (*mat.Dense, error) {
		return func() (*mat.Dense, error) { return codes(ctx, c, t.atoms, probes) }
	}
	if err := r.fastest("omp", rounds, code(coding.OMP{Sparsity: sparsity}, t.probes)); err != nil {
		return nil, err
	}
	for i, p := range penalties {
		if err := r.fastest(fmt.Sprint("lasso", i), rounds, code(coding.Lasso{Lambda: p.λ, Gap: gap}, t.every(p.every))); err != nil {
			return nil, err
		}
	}
	for _, l := range t.learn {
		if err := r.fastest(l.name, rounds, func() (*mat.Dense, error) { return l.run(ctx) }); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// codes prepares a coder and codes, as scikit-learn does in one call.
func codes(ctx context.Context, c coding.Coder, d, y *mat.Dense) (*mat.Dense, error) {
	over, err := c.Over(coding.Basis{D: d})
	if err != nil {
		return nil, err
	}
	_, k := d.Dims()
	_, n := y.Dims()
	s := mat.NewDense(k, n, nil)
	return s, over.Code(ctx, s, y)
}

func (l learning) run(ctx context.Context) (*mat.Dense, error) {
	o := dictionary.DefaultOnline
	o.Coder, o.Batch, o.Passes = coding.Lasso{Lambda: l.penalty, Gap: gap}, l.batch, l.passes
	d, _, err := o.Learn(ctx, l.samples, l.start, classify.Run{})
	return d, err
}

// found is the result of a task and what it took.
type found struct {
	seconds float64
	value   *mat.Dense
	way     string // how the peer was fastest
}

// results are those of one side.
type results struct {
	version string
	results map[string]found
}

func (r *results) fastest(name string, rounds int, act func() (*mat.Dense, error)) error {
	for range rounds {
		start := cputime.Used()
		value, err := act()
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		seconds := (cputime.Used() - start).Seconds()
		if was, ok := r.results[name]; !ok || seconds < was.seconds {
			r.results[name] = found{seconds: seconds, value: value}
		}
	}
	return nil
}
