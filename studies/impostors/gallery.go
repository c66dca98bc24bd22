package main

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/openset"
)

// faces are embeddings of unit norm, grouped by person.
type faces struct {
	x      *mat.Dense
	groups []int
}

func facesOf(sets ...*dataset.Images) faces {
	f := faces{groups: []int{0}}
	n := 0
	for _, s := range sets {
		n += s.Len()
	}
	d, _ := sets[0].X.Dims()
	f.x = mat.NewDense(d, n, nil)
	for _, s := range sets {
		at := f.groups[len(f.groups)-1]
		lin.Set(lin.Cols(f.x, at, at+s.Len()), 1, classify.Unit(s.X))
		for _, end := range s.Groups[1:] {
			f.groups = append(f.groups, at+end)
		}
	}
	return f
}

// of returns the columns of a person.
func (f faces) of(person int) (all []int) {
	for j := f.groups[person]; j < f.groups[person+1]; j++ {
		all = append(all, j)
	}
	return all
}

// withMore returns those of people who have more than k photographs.
func (f faces) withMore(k int, people []int) []int {
	return slices.DeleteFunc(slices.Clone(people), func(p int) bool { return f.groups[p+1]-f.groups[p] <= k })
}

// A population has people for galleries, of two kinds in equal parts if mixed, and strangers.
type population struct {
	kind   string // of kinds
	people [2][]int
	like   func(enrolled []int, rng *rand.Rand) []int // columns of strangers like the people, or of some of them, person by person in any order
}

// A drawn is a gallery that was drawn.
type drawn struct {
	kind        string
	people, k   int
	photographs *mat.Dense
	groups      []int
	known       []float64 // evidences of other faces of the people
	right       []bool    // whether those have the right best guess
	like, large []float64 // evidences of strangers like the people, and at large
	others      []float64 // evidences of other strangers like the people
}

// draw enrols so many people of p by k photographs each.
func (p *population) draw(l *openset.Impostors, f faces, large *mat.Dense, people, k int, rng *rand.Rand) *drawn {
	g := &drawn{kind: p.kind, people: people, k: k, groups: []int{0}}
	var enrolled, columns, test, own []int
	for i, part := range p.people {
		n := people
		if len(p.people[1]) > 0 {
			n = (people + i) / 2
		} else if i > 0 {
			break
		}
		for _, at := range rng.Perm(len(part))[:n] {
			enrolled = append(enrolled, part[at])
		}
	}
	for i, person := range enrolled {
		all := f.of(person)
		rng.Shuffle(len(all), func(a, b int) { all[a], all[b] = all[b], all[a] })
		columns, test = append(columns, all[:k]...), append(test, all[k:]...)
		g.groups = append(g.groups, len(columns))
		for range all[k:] {
			own = append(own, i)
		}
	}
	g.photographs = lin.Select(f.x, columns)
	_, means := openset.Means(g.photographs, g.groups)
	var best []int
	g.known, best = g.evidences(l, means, lin.Select(f.x, test))
	for j, c := range best {
		g.right = append(g.right, c == own[j])
	}
	g.large, _ = g.evidences(l, means, large)
	g.like = g.large
	if p.like != nil {
		all, _ := g.evidences(l, means, lin.Select(f.x, p.like(enrolled, rng)))
		g.like = all[:len(all)/2] // of some people; the others may be given
		g.others = all[len(all)/2:]
		rng.Shuffle(len(g.others), func(a, b int) { g.others[a], g.others[b] = g.others[b], g.others[a] })
	}
	return g
}

// evidences returns the evidence of each column of x, and the best person.
func (g *drawn) evidences(l *openset.Impostors, means, x *mat.Dense) (all []float64, best []int) {
	cosines := compared(means, x)
	best = classify.Best(cosines)
	photographs := slices.Repeat([]int{g.k}, g.people)
	column := make([]float64, g.people)
	for j, c := range best {
		l.Level(mat.Col(column, j, cosines), photographs)
		all = append(all, l.Evidence(column[c], g.people))
	}
	return all, best
}

