package openset

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distuv"

	"nrdl.example/nrdl/internal/lin"
)

// Resemblance says how similar the people of a gallery are to each other. A photograph is
// compared with the mean face of each other person, which gives a deviate (see Impostors); Mean
// and SD are the mean and the standard deviation of all deviates. They are 0 and 1 for people
// chosen at random. The mean is larger for people who resemble each other, such as relatives.
// Strangers from the same surroundings are assumed to resemble the people in the same way.
type Resemblance struct {
	People int     `json:"people"`
	Mean   float64 `json:"mean"` // over pairs of people
	SD     float64 `json:"sd"`
}

// posterior returns estimates of the mean and the standard deviation of the deviates of strangers who
// resemble the people.
func (a Resemblance) posterior(by *Assumptions) (mean, sd float64) {
	n := float64(a.People)
	if a.People < 2 {
		n = 0
	}
	mean = (n*a.Mean + by.PriorPeople*by.PriorMean) / (n + by.PriorPeople)
	sd = math.Sqrt((n*a.SD*a.SD + by.PriorPeopleSD*by.PriorSD*by.PriorSD) / (n + by.PriorPeopleSD))
	return mean, sd
}

// Threshold returns the smallest deviate at which at most this share of strangers is named,
// both of strangers in general and of strangers who resemble the people, by the
// DefaultAssumptions.
func (a Resemblance) Threshold(share float64, people int) float64 {
	return a.threshold(&DefaultAssumptions, share, people)
}

func (a Resemblance) threshold(by *Assumptions, share float64, people int) float64 {
	z := AtLarge(share, people)
	mean, sd := a.posterior(by)
	return max(z, mean+sd*z)
}

// exceedance is the probability that a stranger who resembles the people has a deviate above
// z with anybody of so many people, if the mean is off by this many of its standard errors.
func (a Resemblance) exceedance(by *Assumptions, z float64, people int, errors float64) float64 {
	mean, sd := a.posterior(by)
	mean += errors * by.MeanError / (float64(a.People) + by.PriorPeople)
	return ofMany(distuv.UnitNormal.Survival((z-mean)/sd), people)
}

// withStrangers returns a updated by strangers from the same surroundings, who have these
// largest evidences with so many people: each counts as one more person.
func (a Resemblance) withStrangers(by *Assumptions, given []float64, people int) Resemblance {
	if len(given) == 0 {
		return a
	}
	_, sd := a.posterior(by)
	var mean float64
	for _, e := range given {
		mean += deviateOf(e, people) / float64(len(given))
	}
	mean -= sd * expectedLargest(people)
	n, g := float64(a.People), float64(len(given))
	a.Mean = (n*a.Mean + g*mean) / (n + g)
	a.People += len(given)
	return a
}

// expectedLargest is the expected largest of n standard normal numbers,
// n ∫ x φ(x) Φ(x)ⁿ⁻¹ dx.
func expectedLargest(n int) float64 {
	return overNumbers().integrate(func(x float64) float64 {
		return float64(n) * x * distuv.UnitNormal.Prob(x) * math.Pow(distuv.UnitNormal.CDF(x), float64(n-1))
	})
}

// Validate reports the first impossible number.
func (a *Resemblance) Validate() error {
	if a.People < 0 || math.IsNaN(a.Mean) || math.IsInf(a.Mean, 0) || !(a.SD >= 0) || math.IsInf(a.SD, 1) {
		return fmt.Errorf("calibration: %d people of mean %v and deviation %v", a.People, a.Mean, a.SD)
	}
	return nil
}

// A Comparison is a photograph of a gallery compared with the people, its own without
// itself.
type Comparison struct {
	Column   int     // of the photograph
	Best     int     // the person with the largest deviate
	Evidence float64 // of Best
	Rival    int     // the other person with the largest deviate
	Stranger float64 // the evidence of Rival, as if the person of the photograph were not enrolled
	Single   bool    // the only photograph of its person, which cannot be compared with it: Best is Rival
}

// Compare compares the photographs of a gallery, the columns of x, d×n of unit norm and grouped
// by person, with the mean face of each person. For the person of the photograph, that is the
// mean of the other photographs. If most > 0, it makes at most so many comparisons, and chooses
// photographs that are evenly spread.
func (l *Impostors) Compare(x *mat.Dense, groups []int, most int) (Resemblance, []Comparison) {
	return l.compare(galleryOf(x, groups), most, DefaultAssumptions.MostDeviate)
}

