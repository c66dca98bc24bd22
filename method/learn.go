package method

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/internal/parallel"
)

// A learner is the iterate of a method, for the samples of a task.
type learner interface {
	classify.Stepper

	// variables are the matrices of the iterate, in the order of the task: the next pass
	// depends on nothing else. They get the matrices of task.start that the learner has not
	// taken.
	variables() []variable

	// restart is called when they have, before the first pass, with all matrices of
	// task.start by name. It sets what follows from variables, and those that are copies.
	restart(given map[string]*mat.Dense) error

	// parts are what the passes so far have learned, D at the coordinates of the samples or
	// of span.
	parts(out classify.Outcome) (classify.Parts, error)

	// codes are S with D·S near the samples, for the D of parts; nil for none.
	codes() (*mat.Dense, error)
}

// A variable is a matrix of an iterate.
type variable struct {
	name          string
	rows, columns classify.Axis
	value         *mat.Dense
}

func dictionaryOf(d *mat.Dense) variable {
	return variable{"D", classify.FeatureAxis, classify.AtomAxis, d}
}

func codesOf(name string, s *mat.Dense) variable {
	return variable{name, classify.AtomAxis, classify.SampleAxis, s}
}

func weightsOf(w *mat.Dense) variable {
	return variable{"W", classify.ClassAxis, classify.AtomAxis, w}
}

// number is a variable of one number.
func number(name string, v float64) variable {
	return variable{name, classify.OneAxis, classify.OneAxis, mat.NewDense(1, 1, []float64{v})}
}

// row is a variable of one row.
func row(name string, columns classify.Axis, v []float64) variable {
	return variable{name, classify.OneAxis, columns, mat.NewDense(1, len(v), v)}
}

// A plan is the size of an iteration.
type plan struct {
	classify.Limits     // Passes may be 0: see limits
	whole           int // passes where every sample is an atom
	atoms           int // per class; 0 for as many as samples, or for usual
	usual           int // that or, if a class has fewer samples, as many
	common          int // atoms of no class
}

// maxPasses bounds the passes of a learner that stops by its objective.
const maxPasses = 1000

// limits are those of a fit. Where every sample is an atom, the start is nearly the end for the
// published programs, which make a few passes; the objective falls for hundreds more, and rates
// change by up to three points either way.
func (p plan) limits(atoms, samples int) classify.Limits {
	switch {
	case p.Passes > 0:
		return p.Limits
	case atoms == samples:
		return classify.Limits{Passes: p.whole}
	}
	return classify.Limits{Passes: maxPasses, Tol: p.Tol}
}

// A task is what a method learns from: the samples of a training set that are not
// black, in the order of ordered.
type task struct {
	*classify.Samples
	ctx    context.Context
	x      *mat.Dense // d×N, the samples at unit norm
	run    classify.Run
	groups []int                       // of the atoms, without common ones
	start  map[string]*mat.Dense       // by name, in the order of the task
	expand func(*mat.Dense) *mat.Dense // brings D back from the coordinates of span; nil for no need
}

// span returns x, or its coordinates in its span where these are fewer. It is x where
// the fit starts from a given D.
func (t *task) span() (r *mat.Dense) {
	if t.start["D"] != nil {
		return t.x
	}
	r, t.expand = compress(t.x)
	return r
}

// own returns the columns of m at the coordinates of the samples.
func (t *task) own(m *mat.Dense) *mat.Dense {
	d, _ := t.x.Dims()
	if rows, _ := m.Dims(); rows == d {
		return m
	}
	return t.expand(m)
}

