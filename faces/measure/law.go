// Package measure finds out what a network that makes vectors of faces is worth: how similar
// it finds different people and the same one.
//
// Experimental: this package may change in any version.
package measure

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/openset"
)

const (
	maxPhotographs = 5 // means of more are as those of 5
	meansOf        = 6 // draws of the photographs of a person

	minDeviate, maxDeviate, points = -3.2, 4.2, 50

	resamples = 100
	decimals  = 1e5

	minPeople = 10 // for the means of a number of photographs
	minPairs  = 3  // that are expected beyond a point of the law, at the lower end
)

// Law returns the impostor distribution of vectors of a network. several is a data set of
// people with several photographs each. The means of their photographs are compared with the
// faces of cohort, who are other people; if cohort is nil, with a photograph of each other
// person of several. The false match rates are one standard error above those measured, by a
// bootstrap over people and faces; the upper tail is a fitted line. Vectors of zeros are left out. Law does not fill in
// Network, Mirror, Landmarks, Settings and Source.
func Law(several, cohort *dataset.Images) (*openset.Impostors, error) {
	if several == nil || several.Len() == 0 || cohort != nil && cohort.Len() == 0 {
		return nil, errors.New("measure: there are no images")
	}
	m := &measurement{x: classify.Unit(several.X), groups: several.Groups, rng: rand.New(rand.NewPCG(1, 2))}
	if cohort != nil {
		m.faces = classify.Unit(cohort.X)
	}
	photographs, many := min(maxPhotographs, m.photographs(1)-1), min(maxVariation, m.photographs(2))
	if photographs < 1 || many < minVariation {
		return nil, advice.Add(fmt.Errorf("measure: fewer than %d people have %d photographs with a face", minPeople, 2*minVariation),
			"give more photographs; 100 people with 5 to 10 photographs each, and 1000 other people with one, make a good law")
	}
	l := &openset.Impostors{People: m.people(1), Photographs: several.Len(), Faces: m.people(1)}
	if cohort != nil {
		l.Faces = cohort.Len()
	}
	l.Comparisons, l.Deviates = m.deviates(photographs)
	end := tailOf(l.Comparisons, l.Deviates)
	var genuine [][]float64 // cosines
	for k := 1; k <= photographs; k++ {
		row, independent := m.row(k, l.Deviates, end)
		l.Cosines, l.Independent = append(l.Cosines, row), independent
		var same []float64
		for range meansOf {
			same = append(same, m.genuine(k)...)
		}
		genuine = append(genuine, same)
	}
	ascending(l)
	for i, cosines := range genuine {
		for j, v := range cosines {
			cosines[j] = l.Deviate(i+1, v)
		}
		mean, sd := stat.MeanStdDev(cosines, nil)
		l.Genuine = append(l.Genuine, [2]float64{math.Round(mean*1e3) / 1e3, math.Round(sd*1e3) / 1e3})
		slices.Sort(cosines)
		var accepted []float64
		for _, z := range l.Deviates {
			below, _ := slices.BinarySearch(cosines, z)
			accepted = append(accepted, rounded5(1-float64(below)/float64(len(cosines))))
		}
		l.Accepted = append(l.Accepted, accepted)
	}
	l.Different, l.Same = m.variations(many)
	return l, l.Validate()
}

// A measurement has the vectors at unit length that a law is made of.
type measurement struct {
	x      *mat.Dense
	groups []int
	faces  *mat.Dense // of the cohort; nil for none
	rng    *rand.Rand
}

// people is the number of people who have at least so many photographs.
func (m *measurement) people(photographs int) (n int) {
	for c := range len(m.groups) - 1 {
		if m.groups[c+1]-m.groups[c] >= photographs {
			n++
		}
	}
	return n
}

// photographs is the largest k for which minPeople have at least times·k photographs.
func (m *measurement) photographs(times int) (k int) {
	for m.people(times*(k+1)) >= minPeople {
		k++
	}
	return k
}

// deviates returns how many cosines a draw has for so many photographs, and the deviates of a law
// of them.
func (m *measurement) deviates(photographs int) (comparisons int, deviates []float64) {
	people := m.people(photographs)
	comparisons = people * (m.people(1) - 1)
	if m.faces != nil {
		_, faces := m.faces.Dims()
		comparisons = people * faces
	}
	for i := range points {
		z := minDeviate + float64(i)*(maxDeviate-minDeviate)/(points-1)
		if distuv.UnitNormal.Survival(-z)*float64(comparisons) >= minPairs {
			deviates = append(deviates, rounded5(z))
		}
	}
	return comparisons, deviates
}

