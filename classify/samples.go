package classify

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"
	"nrdl.example/nrdl/internal/natural"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/lin"
)

// Samples are labelled vectors. Their columns are grouped by class: the
// samples of class c are the columns Groups[c] ≤ j < Groups[c+1] of X.
// NewSamples makes them from columns in any order.
type Samples struct {
	X       *mat.Dense // d×N, one sample a column
	Groups  []int      // len C+1, Groups[0] = 0 and Groups[C] = N
	Classes []string   // len C, the names of the classes
	IDs     []string   // len N, where each sample came from; may be nil
	Grid    Grid       // the pixels of the features; zero if they have none

	Projection string // the projection that was fit to these samples and applied, as "fisher:0.1"; "" for none
}

// A Grid maps features to pixels: feature (p·Width + column)·Height + row
// belongs to pixel (row, column) in plane p. The zero Grid stands for features
// without pixels.
type Grid struct {
	Height int `json:"height"`
	Width  int `json:"width"`
	Planes int `json:"planes"`
}

// Len returns the number of features; 0 of the zero Grid.
func (g Grid) Len() int { return g.Height * g.Width * g.Planes }

// ByColumns returns x, whose columns have the pixels of each plane row after row (C order, as in
// NumPy), with those of g, column after column; for the zero Grid x itself. It panics if x has
// not g.Len() rows.
func (g Grid) ByColumns(x *mat.Dense) *mat.Dense {
	d, n := x.Dims()
	if g == (Grid{}) {
		return x
	}
	if d != g.Len() {
		panic(mat.ErrShape)
	}
	out := mat.NewDense(d, n, nil)
	for i := range d {
		plane, column, row := i/(g.Height*g.Width), i/g.Height%g.Width, i%g.Height
		out.SetRow(i, x.RawRowView((plane*g.Height+row)*g.Width+column))
	}
	return out
}

// ByRows is the inverse of ByColumns.
func (g Grid) ByRows(x *mat.Dense) *mat.Dense {
	return Grid{Height: g.Width, Width: g.Height, Planes: g.Planes}.ByColumns(x)
}

// holds reports why vectors of d features cannot lie on g.
func (g Grid) holds(d int) error {
	if g != (Grid{}) && (min(g.Height, g.Width, g.Planes) < 1 || g.Len() != d) {
		return fmt.Errorf("a grid of %d planes of %dx%d pixels for %d features", g.Planes, g.Height, g.Width, d)
	}
	return nil
}

// NewSamples groups the columns of x, d×N, by label. Classes are in the order
// of classes, or in natural order of their names if classes is nil. Inside a
// class the samples keep their order. X is copied only if columns have to move.
// IDs may be nil.
func NewSamples(x *mat.Dense, labels, ids, classes []string) (*Samples, error) {
	if x == nil {
		return nil, errors.New("group samples: there are none")
	}
	d, n := x.Dims()
	if len(labels) != n {
		return nil, fmt.Errorf("group samples: %d labels for %d samples", len(labels), n)
	}
	if ids != nil && len(ids) != n {
		return nil, fmt.Errorf("group samples: %d IDs for %d samples", len(ids), n)
	}
	order, groups, classes, err := Group(labels, classes)
	if err != nil {
		return nil, fmt.Errorf("group samples: %w", err)
	}
	s := &Samples{X: x, Groups: groups, Classes: classes}
	if !slices.IsSorted(order) {
		s.X = mat.NewDense(d, n, nil)
		lin.Gather(s.X, x, order)
	}
	if ids != nil {
		s.IDs = make([]string, n)
		for j, from := range order {
			s.IDs[j] = ids[from]
		}
	}
	return s, s.Validate()
}

// Group returns how NewSamples orders samples with these labels: column j of the result is the
// sample order[j].
func Group(labels, classes []string) (order, groups []int, names []string, err error) {
	members := make(map[string][]int)
	for j, l := range labels {
		members[l] = append(members[l], j)
	}
	if classes == nil {
		for l := range members {
			classes = append(classes, l)
		}
		slices.SortFunc(classes, natural.Compare)
	}
	groups = []int{0}
	for _, c := range classes {
		order = append(order, members[c]...)
		groups = append(groups, len(order))
		delete(members, c)
	}
	for l := range members {
		return nil, nil, nil, fmt.Errorf("label %q is not among the classes", l)
	}
	return order, groups, classes, nil
}