// A Gallery has the embeddings of people, of unit norm, person by person.
type Gallery struct {
	Groups  []int                                          // len C+1, as in classify.Samples
	Faces   func(person int) (x *mat.Dense, sum []float64) // the embeddings of a person, d×k, and their sum
	Cosines func(dst, probes *mat.Dense)                   // sets dst, C×n, to the cosines of probes, d×n, with the means of the people, as Means returns them
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

// compare is Compare for the people of g. Deviates count as mostDeviate at most for Alike.
func (l *Impostors) compare(g Gallery, most int, mostDeviate float64) (Resemblance, []Comparison) {
	groups, people := g.Groups, len(g.Groups)-1
	chosen, of := compareColumns(groups, most)
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
	l.deviates(cosines, groups)
	all := make([]Comparison, len(chosen))
	pairs, seen := newPairSums(people, mostDeviate), make([]int, people)
	deviates := make([]float64, people)
	for i, j := range chosen {
		own := of[i]
		seen[own]++
		mat.Col(deviates, i, cosines)
		pairs.add(own, deviates)
		k := groups[own+1] - groups[own]
		deviates[own] = math.Inf(-1)
		if k > 1 {
			x, sum := g.Faces(own)
			deviates[own] = l.Deviate(k-1, leaveOneOut(sum, x, j-groups[own]))
		}
		all[i] = compared(j, own, deviates)
		all[i].Single = k == 1
	}
	return pairs.resemblance(seen), all
}

// deviates replaces cosines, C×n, of n photographs with the means of people by their
// deviates.
func (l *Impostors) deviates(cosines *mat.Dense, groups []int) {
	to := tables{}
	for c := range len(groups) - 1 {
		t, row := to.table(l, groups[c+1]-groups[c]), cosines.RawRowView(c)
		for i, v := range row {
			row[i] = t.value(v)
		}
	}
}

// compared is the Comparison of a photograph with these deviates.
func compared(column, own int, deviates []float64) Comparison {
	c := Comparison{Column: column, Rival: -1}
	for p, z := range deviates {
		if p != own && (c.Rival < 0 || z > deviates[c.Rival]) {
			c.Rival = p
		}
	}
	c.Best = c.Rival
	if deviates[own] >= deviates[c.Rival] {
		c.Best = own
	}
	c.Evidence, c.Stranger = evidenceOf(deviates[c.Best], len(deviates)), evidenceOf(deviates[c.Rival], len(deviates))
	return c
}

// compareColumns returns at most so many columns, evenly spread, and the person of each.
func compareColumns(groups []int, most int) (columns, of []int) {
	people := len(groups) - 1
	n := groups[people]
	step := 1.0
	if most > 0 {
		step = max(1, float64(n)*float64(people)/float64(most))
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

// pairSums sum the deviates of the photographs of each person with each other person.
type pairSums struct {
	people      int
	most        float64   // for a deviate, and −most
	sum, square []float64 // over the photographs of a person and all others
}

func newPairSums(people int, most float64) *pairSums {
	return &pairSums{people, most, make([]float64, people), make([]float64, people)}
}

func (p *pairSums) add(own int, deviates []float64) {
	sum, square := p.sum[own], p.square[own]
	for c, z := range deviates {
		if c != own {
			if z > p.most {
				z = p.most
			} else if z < -p.most {
				z = -p.most
			}
			sum += z
			square += z * z
		}
	}
	p.sum[own], p.square[own] = sum, square
}

// resemblance returns the Resemblance of what was added, each person counting the same.
func (p *pairSums) resemblance(photographs []int) Resemblance {
	a := Resemblance{People: p.people}
	if p.people < 2 {
		return a
	}
	var sum, square, n float64
	for c, k := range photographs {
		if k > 0 {
			w := 1 / float64(k*(p.people-1))
			sum, square, n = sum+w*p.sum[c], square+w*p.square[c], n+1
		}
	}
	if n > 0 {
		a.Mean = sum / n
		a.SD = math.Sqrt(max(0, square/n-a.Mean*a.Mean))
	}
	return a
}
