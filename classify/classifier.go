package classify

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/internal/lin"
)

// Parts are the parts of a Classifier. Every Method and every reader of files
// passes them to NewClassifier, which checks them.
type Parts struct {
	D       *mat.Dense   // d×K dictionary, one atom per column
	Groups  []int        // len C+1: the atoms of class c, as in Samples; those after the last class are common to all
	Coder   coding.Coder // how a sample is coded over D
	Rule    Rule         // how a code scores the classes
	Classes []string     // len C
	Grid    Grid         // the pixels of the features; zero if they have none

	Method  string          // Name of the method
	Params  json.RawMessage // its parameters
	Seed    uint64          // of the fit
	Outcome Outcome

	// Shared may hold D and its Gram matrix, shared by the coders of several
	// classifiers. A Classifier does not keep it: its Parts have none.
	Shared *coding.Shared
}

// A Classifier codes a sample over its dictionary and turns the code into class
// scores. It is the same type for every method, immutable and safe for concurrent
// use.
type Classifier struct {
	p      Parts
	coding func() (coding.Coding, error) // prepared at the first use
	norms  func() []float64              // the squared norms of the atoms, computed at the first use
}

// NewClassifier checks that the parts agree and are finite. It keeps them
// without copying: they must not change afterwards.
func NewClassifier(p Parts) (*Classifier, error) {
	if err := p.validate(); err != nil {
		return nil, fmt.Errorf("classifier: %w", err)
	}
	shared := p.Shared // until the coder is prepared
	p.Shared = nil
	norms := sync.OnceValue(func() []float64 {
		_, k := p.D.Dims()
		norms := make([]float64, k)
		lin.SquaredColumnNorms(norms, p.D)
		return norms
	})
	return &Classifier{p: p, norms: norms, coding: sync.OnceValues(func() (coding.Coding, error) {
		c, err := p.Grid.Place(p.Coder)
		if err != nil {
			return nil, err
		}
		if shared != nil {
			return c.Over(shared.Basis(p.Groups))
		}
		return c.Over(coding.Basis{D: p.D, Groups: p.Groups})
	})}, nil
}

func (p *Parts) dictionary() Dictionary { return Dictionary{p.D, p.Groups, p.Coder} }

// MinClasses is the smallest number of classes of a Classifier, but for the rule Cosine,
// whose score means something by itself.
const MinClasses = 2

func (p *Parts) validate() error {
	if p.D == nil || p.D.IsEmpty() {
		return errors.New("no dictionary")
	}
	d, k := p.D.Dims()
	if n := len(p.Groups); n > 0 && p.Groups[n-1] < k && coding.SharesAtoms(p.Coder) {
		k = p.Groups[n-1] // the rest is common
	}
	if err := cmp.Or(validateGroups(p.Groups, len(p.Classes), k), distinct(p.Classes)); err != nil {
		return err
	}
	if _, alone := p.Rule.(Cosine); len(p.Classes) < MinClasses && !alone {
		return fmt.Errorf("%d class: its score says nothing without another", len(p.Classes))
	}
	if p.Shared != nil && p.Shared.D != p.D {
		return errors.New("the shared dictionary is another one")
	}
	if p.Coder == nil {
		return errors.New("no coder")
	}
	if p.Rule == nil {
		return errors.New("no rule")
	}
	if err := p.Rule.Check(p.dictionary()); err != nil {
		return err
	}
	if err := p.Grid.holds(d); err != nil {
		return fmt.Errorf("atoms: %w", err)
	}
	c, err := p.Grid.Place(p.Coder)
	if err != nil {
		return err
	}
	_, k = p.D.Dims()
	if err := coding.Check(c, d, k); err != nil {
		return err
	}
	return lin.Finite("atom", p.D)
}

// Place returns c with the grid set, if c uses one. It is an error if c cannot
// code samples on this grid.
func (g Grid) Place(c coding.Coder) (coding.Coder, error) {
	if b, ok := c.(coding.Blocks); ok {
		return b.Place(g.Height, g.Width, g.Planes)
	}
	return c, nil
}

// Parts returns the parts of c; the caller must not change them.
func (c *Classifier) Parts() Parts { return c.p }

// Dims returns the numbers of features d, atoms K and classes C.
func (c *Classifier) Dims() (features, atoms, classes int) {
	features, atoms = c.p.D.Dims()
	return features, atoms, len(c.p.Classes)
}

// Batch is the number of samples that are coded together: enough for fast
// matrix products, few enough to bound the working memory.
const Batch = 2048

// A Result is the result of classifying n samples.
type Result struct {
	Samples *mat.Dense // d×n, the samples at unit norm
	Codes   *mat.Dense // K×n
	Scores  *mat.Dense // C×n; a higher score means more likely
	Errors  *mat.Dense // d×n, the sparse errors of a robust coder; nil for other coders
}

// Column returns a copy of the result for sample j.
func (r *Result) Column(j int) *Result {
	column := func(a *mat.Dense) *mat.Dense {
		if a == nil {
			return nil
		}
		rows, _ := a.Dims()
		return mat.NewDense(rows, 1, mat.Col(nil, j, a))
	}
	return &Result{column(r.Samples), column(r.Codes), column(r.Scores), column(r.Errors)}
}

