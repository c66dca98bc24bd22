package classify

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/internal/lin"
)

// A Rule turns the code of a sample into a score for every class; the largest
// score wins. A new rule is a type with these methods, and a word in Untrained or
// Trained.
type Rule interface {
	// Name is the name of the rule in parameters and model files.
	Name() string

	// About says in a line what a score is.
	About() string

	// Check reports why the rule cannot score codes over this dictionary.
	Check(over Dictionary) error

	// Score writes the C×n scores of the columns of y, d×n of unit norm, into
	// out; s, K×n, has their codes. Columns of zeros score 0 for every class.
	Score(out, s, y *mat.Dense, over Dictionary)

	// Learned is what a Rule has learned beside the dictionary.
	Learned() Learned

	// With returns the rule with the matrix and the weight of l.
	With(l Learned) Rule
}

// untrained is what rules have in common that learn nothing.
type untrained struct{}

func (untrained) Learned() Learned { return Learned{} }

// A Dictionary is the part of a Classifier that a Rule uses: K atoms of d
// features, grouped by class, and their coder.
type Dictionary struct {
	D      *mat.Dense // d×K, one atom per column
	Groups []int      // len C+1: the atoms of class c are Groups[c] ≤ k < Groups[c+1]; those after Groups[C] are common to all classes
	Coder  coding.Coder
}

// classes is C.
func (d Dictionary) classes() int { return len(d.Groups) - 1 }

// withoutCommon returns y − D₀·s₀ of the columns of y and their codes s, with D₀ the
// atoms that are common to all classes; y itself where there are none.
func (d Dictionary) withoutCommon(s, y *mat.Dense) *mat.Dense {
	first := d.Groups[d.classes()]
	k, n := s.Dims()
	if first == k {
		return y
	}
	rest := mat.DenseCopyOf(y)
	lin.AddAB(rest, -1, lin.Cols(d.D, first, k), lin.Block(s, first, k, 0, n))
	return rest
}

// Untrained lists the rules that need only the code and the dictionary.
var Untrained = []Rule{Residual{}, NormedResidual{}, Collaborative{}, Cost{}, Sum{}, Huber{}, Votes{}, Cosine{}}

// Trained lists the rules that need something that was learned beside the dictionary.
var Trained = []Rule{Linear{}, Fisher{}}

// Learned is what a Rule has learned.
type Learned struct {
	Matrix *mat.Dense
	Weight float64 // of a term; 0 for a rule without one

	Name      string // of Matrix in model files and errors; no other rule has it
	ByClass   bool   // Matrix is C×K, otherwise K×C
	MaybeZero bool   // Matrix may be zero
}

// Linear scores class c by (W·s)_c, which is near 1 for the right class and
// near 0 for the others [nrdl, (7)].
type Linear struct {
	W *mat.Dense // C×K
}

func (Linear) Name() string { return "linear" }

func (Linear) About() string {
	return "the output of the linear classifier, near 1 for the right person"
}

func (r Linear) Check(over Dictionary) error {
	if r.W == nil {
		return errors.New("rule \"linear\" needs W")
	}
	_, k := over.D.Dims()
	if c, kw := r.W.Dims(); c != over.classes() || kw != k {
		return fmt.Errorf("classifier W is %d×%d for %d classes and %d atoms", c, kw, over.classes(), k)
	}
	return lin.Finite("the weights of atom", r.W)
}

func (r Linear) Learned() Learned                         { return Learned{Matrix: r.W, Name: "W", ByClass: true} }
func (Linear) With(l Learned) Rule                        { return Linear{W: l.Matrix} }
func (r Linear) Score(out, s, _ *mat.Dense, _ Dictionary) { lin.AB(out, 1, r.W, s) }

// Sum scores class c by Σ s_c, the sum of its coefficients. As atoms and
// samples have unit norm, it is near 1 if the class alone represents the sample
// with coefficients of one sign.
type Sum struct{ untrained }

func (r Sum) With(Learned) Rule    { return r }
func (Sum) Name() string           { return "sum" }
func (Sum) About() string          { return "the sum of the coefficients of the person's atoms" }
func (Sum) Check(Dictionary) error { return nil }

// The code of a blank column is 0.
func (Sum) Score(out, s, _ *mat.Dense, over Dictionary) {
	for c := range over.classes() {
		row := out.RawRowView(c)
		clear(row)
		for k := over.Groups[c]; k < over.Groups[c+1]; k++ {
			for j, v := range s.RawRowView(k) {
				row[j] += v
			}
		}
	}
}

