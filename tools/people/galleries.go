package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"text/tabwriter"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/openset"
)

// A scene is how galleries of a kind are drawn.
type scene struct {
	name string
	// draw returns the photographs of each person, other photographs of some of them, and strangers.
	draw func(rng *rand.Rand) (enrolled, known [][]face, strangers []face)
}

// scenes are the galleries of the tables.
func (p people) scenes() (all []scene) {
	adults := p.aged(adult, oldest)
	famous := p.all("lfw_cohort", "lfw_strangers")
	add := func(name string, n, photographs int, from, strangers []face) {
		all = append(all, scene{name, func(rng *rand.Rand) (enrolled, known [][]face, others []face) {
			enrolled, known, rest := enrol(from, n, photographs, rng)
			if strangers != nil {
				rest = strangers
			}
			return enrolled, known, rest
		}})
	}
	add("1 ordinary adult: other adults", 1, 1, adults, nil)
	add("1 famous adult, 5 photographs: ordinary adults", 1, 5, p["lfw86"], adults)
	add("1 famous adult, 5 photographs: famous adults", 1, 5, p["lfw86"], famous)
	add("1 student: the others", 1, 1, p["gt_db"], nil)
	add("1 student, 5 photographs: the others", 1, 5, p["gt_db"], nil)
	for _, b := range bands[:3] {
		for _, n := range []int{5, 20} {
			add(fmt.Sprintf("%d people of %v: others of this age", n, b), n, 1, p.aged(b.min, b.max), nil)
		}
	}
	add("20 ordinary adults: others", 20, 1, adults, nil)
	for _, n := range []int{5, 20, 69} {
		add(fmt.Sprintf("%d of LFW, 5 photographs: famous strangers", n), n, 5, p["lfw86"], famous)
	}
	for _, n := range []int{5, 20} {
		add(fmt.Sprintf("%d of LFW, 1 photograph: famous strangers", n), n, 1, p["lfw86"], famous)
	}
	mixed := func(name string, some, photographs int, of []face) {
		all = append(all, scene{name, func(rng *rand.Rand) (enrolled, known [][]face, others []face) {
			enrolled, known, others = enrol(of, some, photographs, rng)
			e, k, _ := enrol(p["lfw86"], 20-some, 5, rng)
			return append(enrolled, e...), append(known, k...), others
		}})
	}
	mixed("2 ordinary adults among 18 famous: ordinary adults", 2, 1, adults)
	mixed("5 ordinary adults among 15 famous: ordinary adults", 5, 1, adults)
	mixed("2 look-alikes among 18 famous: look-alikes", 2, 5, p["alike50"])
	mixed("5 look-alikes among 15 famous: look-alikes", 5, 5, p["alike50"])
	for _, n := range []int{2, 5, 10, 20} {
		add(fmt.Sprintf("%d look-alikes: others", n), n, 5, p["alike50"], nil)
	}
	all = append(all, scene{"family of 4 adults and 2 children: babies", func(rng *rand.Rand) (enrolled, known [][]face, others []face) {
		enrolled, known, _ = enrol(p["lfw86"], 4, 5, rng)
		e, k, _ := enrol(slices.DeleteFunc(p.young(), p.alone), 2, 1, rng)
		return append(enrolled, e...), append(known, k...), p.aged(0, 2)
	}})
	return all
}

// alone reports whether f is the only photograph of a child.
func (p people) alone(f face) bool {
	n := 0
	for _, g := range p["ages"] {
		if g.young && g.person == f.person {
			n++
		}
	}
	return n < 2
}

func (p people) aged(from, to int) []face {
	return slices.DeleteFunc(slices.Clone(p["ordinary"]), func(f face) bool { return f.age < from || f.age > to })
}

// enrol draws n people who have so many photographs, or more if there are others; the rest are strangers.
func enrol(faces []face, n, photographs int, rng *rand.Rand) (enrolled, known [][]face, strangers []face) {
	var persons [][]face
	for j, f := range faces {
		if j == 0 || f.person != faces[j-1].person {
			persons = append(persons, nil)
		}
		persons[len(persons)-1] = append(persons[len(persons)-1], f)
	}
	for i, at := range rng.Perm(len(persons)) {
		one := slices.Clone(persons[at])
		rng.Shuffle(len(one), func(a, b int) { one[a], one[b] = one[b], one[a] })
		if len(enrolled) < n && len(one) >= photographs+min(1, photographs-1) {
			enrolled, known = append(enrolled, one[:photographs]), append(known, one[photographs:])
		} else if i >= 0 {
			strangers = append(strangers, one...)
		}
	}
	return enrolled, known, strangers
}

// A drawnGallery has what its faces reach.
type drawnGallery struct {
	x         *mat.Dense
	groups    []int
	genuine   []decision // of enrolled people
	strangers []decision
}

// A reached evidence is that of the best guess for a face.
type decision struct {
	evidence float64
	own      int // the person of the face; -1 for a stranger
	best     int // person
	right    bool
}