// Classify returns the codes and the scores of the columns of x, d×n samples in
// any scale; the Rule says what a score means. A column of zeros has the code 0
// and scores 0 for every class. The result of a column does not depend on the
// other columns.
func (c *Classifier) Classify(ctx context.Context, x *mat.Dense) (Result, error) {
	n, err := c.count(ctx, x)
	if err != nil {
		return Result{}, fmt.Errorf("classify: %w", err)
	}
	d, k, classes := c.Dims()
	r := Result{Samples: mat.NewDense(d, n, nil), Codes: mat.NewDense(k, n, nil), Scores: mat.NewDense(classes, n, nil)}
	_, votes := c.p.Rule.(Votes)
	err = c.each(ctx, x, func(over coding.Coding, lo, hi int, y *mat.Dense) error {
		lin.Set(lin.Cols(r.Samples, lo, hi), 1, y)
		s, scores := lin.Cols(r.Codes, lo, hi), lin.Cols(r.Scores, lo, hi)
		var err error
		detailed, ok := over.(coding.Detailed)
		switch {
		case ok && votes:
			return detailed.CodeWith(ctx, coding.Details{S: s, Votes: scores}, y)
		case ok && coding.FindsErrors(c.p.Coder):
			if r.Errors == nil {
				r.Errors = mat.NewDense(d, n, nil)
			}
			err = detailed.CodeWith(ctx, coding.Details{S: s, Errors: lin.Cols(r.Errors, lo, hi)}, y)
		default:
			err = over.Code(ctx, s, y)
		}
		if err == nil {
			c.p.Rule.Score(scores, s, y, c.p.dictionary())
		}
		return err
	})
	if err == nil {
		err = lin.Finite("the scores of sample", r.Scores)
	}
	if err != nil {
		return Result{}, fmt.Errorf("classify: %w", err)
	}
	return r, nil
}

// Scores returns the scores of Classify, C×n. Its working memory does not grow
// with n.
func (c *Classifier) Scores(ctx context.Context, x *mat.Dense) (*mat.Dense, error) {
	n, err := c.count(ctx, x)
	if err != nil {
		return nil, fmt.Errorf("classify: %w", err)
	}
	out := mat.NewDense(len(c.p.Classes), n, nil)
	for lo := 0; lo < n; lo += Batch {
		hi := min(n, lo+Batch)
		r, err := c.Classify(ctx, lin.Cols(x, lo, hi))
		if err != nil {
			return nil, err
		}
		lin.Set(lin.Cols(out, lo, hi), 1, r.Scores)
	}
	return out, nil
}

// Predict returns, for every column of x, the index in Classes of the class
// with the largest score, the first of equals.
func (c *Classifier) Predict(ctx context.Context, x *mat.Dense) ([]int, error) {
	scores, err := c.Scores(ctx, x)
	if err != nil {
		return nil, err
	}
	return Best(scores), nil
}

// Transform returns the K×n codes of the columns of x, d×n samples in any
// scale, coded at unit norm. Another program can use them as features. A column
// of zeros has the code zero. The code of a column does not depend on the other
// columns.
func (c *Classifier) Transform(ctx context.Context, x *mat.Dense) (*mat.Dense, error) {
	n, err := c.count(ctx, x)
	if err != nil {
		return nil, fmt.Errorf("transform: %w", err)
	}
	_, k := c.p.D.Dims()
	out := mat.NewDense(k, n, nil)
	err = c.each(ctx, x, func(over coding.Coding, lo, hi int, y *mat.Dense) error {
		return over.Code(ctx, lin.Cols(out, lo, hi), y)
	})
	if err != nil {
		return nil, fmt.Errorf("transform: %w", err)
	}
	return out, nil
}

// Centred brings the columns of x, d×n samples in any scale, to unit norm,
// subtracts the mean atom, and brings them to unit norm again. So the cosine of
// two columns does not compare what all samples have in common.
func (c *Classifier) Centred(x *mat.Dense) *mat.Dense {
	u := Unit(x)
	_, k := c.p.D.Dims()
	for i := range u.RawMatrix().Rows {
		mean := floats.Sum(c.p.D.RawRowView(i)) / float64(k)
		floats.AddConst(-mean, u.RawRowView(i))
	}
	return Unit(u)
}

// count returns the number of samples in x. It is an error if c, ctx or x is empty, or if the
// samples are of another length than the atoms.
func (c *Classifier) count(ctx context.Context, x *mat.Dense) (int, error) {
	if c == nil || c.p.D == nil {
		return 0, errors.New("the classifier is empty: Fit of a method makes one")
	}
	if err := NoContext(ctx); err != nil {
		return 0, err
	}
	if x == nil || x.IsEmpty() {
		return 0, errors.New("there are no samples")
	}
	d, n := x.Dims()
	if want, _ := c.p.D.Dims(); d != want {
		return 0, advice.Add(fmt.Errorf("a sample has %d features, the classifier was trained on %d", d, want),
			"give samples made as those that it was trained on, of as many features")
	}
	return n, nil
}

// each hands the columns lo ≤ j < hi of x to use batch by batch, at unit norm,
// with the prepared coder.
func (c *Classifier) each(ctx context.Context, x *mat.Dense, use func(over coding.Coding, lo, hi int, y *mat.Dense) error) error {
	if err := lin.Finite("sample", x); err != nil {
		return err
	}
	over, err := c.coding()
	if err != nil {
		return fmt.Errorf("prepare the coder: %w", err)
	}
	_, n := x.Dims()
	for lo := 0; lo < n; lo += Batch {
		if err := context.Cause(ctx); err != nil {
			return err
		}
		hi := min(n, lo+Batch)
		if err := use(over, lo, hi, Unit(lin.Cols(x, lo, hi))); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// Best returns the row of the largest element of each column of scores, the
// first of equals.
func Best(scores *mat.Dense) []int {
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
