package classify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/coding"
)

// A Method learns a Classifier. Its fields are its parameters: an edited copy
// is another configuration of the same method. Zero means zero.
type Method interface {
	// Name is the name of the method on the command line and in model files.
	Name() string

	// Validate reports the first parameter that is outside its range.
	Validate() error

	// Fit learns from train, which it does not modify. Samples are used at unit ℓ2
	// norm, whatever their scale in train. Equal parameters, data and seed give an
	// identical Classifier on one machine, with any number of threads. Fit returns
	// the error of ctx within one pass after cancellation.
	Fit(ctx context.Context, train *Samples, run Run) (*Classifier, error)
}

// NoMethod is an error if one of methods is nil, or a nil pointer to a method.
func NoMethod(methods ...Method) error {
	for _, m := range methods {
		if v := reflect.ValueOf(m); !v.IsValid() || v.Kind() == reflect.Pointer && v.IsNil() {
			return errors.New("a method is nil")
		}
	}
	return nil
}

// NoContext is an error if ctx is nil.
func NoContext(ctx context.Context) error {
	if ctx == nil {
		return errors.New("the context is nil: context.Background() is one")
	}
	return nil
}

// A Run has the inputs of a fit other than the parameters and the data.
type Run struct {
	Seed  uint64
	Watch Watch // may be nil; cannot stop or change the run

	// Unit may hold Unit of the training samples. Several fits on the same set
	// then share it and its Gram matrix. A model whose dictionary is the training
	// samples keeps the samples.
	Unit *coding.Shared

	// Warm may be a classifier of the same method and parameters, learned from
	// similar samples of the same space. An iterative method may start from it; it
	// then needs fewer passes, and its result is similar, not equal. Other methods
	// ignore it. Equal start classifiers give equal results.
	Warm *Classifier

	// Start has matrices from which an Iterative method starts instead of its own.
	Start Start
}

// A Start has the matrices from which a fit starts; nil are those of the method. They
// are in the order of the training set and of its classes, and are not changed.
//
// D, S and W are at the scale of a Fit. A method uses those of Traits.Start; the others
// follow from these, and may be there. It is an error if none of them can be used, or if
// one does not fit the training set. Multipliers, growing penalties and the count of
// passes begin again, so that such a fit is in general no continuation.
//
// State is all of an iterate, as State.Matrices, Step.Matrices and Fit.State give it. A fit
// of the same method and parameters on the same samples goes on from it as if it had not
// stopped, up to rounding. D, S and W are then nil.
type Start struct {
	D *mat.Dense // d×K
	S *mat.Dense // K×N
	W *mat.Dense // C×K

	State []Matrix
}

// IsZero reports whether the fit starts as the method does.
func (s Start) IsZero() bool { return s.D == nil && s.S == nil && s.W == nil && s.State == nil }

// An Iterative method learns in passes. Its Fit is Train.
type Iterative interface {
	Method

	// Start does what comes before the first pass.
	Start(ctx context.Context, train *Samples, run Run) (*Learning, error)
}

// A Learning is a fit that is under way: before its first pass, or between two.
type Learning struct {
	State
	Limits Limits

	// Finish returns what the passes so far have learned, which ended as out says. It
	// changes nothing: passes may follow.
	Finish func(out Outcome) (*Classifier, error)

	// Codes returns the codes S of the training samples, K×N in their order and with the
	// atoms of Finish, so that D·S is near the samples at unit norm; nil where the method
	// has none.
	Codes func(ctx context.Context) (*mat.Dense, error)

	// Failed adds to the error of a pass what the method knows of it; may be nil.
	Failure func(error) error
}

// A State is the iterate of a Learning.
type State interface {
	Stepper

	// Matrices returns copies of the matrices of the iterate: D, S and W where it has them,
	// then variables, multipliers, and counts and weights that grow. They are in the order
	// of the training set and of its classes. The next pass depends on nothing else
	// (Start.State).
	Matrices() []Matrix
}

// A Matrix is a named matrix of an iterate.
type Matrix struct {
	Name          string // the symbol of the paper, such as "D" or "C1"
	Rows, Columns Axis
	Value         *mat.Dense
}

