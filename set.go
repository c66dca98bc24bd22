package nrdl

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/fvbommel/sortorder"
	"gonum.org/v1/gonum/mat"

	"nrdl/internal/lin"
	"nrdl/projection"
)

// A Set is a labelled sample set. Its columns are grouped by class: the
// samples of class c are the columns Groups[c] ≤ j < Groups[c+1] of X.
// NewSet makes one from samples in any order.
type Set struct {
	X       *mat.Dense // d×N, one sample a column, in the units of its source (grey values of images)
	IDs     []string   // len N, where each sample came from; may be nil
	Classes []string   // len C, the names of the classes
	Groups  []int      // len C+1, Groups[0] = 0 and Groups[C] = N
	Input   Input      // how an image became a column
	Quality []Quality  // len N, how well each face is seen in its photograph; nil where that is not known
	White   float64    // grey value of white in images; 0 stands for 255

	// Projection is the one of Input, fit, that was applied to the columns; nil
	// for none.
	Projection *projection.Fitted
}

// NewSet groups the columns of x, d×N, by label. Classes appear in the order
// of classes, or in natural order of their names where classes is nil; inside
// a class the samples keep their order. X is copied only where the columns
// have to move. IDs may be nil.
func NewSet(x *mat.Dense, labels, ids, classes []string, in Input) (*Set, error) {
	d, n := x.Dims()
	if len(labels) != n {
		return nil, fmt.Errorf("group samples: %d labels for %d samples", len(labels), n)
	}
	if ids != nil && len(ids) != n {
		return nil, fmt.Errorf("group samples: %d IDs for %d samples", len(ids), n)
	}
	s := &Set{Classes: classes, Input: in}
	order, err := s.group(labels)
	if err != nil {
		return nil, fmt.Errorf("group samples: %w", err)
	}
	if !slices.IsSorted(order) {
		moved := mat.NewDense(d, n, nil)
		permuteColumns(moved, x, order)
		x = moved
	}
	s.X = x
	if ids != nil {
		s.IDs = make([]string, n)
		for j, from := range order {
			s.IDs[j] = ids[from]
		}
	}
	return s, s.Validate()
}

// group sets the groups of s for samples of these labels, and its classes where
// they are nil, and returns which sample comes where.
func (s *Set) group(labels []string) (order []int, err error) {
	members := make(map[string][]int)
	for j, l := range labels {
		members[l] = append(members[l], j)
	}
	if s.Classes == nil {
		for l := range members {
			s.Classes = append(s.Classes, l)
		}
		slices.SortFunc(s.Classes, sortorder.NaturalCompare)
	}
	s.Groups = []int{0}
	for _, c := range s.Classes {
		order = append(order, members[c]...)
		s.Groups = append(s.Groups, len(order))
		delete(members, c)
	}
	for l := range members {
		return nil, fmt.Errorf("label %q is not among the classes", l)
	}
	return order, nil
}

// Order returns the order in which NewSet puts samples of these labels: sample j
// of the set is the one at Order[j]. It is for what a caller keeps of samples
// beside a Set.
func Order(labels, classes []string) ([]int, error) {
	return (&Set{Classes: classes}).group(labels)
}

func permuteColumns(dst, src *mat.Dense, order []int) {
	d, _ := src.Dims()
	for i := range d {
		to, from := dst.RawRowView(i), src.RawRowView(i)
		for j, o := range order {
			to[j] = from[o]
		}
	}
}

// Validate reports the first way in which the parts of s do not agree, or the
// first sample that holds a number that is not finite.
func (s *Set) Validate() error {
	if s.X == nil || s.X.IsEmpty() {
		return errors.New("the set has no samples")
	}
	d, n := s.X.Dims()
	if s.IDs != nil && len(s.IDs) != n {
		return fmt.Errorf("%d IDs for %d samples", len(s.IDs), n)
	}
	if s.Quality != nil && len(s.Quality) != n {
		return fmt.Errorf("%d qualities for %d samples", len(s.Quality), n)
	}
	if err := validateGroups(s.Groups, len(s.Classes), n); err != nil {
		return err
	}
	if err := checkNames(s.Classes); err != nil {
		return err
	}
	if err := fitsInput(s.Input, s.Projection, d); err != nil {
		return fmt.Errorf("samples: %w", err)
	}
	if !(s.White >= 0) || math.IsInf(s.White, 1) {
		return fmt.Errorf("white = %v is no grey value", s.White)
	}
	for i := range d {
		for j, v := range s.X.RawRowView(i) {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				return fmt.Errorf("%s: feature %d is %v", s.ID(j), i, v)
			}
		}
	}
	return nil
}

