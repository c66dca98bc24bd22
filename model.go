package nrdl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"nrdl/coding"
	"nrdl/internal/lin"
	"nrdl/projection"
)

// Parts are what a Model is made of. NewModel is the one door: Fit and Load
// both pass it.
type Parts struct {
	D       *mat.Dense // d×K dictionary, one atom a column
	Groups  []int      // len C+1: the atoms of class c, as in Set
	W       *mat.Dense // C×K linear classifier; nil unless Rule is Linear
	M       *mat.Dense // K×C mean codes of the classes; nil unless Rule is Fisher
	Weight  float64    // of the distance to the mean code; 0 unless Rule is Fisher
	Classes []string   // len C
	Coder   coding.Coder
	Rule    Rule
	Input   Input // kept with the model: learning and recognition see faces the same way

	// Projection is the one of Input as it was fit; nil for none.
	Projection *projection.Fitted

	// Enrolled are the images, or samples, that the model was learnt from,
	// without copies and unprojected, so that people can be added; nil where it
	// has forgotten them.
	Enrolled *Set
	// Calibration tells strangers; nil where the model names everybody.
	Calibration *Calibration

	Method  string          // Name of the method
	Params  json.RawMessage // its parameters
	Seed    uint64          // of the fit
	Trained Outcome
}

// A Model recognises: it codes a sample over its dictionary and turns the code
// into class scores. It is the same type for every method and safe for
// concurrent use.
type Model struct {
	p      Parts
	coding func() (coding.Coding, error) // prepared at the first use
}

// NewModel checks that the parts agree and are finite. It keeps them, not
// copies: they must not change afterwards.
func NewModel(p Parts) (*Model, error) {
	if err := p.validate(); err != nil {
		return nil, fmt.Errorf("model: %w", err)
	}
	return &Model{p: p, coding: sync.OnceValues(func() (coding.Coding, error) {
		return p.prepare()
	})}, nil
}

func (p *Parts) validate() error {
	if p.D == nil || p.D.IsEmpty() {
		return errors.New("no dictionary")
	}
	d, k := p.D.Dims()
	if err := validateGroups(p.Groups, len(p.Classes), k); err != nil {
		return err
	}
	if err := checkNames(p.Classes); err != nil {
		return err
	}
	if len(p.Classes) < leastClasses {
		return fmt.Errorf("%d class: recognition needs two", len(p.Classes))
	}
	if err := p.validateRule(); err != nil {
		return err
	}
	if p.Coder == nil {
		return errors.New("no coder")
	}
	if err := p.Rule.Suits(p.Coder); err != nil {
		return err
	}
	if err := p.Input.Validate(); err != nil {
		return err
	}
	switch asked := !p.Input.Projection.IsZero(); {
	case asked && p.Projection == nil:
		return fmt.Errorf("an input of %v, whose projection was not fit", p.Input)
	case !asked && p.Projection != nil:
		return fmt.Errorf("an input of %v, and a projection that was fit", p.Input)
	}
	if err := fitsInput(p.Input, p.Projection, d); err != nil {
		return fmt.Errorf("atoms: %w", err)
	}
	if err := p.validateCoder(); err != nil {
		return err
	}
	if err := p.validateEnrolled(); err != nil {
		return err
	}
	if p.Calibration != nil {
		if err := p.Calibration.Validate(); err != nil {
			return err
		}
	}
	return lin.Finite("atom", p.D)
}

func (p *Parts) validateRule() error {
	if !slices.Contains(Rules, p.Rule) {
		return fmt.Errorf("unknown rule %q", string(p.Rule))
	}
	if p.W != nil && p.Rule != Linear {
		return fmt.Errorf("rule %q has no use for W", p.Rule)
	}
	if (p.M != nil || p.Weight != 0) && p.Rule != Fisher {
		return fmt.Errorf("rule %q has no use for mean codes", p.Rule)
	}
	_, k := p.D.Dims()
	switch p.Rule {
	case Linear:
		if p.W == nil {
			return errors.New("rule \"linear\" needs W")
		}
		if c, kw := p.W.Dims(); c != len(p.Classes) || kw != k {
			return fmt.Errorf("classifier W is %d×%d for %d classes and %d atoms", c, kw, len(p.Classes), k)
		}
		return lin.Finite("the weights of atom", p.W)
	case Fisher:
		if p.M == nil {
			return errors.New("rule \"fisher\" needs mean codes")
		}
		if km, c := p.M.Dims(); c != len(p.Classes) || km != k {
			return fmt.Errorf("mean codes M are %d×%d for %d atoms and %d classes", km, c, k, len(p.Classes))
		}
		if !(p.Weight >= 0) || math.IsInf(p.Weight, 1) {
			return fmt.Errorf("weight = %v of the mean codes is not a weight ≥ 0", p.Weight)
		}
		return lin.Finite("the mean code of class", p.M)
	}
	return nil
}