// begin starts a fit of m on train: learner makes the iterate for the task.
func begin(ctx context.Context, m classify.Described, train *classify.Samples, run classify.Run,
	p plan, learner func(*task) (learner, error),
) (*classify.Learning, error) {
	seen, err := samples(m, train)
	if err != nil {
		return nil, err
	}
	if err := fitsMemory(m, sizeOf(seen)); err != nil {
		return nil, err
	}
	a := &arranged{samples: seen, n: train.Len(), common: p.common}
	a.Samples, a.source = ordered(seen)
	failed := func(err error) error { return fmt.Errorf("%s: %w", m.Name(), err) }
	if seen != train {
		columns := classify.NonZero(train.X)
		for i, j := range a.source {
			a.source[i] = columns[j]
		}
	}
	a.ctx, a.x, a.run = ctx, classify.Unit(a.X), run
	if p.atoms == 0 && p.usual > 0 {
		p.atoms = min(p.usual, minClass(a.Samples))
	}
	if a.groups, err = atomGroups(a.Samples, p.atoms); err != nil {
		return nil, failed(err)
	}
	a.arrange()
	if err := a.startFrom(run.Start, m); err != nil {
		return nil, failed(err)
	}
	if err := context.Cause(ctx); err != nil {
		return nil, failed(err)
	}
	if a.learner, err = learner(&a.task); err == nil {
		err = a.setStart(len(run.Start.State) > 0)
	}
	if err != nil {
		return nil, failed(err)
	}
	l := &classify.Learning{State: a, Limits: p.limits(a.groups[len(a.groups)-1], a.Len()), Failure: failed, Codes: a.callersCodes}
	l.Finish = func(out classify.Outcome) (*classify.Classifier, error) {
		p, err := a.parts(out)
		if err != nil {
			return nil, failed(err)
		}
		p.D = a.own(p.D)
		return model(m, seen, run, reordered(p, a.Classes, seen.Classes))
	}
	return l, nil
}

// arranged is a learner whose matrices come in the order of the caller's training set.
type arranged struct {
	learner
	task
	samples *classify.Samples // the caller's, without black ones
	n       int               // the caller's samples, with black ones
	common  int

	source         []int // sample j of the task is the caller's from[j]
	classes, atoms []int // class c and atom k of the caller are classes[c] and atoms[k] of the task
}

// arrange fills in classes and atoms.
func (a *arranged) arrange() {
	for _, name := range a.samples.Classes {
		c := slices.Index(a.Classes, name)
		a.classes = append(a.classes, c)
		for k := a.groups[c]; k < a.groups[c+1]; k++ {
			a.atoms = append(a.atoms, k)
		}
	}
	for range a.common {
		a.atoms = append(a.atoms, len(a.atoms))
	}
}

func (a *arranged) Matrices() (all []classify.Matrix) {
	for _, v := range a.variables() {
		m := v.value
		if v.rows == classify.FeatureAxis {
			m = a.own(m)
		}
		all = append(all, classify.Matrix{Name: v.name, Rows: v.rows, Columns: v.columns, Value: a.callers(m, v.rows, v.columns)})
	}
	return all
}

// callers returns a copy of m with its rows and columns in the caller's order.
func (a *arranged) callers(m *mat.Dense, rows, columns classify.Axis) *mat.Dense {
	if index := a.index(rows); index != nil {
		m = selectRows(m, index)
	}
	if index := a.index(columns); index != nil {
		return lin.Select(m, index)
	}
	if columns != classify.SampleAxis {
		return mat.DenseCopyOf(m)
	}
	k, _ := m.Dims()
	out := mat.NewDense(k, a.n, nil) // black samples have zeros
	for i := range k {
		to := out.RawRowView(i)
		for j, v := range m.RawRowView(i) {
			to[a.source[j]] = v
		}
	}
	return out
}

// tasks is the inverse of callers.
func (a *arranged) tasks(m *mat.Dense, rows, columns classify.Axis) *mat.Dense {
	if index := a.index(rows); index != nil {
		m = selectRows(m, inverse(index))
	}
	if columns == classify.SampleAxis {
		return lin.Select(m, a.source)
	}
	if index := a.index(columns); index != nil {
		return lin.Select(m, inverse(index))
	}
	return m
}

// index says where the caller's classes or atoms are; nil for what has the same order.
func (a *arranged) index(axis classify.Axis) []int {
	switch axis {
	case classify.AtomAxis:
		return a.atoms
	case classify.ClassAxis:
		return a.classes
	}
	return nil
}

func (a *arranged) callersCodes(context.Context) (*mat.Dense, error) {
	s, err := a.codes()
	if s == nil || err != nil {
		return nil, err
	}
	return a.callers(s, classify.AtomAxis, classify.SampleAxis), nil
}

