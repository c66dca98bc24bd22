// Package coding represents samples over a dictionary: given D (d×K, one atom
// a column) it finds, for every column y of Y (d×n), a code s (K×1) such that
// D·s is close to y under the constraint or the penalty of the coder.
//
// A Coder is a value that holds parameters; Over prepares it for one
// dictionary (Gram matrix, factorisations) and gives a Coding, which is safe
// for concurrent use. The package knows matrices only: no labels, no files.
//
// Tags such as [nrdl] are the keys of doc/references.bib.
//
// Experimental: this package may change in any version.
package coding

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/config"
	"nrdl.example/nrdl/internal/lin"
)

// A Coder is a way of coding; its value is its parameters: a copy of it,
// edited, is another configuration of the same coder.
type Coder interface {
	// Name is the name by which parameters and model files refer to the coder.
	Name() string

	// Validate reports the first parameter that is outside its range.
	Validate() error

	// Work bounds what it takes to code over k atoms of d features. Over and
	// Check refuse what is beyond the limits.
	Work(d, k int) Work

	// Over prepares coding over the atoms of b.
	Over(b Basis) (Coding, error)
}

// A Coding codes over one dictionary. It is safe for concurrent use.
type Coding interface {
	// Code writes the codes of the columns of y, d×n, into s, K×n, which it
	// overwrites. A column of y that is zero has the code zero. The code of a
	// column does not depend on the other columns of y. Once ctx is done Code
	// soon returns context.Cause(ctx). Where Code returns an error, what is in s
	// has no meaning.
	Code(ctx context.Context, s, y *mat.Dense) error
}

// A Detailed Coding finds more than the codes: that of Robust finds errors, those of
// Blocks and Fused votes.
type Detailed interface {
	Coding

	// CodeWith is Code that also writes what out asks for.
	CodeWith(ctx context.Context, out Details, y *mat.Dense) error
}

// Details are the results for the columns of y, d×n, that a caller asks for; a nil matrix is
// not computed.
type Details struct {
	S      *mat.Dense // K×n: the codes
	Errors *mat.Dense // d×n: 0 where the code explains a feature, and what it leaves over where it does not
	Votes  *mat.Dense // C×n: parts of 1 for the classes, of which a column that is zero has none
}

// Check reports why c cannot code over k atoms of d features: a parameter that
// is outside its range, or asks for more than there is, such as more neighbours than
// atoms; or parameters that
// together ask for more work than the limits allow.
func Check(c Coder, d, k int) error {
	if err := c.Validate(); err != nil {
		return err
	}
	return affordable(c, d, k)
}

// ready reports why c cannot be prepared over d, as Check does, or an atom of d
// that is not finite.
func ready(c Coder, d *mat.Dense) error {
	if d == nil {
		return fmt.Errorf("prepare the %s coder: no atoms", c.Name())
	}
	m, k := d.Dims()
	if err := Check(c, m, k); err != nil {
		return err
	}
	if err := lin.Finite("atom", d); err != nil {
		return fmt.Errorf("prepare the %s coder: %w", c.Name(), err)
	}
	return nil
}

// readyByClass is ready for a coder that needs the groups of b.
func readyByClass(c Coder, b Basis) error {
	if err := ready(c, b.D); err != nil {
		return err
	}
	_, k := b.D.Dims()
	if err := grouped(b.Groups, k); err != nil {
		return fmt.Errorf("prepare the %s coder: %w", c.Name(), err)
	}
	return nil
}

// weight reports a parameter of c that is not a finite number ≥ 0.
func weight(c Coder, name string, v float64) error {
	if !(v >= 0) || math.IsInf(v, 1) {
		return fmt.Errorf("%s = %v of the %s coder is not a weight ≥ 0", name, v, c.Name())
	}
	return nil
}

// positive reports a parameter of c that is not a finite number > 0.
func positive(c Coder, name string, v float64) error {
	if !(v > 0) || math.IsInf(v, 1) {
		return fmt.Errorf("%s = %v of the %s coder is not a number > 0", name, v, c.Name())
	}
	return nil
}

// between reports a parameter of c that is not 1 to limit.
func between(c Coder, name string, v, limit int) error {
	if v < 1 || v > limit {
		return fmt.Errorf("%s = %d of the %s coder is not between 1 and %d", name, v, c.Name(), limit)
	}
	return nil
}

// oneOf reports a parameter of c that is none of all.
func oneOf[T ~string](c Coder, name string, v T, all ...T) error {
	if !slices.Contains(all, v) {
		return fmt.Errorf("%s %q of the %s coder is none of %q", name, v, c.Name(), all)
	}
	return nil
}

// All lists the coders with their default parameters; a model file or a
// parameter names one of them.
var All = []Coder{
	DefaultNonNegative, DefaultLasso, DefaultRidge, DefaultLocal, DefaultPerClass, DefaultClassLasso,
	DefaultDiscriminative, DefaultProbabilistic, DefaultConstrained, DefaultOMP, DefaultRobust, DefaultBlocks,
	DefaultAugmented, DefaultFused,
	Inner{},
}