// row returns the cosines that have these deviates for k photographs, and how many independent
// comparisons would say as much.
func (m *measurement) row(k int, deviates []float64, t tail) (row []float64, independent float64) {
	var all []float64
	var first *mat.Dense
	for range meansOf {
		means, of, _ := meansOfSome(m.x, m.groups, k, m.rng)
		cosines := m.compared(means, of)
		if first == nil {
			first = cosines
		}
		for _, v := range cosines.RawMatrix().Data {
			if !math.IsNaN(v) {
				all = append(all, v)
			}
		}
	}
	slices.Sort(all)
	counted := deviates[:t.end]
	errs := standardErrors(first, all, counted, m.rng)
	for i, z := range counted {
		rate := distuv.UnitNormal.Survival(z) / (1 + errs[i])
		row = append(row, stat.Quantile(1-rate, stat.LinInterp, all, nil))
		if distuv.UnitNormal.Survival(z) > 1e-4 {
			independent = math.Round(1 / (errs[i] * errs[i] * distuv.UnitNormal.Survival(z)))
		}
	}
	for i, v := range row[:t.first] {
		row[i] = rounded5(v)
	}
	return t.straighten(row, deviates), independent
}

// compared returns the cosines of means of people with the faces of the cohort; without a
// cohort with a face of each person of the data set, and NaN for a person's own.
func (m *measurement) compared(means *mat.Dense, people []int) *mat.Dense {
	if m.faces != nil {
		return compared(means, m.faces)
	}
	faces, owners, _ := meansOfSome(m.x, m.groups, 1, m.rng)
	c := compared(means, faces)
	for i, p := range people {
		c.Set(i, slices.Index(owners, p), math.NaN())
	}
	return c
}

// The mean cosines whose variations are compared: of 1 and 1 photographs, and of so many and
// as many.
const maxVariation, minVariation = 4, 2

// variations measures how the mean cosines of 1 and 1 photographs, and of many and many,
// vary between people and for the same.
func (m *measurement) variations(many int) (different, same openset.Variation) {
	const few = 1
	var means, others [2][]float64
	for range meansOf {
		for i, k := range []int{few, many} {
			a, of, chosen := sumsOfSome(m.x, m.groups, k, m.rng)
			b := mat.NewDense(a.RawMatrix().Rows, len(of), nil)
			for c, perm := range chosen {
				if len(perm) >= 2*k {
					addColumns(b, c, m.x, perm[k:2*k])
				}
			}
			a.Scale(1/float64(k), a)
			b.Scale(1/float64(k), b)
			cosines := compared(a, b)
			for c, perm := range chosen {
				if len(perm) < 2*k {
					continue
				}
				for r := range of {
					if v := cosines.At(r, c); r == c {
						means[i] = append(means[i], v)
					} else {
						others[i] = append(others[i], v)
					}
				}
			}
		}
	}
	of := func(lists [2][]float64) openset.Variation {
		a, b := stat.Variance(lists[0], nil), stat.Variance(lists[1], nil)
		n := float64(many)
		photograph := (a - b) / (2.0/few - 2.0/n)
		return openset.Variation{Mean: rounded(stat.Mean(lists[0], nil)), Pair: rounded(b - photograph*2/n), Photograph: rounded(photograph)}
	}
	return of(others), of(means)
}

// rounded5 keeps five decimals.
func rounded5(v float64) float64 { return math.Round(v*decimals) / decimals }

// rounded keeps four digits.
func rounded(v float64) float64 {
	v, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 4, 64), 64)
	if err != nil {
		panic(err)
	}
	return v
}

// addColumns adds columns of x to column c of a.
func addColumns(a *mat.Dense, c int, x *mat.Dense, columns []int) {
	for _, j := range columns {
		for r := range a.RawMatrix().Rows {
			a.Set(r, c, a.At(r, c)+x.At(r, j))
		}
	}
}

// compared returns the cosines of the columns of a with those of b.
func compared(a, b *mat.Dense) *mat.Dense {
	_, n := a.Dims()
	_, m := b.Dims()
	c := mat.NewDense(n, m, nil)
	lin.AtB(c, 1, a, b)
	return c
}

// meansOfSome returns the means, at unit norm, of k photographs of each group that has
// as many; whose they are, and the photographs of each.
func meansOfSome(x *mat.Dense, groups []int, k int, rng *rand.Rand) (means *mat.Dense, of []int, chosen [][]int) {
	means, of, chosen = sumsOfSome(x, groups, k, rng)
	return classify.Unit(means), of, chosen
}

