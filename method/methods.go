// Package method has all methods, one file per family, and their list.
//
// A new method is one file with a parameter struct that implements
// classify.Described, and its defaults, which it registers. What lists methods (the
// command, the documents, the contract tests) follows from that.
//
// Notation: X d×N training samples of unit norm, one per column; C classes, n_c
// samples in class c; H C×N with a 1 where a sample belongs to a class; D d×K
// dictionary; S K×N codes; W C×K linear classifier; Q K×N with a 1 where an
// atom and a sample share a class, A = 1 − Q; ⊙ element by element.
//
// Tags such as [nrdl] are the keys of doc/references.bib.
package method

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/internal/config"
	"nrdl.example/nrdl/internal/lin"
)

// registered are the methods of this package but Mean, in no order.
var registered []classify.Described

// register adds a method with its default parameters, once, from the file that it is in.
func register[M classify.Described](defaults M) M {
	registered = append(registered, defaults)
	return defaults
}

// registerIterative is register of a method that learns in passes.
func registerIterative[M interface {
	classify.Described
	classify.Iterative
}](defaults M) M {
	return register(defaults)
}

// All returns every method with its default parameters. Each comes after the one that its
// Traits name, so that the order is about that of the paper's table 2.
func All() []classify.Method {
	var all []classify.Method
	for _, m := range listed() {
		all = append(all, m)
	}
	return all
}

// listed are the methods in the order of All: a tree, in which of several methods after the
// same one those with fewer after them come first.
var listed = sync.OnceValue(func() (all []classify.Described) {
	followers := map[string][]classify.Described{}
	for _, m := range registered {
		after := m.Traits().Predecessor
		followers[after] = append(followers[after], m)
	}
	var following func(name string) int // how many methods
	following = func(name string) (n int) {
		for _, m := range followers[name] {
			n += 1 + following(m.Name())
		}
		return n
	}
	var list func(m classify.Described)
	list = func(m classify.Described) {
		all = append(all, m)
		next := followers[m.Name()]
		slices.SortFunc(next, func(a, b classify.Described) int {
			return cmp.Or(cmp.Compare(following(a.Name()), following(b.Name())), cmp.Compare(a.Name(), b.Name()))
		})
		for _, m := range next {
			list(m)
		}
	}
	list(Mean{})
	for _, m := range followers[""] {
		list(m)
	}
	if len(all) != len(registered)+1 {
		panic("a method comes after one that is not there")
	}
	return all
})

// Names returns the names of the methods of this package.
func Names() []string {
	var names []string
	for _, m := range listed() {
		names = append(names, m.Name())
	}
	return names
}

// Named returns the method with this name, of others or else of this package: a program that
// gives a method means that one, also if it has the name of one of this package.
func Named(name string, others ...classify.Method) (classify.Method, error) {
	if err := classify.NoMethod(others...); err != nil {
		return nil, err
	}
	for _, m := range slices.Concat(others, All()) {
		if m.Name() == name {
			return m, nil
		}
	}
	return nil, advice.Unknown("method", name, Names())
}

var codec = config.New(coding.All)

// Set returns m with the parameter at path, such as "lambda" or "coder.rho",
// set to value.
func Set(m classify.Method, path, value string) (classify.Method, error) {
	if err := classify.NoMethod(m); err != nil {
		return nil, err
	}
	edited, err := codec.Set(m, path, value)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name(), err)
	}
	if v, err := strconv.ParseFloat(value, 64); err == nil && math.Abs(v) > maxNumber {
		return nil, fmt.Errorf("%s: %s = %v is outside %v … %v", m.Name(), path, v, -float64(maxNumber), float64(maxNumber))
	}
	return edited.(classify.Method), nil
}

// maxNumber bounds parameters: beyond it equations have lost all digits.
const maxNumber = 1e15

// A Param describes one parameter: its Path, as Set takes it, its Type, Value,
// Help, Equation, Choices and If, the condition under which it has an effect.
type Param = config.Param

// Params describes the parameters of m.
func Params(m classify.Method) []Param { return codec.Params(m) }

// Unmet returns the condition "PATH=VALUE" that m does not meet, so that its parameter at path
// has no effect, or "".
func Unmet(m classify.Method, path string) string { return codec.Unmet(m, path) }

// Marshal returns the parameters of m as JSON.
func Marshal(m classify.Method) (json.RawMessage, error) { return codec.Marshal(m) }

// Unmarshal returns a method of m's kind with the parameters that Marshal wrote.
func Unmarshal(m classify.Method, params json.RawMessage) (classify.Method, error) {
	edited, err := codec.Unmarshal(params, m)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name(), err)
	}
	return edited.(classify.Method), nil
}

// Describe returns what m does in one line, by its traits, or its name.
func Describe(m classify.Method) string {
	return cmp.Or(classify.TraitsOf(m).Description, m.Name())
}

// Title returns the name that papers give m, such as "LC-KSVD2" for lcksvd2.
func Title(m classify.Method) string {
	return cmp.Or(classify.TraitsOf(m).Title, strings.ToUpper(m.Name()))
}

