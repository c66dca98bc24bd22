package main

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"nrdl.example/nrdl/faces/frontend/embedding"
	"nrdl.example/nrdl/faces/measure"
	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/openset"
)

const lawSource = "go -C tools run ./people: the mean over strata of the cosines that a share of the pairs of " +
	"different people exceeds; one third of the weight is that of seven age bands (0-2, 3-6, 7-12, 13-17, 18-29, 30-59, " +
	"60 and older), one third that of adults of one sex and group, and one third that of famous adults. Two ordinary " +
	"people are compared by a centring that was fitted to neither; the upper tail is a line"

// law measures the impostor distribution of vectors that c has centred: at each rate, the mean over the
// strata of the cosine that such a share of the pairs of photographs exceeds. How it differs for the means of several
// photographs is measured on famous people.
func (p people) law(c *embedding.Centring) (*openset.Impostors, error) {
	by := p.centred(c).distinct()
	l, err := measure.Law(by.set("lfw_several"), by.set("lfw_cohort"))
	if err != nil {
		return nil, err
	}
	histograms, err := p.crossed()
	if err != nil {
		return nil, err
	}
	all, kinds := by.strata(), map[string]float64{}
	for _, s := range all {
		kinds[s.kind]++
	}
	row := make([]float64, len(l.Deviates))
	var mean, variance float64
	for _, s := range all {
		h, weight := histograms[s.name], 1/(kinds[s.kind]*float64(len(kinds)))
		if h == nil {
			h = newHistogram()
			h.add(s, func(i, j int) bool { return true })
		}
		floats.AddScaled(row, weight, h.quantiles(l.Deviates))
		m, sd := h.moments()
		mean, variance = mean+weight*m, variance+weight*sd*sd
	}
	famous := *l
	famous.Cosines = slices.Clone(l.Cosines)
	for k, row := range l.Cosines {
		famous.Cosines[k] = slices.Clone(row)
	}
	first := slices.Clone(l.Cosines[0])
	for k := range l.Cosines {
		for i := range row {
			l.Cosines[k][i] = math.Round((row[i]+l.Cosines[k][i]-first[i])*1e5) / 1e5
		}
		for i := range row {
			if i > 0 && l.Cosines[k][i] <= l.Cosines[k][i-1] {
				l.Cosines[k][i] = l.Cosines[k][i-1] + 1e-5
			}
		}
	}
	for k, g := range l.Genuine {
		at := func(sds float64) float64 { return l.Deviate(k+1, famous.Cosine(k+1, g[0]+sds*g[1])) }
		l.Genuine[k] = [2]float64{math.Round(at(0)*1e3) / 1e3, math.Round((at(1)-at(-1))/2*1e3) / 1e3}
	}
	l.Different.Mean, l.Different.Pair = math.Round(mean*1e4)/1e4, math.Round((variance-2*l.Different.Photograph)*1e6)/1e6
	l.Accepted, l.People, l.Photographs, l.Faces = nil, 0, 0, 0
	l.Source = lawSource
	return l, l.Validate()
}

// A stratum is faces of different people of one kind.
type stratum struct {
	kind, name string
	faces      []face
}

