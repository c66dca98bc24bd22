package group

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/openset"
)

// WeakOptions say how names of whole photographs are given to the faces in them. The numbers
// were chosen on albums of 150 people of lfw_several, drawn from their photographs, and judged on
// albums of the other 150: NRDL_LONG=1 go test ./faces/group -run RealAlbums -v prints both.
type WeakOptions struct {
	Groups Options // by which faces are grouped first

	Present float64 // probability that the face of a person is found in a photograph with the name of that person
	Absent  float64 // probability that a photograph does not name somebody whose face is in it
	Odds    float64 // of the best name of a group over the second, at least

	MinDeviate float64 // deviates by which a face resembles the others of its name more than strangers do, at least
	Passes     int     // alternate assignment and class means, at most

	// A name is right with the probability Ceiling/(1 + exp(−Offset − Slope·e)). The evidence e is
	// in deviates: how much more a face resembles the others of its name than strangers do, or
	// than those of the next name, whichever is less. Ceiling is below 1 since some names are
	// those of others who are in the same photographs.
	Offset, Slope, Ceiling float64
	Sure                   float64 // probability from which a name is given
}

// DefaultWeak are the options that were chosen.
var DefaultWeak = WeakOptions{
	Groups: Default, Present: 0.9, Absent: 0.1, Odds: 10, MinDeviate: 2.5, Passes: 20, Offset: 0.4, Slope: 2.7, Ceiling: 0.99, Sure: 0.95,
}

// A Guess is the name of a face by who appears together.
type Guess struct {
	Name        string  // "" where none is sure enough
	Likeliest   string  // also where it is not sure; "" where no name comes into question
	Probability float64 // that Likeliest is right
}

// Weak names the columns of x (d×n), vectors of unit norm, by the names of the photographs that
// they are in: photographs has the photograph of each, and names the names of each photograph.
// A name may be missing from a photograph, a face may be nobody's, and a photograph may name
// somebody whose face is not found. Two faces of a photograph never get one name. Known are names
// of faces that are certain; nil for none.
//
// The faces are grouped by the function Faces. A group gets the name in whose photographs its
// faces are, by a likelihood ratio; the most certain one first, so that its photographs are
// explained when the others are decided. The only face of a photograph with one name has that name
// with the odds Present to Absent·(1 − Present), before anything is known of other faces. Then faces
// are assigned to the means of names, among the
// names of their photograph, and the means computed again, in turn. A face never counts in the
// mean with which it is compared.
func Weak(ctx context.Context, x *mat.Dense, photographs []int, names [][]string, known []string,
	l *openset.Impostors, o WeakOptions,
) ([]Guess, error) {
	_, n := x.Dims()
	if len(photographs) != n || known != nil && len(known) != n {
		return nil, fmt.Errorf("group: %d photographs and %d known names for %d faces", len(photographs), len(known), n)
	}
	if l == nil {
		return nil, errors.New("group: the impostor scores of the network are not known")
	}
	groups, err := Faces(ctx, x, photographs, l, o.Groups)
	if err != nil {
		return nil, err
	}
	w := &weak{x: x, photographs: photographs, l: l, o: o, index: map[string]int{}, choice: make([]int, n), fixed: make([]bool, n)}
	w.list(names)
	for j := range w.choice {
		w.choice[j] = -1
		if known != nil && known[j] != "" {
			w.choice[j], w.fixed[j] = w.indexOf(known[j]), true
		}
	}
	w.nameGroups(groups)
	w.nameOnly()
	for range o.Passes {
		if err := context.Cause(ctx); err != nil {
			return nil, err
		}
		if !w.pass() {
			break
		}
	}
	return w.guesses(), nil
}

// A weak is the state of Weak. A name is its index in names.
type weak struct {
	x           *mat.Dense
	photographs []int
	l           *openset.Impostors
	o           WeakOptions

	names      []string
	index      map[string]int
	candidates [][]int // names of each photograph
	counts     []int   // photographs of each name

	choice []int // name of each face; −1 for none
	fixed  []bool
	only   []bool     // faces that are alone in a photograph of one name
	sums   *mat.Dense // of the faces of each name, d×names
	sizes  []int
}

