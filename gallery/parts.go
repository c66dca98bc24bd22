package gallery

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/frontend"
	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/openset"
)

// mostTurns bounds the turns of halves, which ends after three or four, and the single images
// that TwoPeople leaves out.
const mostTurns = 20

// TwoPeople reports whether the columns of x, d×n of unit norm, look like two people. It
// returns the columns of the smaller group, two or more, and the probability that it shows
// another person. It returns nil if all columns may be of one person, or if only single columns
// differ, which may be unusual images. Of two columns it returns both, as it is not known which
// is wrong.
func (s *Settings) TwoPeople(l *openset.Impostors, x *mat.Dense) (others []int, probability float64) {
	_, n := x.Dims()
	left := make([]int, n)
	for j := range left {
		left[j] = j
	}
	for range mostTurns {
		some, p := s.twoMeans(l, lin.Select(x, left))
		switch {
		case p < s.Review.Leave:
			return nil, 0
		case len(some) > 1:
			for _, k := range some {
				others = append(others, left[k])
			}
			return others, p
		case n == 2:
			return left, p
		}
		left = slices.Delete(left, some[0], some[0]+1)
	}
	return nil, 0
}

// twoMeans divides the columns of x, d×n of unit norm, into two parts by 2-means, started
// from the column that is least like the mean and the one that is least like that. It
// returns the columns of the smaller part, and the probability that the parts show two
// people; 0 for less than two columns.
func (s *Settings) twoMeans(l *openset.Impostors, x *mat.Dense) (smaller []int, probability float64) {
	d, n := x.Dims()
	if n < 2 {
		return nil, 0
	}
	columns := make([][]float64, n)
	sums := [2][]float64{make([]float64, d), make([]float64, d)}
	for j := range columns {
		columns[j] = mat.Col(nil, j, x)
		floats.Add(sums[0], columns[j])
	}
	least := func(from []float64) (at int) {
		for j := range columns {
			if floats.Dot(from, columns[j]) < floats.Dot(from, columns[at]) {
				at = j
			}
		}
		return at
	}
	copy(sums[0], columns[least(sums[0])])
	copy(sums[1], columns[least(sums[0])])
	var in []bool // the second part
	var count [2]int
	for range mostTurns {
		next := make([]bool, n)
		changed := in == nil
		na, nb := floats.Norm(sums[0], 2), floats.Norm(sums[1], 2)
		for j, v := range columns {
			next[j] = floats.Dot(sums[1], v)*na > floats.Dot(sums[0], v)*nb
			changed = changed || in[j] != next[j]
		}
		if !changed {
			break
		}
		in, count = next, [2]int{}
		clear(sums[0])
		clear(sums[1])
		for j, v := range columns {
			part := 0
			if in[j] {
				part = 1
			}
			count[part]++
			floats.Add(sums[part], v)
		}
		if count[0] == 0 || count[1] == 0 {
			return nil, 0 // all are equal
		}
	}
	less := count[1] <= count[0]
	for j := range columns {
		if in[j] == less {
			smaller = append(smaller, j)
		}
	}
	same := l.SameRatio(floats.Dot(sums[0], sums[1])/float64(count[0]*count[1]), float64(count[0]), float64(count[1]), 0)
	share := s.Review.TwoPeople
	return smaller, 1 / (1 + (1-share)/share*math.Exp(same))
}

// OneIsEnough returns nil if a gallery of a single person can recognise that person. The
// method m has to learn each person without the others, and in has to make vectors of a
// network whose impostor distribution is known. Otherwise the error says why not, with advice.
func OneIsEnough(in frontend.Pipeline, m classify.Method) error {
	_, separable := m.(classify.Separable)
	switch {
	case !in.SeesImages():
		return advice.Add(errors.New("a sample is compared with those of other classes"), "add samples of other classes")
	case in.Embedding.IsZero():
		return advice.Add(fmt.Errorf("by such features a face is compared with other people"),
			"add images of other people; or give photographs in which faces are found: with the vectors of a network (%v) one person is enough", advice.Input.To("embedding"))
	case !in.Projection.IsZero():
		return advice.Add(fmt.Errorf("the projection %v learns what tells people apart", in.Projection), "add images of other people, or leave out %v", advice.Projection)
	case m != nil && !separable:
		return advice.Add(fmt.Errorf("the method %s learns what tells people apart", m.Name()), "add images of other people, or leave out %v: for the default one person is enough", advice.Method)
	case in.Law() == nil:
		return advice.Add(fmt.Errorf("network %s was not measured with these settings, so how similar strangers are is not known", in.Embedding.Name),
			"add images of other people, or measure the network: %v", advice.MeasureNetwork)
	}
	return nil
}

// checkPeople is an error if there is a single person, for whom in and m are not enough.
func checkPeople(people []string, in frontend.Pipeline, m classify.Method) error {
	if len(people) != 1 {
		return nil
	}
	if err := OneIsEnough(in, m); err != nil {
		one := "person"
		if !in.SeesImages() {
			one = "class"
		}
		return fmt.Errorf("one %s only, %q: %w", one, people[0], err)
	}
	return nil
}