// Cosine scores class c by the largest cosine of the sample with an atom of the
// class. The coder is coding.Inner. The largest cosine is a better confidence
// score than its distance from the second.
type Cosine struct{ untrained }

func (r Cosine) With(Learned) Rule { return r }
func (Cosine) Name() string        { return "cosine" }

func (Cosine) About() string {
	return "the cosine of the face and the mean of the photographs of the person"
}

func (r Cosine) Check(over Dictionary) error {
	if _, ok := over.Coder.(coding.Inner); !ok {
		return advice.Add(fmt.Errorf("rule %q needs the coder %s, not %s", r.Name(), coding.Inner{}.Name(), over.Coder.Name()),
			"use the coder %s, or the rule %s", coding.Inner{}.Name(), Residual{}.Name())
	}
	return nil
}

func (Cosine) Score(out, s, _ *mat.Dense, over Dictionary) {
	for c := range over.classes() {
		row := out.RawRowView(c)
		copy(row, s.RawRowView(over.Groups[c]))
		for k := over.Groups[c] + 1; k < over.Groups[c+1]; k++ {
			for j, v := range s.RawRowView(k) {
				row[j] = max(row[j], v)
			}
		}
	}
}

// Fisher scores class c by 1 − ‖y − D_c·s_c‖² − w‖s − m_c‖²: 1 is a perfect
// reconstruction by the class alone with its mean code [fddl].
type Fisher struct {
	M      *mat.Dense // K×C, the mean codes m_c of the classes
	Weight float64    // w
}

func (Fisher) Name() string { return "fisher" }

func (Fisher) About() string {
	return "1 − squared class residual − weighted squared distance of the code from the person's mean code"
}

func (r Fisher) Check(over Dictionary) error {
	if r.M == nil {
		return errors.New("rule \"fisher\" needs mean codes")
	}
	_, k := over.D.Dims()
	if km, c := r.M.Dims(); c != over.classes() || km != k {
		return fmt.Errorf("mean codes M are %d×%d for %d atoms and %d classes", km, c, k, over.classes())
	}
	if !(r.Weight >= 0) || math.IsInf(r.Weight, 1) {
		return fmt.Errorf("weight = %v of the mean codes is not a weight ≥ 0", r.Weight)
	}
	return lin.Finite("the mean code of class", r.M)
}

func (r Fisher) Learned() Learned {
	return Learned{Matrix: r.M, Weight: r.Weight, Name: "M", MaybeZero: true}
}

func (Fisher) With(l Learned) Rule { return Fisher{M: l.Matrix, Weight: l.Weight} }

func (r Fisher) Score(out, s, y *mat.Dense, over Dictionary) {
	r.distances(out, s)
	scoreResiduals(out, s, y, over, lin.SquaredColumnNorms, func(residual, _, distance float64) float64 {
		return 1 - residual - r.Weight*distance
	})
}

// distances writes ‖s − m_c‖² of the columns of s, K×n, into dst, C×n.
func (r Fisher) distances(dst, s *mat.Dense) {
	classes, n := dst.Dims()
	code, mean := make([]float64, n), make([]float64, classes)
	lin.SquaredColumnNorms(code, s)
	lin.SquaredColumnNorms(mean, r.M)
	lin.AtB(dst, -2, r.M, s) // −2 m_cᵀs
	for c, norm := range mean {
		row := dst.RawRowView(c)
		for j := range row {
			row[j] = max(0, row[j]+code[j]+norm) // ‖s‖² − 2 m_cᵀs + ‖m_c‖²
		}
	}
}

// Votes scores class c by its share of the votes of the blocks of the sample
// (coding.Blocks), or of two representations (coding.Fused). The shares add up to at most 1. The coder counts them while
// it codes; Score does nothing.
type Votes struct{ untrained }

func (r Votes) With(Learned) Rule { return r }
func (Votes) Name() string        { return "votes" }
func (Votes) About() string       { return "the person's share of the votes" }

func (r Votes) Check(over Dictionary) error {
	if !coding.CanVote(over.Coder) {
		return advice.Add(fmt.Errorf("rule %q needs a coder that votes, %s does not", r.Name(), over.Coder.Name()),
			"use the coder %s, or the rule %s", coding.DefaultBlocks.Name(), Residual{}.Name())
	}
	return nil
}

func (Votes) Score(_, _, _ *mat.Dense, _ Dictionary) {}