// Parts returns what m is made of; the caller must not change it.
func (m *Model) Parts() Parts { return m.p }

// batch is how many samples are coded together: enough for fast products, few
// enough that the working memory does not grow with the number of samples.
const batch = 2048

// A Result is what one pass of a model over n samples gives.
type Result struct {
	Samples *mat.Dense // d×n, the samples as they are coded: at unit norm, and projected
	Codes   *mat.Dense // K×n
	Scores  *mat.Dense // C×n: the larger, the likelier the class

	errors *mat.Dense // d×n, what a robust coder does not explain; nil unless asked for
}

// Classify codes each column of x, d×n, samples in any scale, once, and returns
// the codes and the scores that follow from them; Rule says what a score means. A
// column of zeros has the code 0 and scores 0 for every class. What a column gets
// does not depend on the other columns.
func (m *Model) Classify(ctx context.Context, x *mat.Dense) (Result, error) {
	return m.classify(ctx, x, false)
}

// classify is Classify, with the errors that a robust coder finds if they are
// wanted.
func (m *Model) classify(ctx context.Context, x *mat.Dense, errors bool) (Result, error) {
	_, n := x.Dims()
	d, k := m.p.D.Dims()
	r := Result{Samples: mat.NewDense(d, n, nil), Codes: mat.NewDense(k, n, nil), Scores: mat.NewDense(len(m.p.Classes), n, nil)}
	err := m.each(ctx, x, func(over coding.Coding, lo, hi int, y *mat.Dense) error {
		lin.Set(lin.Cols(r.Samples, lo, hi), 1, y)
		s, scores := lin.Cols(r.Codes, lo, hi), lin.Cols(r.Scores, lo, hi)
		if m.p.Rule == Votes {
			return over.(coding.Voter).CodeWithVotes(ctx, s, scores, y) // Rule.Suits has checked the coder
		}
		var err error
		if c, ok := over.(coding.ErrorCoding); ok && errors {
			if r.errors == nil {
				r.errors = mat.NewDense(d, n, nil)
			}
			err = c.CodeWithErrors(ctx, s, lin.Cols(r.errors, lo, hi), y)
		} else {
			err = over.Code(ctx, s, y)
		}
		if err == nil {
			m.score(scores, s, y)
		}
		return err
	})
	if err == nil {
		err = lin.Finite("the scores of sample", r.Scores)
	}
	if err != nil {
		return Result{}, fmt.Errorf("recognise: %w", err)
	}
	return r, nil
}

// Scores returns the scores of Classify, C×n. What it holds at a time does not
// grow with n.
func (m *Model) Scores(ctx context.Context, x *mat.Dense) (*mat.Dense, error) {
	_, n := x.Dims()
	out := mat.NewDense(len(m.p.Classes), n, nil)
	for lo := 0; lo < n; lo += batch {
		hi := min(n, lo+batch)
		r, err := m.Classify(ctx, lin.Cols(x, lo, hi))
		if err != nil {
			return nil, err
		}
		lin.Set(lin.Cols(out, lo, hi), 1, r.Scores)
	}
	return out, nil
}

// Transform returns the K×n codes of the columns of x, d×n, samples in any
// scale, which are coded at unit norm: the features that a classifier of
// another program may learn from. A column of zeros has the code zero. The
// code of a column does not depend on the other columns.
func (m *Model) Transform(ctx context.Context, x *mat.Dense) (*mat.Dense, error) {
	_, n := x.Dims()
	_, k := m.p.D.Dims()
	out := mat.NewDense(k, n, nil)
	err := m.each(ctx, x, func(over coding.Coding, lo, hi int, y *mat.Dense) error {
		return over.Code(ctx, lin.Cols(out, lo, hi), y)
	})
	if err != nil {
		return nil, fmt.Errorf("transform: %w", err)
	}
	return out, nil
}

