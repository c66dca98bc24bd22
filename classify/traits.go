package classify

import "nrdl.example/nrdl/coding"

// Described is a Method that says what it can do. A method that is not is one with
// the zero Traits.
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
	After       string // name of the method after which tables list it; "" puts it at the end

	Coder coding.Coder // codes queries; nil where it is known only after a fit

	// Samples says that the atoms are the training samples, and that Coder codes over
	// them. The memory of a fit follows from that.
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
	If        string   // "PATH=VALUE", the condition under which the parameter matters; PATH has no range or an earlier one; "" means always
}

// A Value is the value of one parameter in a preset, with its source.
type Value struct {
	Path   string `json:"name"`   // of the parameter
	Value  string `json:"value"`  // as text
	Source string `json:"source"` // a reference, or how it was found
}