// others returns the columns of those of people who are not enrolled, in any order of the people.
func (f faces) others(enrolled, people []int, rng *rand.Rand) (columns []int) {
	for _, i := range rng.Perm(len(people)) {
		if p := people[i]; !slices.Contains(enrolled, p) {
			columns = append(columns, f.of(p)...)
		}
	}
	return columns
}

// every returns the people of from to before to, or every second one.
func every(step, from, to int) (people []int) {
	for p := from; p < to; p += step {
		people = append(people, p)
	}
	return people
}

// populations returns what galleries of k photographs are drawn from: f has the people of
// alike50, from first on those of lfw86 or, to fit, of lfw_several, and from second on further
// ones.
func populations(f faces, first, second, k, clusters int, fit bool) (all []population) {
	end := len(f.groups) - 1
	famous := f.withMore(k, every(1, first, second))
	all = append(all, population{kind: "at large", people: [2][]int{famous}})
	add := func(prefix string, these []int) {
		like := func(enrolled []int, rng *rand.Rand) []int { return f.others(enrolled, these, rng) }
		people := f.withMore(k, these)
		all = append(all, population{prefix + "like", [2][]int{people}, like}, population{prefix + "mixed", [2][]int{people, famous}, like})
	}
	if fit {
		add("", every(2, 0, first))
	} else {
		add("", every(2, 1, first))
		add("all ", every(1, 0, first))
	}
	rest := lin.Cols(f.x, f.groups[first], f.groups[end])
	centres := kMeans(clusters, rest)
	ofFace := classify.Best(compared(centres, f.x))
	_, means := openset.Means(f.x, f.groups)
	ofPerson := classify.Best(compared(centres, means))
	for c := range clusters {
		people := slices.DeleteFunc(f.withMore(k, every(1, first, end)), func(p int) bool { return ofPerson[p] != c })
		all = append(all, population{"cluster", [2][]int{people}, func(enrolled []int, rng *rand.Rand) []int {
			return slices.DeleteFunc(f.others(enrolled, every(1, first, end), rng), func(j int) bool { return ofFace[j] != c })
		}})
	}
	return all
}

// galleries draws galleries of k photographs of each person.
func galleries(l *openset.Impostors, all []population, f faces, large *mat.Dense, k, draws int) (list []*drawn) {
	const leastStrangers = 50
	for i, p := range all {
		for _, people := range sizes {
			n := people
			if mixed := len(p.people[1]) > 0; mixed {
				if people < len(p.people) {
					continue
				}
				n = (people + 1) / 2
			}
			if n > len(p.people[0]) || p.like != nil && len(p.like(p.people[0][:n], rand.New(rand.NewPCG(0, 0)))) < leastStrangers {
				continue
			}
			for seed := range uint64(draws) {
				list = append(list, p.draw(l, f, large, people, k, rand.New(rand.NewPCG(seed, uint64(1000*i+people)))))
			}
		}
	}
	return list
}

// kMeans returns k cluster centres of unit norm of the columns of x, the best of a few starts.
func kMeans(k int, x *mat.Dense) *mat.Dense {
	const starts, passes = 8, 50
	d, n := x.Dims()
	var best *mat.Dense
	most := math.Inf(-1)
	for start := range uint64(starts) {
		rng := rand.New(rand.NewPCG(start, 8))
		centres := lin.Select(x, rng.Perm(n)[:k])
		var sum float64
		for range passes {
			cosines := compared(centres, x)
			next := mat.NewDense(d, k, nil)
			sum = 0
			for j, c := range classify.Best(cosines) {
				sum += cosines.At(c, j)
				for i := range d {
					next.Set(i, c, next.At(i, c)+x.At(i, j))
				}
			}
			centres = classify.Unit(next)
		}
		if sum > most {
			best, most = centres, sum
		}
	}
	return best
}

// compared returns the cosines of the columns of a with those of b.
func compared(a, b *mat.Dense) *mat.Dense {
	_, n := a.Dims()
	_, m := b.Dims()
	c := mat.NewDense(n, m, nil)
	lin.AtB(c, 1, a, b)
	return c
}