// each hands the columns lo ≤ j < hi of x to use batch by batch, at unit norm
// and projected, with the prepared coder.
func (m *Model) each(ctx context.Context, x *mat.Dense, use func(over coding.Coding, lo, hi int, y *mat.Dense) error) error {
	d, n := x.Dims()
	if want := m.features(); d != want {
		return fmt.Errorf("a sample has %d features, the model was learnt from %d (input %v)", d, want, m.p.Input)
	}
	if err := lin.Finite("sample", x); err != nil {
		return err
	}
	over, err := m.coding()
	if err != nil {
		return fmt.Errorf("prepare the coder: %w", err)
	}
	for lo := 0; lo < n; lo += batch {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		hi := min(n, lo+batch)
		y := project(m.p.Projection, Unit(lin.Cols(x, lo, hi)))
		if err := use(over, lo, hi, y); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// features returns how many features a sample has, before it is projected.
func (m *Model) features() int {
	d, _ := m.p.D.Dims()
	if m.p.Projection != nil {
		d, _ = m.p.Projection.Dims()
	}
	return d
}

// ScoresOf returns the C×n scores of the columns of set, which are the images
// that m's Input makes samples of, or such samples. Anything else is an error,
// before any work. What it holds at a time does not grow with n.
func (m *Model) ScoresOf(ctx context.Context, set *Set) (*mat.Dense, error) {
	return m.collect(ctx, set, len(m.p.Classes), m.Scores)
}

// TransformOf is Transform for the columns of set, as ScoresOf takes them.
func (m *Model) TransformOf(ctx context.Context, set *Set) (*mat.Dense, error) {
	_, k := m.p.D.Dims()
	return m.collect(ctx, set, k, m.Transform)
}

// collect returns what of makes of the samples of set, so many rows.
func (m *Model) collect(ctx context.Context, set *Set, rows int, of func(context.Context, *mat.Dense) (*mat.Dense, error)) (*mat.Dense, error) {
	_, n := set.X.Dims()
	out := mat.NewDense(rows, n, nil)
	err := m.eachBatch(ctx, set, func(lo, hi int, x *mat.Dense) error {
		made, err := of(ctx, x)
		if err == nil {
			lin.Set(lin.Cols(out, lo, hi), 1, made)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// PredictOf is Predict for the columns of set, as ScoresOf takes them.
func (m *Model) PredictOf(ctx context.Context, set *Set) ([]int, error) {
	scores, err := m.ScoresOf(ctx, set)
	if err != nil {
		return nil, err
	}
	return best(scores), nil
}

// eachBatch hands the samples of the columns lo ≤ j < hi of set to use, some at
// a time.
func (m *Model) eachBatch(ctx context.Context, set *Set, use func(lo, hi int, x *mat.Dense) error) error {
	in := m.p.Input
	d, n := set.X.Dims()
	var makes *maker
	switch {
	case set.Projection != nil:
		return fmt.Errorf("recognise: %w", errProjected)
	case in.Size == (Size{}) && set.Input.Shown() != (Size{}) && d == m.features():
		// Vectors of the length of those images.
	case set.Input.Size == (Size{}) && in.Fixed().ArePixels():
		// Whether they are vectors or the pixels of images nothing says.
	case set.Input.Fixed().String() != in.Fixed().String():
		var err error
		if makes, err = set.maker(in); err != nil {
			return fmt.Errorf("recognise: %w", err)
		}
	}
	for lo := 0; lo < n; lo += batch {
		hi := min(n, lo+batch)
		x := lin.Cols(set.X, lo, hi)
		if makes != nil {
			x = makes.all(x, set.scale())
		}
		if err := use(lo, hi, x); err != nil {
			return err
		}
	}
	return nil
}

// Predict returns, for every column of x, the index in Classes of the class
// with the largest score, the first of equals.
func (m *Model) Predict(ctx context.Context, x *mat.Dense) ([]int, error) {
	scores, err := m.Scores(ctx, x)
	if err != nil {
		return nil, err
	}
	return best(scores), nil
}

// best returns the row of the largest element of every column.
func best(scores *mat.Dense) []int {
	c, n := scores.Dims()
	at := make([]int, n)
	for i := 1; i < c; i++ {
		for j, v := range scores.RawRowView(i) {
			if v > scores.At(at[j], j) {
				at[j] = i
			}
		}
	}
	return at
}
