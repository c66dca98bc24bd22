package classify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
)

// A Fit is what a Method has learned from N samples of d features. D and W are those of
// Classifier and must not be changed. The atoms of class c are the columns Groups[c] ≤ k <
// Groups[c+1] of D; Groups and the order of the classes are in Classifier.Parts(). Columns
// after the last class are common to all classes.
//
// Every method has D. Only methods that learn a dictionary from all samples together have S;
// methods that keep the samples as atoms, or learn from batches, do not. Only methods with a
// linear rule have W, and only methods that iterate have an Objective.
type Fit struct {
	D *mat.Dense // d×K dictionary
	S *mat.Dense // K×N codes with D·S ≈ X, the samples at unit norm in the caller's order; nil if the method has none
	W *mat.Dense // C×K linear classifier with W·S ≈ H, the labels; nil if the method has none

	Objective []float64 // after each pass
	Outcome             // Status, passes and last residual

	// State is the last iterate in the caller's order, from which a fit can go on
	// (Start.State); nil for a method that does not iterate.
	State []Matrix

	Classifier *Classifier
}

// LearnOptions are what Learn and Steps take besides the data and the method.
type LearnOptions struct {
	Seed    uint64
	Classes []string    // the order of the classes; nil for the natural order of the labels
	Grid    Grid        // the pixels of the features, for methods that need images; may be zero
	Warm    *Classifier // an earlier one of the same method to start from (Run.Warm); may be nil

	// Start has matrices to start from, those of samples in the order of the columns of X,
	// as a Fit has them: D, S and W, or the State of a fit that is to go on.
	Start Start
}

// Learn learns from the columns of x, d×N samples in any scale, with the labels y, len N.
// Neither is changed. The Classifier is that of m.Fit. After each pass it computes the
// objective, which m.Fit does not.
func Learn(ctx context.Context, x *mat.Dense, y []string, m Method, o LearnOptions) (*Fit, error) {
	for step, err := range Steps(ctx, x, y, m, o) {
		if err != nil {
			return nil, err
		}
		if step.Status != Stopped {
			return step.Fit()
		}
	}
	return nil, errors.New("learn: no pass") // Steps has one
}

// Steps is Learn, one pass for each turn of a loop. A loop that is left keeps what was
// learned so far: the last Step has its Fit. A method that does not iterate, or makes no
// pass, has one Step. After an error the loop ends.
func Steps(ctx context.Context, x *mat.Dense, y []string, m Method, o LearnOptions) iter.Seq2[*Step, error] {
	return func(yield func(*Step, error) bool) {
		f, err := newFitting(ctx, x, y, m, o)
		if err != nil {
			yield(nil, err)
			return
		}
		if f.learning == nil || f.learning.Limits.Passes == 0 {
			yield(f.step(f.outcome), nil)
			return
		}
		for out, err := range passes(ctx, f.learning, f.learning.Limits) {
			if err != nil {
				yield(nil, f.learning.failed(err))
				return
			}
			f.outcome = out
			f.terms = f.learning.Objective()
			f.objective = append(f.objective, Total(f.terms))
			if !yield(f.step(out), nil) {
				return
			}
		}
	}
}

// Train is Fit of an Iterative method: it makes the passes and returns what they have
// learned.
func Train(ctx context.Context, m Iterative, train *Samples, run Run) (*Classifier, error) {
	l, err := m.Start(ctx, train, run)
	if err != nil {
		return nil, err
	}
	out := Outcome{Status: ClosedForm}
	if l.Limits.Passes > 0 {
		if out, err = Iterate(ctx, l, l.Limits, run.Watch); err != nil {
			return nil, l.failed(err)
		}
	}
	return l.Finish(out)
}

func (l *Learning) codes(ctx context.Context) (*mat.Dense, error) {
	if l.Codes == nil {
		return nil, nil
	}
	return l.Codes(ctx)
}

func (l *Learning) failed(err error) error {
	if l.Failure == nil {
		return err
	}
	return l.Failure(err)
}

// A Step is an iterative method after a pass. Its matrices and its Fit are there until the
// next pass; asking for them later is an error.
type Step struct {
	Outcome           // Status is Stopped before the last pass
	Objective float64 // Total of Terms
	Terms     []Term  // of the objective, and other quantities; nil for a method that does not iterate

	fitting *fitting
}

// Matrices returns copies of the matrices of the iterate, such as D, S, W and multipliers,
// in the order of the caller's samples; nil for a method that does not iterate. It is an
// error after a further pass.
func (s *Step) Matrices() ([]Matrix, error) {
	if err := s.present(); err != nil || s.fitting.learning == nil {
		return nil, err
	}
	all := s.fitting.learning.Matrices()
	for i, m := range all {
		if all[i].Value = s.fitting.inOrder(m); all[i].Value == nil {
			_, n := m.Value.Dims()
			return nil, fmt.Errorf("the method returns a %s of %d samples, not of all %d: blank samples have zeros", m.Name, n, len(s.fitting.order))
		}
	}
	return all, nil
}