// Suits returns nil if m can learn from samples on this grid, or else the
// reason why not, as far as the grid shows.
func Suits(m classify.Method, g classify.Grid) error {
	c := classify.TraitsOf(m).Coder
	if c == nil {
		return nil
	}
	if _, err := g.Place(c); err != nil {
		return fmt.Errorf("%s: %w", m.Name(), err)
	}
	return nil
}

// samples checks the parameters and the training set. It returns the set that
// is learned from, which is train without its black images.
func samples(m classify.Method, train *classify.Samples) (*classify.Samples, error) {
	err := m.Validate()
	var seen *classify.Samples
	if err == nil {
		if _, alone := m.(classify.Separable); alone {
			seen, err = train.SeenAlone()
		} else {
			seen, err = train.Seen()
		}
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name(), err)
	}
	return seen, nil
}

// model makes the Model of a fit of m on train from the parts that m learned.
func model(m classify.Method, train *classify.Samples, run classify.Run, p classify.Parts) (*classify.Classifier, error) {
	params, err := Marshal(m)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name(), err)
	}
	learned := []classify.Learned{{Matrix: p.D, Name: "D"}}
	if l := p.Rule.Learned(); l.Matrix != nil {
		learned = append(learned, l)
	}
	if c, ok := p.Coder.(coding.TrainedCoder); ok {
		name, matrix := c.Learned()
		learned = append(learned, classify.Learned{Matrix: matrix, Name: name, MaybeZero: true})
	}
	for _, l := range learned {
		if l.Matrix == nil {
			continue
		}
		if v := lin.MaxAbs(l.Matrix); v == 0 && !l.MaybeZero {
			err := fmt.Errorf("%s: after pass %d %s is zero: nothing is learned", m.Name(), p.Outcome.Iter, l.Name)
			return nil, advice.Add(err, "parameters far from the defaults do that")
		} else if !(v <= classify.DivergenceBound) {
			return nil, fmt.Errorf("%s: %w after pass %d: %s holds %.3g", m.Name(), classify.ErrDiverged, p.Outcome.Iter, l.Name, v)
		}
	}
	p.Classes, p.Grid = train.Classes, train.Grid
	p.Method, p.Params, p.Seed = m.Name(), params, run.Seed
	return classify.NewClassifier(p)
}

// sampleDictionary makes the Model of a method whose dictionary is the training samples, with
// the rule of its traits.
func sampleDictionary(ctx context.Context, m classify.Described, train *classify.Samples, run classify.Run,
	c func(n int) coding.Coder,
) (*classify.Classifier, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, fmt.Errorf("%s: %w", m.Name(), err)
	}
	seen, err := samples(m, train)
	if err != nil {
		return nil, err
	}
	shared := run.Unit
	if seen != train {
		shared = nil // has samples that are not seen
	}
	var x *mat.Dense
	if shared != nil {
		x = shared.D
	} else {
		x = classify.Unit(seen.X)
	}
	train = seen
	d, n := x.Dims()
	if err := fits(c(n), train.Grid, d, n); err != nil {
		return nil, tooLarge(m, fmt.Errorf("%s: %w", m.Name(), err))
	}
	return model(m, train, run, classify.Parts{
		D: x, Shared: shared, Groups: train.Groups, Coder: c(n), Rule: m.Traits().Rule,
		Outcome: classify.Outcome{Status: classify.ClosedForm},
	})
}

// keepSamples is sampleDictionary with the coder of m's traits.
func keepSamples(ctx context.Context, m classify.Described, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	return sampleDictionary(ctx, m, train, run, func(int) coding.Coder { return m.Traits().Coder })
}

// fits reports why c, the parameter "coder" of a method, cannot code samples
// on these pixels over k atoms of d features.
func fits(c coding.Coder, g classify.Grid, d, k int) error {
	placed, err := g.Place(c)
	if err == nil {
		err = coding.Check(placed, d, k)
	}
	if err == nil {
		return nil
	}
	err = fmt.Errorf("coder: %w", err)
	if rest, ok := strings.CutPrefix(advice.Text(err), "set "); ok {
		return advice.Add(err, "set coder.%s", rest)
	}
	return err
}

// weights reports the first of the named weights that is not a number ≥ 0.
func weights(named ...any) error {
	for i := 0; i < len(named); i += 2 {
		if w := named[i+1].(float64); !(w >= 0) {
			return fmt.Errorf("%s = %v is not a weight ≥ 0", named[i], w)
		}
	}
	return nil
}

// aboveZero reports the first of the named numbers that is not finite and > 0.
func aboveZero(named ...any) error {
	for i := 0; i < len(named); i += 2 {
		if w := named[i+1].(float64); !(w > 0) || math.IsInf(w, 1) {
			return fmt.Errorf("%s = %v is not a number > 0", named[i], w)
		}
	}
	return nil
}

// counts reports the first of the named numbers that is below minimum.
func counts(minimum int, named ...any) error {
	for i := 0; i < len(named); i += 2 {
		if n := named[i+1].(int); n < minimum {
			return fmt.Errorf("%s = %d is not ≥ %d", named[i], n, minimum)
		}
	}
	return nil
}

// within is the error of the parameters of the part with this name.
func within(name string, err error) error {
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

var errNoCoder = errors.New("no coder")
