package openset

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"nrdl.example/nrdl/internal/lin"
)

// A Comparison is the result of comparing a photograph of a gallery with the means of the
// people. The photograph is left out of the mean of its own person.
type Comparison struct {
	Column   int     // of the photograph
	Best     int     // the person with the largest deviate
	Evidence float64 // of Best
	Rival    int     // the other person with the largest deviate; −1 if there is none
	Stranger float64 // the evidence of Rival, as if the person of the photograph were not enrolled
	Single   bool    // the only photograph of its person, which cannot be compared with it: Best is Rival
}

// Compare compares the photographs of a gallery, the columns of x, d×n of unit norm and grouped
// by person, with the mean face of each person. For the person of the photograph, that is the
// mean of the other photographs. If limit > 0, it makes at most so many comparisons, and chooses
// photographs that are evenly spread.
func (l *Impostors) Compare(x *mat.Dense, groups []int, limit int) []Comparison {
	return l.compare(galleryOf(x, groups), limit)
}

// A Gallery has the embeddings of people, of unit norm, person by person.
type Gallery struct {
	Groups []int                                          // len C+1, as in classify.Samples
	Faces  func(person int) (x *mat.Dense, sum []float64) // the embeddings of a person, d×k, and their sum
	// sets dst, C×n, to the cosines of probes, d×n, with the means of the people, as Means returns them
	Cosines func(dst, probes *mat.Dense)
}

// galleryOf has the columns of x.
func galleryOf(x *mat.Dense, groups []int) Gallery {
	sums, means := Means(x, groups)
	return Gallery{
		groups, func(c int) (*mat.Dense, []float64) {
			return lin.Cols(x, groups[c], groups[c+1]), mat.Col(nil, c, sums)
		}, func(dst, probes *mat.Dense) { lin.AtB(dst, 1, means, probes) },
	}
}

// compare is Compare for the people of g.
func (l *Impostors) compare(g Gallery, limit int) []Comparison {
	groups, people := g.Groups, len(g.Groups)-1
	chosen, of := compareColumns(groups, limit)
	first, _ := g.Faces(0)
	d, _ := first.Dims()
	probes := mat.NewDense(d, len(chosen), nil)
	for n, j := range chosen {
		x, _ := g.Faces(of[n])
		for i := range d {
			probes.Set(i, n, x.At(i, j-groups[of[n]]))
		}
	}
	cosines := mat.NewDense(people, len(chosen), nil)
	g.Cosines(cosines, probes)
	to := tables{deviates: l.counted(g.photographs())}
	l.deviates(cosines, groups, &to)
	all := make([]Comparison, len(chosen))
	deviates := make([]float64, people)
	for i, j := range chosen {
		own := of[i]
		mat.Col(deviates, i, cosines)
		k := groups[own+1] - groups[own]
		deviates[own] = math.Inf(-1)
		if k > 1 {
			x, sum := g.Faces(own)
			deviates[own] = to.table(l, k-1).value(leaveOneOut(sum, x, j-groups[own]))
		}
		all[i] = compared(j, own, deviates)
		if all[i].Single = k == 1; to.deviates != nil && people > 1 {
			all[i].Stranger = withoutPerson(all[i].Stranger, people, to.deviates[min(k, len(to.deviates))-1])
		}
	}
	return all
}

// deviates replaces cosines, C×n, of n photographs with the means of people by their
// deviates.
func (l *Impostors) deviates(cosines *mat.Dense, groups []int, to *tables) {
	for c := range len(groups) - 1 {
		t, row := to.table(l, groups[c+1]-groups[c]), cosines.RawRowView(c)
		for i, v := range row {
			row[i] = t.value(v)
		}
	}
}

// withoutPerson is the evidence of a stranger who was compared with all of so many people but one, who counts as
// so many, as if the one had counted as one.
func withoutPerson(evidence float64, people int, as float64) float64 {
	z := deviateOf(evidence, people)
	others := (float64(people) - as) / float64(people-1)
	return evidenceOf(-distuv.UnitNormal.Quantile(powerOf(distuv.UnitNormal.Survival(z), others)), people)
}

// photographs are the numbers of photographs of the people of g.
func (g *Gallery) photographs() (all []int) {
	for c, first := range g.Groups[:len(g.Groups)-1] {
		all = append(all, g.Groups[c+1]-first)
	}
	return all
}