// Matrix returns a copy of the matrix of this name, nil if there is none. The error is that
// of Matrices.
func (s *Step) Matrix(name string) (*mat.Dense, error) {
	all, err := s.Matrices()
	if i := slices.IndexFunc(all, func(m Matrix) bool { return m.Name == name }); i >= 0 {
		return all[i].Value, err
	}
	return nil, err
}

// present is an error if a pass has been made since s.
func (s *Step) present() error {
	if s.Iter != s.fitting.outcome.Iter {
		return fmt.Errorf("what pass %d has learned: pass %d has been made since", s.Iter, s.fitting.outcome.Iter)
	}
	return nil
}

// Fit returns what has been learned so far. It is an error after a further pass.
func (s *Step) Fit() (*Fit, error) {
	f := s.fitting
	state, err := s.Matrices()
	if err != nil {
		return nil, err
	}
	fit := &Fit{Objective: slices.Clone(f.objective), Outcome: f.outcome, State: state, Classifier: f.classifier}
	if f.learning != nil {
		if fit.Classifier, err = f.learning.Finish(f.outcome); err != nil {
			return nil, err
		}
		if fit.S, err = f.learning.codes(f.ctx); err != nil {
			return nil, err
		}
		if fit.S != nil {
			_, n := fit.S.Dims()
			if fit.S = f.inOrder(Matrix{Rows: AtomAxis, Columns: SampleAxis, Value: fit.S}); fit.S == nil {
				return nil, fmt.Errorf("the method returns the codes of %d samples, not of all %d: blank samples have a code of zeros", n, len(f.order))
			}
		}
	}
	p := fit.Classifier.Parts()
	fit.D = p.D
	if l, ok := p.Rule.(Linear); ok {
		fit.W = l.W
	}
	return fit, nil
}

// A fitting is what the Steps of a fit share.
type fitting struct {
	ctx        context.Context
	order      []int // sample j of the training set is column order[j] of the caller's
	learning   *Learning
	classifier *Classifier // of a method that does not iterate
	objective  []float64
	terms      []Term  // of the last pass
	outcome    Outcome // of the last pass
}

func newFitting(ctx context.Context, x *mat.Dense, y []string, m Method, o LearnOptions) (*fitting, error) {
	if err := cmp.Or(NoContext(ctx), NoMethod(m)); err != nil {
		return nil, fmt.Errorf("learn: %w", err)
	}
	if o.Warm != nil && TraitsOf(m).Warm {
		if was := o.Warm.Parts().Method; was != m.Name() {
			return nil, fmt.Errorf("learn: %s starts from a classifier of its own (Warm), not of the method %q", m.Name(), was)
		}
	}
	train, err := NewSamples(x, y, nil, o.Classes)
	if err != nil {
		return nil, err
	}
	train.Grid = o.Grid
	f := &fitting{ctx: ctx, outcome: Outcome{Status: ClosedForm}}
	if f.order, _, _, err = Group(y, o.Classes); err != nil {
		return nil, err
	}
	run := Run{Seed: o.Seed, Warm: o.Warm, Start: o.Start}
	if err := f.arrange(&run.Start); err != nil {
		return nil, err
	}
	if i, ok := m.(Iterative); ok {
		f.learning, err = i.Start(ctx, train, run)
		return f, err
	}
	if !o.Start.IsZero() {
		return nil, fmt.Errorf("%s does not iterate: it starts from nothing", m.Name())
	}
	f.classifier, err = m.Fit(ctx, train, run)
	return f, err
}

func (f *fitting) step(out Outcome) *Step {
	s := &Step{Outcome: out, Terms: f.terms, fitting: f}
	if n := len(f.objective); n > 0 {
		s.Objective = f.objective[n-1]
	}
	return s
}

// arrange brings the columns of samples in s into the order of the training set.
func (f *fitting) arrange(s *Start) error {
	s.State = slices.Clone(s.State)
	own := Matrix{Name: "S", Columns: SampleAxis, Value: s.S}
	for _, m := range append([]*Matrix{&own}, pointers(s.State)...) {
		if m.Value == nil || m.Columns != SampleAxis {
			continue
		}
		if _, n := m.Value.Dims(); n != len(f.order) {
			return fmt.Errorf("start: %s has %d columns for %d samples", m.Name, n, len(f.order))
		}
		m.Value = lin.Select(m.Value, f.order)
	}
	s.S = own.Value
	return nil
}

func pointers(all []Matrix) (p []*Matrix) {
	for i := range all {
		p = append(p, &all[i])
	}
	return p
}

// inOrder returns m with its samples in the order of the caller's; nil if it has another
// number of samples.
func (f *fitting) inOrder(m Matrix) *mat.Dense {
	if m.Columns != SampleAxis {
		return m.Value
	}
	k, n := m.Value.Dims()
	if n != len(f.order) {
		return nil
	}
	out := mat.NewDense(k, n, nil)
	for i := range k {
		to := out.RawRowView(i)
		for j, v := range m.Value.RawRowView(i) {
			to[f.order[j]] = v
		}
	}
	return out
}
