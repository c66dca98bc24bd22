package gallery

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/openset"
)

// maxTurns bounds the turns of halves, which ends after three or four, and the single images
// that TwoPeople leaves out.
const maxTurns = 20

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
	for range maxTurns {
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
	smaller, usual, aged := s.ratios(l, x)
	if smaller == nil {
		return nil, 0
	}
	share, r := s.Review.TwoPeople, s.Review.Aged
	return smaller, 1 / (1 + (1-share)/share*((1-r)*math.Exp(usual)+r*math.Exp(aged)))
}

// aged returns s with the share of the people of a gallery whose photographs are years apart, and so
// are less alike than those of others, as in a gallery of children. It is found by expectation
// maximisation from how alike the two parts of each person's photographs are, which may also show two people.
// The columns of x, d×n of unit norm, are grouped by person.
func (s *Settings) aged(l *openset.Impostors, x *mat.Dense, groups []int) *Settings {
	const turns, people = 30, 10 // as many people as the shares before count for
	var all [][3]float64
	for c := range len(groups) - 1 {
		if groups[c+1]-groups[c] > 1 {
			if part, usual, aged := s.ratios(l, lin.Cols(x, groups[c], groups[c+1])); part != nil {
				all = append(all, [3]float64{math.Exp(usual), math.Exp(aged), 1})
			}
		}
	}
	r := *s
	two := s.Review.TwoPeople
	prior := [3]float64{(1 - two) * (1 - s.Review.Aged), (1 - two) * s.Review.Aged, two}
	shares := prior
	for range turns {
		var next [3]float64
		for i, share := range prior {
			next[i] = people * share
		}
		for _, ratios := range all {
			var sum float64
			for i, share := range shares {
				sum += share * ratios[i]
			}
			for i, share := range shares {
				next[i] += share * ratios[i] / sum
			}
		}
		for i, v := range next {
			shares[i] = v / float64(people+len(all))
		}
	}
	r.Review.Aged = shares[1] / (shares[0] + shares[1])
	return &r
}

// unusual is the share of unusual photographs of one person whose other photographs are the columns of x: if these
// are years apart, so may be one more.
func (s *Settings) unusual(l *openset.Impostors, x *mat.Dense) float64 {
	aged := s.Review.Aged
	if part, usual, apart := s.ratios(l, x); part != nil {
		aged = 1 / (1 + (1-aged)/aged*math.Exp(usual-apart))
	}
	return max(s.Review.Unusual, aged)
}

// ratios divides the columns of x as twoMeans does. It returns the columns of the smaller part, nil for less than two
// columns, and the log likelihood ratios of one person, whose photographs are of about one time or
// years apart, to two people.
func (s *Settings) ratios(l *openset.Impostors, x *mat.Dense) (smaller []int, usual, aged float64) {
	d, n := x.Dims()
	if n < 2 {
		return nil, 0, 0
	}
	columns := make([][]float64, n)
	sums := [2][]float64{make([]float64, d), make([]float64, d)}
	for j := range columns {
		columns[j] = mat.Col(nil, j, x)
		floats.Add(sums[0], columns[j])
	}
	farthest := func(from []float64) (at int) {
		for j := range columns {
			if floats.Dot(from, columns[j]) < floats.Dot(from, columns[at]) {
				at = j
			}
		}
		return at
	}
	copy(sums[0], columns[farthest(sums[0])])
	copy(sums[1], columns[farthest(sums[0])])
	var in []bool // the second part
	var count [2]int
	for range maxTurns {
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
			return nil, 0, 0 // all are equal
		}
	}
	less := count[1] <= count[0]
	for j := range columns {
		if in[j] == less {
			smaller = append(smaller, j)
		}
	}
	usual, aged = s.ratiosOf(l, floats.Dot(sums[0], sums[1])/float64(count[0]*count[1]), float64(count[0]), float64(count[1]))
	return smaller, usual, aged
}

// ratiosOf are those of ratios for a and b photographs with this mean cosine.
func (s *Settings) ratiosOf(l *openset.Impostors, cosine, a, b float64) (usual, aged float64) {
	apart := *l
	v := &apart.Same
	v.Mean, v.Pair = s.Review.AgedMean*l.Same.Mean, s.Review.AgedSD*s.Review.AgedSD
	above := max(0, cosine-v.Mean) // which speaks for one time
	return l.SameRatio(cosine, a, b, 0), apart.SameRatio(cosine, a, b, 0) - above*above/(2*(v.Pair+v.Photograph*(1/a+1/b)))
}