func (w *weak) indexOf(name string) int {
	i, ok := w.index[name]
	if !ok {
		i = len(w.names)
		w.index[name] = i
		w.names, w.counts = append(w.names, name), append(w.counts, 0)
	}
	return i
}

// list takes the names of photographs, each once.
func (w *weak) list(names [][]string) {
	w.candidates = make([][]int, len(names))
	for p, all := range names {
		for _, name := range all {
			if i := w.indexOf(name); !slices.Contains(w.candidates[p], i) {
				w.candidates[p] = append(w.candidates[p], i)
				w.counts[i]++
			}
		}
	}
}

// nameGroups gives names to groups, the most certain first.
func (w *weak) nameGroups(groups []Group) {
	taken := map[[2]int]bool{} // photograph and name
	for j, name := range w.choice {
		if name >= 0 {
			taken[[2]int{w.photographs[j], name}] = true
		}
	}
	open := slices.Clone(groups)
	for {
		best, name, largest := -1, -1, math.Log(w.o.Odds)
		for g := range open {
			if i, odds := w.likeliest(open[g].Faces, taken); i >= 0 && odds >= largest {
				best, name, largest = g, i, odds
			}
		}
		if best < 0 {
			return
		}
		for _, j := range open[best].Faces {
			p := w.photographs[j]
			if w.choice[j] < 0 && slices.Contains(w.candidates[p], name) && !taken[[2]int{p, name}] {
				w.choice[j], taken[[2]int{p, name}] = name, true
			}
		}
		open = slices.Delete(open, best, best+1)
	}
}

// nameOnly gives a face that is alone in a photograph of one name that name.
func (w *weak) nameOnly() {
	faces := make([]int, len(w.candidates))
	for _, p := range w.photographs {
		faces[p]++
	}
	w.only = make([]bool, len(w.choice))
	for j, p := range w.photographs {
		if w.only[j] = faces[p] == 1 && len(w.candidates[p]) == 1; w.only[j] && w.choice[j] < 0 {
			w.choice[j] = w.candidates[p][0]
		}
	}
}

// logit returns the log odds that name is that of face j, by its deviates.
func (w *weak) logit(j, name int, deviates []float64) float64 {
	own, rival := deviates[name], 0.0 // a stranger
	for i, z := range deviates {
		if i != name {
			rival = max(rival, z)
		}
	}
	prior := 0.0
	if w.only[j] {
		prior = math.Log(w.o.Present / (w.o.Absent * (1 - w.o.Present)))
		if math.IsInf(own, -1) { // no other face has the name: a rival must be similar to the face
			own, rival = 0, max(0, rival-w.o.MinDeviate)
		}
	}
	return w.o.Offset + w.o.Slope*(own-rival) + prior
}

// likeliest returns the name whose photographs best explain where faces, those of a group, are,
// and its log odds over the second best and over nobody; −1 without any.
func (w *weak) likeliest(faces []int, taken map[[2]int]bool) (name int, odds float64) {
	in := map[int]int{} // photographs of the group that have the name free
	for _, j := range faces {
		p := w.photographs[j]
		for _, i := range w.candidates[p] {
			if !taken[[2]int{p, i}] {
				in[i]++
			}
		}
	}
	total := float64(len(w.candidates))
	name, best, second := -1, math.Inf(-1), 0.0 // nobody's ratio is 0
	for _, i := range sortedKeys(in) {
		with, rate := float64(in[i]), float64(w.counts[i])/total
		rate = min(max(rate, 1/(total+1)), 0.99)
		ratio := with*math.Log((1-w.o.Absent)/rate) + (float64(len(faces))-with)*math.Log(w.o.Absent/(1-rate))
		if missing := float64(w.counts[i]) - with; missing > 0 {
			ratio += missing * math.Log((1-w.o.Present)/(1-min(0.99, float64(len(faces))/total))) * float64(len(faces)) /
				(float64(len(faces)) + missing)
		}
		switch {
		case ratio > best:
			name, best, second = i, ratio, max(second, best)
		case ratio > second:
			second = ratio
		}
	}
	return name, best - second
}