// fitsInput reports why vectors of d features cannot be what in makes, projected
// by p where p is not nil.
func fitsInput(in Input, p *projection.Fitted, d int) error {
	made := in.Len()
	if p != nil {
		if err := p.Validate(); err != nil {
			return err
		}
		from, to := p.Dims()
		if made != 0 && made != from {
			return fmt.Errorf("an input of %v makes %d features, its projection takes %d", in, made, from)
		}
		made = to
	}
	if made != 0 && made != d {
		return fmt.Errorf("an input of %v makes %d features, not %d", in, made, d)
	}
	return nil
}

func validateGroups(groups []int, classes, n int) error {
	if len(groups) != classes+1 || groups[0] != 0 || groups[classes] != n {
		return fmt.Errorf("groups %v do not divide %d columns into %d classes", abridge(groups), n, classes)
	}
	for c := range classes {
		if groups[c+1] <= groups[c] {
			return fmt.Errorf("class %d of %d is empty", c, classes)
		}
	}
	return nil
}

func abridge(v []int) string {
	if len(v) <= 8 {
		return fmt.Sprint(v)
	}
	return strings.TrimSuffix(fmt.Sprint(v[:8]), "]") + " …]"
}

// ID names sample j in messages: its entry of IDs, else its class and number.
func (s *Set) ID(j int) string {
	if s.IDs != nil {
		return s.IDs[j]
	}
	c := s.ClassOf(j)
	return fmt.Sprintf("sample %d of class %s", j-s.Groups[c]+1, s.Classes[c])
}

// ClassOf returns the class of sample j.
func (s *Set) ClassOf(j int) int {
	c, found := slices.BinarySearch(s.Groups, j)
	if !found {
		c--
	}
	return c
}

// Labels returns the class of every sample, len N.
func (s *Set) Labels() []int {
	labels := make([]int, 0, s.Groups[len(s.Groups)-1])
	for c := range s.Classes {
		for range s.Groups[c+1] - s.Groups[c] {
			labels = append(labels, c)
		}
	}
	return labels
}

// Select returns the samples at columns idx, in the order of s, as a new Set
// that shares nothing with s but the names. Classes that lose all their
// samples are left out: a Set has no empty class.
func (s *Set) Select(idx []int) *Set {
	idx = slices.Sorted(slices.Values(idx))
	d, _ := s.X.Dims()
	t := &Set{X: mat.NewDense(d, len(idx), nil), Groups: []int{0}, Input: s.Input, White: s.White, Projection: s.Projection}
	permuteColumns(t.X, s.X, idx)
	last := -1
	for _, j := range idx {
		if s.IDs != nil {
			t.IDs = append(t.IDs, s.IDs[j])
		}
		if s.Quality != nil {
			t.Quality = append(t.Quality, s.Quality[j])
		}
		if c := s.ClassOf(j); c != last {
			t.Classes = append(t.Classes, s.Classes[c])
			t.Groups = append(t.Groups, t.Groups[len(t.Groups)-1])
			last = c
		}
		t.Groups[len(t.Groups)-1]++
	}
	return t
}

// Black reports whether sample j is all zero: a black image, or one in which no
// face was found. Nobody is recognised in it.
func (s *Set) Black(j int) bool {
	d, _ := s.X.Dims()
	for i := range d {
		if s.X.At(i, j) != 0 {
			return false
		}
	}
	return true
}

// NotBlack returns s without the samples that are all zero: they have no
// direction to learn. It is s itself where there are none, and has neither
// samples nor classes where there are no others; classes that lose all samples
// are left out.
func (s *Set) NotBlack() *Set {
	_, n := s.X.Dims()
	norm := make([]float64, n)
	lin.SquaredColumnNorms(norm, Unit(s.X))
	var idx []int
	for j, v := range norm {
		if v > 0 {
			idx = append(idx, j)
		}
	}
	switch len(idx) {
	case n:
		return s
	case 0:
		return &Set{}
	}
	return s.Select(idx)
}

// Unit returns a copy of x, d×n, whose columns have unit ℓ2 norm: every method
// learns and recognises samples at that scale. A column of zeros stays zero.
// Columns are scaled by their largest magnitude first, so that neither very
// large nor very small values overflow.
func Unit(x *mat.Dense) *mat.Dense {
	d, n := x.Dims()
	u := mat.DenseCopyOf(x)
	largest, norm := make([]float64, n), make([]float64, n)
	for i := range d {
		for j, v := range u.RawRowView(i) {
			largest[j] = max(largest[j], math.Abs(v))
		}
	}
	for i := range d {
		for j, v := range u.RawRowView(i) {
			if largest[j] > 0 {
				v /= largest[j]
				norm[j] += v * v
			}
		}
	}
	for i := range d {
		row := u.RawRowView(i)
		for j := range row {
			if largest[j] > 0 {
				row[j] = row[j] / largest[j] / math.Sqrt(norm[j])
			}
		}
	}
	return u
}