// startFrom brings the matrices of s into the order of the task.
func (a *arranged) startFrom(s classify.Start, m classify.Described) error {
	given, able := s.State, m.Traits().Start
	usable := len(given) > 0
	for _, v := range []variable{dictionaryOf(s.D), codesOf("S", s.S), weightsOf(s.W)} {
		if v.value == nil {
			continue
		}
		if len(s.State) > 0 {
			return fmt.Errorf("start: %s beside a state, which is all of it", v.name)
		}
		usable = usable || strings.Contains(able, v.name)
		given = append(given, classify.Matrix{Name: v.name, Rows: v.rows, Columns: v.columns, Value: v.value})
	}
	if len(given) == 0 {
		return nil
	}
	if !usable {
		return fmt.Errorf("it cannot start from %s alone; it can from %s", given[0].Name, strings.Join(strings.Split(able, ""), ", "))
	}
	d, _ := a.x.Dims()
	size := map[classify.Axis]int{
		classify.FeatureAxis: d, classify.SampleAxis: a.n, classify.AtomAxis: len(a.atoms),
		classify.ClassAxis: len(a.classes), classify.OneAxis: 1,
	}
	a.start = map[string]*mat.Dense{}
	for _, v := range given {
		if v.Value == nil {
			return fmt.Errorf("start: %s is nil", v.Name)
		}
		if r, n := v.Value.Dims(); r != size[v.Rows] || n != size[v.Columns] {
			return fmt.Errorf("start: %s is %d×%d, not %d×%d", v.Name, r, n, size[v.Rows], size[v.Columns])
		}
		if err := lin.Finite("column", v.Value); err != nil {
			return fmt.Errorf("start: %s: %w", v.Name, err)
		}
		if len(s.State) > 0 || strings.Contains(able, v.Name) {
			a.start[v.Name] = a.tasks(v.Value, v.Rows, v.Columns)
		}
	}
	return nil
}

// setStart copies the matrices of start into the variables of the learner.
func (a *arranged) setStart(state bool) error {
	if a.start == nil {
		return nil
	}
	for _, v := range a.variables() {
		m := a.start[v.name]
		if m != nil {
			lin.Set(v.value, 1, m)
		} else if state {
			return fmt.Errorf("start: the state has no %s", v.name)
		}
	}
	return a.restart(a.start)
}

// inverse returns q with q[p[i]] = i.
func inverse(p []int) []int {
	q := make([]int, len(p))
	for i, at := range p {
		q[at] = i
	}
	return q
}

// A partition says which atoms and samples are of which class.
type partition struct {
	atoms   []int // groups of the columns of D, the rows of S; further atoms are common
	samples []int // groups of the columns of X, the columns of S
}

// classes is C.
func (p *partition) classes() int { return len(p.samples) - 1 }

// block gives the atoms a0 ≤ k < a1 and the samples j0 ≤ j < j1 of class c.
func (p *partition) block(c int) (a0, a1, j0, j1 int) {
	return p.atoms[c], p.atoms[c+1], p.samples[c], p.samples[c+1]
}

// split is a step of the method of multipliers on the copy z of codes, with the
// multiplier u [admm]:
//
//	T = ωV + (1 − ω)Z,  Z = soft(T + U, t),  U ← U + T − Z
//
// which over-relaxes by ω, as in [admm] 3.4.3; 1 is none. All are of the same size.
func split(v, z, u *mat.Dense, t, ω float64) {
	k, _ := v.Dims()
	parallel.For(k, rowsAtOnce, func(lo, hi int) {
		for i := lo; i < hi; i++ {
			z, u := z.RawRowView(i), u.RawRowView(i)
			for j, v := range v.RawRowView(i) {
				v = ω*v + (1-ω)*z[j]
				z[j] = soft(v+u[j], t)
				u[j] += v - z[j]
			}
		}
	})
}

// lowered is the part of the objective by which a pass has lowered it from before to now;
// 0 where it rose by rounding errors.
func lowered(before, now float64) float64 {
	switch {
	case math.IsInf(before, 1): // the first pass
		return 1
	case now >= before:
		return 0
	}
	return (before - now) / before
}