// Validate reports the first way in which the parts of s do not agree, or the
// first sample that holds a number that is not finite.
func (s *Samples) Validate() error {
	if s == nil || s.X == nil || s.X.IsEmpty() {
		return errors.New("there are no samples")
	}
	d, n := s.X.Dims()
	if s.IDs != nil && len(s.IDs) != n {
		return fmt.Errorf("%d IDs for %d samples", len(s.IDs), n)
	}
	if err := cmp.Or(distinct(s.Classes), validateGroups(s.Groups, len(s.Classes), n), s.Grid.holds(d)); err != nil {
		return err
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

// Seen returns what a method learns from: s without its samples that are zero, which is s
// itself if there are none. It is an error if s is not valid, or has one class only or a
// class of zeros.
func (s *Samples) Seen() (*Samples, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	if len(s.Classes) < MinClasses {
		return nil, advice.Add(fmt.Errorf("one class only, %q: the method learns what tells classes apart", s.Classes[0]),
			"add samples of other classes, or choose %v for vectors of a network, with which one class is enough", advice.Method.To("mean"))
	}
	return s.SeenAlone()
}

// SeenAlone is Seen for a Separable method, for which a single class is enough.
func (s *Samples) SeenAlone() (*Samples, error) {
	if err := s.Validate(); err != nil {
		return nil, err
	}
	seen := s
	switch columns := NonZero(s.X); len(columns) {
	case s.Len():
	case 0:
		seen = &Samples{}
	default:
		seen = s.Select(columns)
	}
	if len(seen.Classes) < len(s.Classes) {
		for c, name := range s.Classes {
			if c == len(seen.Classes) || seen.Classes[c] != name {
				return nil, advice.Add(fmt.Errorf("every sample of %s is zero, as black images are", name),
					"remove them, or add others of the same person")
			}
		}
	}
	return seen, nil
}

// distinct reports a class whose name is empty or that of another.
func distinct(classes []string) error {
	seen := make(map[string]bool, len(classes))
	for _, name := range classes {
		if name == "" {
			return errors.New("a class has no name")
		}
		if seen[name] {
			return fmt.Errorf("two classes are named %q", name)
		}
		seen[name] = true
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

// ID returns the name of sample j for messages: its entry of IDs, or else its
// class and number.
func (s *Samples) ID(j int) string {
	if s.IDs != nil {
		return s.IDs[j]
	}
	c := s.ClassOf(j)
	return fmt.Sprintf("sample %d of class %s", j-s.Groups[c]+1, s.Classes[c])
}

// Len returns the number of samples, N.
func (s *Samples) Len() int {
	if s.X == nil || s.X.IsEmpty() {
		return 0
	}
	_, n := s.X.Dims()
	return n
}

// ClassOf returns the class of sample j.
func (s *Samples) ClassOf(j int) int {
	c, found := slices.BinarySearch(s.Groups, j)
	if !found {
		c--
	}
	return c
}

// Labels returns the class of every sample, len N.
func (s *Samples) Labels() []int {
	labels := make([]int, 0, s.Groups[len(s.Groups)-1])
	for c := range s.Classes {
		for range s.Groups[c+1] - s.Groups[c] {
			labels = append(labels, c)
		}
	}
	return labels
}

// Select returns the samples at columns idx, in the order of s, as new Samples
// that share nothing with s but the names. Classes that lose all their
// samples are left out: Samples have no empty class.
func (s *Samples) Select(idx []int) *Samples {
	idx = slices.Sorted(slices.Values(idx))
	d, _ := s.X.Dims()
	t := &Samples{X: mat.NewDense(d, len(idx), nil), Groups: []int{0}, Grid: s.Grid, Projection: s.Projection}
	lin.Gather(t.X, s.X, idx)
	last := -1
	for _, j := range idx {
		if s.IDs != nil {
			t.IDs = append(t.IDs, s.IDs[j])
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

// NonZero returns the columns of x that are not all zero. The others have no
// direction to learn.
func NonZero(x *mat.Dense) []int {
	d, n := x.Dims()
	seen := make([]bool, n)
	for i := range d {
		for j, v := range x.RawRowView(i) {
			seen[j] = seen[j] || v != 0
		}
	}
	columns := make([]int, 0, n)
	for j, v := range seen {
		if v {
			columns = append(columns, j)
		}
	}
	return columns
}

// Unit returns a copy of x, d×n, whose columns have unit ℓ2 norm. Every method
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
	for j, v := range norm {
		norm[j] = math.Sqrt(v)
		if !(largest[j] > 0) {
			largest[j], norm[j] = 1, 1
		}
	}
	for i := range d {
		row := u.RawRowView(i)
		for j := range row {
			row[j] = row[j] / largest[j] / norm[j]
		}
	}
	return u
}
