package main

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/openset"
)

const (
	mostPhotographs = 5 // means of more are as those of 5
	meansOf         = 6 // draws of the photographs of a person

	leastDeviate, mostDeviate, points = -3.2, 4.2, 50

	resamples = 100
	decimals  = 1e5
)

// measure returns the law of the means of photographs of several against cohort.
func measure(several, cohort *dataset.Images) (*openset.Impostors, error) {
	l := &openset.Impostors{Deviates: make([]float64, points)}
	for i := range l.Deviates {
		z := leastDeviate + float64(i)*(mostDeviate-leastDeviate)/(points-1)
		l.Deviates[i] = math.Round(z*decimals) / decimals
	}
	rng := rand.New(rand.NewPCG(1, 2))
	faces := classify.Unit(cohort.X)
	x := classify.Unit(several.X)
	for k := 1; k <= mostPhotographs; k++ {
		var all []float64
		var first *mat.Dense
		for range meansOf {
			means, _, _ := meansOfSome(x, several.Groups, k, rng)
			cosines := compared(means, faces)
			if first == nil {
				first = cosines
				l.Comparisons = len(cosines.RawMatrix().Data)
			}
			all = append(all, cosines.RawMatrix().Data...)
		}
		slices.Sort(all)
		row := make([]float64, points)
		errs := errors(first, all, l.Deviates, rng)
		for i, z := range l.Deviates {
			rate := distuv.UnitNormal.Survival(z) / (1 + errs[i])
			row[i] = math.Round(decimals*stat.Quantile(1-rate, stat.LinInterp, all, nil)) / decimals
			if distuv.UnitNormal.Survival(z) > 1e-4 && k == mostPhotographs {
				l.Independent = math.Round(1 / (errs[i] * errs[i] * distuv.UnitNormal.Survival(z)))
			}
		}
		l.Cosines = append(l.Cosines, row)
		l.Genuine = append(l.Genuine, [2]float64{0, 1})
		var own []float64
		for range meansOf {
			own = append(own, genuine(l, x, several.Groups, k, rng)...)
		}
		mean, sd := stat.MeanStdDev(own, nil)
		l.Genuine[k-1] = [2]float64{math.Round(mean*1e3) / 1e3, math.Round(sd*1e3) / 1e3}
	}
	l.Different, l.Same = variations(x, several.Groups, rng)
	return l, l.Validate()
}

// variations measures how the mean cosines of 1 and 1 photographs, and of 4 and 4,
// vary between people and for the same.
func variations(x *mat.Dense, groups []int, rng *rand.Rand) (different, same openset.Variation) {
	const few, many = 1, 4
	var means, others [2][]float64
	for range meansOf {
		for i, k := range []int{few, many} {
			a, of, chosen := sumsOfSome(x, groups, k, rng)
			b := mat.NewDense(a.RawMatrix().Rows, len(of), nil)
			for c, perm := range chosen {
				if len(perm) >= 2*k {
					addColumns(b, c, x, perm[k:2*k])
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
		photograph := (a - b) / (2.0/few - 2.0/many)
		return openset.Variation{Mean: rounded(stat.Mean(lists[0], nil)), Pair: rounded(b - photograph*2/many), Photograph: rounded(photograph)}
	}
	return of(others), of(means)
}

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

// genuine returns the deviates of the other photographs of the people of means of k.
func genuine(l *openset.Impostors, x *mat.Dense, groups []int, k int, rng *rand.Rand) (all []float64) {
	means, _, chosen := meansOfSome(x, groups, k, rng)
	for i, perm := range chosen {
		for _, j := range perm[k:] {
			all = append(all, l.Deviate(k, mat.Dot(means.ColView(i), x.ColView(j))))
		}
	}
	return all
}

// errors returns the standard errors of the shares of the people×faces cosines that
// exceed the quantiles of all at these deviates, as parts of the shares: a bootstrap
// over people and over faces.
func errors(cosines *mat.Dense, all, deviates []float64, rng *rand.Rand) []float64 {
	people, faces := cosines.Dims()
	limits := make([]float64, len(deviates))
	for i, z := range deviates {
		limits[i] = stat.Quantile(1-distuv.UnitNormal.Survival(z), stat.LinInterp, all, nil)
	}
	bin := make([][]int, people) // how many limits each cosine exceeds
	for p := range bin {
		bin[p] = make([]int, faces)
		for f := range bin[p] {
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
				counts[b] += wp[p] * wf[f]
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
		mean, sd := stat.MeanStdDev(s, nil)
		errs[i] = sd / mean
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