func sortedKeys(m map[int]int) []int {
	keys := make([]int, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// learn computes the sums of the faces of each name.
func (w *weak) learn() {
	d, _ := w.x.Dims()
	w.sums, w.sizes = mat.NewDense(d, max(1, len(w.names)), nil), make([]int, len(w.names))
	for j, name := range w.choice {
		if name < 0 {
			continue
		}
		w.sizes[name]++
		for i := range d {
			w.sums.Set(i, name, w.sums.At(i, name)+w.x.At(i, j))
		}
	}
}

// deviates returns by how much face j resembles the other faces of each name more than a stranger
// does, −Inf without others. Products are those of x and sums.
func (w *weak) deviates(j int, products, squares []float64) []float64 {
	all := make([]float64, len(w.names))
	for i := range all {
		dot, square, k := products[i], squares[i], w.sizes[i]
		if w.choice[j] == i { // without itself; its norm is 1
			square, dot, k = square-2*dot+1, dot-1, k-1
		}
		if all[i] = math.Inf(-1); k > 0 && square > 0 {
			all[i] = w.l.Deviate(k, dot/math.Sqrt(square))
		}
	}
	return all
}

// eachFace calls f with the deviates of each face.
func (w *weak) eachFace(f func(j int, deviates []float64)) {
	_, n := w.x.Dims()
	products := mat.NewDense(len(w.names), n, nil)
	lin.AtB(products, 1, w.sums, w.x)
	squares := make([]float64, len(w.names))
	for i := range squares {
		column := w.sums.ColView(i)
		squares[i] = mat.Dot(column, column)
	}
	for j := range n {
		f(j, w.deviates(j, mat.Col(nil, j, products), squares))
	}
}

// pass assigns the faces of each photograph to its names, and reports whether any changed.
func (w *weak) pass() bool {
	if len(w.names) == 0 {
		return false
	}
	w.learn()
	type pair struct {
		face, name int
		deviate    float64
	}
	pairs := make([][]pair, len(w.candidates))
	w.eachFace(func(j int, deviates []float64) {
		p := w.photographs[j]
		for _, i := range w.candidates[p] {
			if deviates[i] >= w.o.MinDeviate || w.only[j] && w.logit(j, i, deviates) > 0 {
				pairs[p] = append(pairs[p], pair{j, i, deviates[i]})
			}
		}
	})
	next := make([]int, len(w.choice))
	taken := map[[2]int]bool{}
	for j := range next {
		if next[j] = -1; w.fixed[j] {
			next[j] = w.choice[j]
			taken[[2]int{w.photographs[j], next[j]}] = true
		}
	}
	for p, all := range pairs {
		slices.SortStableFunc(all, func(a, b pair) int {
			if a.deviate > b.deviate {
				return -1
			}
			return 1
		})
		for _, q := range all {
			if next[q.face] < 0 && !taken[[2]int{p, q.name}] {
				next[q.face], taken[[2]int{p, q.name}] = q.name, true
			}
		}
	}
	changed := !slices.Equal(next, w.choice)
	w.choice = next
	return changed
}

// guesses says how sure each name is.
func (w *weak) guesses() []Guess {
	all := make([]Guess, len(w.choice))
	if len(w.names) == 0 {
		return all
	}
	w.learn()
	w.eachFace(func(j int, deviates []float64) {
		name := w.choice[j]
		if name < 0 {
			return
		}
		g := Guess{Likeliest: w.names[name], Probability: w.o.Ceiling / (1 + math.Exp(-w.logit(j, name, deviates)))}
		if w.fixed[j] {
			g.Probability = 1
		}
		if g.Probability >= w.o.Sure {
			g.Name = g.Likeliest
		}
		all[j] = g
	})
	return all
}
