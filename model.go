package nrdl

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"sync"

	"gonum.org/v1/gonum/mat"

	"nrdl/coding"
)

// Parts are what a Model is made of. NewModel is the one door: Fit and Load
// both pass it.
type Parts struct {
	D       *mat.Dense // d×K dictionary, one atom a column
	Groups  []int      // len C+1: the atoms of class c, as in Set
	W       *mat.Dense // C×K linear classifier; nil unless Rule is Linear
	Classes []string   // len C
	Coder   coding.Coder
	Rule    Rule
	Input   Input           // kept with the model: learning and recognition see faces the same way
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
		return p.Coder.Over(p.D, p.Groups)
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
	if err := uniqueNames(p.Classes); err != nil {
		return err
	}
	if len(p.Classes) < 2 {
		return fmt.Errorf("%d class: recognition needs two", len(p.Classes))
	}
	if err := p.validateRule(); err != nil {
		return err
	}
	if p.Coder == nil {
		return errors.New("no coder")
	}
	if err := p.Coder.Validate(); err != nil {
		return err
	}
	if err := p.Input.Validate(); err != nil {
		return err
	}
	if in := p.Input.Len(); in != 0 && in != d {
		return fmt.Errorf("an input of %v makes %d features, the atoms have %d", p.Input, in, d)
	}
	return finite("D", p.D)
}

func (p *Parts) validateRule() error {
	switch p.Rule {
	case Residual, NormedResidual:
		if p.W != nil {
			return fmt.Errorf("rule %q has no use for W", p.Rule)
		}
		return nil
	case Linear:
		if p.W == nil {
			return errors.New("rule \"linear\" needs W")
		}
		_, k := p.D.Dims()
		if c, kw := p.W.Dims(); c != len(p.Classes) || kw != k {
			return fmt.Errorf("classifier W is %d×%d for %d classes and %d atoms", c, kw, len(p.Classes), k)
		}
		return finite("W", p.W)
	}
	return fmt.Errorf("unknown rule %q", string(p.Rule))
}

func finite(name string, a *mat.Dense) error {
	m, _ := a.Dims()
	for i := range m {
		for j, v := range a.RawRowView(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("element (%d, %d) of %s is %v", i, j, name, v)
			}
		}
	}
	return nil
}

// Parts returns what m is made of; the caller must not change it.
func (m *Model) Parts() Parts { return m.p }

// batch is how many samples are coded together: enough for fast products, few
// enough that the working memory does not grow with the number of samples.
const batch = 2048

// Scores returns the C×n scores of the columns of x, d×n, samples in any
// scale: the larger, the likelier the class; Rule says what they mean. A
// column of zeros scores 0 for every class. The scores of a column do not
// depend on the other columns.
func (m *Model) Scores(ctx context.Context, x *mat.Dense) (*mat.Dense, error) {
	d, n := x.Dims()
	if want, _ := m.p.D.Dims(); d != want {
		return nil, fmt.Errorf("recognise: a sample has %d features, the model was learnt from %d (input %v)", d, want, m.p.Input)
	}
	if err := finite("the samples", x); err != nil {
		return nil, fmt.Errorf("recognise: %w", err)
	}
	over, err := m.coding()
	if err != nil {
		return nil, fmt.Errorf("prepare the coder: %w", err)
	}
	_, k := m.p.D.Dims()
	out := mat.NewDense(len(m.p.Classes), n, nil)
	for lo := 0; lo < n; lo += batch {
		if err := context.Cause(ctx); err != nil {
			return nil, fmt.Errorf("recognise: %w", err)
		}
		hi := min(n, lo+batch)
		y := Unit(x.Slice(0, d, lo, hi).(*mat.Dense))
		s := mat.NewDense(k, hi-lo, nil)
		if err := over.Code(ctx, s, y); err != nil {
			return nil, fmt.Errorf("recognise: %w", err)
		}
		m.score(out.Slice(0, len(m.p.Classes), lo, hi).(*mat.Dense), s, y)
	}
	if err := context.Cause(ctx); err != nil {
		return nil, fmt.Errorf("recognise: %w", err)
	}
	return out, nil
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