// ByClass reports whether c codes a sample over the atoms of each class alone, so
// that coefficients of different classes do not add up to one representation.
func ByClass(c Coder) bool {
	switch c.(type) {
	case PerClass, ClassLasso, Analysis, Affine:
		return true
	}
	return false
}

// Trained lists the coders that have a matrix, which a method learns.
var Trained = []TrainedCoder{Analysis{}, Anchored{}, Affine{}}

// A TrainedCoder has a matrix that was learned together with the dictionary, with
// a column for each atom. It is no choice of a user.
type TrainedCoder interface {
	Coder

	// Learned returns the matrix, r×K, not a copy, and its name in model files,
	// which no other has.
	Learned() (name string, m *mat.Dense)

	// With returns the coder with the matrix m.
	With(m *mat.Dense) TrainedCoder
}

// ofMethods are the coders that only methods make.
func ofMethods() []Coder {
	all := []Coder{Kernel{}, Separated{}}
	for _, c := range Trained {
		all = append(all, c)
	}
	return all
}

// SharesAtoms reports whether c may code over atoms that are of no class.
func SharesAtoms(c Coder) bool {
	switch c.(type) {
	case Lasso, Anchored:
		return true
	}
	return false
}

// sized is an error unless s is K×n and y is d×n.
func sized(s, y *mat.Dense, d, k int) error {
	if s == nil || y == nil {
		return errors.New("code: no samples, or nowhere to put their codes")
	}
	ks, ns := s.Dims()
	if dy, n := y.Dims(); ks != k || ns != n || dy != d {
		return fmt.Errorf("code: %d×%d samples, and codes of %d×%d, over %d atoms of %d features", dy, n, ks, ns, k, d)
	}
	return nil
}

// inChunks calls code with at most size columns of s, K×n, and of y, d×n, at a time, and checks
// that what it has written into s, the codes called what, is finite.
func inChunks(ctx context.Context, s, y *mat.Dense, d, k, size int, what string, code func(s, y *mat.Dense) error) error {
	if err := sized(s, y, d, k); err != nil {
		return err
	}
	_, n := y.Dims()
	for lo := 0; lo < n; lo += size {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		hi := min(n, lo+size)
		if err := code(lin.Cols(s, lo, hi), lin.Cols(y, lo, hi)); err != nil {
			return err
		}
	}
	return lin.Finite(what, s)
}

// finite reports whether all of v is.
func finite(v []float64) bool {
	var sum float64
	for _, x := range v {
		sum += 0 * x // NaN for NaN and infinities
	}
	return sum == 0
}

var codec = sync.OnceValue(func() *config.Codec { return config.New(slices.Concat(All, ofMethods())) })

// Marshal gives c as a JSON object: its name, then all its parameters in the
// order of its fields. Equal coders give equal bytes.
func Marshal(c Coder) (json.RawMessage, error) {
	if c == nil {
		return nil, errors.New("write the coder: there is none")
	}
	raw, err := codec().MarshalNamed(c)
	if err != nil {
		return nil, fmt.Errorf("write the coder: %w", err)
	}
	return raw, nil
}

// Unmarshal returns the coder that Marshal wrote. A parameter that is missing,
// unknown or there twice is an error: what a model was learned with is never
// guessed. Whether the values are in their range is Validate's to say.
func Unmarshal(raw json.RawMessage) (Coder, error) {
	c, err := codec().UnmarshalNamed(raw)
	if err != nil {
		return nil, fmt.Errorf("read the coder: %w", err)
	}
	return c.(Coder), nil
}

// A Basis is what a coder is prepared over.
type Basis struct {
	D      *mat.Dense // d×K with one atom per column; it is kept, not copied, and must not change
	Groups []int      // the atoms of class c are Groups[c] ≤ k < Groups[c+1]; nil for coders that ignore classes

	shared *Shared
	work   float64 // limit of the operations of a code; 0 for sampleLimit
}

// Shared is a dictionary that several coders are prepared over, such as the
// training samples. They share DᵀD, which the first that needs it makes: each
// other coder saves dK² flops. It is safe for concurrent use.
type Shared struct {
	D    *mat.Dense // d×K with one atom per column; it must not change
	gram func() *mat.Dense
}

// Share returns a Shared of the dictionary d, d×K. It keeps d itself, not a copy.
func Share(d *mat.Dense) *Shared {
	return &Shared{d, sync.OnceValue(func() *mat.Dense {
		_, k := d.Dims()
		g := mat.NewDense(k, k, nil)
		lin.AtA(g, 1, d)
		return g
	})}
}

// Basis returns s with these groups. The codes over it are equal, bit for bit, to those over
// one of D alone.
func (s *Shared) Basis(groups []int) Basis { return Basis{D: s.D, Groups: groups, shared: s} }

// gram writes DᵀD into g, K×K, as lin.AtA does, for d, which is D or a copy that a coder has
// scaled.
func (b *Basis) gram(g, d *mat.Dense) {
	if b.shared != nil && d == b.D {
		lin.Set(g, 1, b.shared.gram())
	} else {
		lin.AtA(g, 1, d)
	}
}
