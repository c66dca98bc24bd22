package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"nrdl.example/nrdl/faces/frontend/embedding"
)

// The centring that is in the program. The numbers were chosen on halves of the people: fitted on
// one half, judged on the other.
const (
	centres   = 128 // at most
	sharpness = 10
	weight    = 0.8
	alike     = 5 // faces that the mean of a look-alike counts as

	groupSharpness = 20

	// What a centre is a mean of, at least: no number in the program may tell of a single face.
	minFaces, minPeople = 15, 4

	provenance = "go -C tools run ./people: means of about 40 faces each of 4,724 ordinary people of 0 to 116 years, " +
		"of 489 famous people in their childhood and of 50 people who look alike; groups of people count by the root of " +
		"their number. The means of groups are those of ordinary people of an age band below 18, and of adults of one sex and group"
)

// fitCentring makes the centring of the faces of ordinary people, of children and of people who look
// alike.
func (p people) fitCentring() (*embedding.Centring, error) {
	young, similar := p.young(), means(p["alike50"])
	faces := slices.Concat(p["ordinary"], young, similar)
	weights := slices.Concat(balanced(p["ordinary"]), slices.Repeat([]float64{1}, len(young)), slices.Repeat([]float64{alike}, len(similar)))
	d := len(faces[0].vector)
	mean, total := make([]float64, d), 0.0
	for j, f := range faces {
		floats.AddScaled(mean, weights[j], f.vector)
		total += weights[j]
	}
	for i := range mean {
		mean[i] /= total
	}
	moved := make([][]float64, len(faces))
	for j, f := range faces {
		moved[j] = slices.Clone(f.vector)
		floats.AddScaled(moved[j], -1, mean)
		toUnit(moved[j])
	}
	points, kept := mean, kMeans(centres, moved, faces, weights)
	for _, c := range kept {
		points = append(points, c...)
	}
	c := embedding.Centring{About: provenance, Length: d, Centres: len(kept), Sharpness: sharpness, Weight: weight}
	first, err := embedding.NewCentring(c, points)
	if err != nil {
		return nil, err
	}
	groups := people{"ordinary": p["ordinary"]}.centred(first).distinct().groupMeans()
	c.Groups, c.GroupSharpness = len(groups), groupSharpness
	return embedding.NewCentring(c, append(points, slices.Concat(groups...)...))
}

// groupMeans are the means of the vectors of young people of an age band, and of adults of one sex and
// group. A mean of n vectors has chance in it: its squared norm is 1/n more than the mean cosine of two
// of them. So it is multiplied by the share of its squared norm that is not by chance.
func (p people) groupMeans() (all [][]float64) {
	for _, s := range p.strata() {
		n := float64(len(s.faces))
		if n < minFaces || s.kind == "famous" || s.kind == "age" && s.faces[0].age >= adult {
			continue
		}
		mean := make([]float64, len(s.faces[0].vector))
		for _, f := range s.faces {
			floats.AddScaled(mean, 1/n, f.vector)
		}
		norm := floats.Dot(mean, mean)
		share := (norm - 1/n) / (1 - 1/n) / norm
		if !(share > 0) {
			continue
		}
		for i := range mean {
			mean[i] *= share
		}
		all = append(all, mean)
	}
	return all
}

// means has a face for each person: the mean of the vectors.
func means(faces []face) (all []face) {
	for j, f := range faces {
		if j == 0 || f.person != faces[j-1].person {
			f.vector, f.photographs = slices.Clone(f.vector), 0
			all = append(all, f)
		} else {
			floats.AddScaled(all[len(all)-1].vector, 1, f.vector)
		}
		all[len(all)-1].photographs++
	}
	for _, f := range all {
		toUnit(f.vector)
	}
	return all
}

// balanced weighs faces by one divided by the root of the number of people of their group and sex;
// the mean weight is 1.
func balanced(faces []face) []float64 {
	count := map[string]float64{}
	for _, f := range faces {
		count[f.group+f.sex]++
	}
	w, sum := make([]float64, len(faces)), 0.0
	for j, f := range faces {
		w[j] = 1 / math.Sqrt(count[f.group+f.sex])
		sum += w[j]
	}
	for j := range w {
		w[j] *= float64(len(w)) / sum
	}
	return w
}

// kMeans returns at most k centres of unit length of x, each face of which counts by its weight. Centres
// of few faces are left out.
func kMeans(k int, x [][]float64, faces []face, weights []float64) [][]float64 {
	const passes, seed = 30, 1
	rng := rand.New(rand.NewPCG(seed, uint64(k)))
	// The k largest of u^(1/w) are a draw by the weights.
	keys, order := make([]float64, len(x)), make([]int, len(x))
	for j := range x {
		keys[j], order[j] = math.Log(rng.Float64())/weights[j], j
	}
	slices.SortFunc(order, func(a, b int) int {
		if keys[a] > keys[b] {
			return -1
		}
		return 1
	})
	all := make([][]float64, k)
	for c := range all {
		all[c] = slices.Clone(x[order[c]])
	}
	for range passes {
		next, photographs, who := make([][]float64, len(all)), make([]int, len(all)), make([]map[string]bool, len(all))
		for c := range next {
			next[c], who[c] = make([]float64, len(x[0])), map[string]bool{}
		}
		for j, v := range x {
			best, highest := 0, math.Inf(-1)
			for c, centre := range all {
				if cosine := floats.Dot(centre, v); cosine > highest {
					best, highest = c, cosine
				}
			}
			floats.AddScaled(next[best], weights[j], v)
			photographs[best] += faces[j].photographs
			who[best][faces[j].person] = true
		}
		all = all[:0]
		for c, sum := range next {
			if photographs[c] >= minFaces && len(who[c]) >= minPeople {
				toUnit(sum)
				all = append(all, sum)
			}
		}
	}
	return all
}

// toUnit brings v to unit length; zeros stay.
func toUnit(v []float64) {
	if norm := floats.Norm(v, 2); norm > 0 {
		floats.Scale(1/norm, v)
	}
}