// An Axis says what the rows or the columns of a Matrix are.
type Axis int

// The axes of matrices.
const (
	FeatureAxis Axis = iota // d
	SampleAxis              // N
	AtomAxis                // K, or some of them
	ClassAxis               // C
	OneAxis                 // 1: a vector, or a number
)

// A Separable method learns one atom for each class, from the samples of that class
// alone. So a few classes can be learned again without the others.
type Separable interface {
	Method

	// Atom returns the atom of the class with these samples, the columns of x, d×n and
	// none of them zero.
	Atom(x *mat.Dense) []float64

	// Join returns what Fit returns for classes with these atoms, d×C.
	Join(atoms *mat.Dense, classes []string, run Run) (*Classifier, error)
}

// Described is a Method that says what it can do. Other methods have the zero Traits.
type Described interface {
	Method

	// Traits returns what holds for the method with its parameters.
	Traits() Traits
}

// Traits are what a Method says of itself in one value. The zero value claims nothing.
type Traits struct {
	Title       string // the name in papers; "" for Name in capitals
	Description string // one line: what the method does; "" for Name
	Formulation string // the problem that it solves, in the symbols of its paper
	Family      string // what methods that differ little have in common, so that rankings can have one of each; "" for none
	Predecessor string // name of the method after which tables list it; "" puts it at the end

	Coder coding.Coder // codes queries; nil where it is known only after a fit
	Rule  Rule         // scores the classes; nil where it is known only after a fit

	// Samples says that the atoms are the training samples, and that Coder codes over
	// them. The memory of a fit follows from that. A gallery of many vectors of a network fits
	// such a method, or a Separable one, when it identifies a face, to its nearest people only.
	// For that both need a Coder and a Rule here; without them it fits all people.
	Samples bool

	// Memory bounds how many numbers a fit holds at once beside the samples; nil where
	// that is not known.
	Memory func(Size) float64

	Unprojected bool   // more atoms than dimensions are of no use: do not project the samples
	Warm        bool   // Fit starts from Run.Warm
	Start       string // which of the matrices D, S and W of Run.Start a fit can start from, such as "DW"

	Ranges  []Range            // where to search for parameters; every Path is one of the method's
	Presets map[string][]Value // parameters that differ from the defaults, by the name of a database
}

// TraitsOf returns the traits of m.
func TraitsOf(m Method) Traits {
	if d, ok := m.(Described); ok {
		return d.Traits()
	}
	return Traits{}
}

// A Size is that of a training set.
type Size struct{ Features, Samples, Classes int }

// A Range is the search range of one parameter. It spans the values in common
// use and in presets, as far as Validate allows them and a fit takes less than
// ten times as long as by default. It is no limit: any value that Validate
// allows can be set.
type Range struct {
	Path      string   // of the parameter, such as "coder.rho"
	Low, High float64  // inclusive bounds of a number or an integer
	Log       bool     // search on a logarithmic scale; Low > 0
	Zero      bool     // also allow 0, which switches the term off
	Choices   []string // values of a choice or of true|false, without Low and High
}

// A Value is the value of one parameter in a preset, with its source.
type Value struct {
	Path   string `json:"name"`   // of the parameter
	Value  string `json:"value"`  // as text
	Source string `json:"source"` // a reference, or how it was found
}

// MarshalJSON writes p as an object with the pass, μ where there is one, the
// residual, and the other terms in their order. A value that is not finite is null.
func (p Progress) MarshalJSON() ([]byte, error) {
	terms, at := p.Terms(), 0
	if len(terms) > 0 && terms[0].Name == "mu" {
		at = 1
	}
	text := []byte(`{"iter":` + strconv.Itoa(p.Iter))
	for _, term := range slices.Insert(slices.Clone(terms), at, Term{Name: "residual", Value: p.Residual}) {
		name, _ := json.Marshal(term.Name) // a string has a JSON form
		value, err := json.Marshal(term.Value)
		if err != nil {
			value = []byte("null")
		}
		text = fmt.Appendf(text, ",%s:%s", name, value)
	}
	return append(text, '}'), nil
}