// sumsOfSome is meansOfSome for sums.
func sumsOfSome(x *mat.Dense, groups []int, k int, rng *rand.Rand) (sums *mat.Dense, of []int, chosen [][]int) {
	for c := range len(groups) - 1 {
		if n := groups[c+1] - groups[c]; n >= k {
			perm := rng.Perm(n)
			for i := range perm {
				perm[i] += groups[c]
			}
			of, chosen = append(of, c), append(chosen, perm)
		}
	}
	d, _ := x.Dims()
	sums = mat.NewDense(d, len(of), nil)
	for i, perm := range chosen {
		addColumns(sums, i, x, perm[:k])
	}
	return sums, of, chosen
}

// genuine returns the cosines of means of k photographs with the other photographs of the same
// people.
func (m *measurement) genuine(k int) (all []float64) {
	means, _, chosen := meansOfSome(m.x, m.groups, k, m.rng)
	for i, perm := range chosen {
		for _, j := range perm[k:] {
			all = append(all, mat.Dot(means.ColView(i), m.x.ColView(j)))
		}
	}
	return all
}

// standardErrors returns the standard errors of the shares of the people×faces cosines that
// exceed the quantiles of all at these deviates, as parts of the shares: a bootstrap
// over people and over faces.
func standardErrors(cosines *mat.Dense, all, deviates []float64, rng *rand.Rand) []float64 {
	people, faces := cosines.Dims()
	limits := make([]float64, len(deviates))
	for i, z := range deviates {
		limits[i] = stat.Quantile(1-distuv.UnitNormal.Survival(z), stat.LinInterp, all, nil)
	}
	bin := make([][]int, people) // how many limits each cosine exceeds
	for p := range bin {
		bin[p] = make([]int, faces)
		for f := range bin[p] {
			if math.IsNaN(cosines.At(p, f)) {
				bin[p][f] = -1
				continue
			}
			bin[p][f], _ = slices.BinarySearch(limits, cosines.At(p, f))
		}
	}
	shares := make([][]float64, len(limits))
	for range resamples {
		wp, wf := resample(people, rng), resample(faces, rng)
		counts := make([]float64, len(limits)+1)
		for p, row := range bin {
			if wp[p] == 0 {
				continue
			}
			for f, b := range row {
				if b >= 0 {
					counts[b] += wp[p] * wf[f]
				}
			}
		}
		above := 0.0
		for i := len(limits) - 1; i >= 0; i-- {
			above += counts[i+1]
			shares[i] = append(shares[i], above)
		}
	}
	errs := make([]float64, len(limits))
	for i, s := range shares {
		if mean, sd := stat.MeanStdDev(s, nil); mean > 0 {
			errs[i] = sd / mean
		} else {
			errs[i] = 1
		}
	}
	return errs
}

// resample returns how often each of n is drawn in n draws.
func resample(n int, rng *rand.Rand) []float64 {
	w := make([]float64, n)
	for range n {
		w[rng.IntN(n)]++
	}
	return w
}

// Lines returns l as JSON, with one line for each list.
func Lines(l *openset.Impostors) []byte {
	text, err := json.Marshal(l)
	if err != nil {
		panic(err) // which Validate has refused
	}
	var lined []byte
	depth, quoted := 0, false
	for i, c := range text {
		switch c {
		case '[':
			depth++
		case ']':
			depth--
		case '"':
			if text[i-1] != '\\' {
				quoted = !quoted
			}
		}
		lined = append(lined, c)
		if c == ',' && !quoted && (depth == 0 || text[i-1] == ']') {
			lined = append(lined, '\n')
		}
	}
	return append(lined, '\n')
}

// minAccepted is the share of genuine pairs of one photograph each that a network accepts at
// least where 1 % of impostor pairs are: half of what the weakest network here accepts (96 %).
const minAccepted = 0.5

// Separates returns an error if a network with the impostors l hardly recognises people: it
// would accept few photographs of the same person.
func Separates(l *openset.Impostors) error {
	if share := l.Accepts(1, 0.01); share < minAccepted {
		return advice.Add(fmt.Errorf(
			"it accepts %.1f %% of the pairs of photographs of one person where 1 %% of pairs of two people are: too few to recognise anybody",
			100*share),
			"look at what it takes: channels, subtract, scale, landmarks and eyes; and whether the folders have the names of the people")
	}
	return nil
}