// strata are those of the law and of the tables.
func (p people) strata() (all []stratum) {
	for _, b := range bands {
		s := stratum{kind: "age", name: b.String()}
		for _, f := range p["ordinary"] {
			if f.age >= b.min && f.age <= b.max {
				s.faces = append(s.faces, f)
			}
		}
		all = append(all, s)
	}
	of := map[string][]face{}
	for _, f := range p["ordinary"] {
		if f.age >= adult {
			of[f.group+" "+f.sex] = append(of[f.group+" "+f.sex], f)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(of)) {
		all = append(all, stratum{"adults", name, of[name]})
	}
	return append(all, stratum{"famous", "famous adults", p.all("lfw_cohort", "lfw_strangers")})
}

// each calls f with every two faces and their cosine.
func (s stratum) each(f func(i, j int, cosine float64)) {
	n := len(s.faces)
	x := columns(s.faces)
	cosines := mat.NewDense(n, n, nil)
	lin.AtB(cosines, 1, x, x)
	for i := range n {
		for j, v := range cosines.RawRowView(i)[:i] {
			f(i, j, v)
		}
	}
}

// A histogram counts cosines.
type histogram struct {
	bins  []float64
	total float64
}

const perUnit = 5000 // bins

func newHistogram() *histogram { return &histogram{bins: make([]float64, 2*perUnit+1)} }

// add counts the pairs of faces i and j of s for which is is true.
func (h *histogram) add(s stratum, is func(i, j int) bool) {
	s.each(func(i, j int, cosine float64) {
		if is(i, j) {
			h.bins[min(len(h.bins)-1, max(0, int((cosine+1)*perUnit)))]++
			h.total++
		}
	})
}

// folds are the parts of ordinary people for crossed.
const folds = 5

// crossed are the histograms of the strata of ordinary people, where two people are compared by a centring that was
// fitted to neither: those that it was fitted to are less alike by it than others.
func (p people) crossed() (map[string]*histogram, error) {
	all := map[string]*histogram{}
	fold := map[string]int{}
	for _, f := range p["ordinary"] {
		if _, seen := fold[f.person]; !seen {
			fold[f.person] = len(fold) % folds
		}
	}
	for a := range folds {
		for b := range a + 1 {
			of, others := people{}, people{"ages": p["ages"], "alike50": p["alike50"]}
			for _, f := range p["ordinary"] {
				if at := fold[f.person]; at == a || at == b {
					of["ordinary"] = append(of["ordinary"], f)
				} else {
					others["ordinary"] = append(others["ordinary"], f)
				}
			}
			c, err := others.fitCentring()
			if err != nil {
				return nil, err
			}
			for _, s := range of.centred(c).distinct().strata() {
				if all[s.name] == nil && s.kind != "famous" {
					all[s.name] = newHistogram()
				}
				if h := all[s.name]; h != nil && len(s.faces) > 0 {
					h.add(s, func(i, j int) bool {
						x, y := fold[s.faces[i].person], fold[s.faces[j].person]
						return x == a && y == b || x == b && y == a
					})
				}
			}
		}
	}
	return all, nil
}

func (h *histogram) moments() (mean, sd float64) {
	var x []float64
	for i := range h.bins {
		x = append(x, (float64(i)+0.5)/perUnit-1)
	}
	return stat.MeanStdDev(x, h.bins)
}

// quantiles returns the cosines with these deviates. Where a share of less than 5 % is above, they are on
// a line, which is fitted where at least 30 pairs are above.
func (h *histogram) quantiles(deviates []float64) (row []float64) {
	const from, pairs, minShare = 0.05, 30, 1e-4
	above, bin := h.total, 0
	for _, z := range deviates {
		share := distuv.UnitNormal.Survival(z) * h.total
		for bin < len(h.bins)-1 && above-h.bins[bin] > share {
			above -= h.bins[bin]
			bin++
		}
		part := 0.0
		if h.bins[bin] > 0 {
			part = (above - share) / h.bins[bin]
		}
		row = append(row, (float64(bin)+part)/perUnit-1)
	}
	beyond := func(share float64) int {
		return slices.IndexFunc(deviates, func(z float64) bool { return distuv.UnitNormal.Survival(z) < share })
	}
	first, last := beyond(from), beyond(max(minShare, pairs/h.total))
	if first >= last-1 {
		first = last - 3 // of few pairs
	}
	at, slope := stat.LinearRegression(deviates[first:last], row[first:last], nil, false)
	for i := first; i < len(row); i++ {
		row[i] = at + slope*deviates[i]
	}
	return row
}

// columns are the vectors of faces, d×n.
func columns(faces []face) *mat.Dense {
	x := mat.NewDense(len(faces[0].vector), len(faces), nil)
	for j, f := range faces {
		x.SetCol(j, f.vector)
	}
	return x
}

// A band is an age band.
type band struct{ min, max int }

func (b band) String() string {
	if b.max == oldest {
		return fmt.Sprintf("%d and older", b.min)
	}
	return fmt.Sprintf("%d-%d", b.min, b.max)
}

const adult, oldest = 18, 200

var bands = []band{{0, 2}, {3, 6}, {7, 12}, {13, 17}, {18, 29}, {30, 59}, {60, oldest}}