func (s scene) drawn(l *openset.Impostors, seed int) *drawnGallery {
	enrolled, known, strangers := s.draw(rand.New(rand.NewPCG(uint64(seed), 5)))
	g := &drawnGallery{groups: []int{0}}
	var photographs []int
	for _, one := range enrolled {
		photographs = append(photographs, len(one))
		g.groups = append(g.groups, g.groups[len(g.groups)-1]+len(one))
	}
	g.x = columns(slices.Concat(enrolled...))
	_, means := openset.Means(g.x, g.groups)
	reach := func(faces []face, own int) (all []decision) {
		if len(faces) == 0 {
			return nil
		}
		cosines := mat.NewDense(len(enrolled), len(faces), nil)
		lin.AtB(cosines, 1, means, columns(faces))
		for j := range faces {
			column := mat.Col(nil, j, cosines)
			l.Level(column, photographs, photographs)
			best := classify.Best(mat.NewDense(len(column), 1, column))[0]
			all = append(all, decision{l.Evidence(column[best], len(enrolled)), own, best, best == own})
		}
		return all
	}
	for i, faces := range known {
		g.genuine = append(g.genuine, reach(faces, i)...)
	}
	g.strangers = reach(strangers, -1)
	return g
}

// named is the percentage of faces that are named at a threshold, rightly if they are known.
func named(faces []decision, threshold float64, is func(decision) bool) float64 {
	var n, all float64
	for _, r := range faces {
		if is(r) {
			all++
			if r.evidence >= threshold && (r.right || r.own < 0) {
				n++
			}
		}
	}
	if all == 0 {
		return math.NaN()
	}
	return 100 * n / all
}

// reportGalleries prints what galleries do at a rate, with by instead of the assumptions of the program
// unless it is nil.
func (p people) reportGalleries(l *openset.Impostors, draws int, rate float64, by *openset.Assumptions) {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w,
		"galleries at %v %%\tstrangers named\tworst of %d\tby the law alone\tenrolled people named\tby the law alone\tby "+
			"the exact threshold\tcalibration error\t\n", 100*rate, draws)
	for _, s := range p.scenes() {
		var rows [7]float64
		var worst float64
		var sure [2]float64
		counts := [7]float64{}
		put := func(i int, v float64) {
			if !math.IsNaN(v) {
				rows[i], counts[i] = rows[i]+v, counts[i]+1
			}
		}
		for seed := range draws {
			g := s.drawn(l, seed)
			o := openset.Default
			o.FPIR, o.Assumptions = rate, by
			c, err := openset.ByLaw(o, l, g.x, g.groups, nil)
			if err != nil {
				panic(err)
			}
			any := func(decision) bool { return true }
			strangers := named(g.strangers, c.Threshold, any)
			worst = max(worst, strangers)
			put(0, strangers)
			put(1, named(g.strangers, -math.Log10(rate), any))
			put(2, named(g.genuine, c.Threshold, any))
			put(3, named(g.genuine, -math.Log10(rate), any))
			all := slices.SortedFunc(slices.Values(g.strangers), func(a, b decision) int { return int(math.Copysign(1, b.evidence-a.evidence)) })
			put(4, named(g.genuine, all[int(rate*float64(len(all)))].evidence, any))
			if len(g.groups) == 7 { // a family: the children are the last
				put(5, named(g.genuine, c.Threshold, func(r decision) bool { return r.own >= 4 }))
				g.sureChildren(c, &sure)
			}
			put(6, calibrationError(c, g))
		}
		for i := range rows {
			rows[i] /= counts[i]
		}
		fmt.Fprintf(w, "%s\t%.2f\t%.2f\t%.2f\t%.1f\t%.1f\t%.1f\t%.1f\t", s.name, rows[0], worst, rows[1], rows[2], rows[3], rows[4], rows[6])
		if counts[5] > 0 {
			fmt.Fprintf(w, "children %.1f; of children's names at 99 %% or more right %.1f\t", rows[5], 100*sure[1]/sure[0])
		}
		fmt.Fprintln(w)
	}
	w.Flush()
}

// sureChildren adds to sum what the faces count that are called a child with 99 % or more, and those of them that
// are the child. Half of the faces are those of strangers.
func (g *drawnGallery) sureChildren(c *openset.Calibration, sum *[2]float64) {
	const sure, first = 0.99, 4 // of the children
	for _, list := range [][]decision{g.genuine, g.strangers} {
		for _, r := range list {
			if r.best >= first && c.Probability(r.evidence) >= sure {
				weight := 0.5 / float64(len(list))
				if sum[0] += weight; r.right && r.own >= 0 {
					sum[1] += weight
				}
			}
		}
	}
}

// calibrationError is the expected calibration error of the probabilities of names, in points, over ten
// bins, where half of the faces are those of strangers.
func calibrationError(c *openset.Calibration, g *drawnGallery) float64 {
	if len(g.genuine) == 0 {
		return math.NaN()
	}
	var sum, right [10]float64
	for _, list := range [][]decision{g.genuine, g.strangers} {
		for _, r := range list {
			probability := c.Probability(r.evidence)
			bin, weight := min(9, int(10*probability)), 0.5/float64(len(list))
			sum[bin] += weight * probability
			if r.right && r.own >= 0 {
				right[bin] += weight
			}
		}
	}
	var off float64
	for i := range sum {
		off += math.Abs(sum[i] - right[i])
	}
	return 100 * off
}