// compared is the Comparison of a photograph with these deviates.
func compared(column, own int, deviates []float64) Comparison {
	c := Comparison{Column: column, Rival: -1}
	for p, z := range deviates {
		if p != own && (c.Rival < 0 || z > deviates[c.Rival]) {
			c.Rival = p
		}
	}
	c.Best = own
	if c.Rival >= 0 {
		c.Stranger = evidenceOf(deviates[c.Rival], len(deviates))
		if deviates[own] < deviates[c.Rival] {
			c.Best = c.Rival
		}
	}
	c.Evidence = evidenceOf(deviates[c.Best], len(deviates))
	return c
}

// compareColumns returns at most so many columns, evenly spread, and the person of each.
func compareColumns(groups []int, limit int) (columns, of []int) {
	people := len(groups) - 1
	n := groups[people]
	step := 1.0
	if limit > 0 {
		step = max(1, float64(n)*float64(people)/float64(limit))
	}
	next := 0.0
	for p := range people {
		for j := groups[p]; j < groups[p+1]; j++ {
			if float64(j) >= next {
				columns, of = append(columns, j), append(of, p)
				next += step
			}
		}
	}
	return columns, of
}

// Means returns the sums of the columns of x of each group, and the same at unit
// norm, both d×C.
func Means(x *mat.Dense, groups []int) (sums, means *mat.Dense) {
	d, _ := x.Dims()
	people := len(groups) - 1
	sums, means = mat.NewDense(d, people, nil), mat.NewDense(d, people, nil)
	norms := make([]float64, people)
	for i := range d {
		row, sum := x.RawRowView(i), sums.RawRowView(i)
		for c := range people {
			for _, v := range row[groups[c]:groups[c+1]] {
				sum[c] += v
			}
			norms[c] += sum[c] * sum[c]
		}
	}
	for i := range d {
		sum, mean := sums.RawRowView(i), means.RawRowView(i)
		for c, v := range sum {
			if norms[c] > 0 {
				mean[c] = v / math.Sqrt(norms[c])
			}
		}
	}
	return sums, means
}

// leaveOneOut returns the cosine of column j of x, the photographs of a person with this sum,
// with the mean of the other columns.
func leaveOneOut(sum []float64, x *mat.Dense, j int) float64 {
	var dot, norm float64
	for i, all := range sum {
		v := x.At(i, j)
		rest := all - v
		dot += rest * v
		norm += rest * rest
	}
	if norm == 0 {
		return 0
	}
	return dot / math.Sqrt(norm)
}

// Pairs summarise the cosines of the samples of genuine pairs (two faces of one
// person) and of impostor pairs (two faces of different people). Both are
// modelled as normally distributed.
type Pairs struct {
	Genuine  Similarity `json:"genuine"`  // of pairs of photographs of one person
	Impostor Similarity `json:"impostor"` // of pairs of photographs of different people
}

// A Similarity has the mean and the standard deviation of the cosines of N
// pairs.
type Similarity struct {
	N    int     `json:"n"` // number
	Mean float64 `json:"mean"`
	SD   float64 `json:"sd"`
}

// Add adds the cosine of two faces, of the same person or not.
func (p *Pairs) Add(cosine float64, same bool) {
	cosine = max(-1, min(1, cosine)) // of equal samples, rounding may make it larger
	s := &p.Impostor
	if same {
		s = &p.Genuine
	}
	// Welford's update of mean and variance.
	n := float64(s.N)
	squares := s.SD * s.SD * max(0, n-1)
	d := cosine - s.Mean
	s.N++
	s.Mean += d / (n + 1)
	squares += d * (cosine - s.Mean)
	if s.N > 1 {
		s.SD = math.Sqrt(squares / n)
	}
}

// FMR is the false match rate of a threshold at this cosine: the probability
// that an impostor pair is at least as similar. It is 1 if fewer than two
// impostor pairs were added.
func (p *Pairs) FMR(cosine float64) float64 {
	if p.Impostor.N < 2 || !(p.Impostor.SD > 0) {
		return 1
	}
	return distuv.UnitNormal.Survival((cosine - p.Impostor.Mean) / p.Impostor.SD)
}

// Validate reports the first impossible number.
func (p *Pairs) Validate() error {
	for _, s := range []Similarity{p.Genuine, p.Impostor} {
		if s.N < 0 || !(math.Abs(s.Mean) <= 1) || !(s.SD >= 0 && s.SD <= 2) {
			return fmt.Errorf("calibration: %d pairs of mean %v and deviation %v", s.N, s.Mean, s.SD)
		}
	}
	return nil
}
