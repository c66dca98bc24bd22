package main

import (
	"context"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/dataset"
)

// A plan says how many wrong labels of each kind a gallery gets.
type plan struct {
	name                         string
	people                       int // of the gallery, 0 for all
	enrolled, unknown, two, pair int // people of whose 4 photographs one shows another enrolled person, a stranger; of 4 + 3 photographs of two; of 2, one of which is wrong
	random                       float64
}

// plans are what is measured of a folder of people.
var plans = []plan{
	{name: "1 of 4, 12 people", people: 12, enrolled: 1, unknown: 1},
	{name: "1 of 4", enrolled: 12, unknown: 12},
	{name: "3 of 7, 12 people", people: 12, two: 1},
	{name: "3 of 7", two: 10},
	{name: "1 of 2", pair: 20},
	{name: "1 in 8 at random", random: 1. / 8}, // 200 of lfw_several
	{name: "none"},
}

// A draw is a gallery with wrong labels.
type draw struct {
	people, strangers *dataset.Images
	rng               *rand.Rand
	taken             int // strangers
	columns           []mat.Vector
	labels, ids       []string
	wrong             map[string]string // the kind of a wrong label, by ID
	either            map[string]string // two photographs of which one is wrong: the other one, by ID
}

func (d *draw) add(from *dataset.Images, j int, label, kind string) {
	id := fmt.Sprint(len(d.ids))
	d.columns, d.labels, d.ids = append(d.columns, from.X.ColView(j)), append(d.labels, label), append(d.ids, id)
	if kind != "" {
		d.wrong[id] = kind
	}
}

func (d *draw) stranger(label, kind string) {
	d.add(d.strangers, d.taken%d.strangers.Len(), label, kind)
	d.taken++
}

// photographs are n columns of person c, all if n is 0.
func (d *draw) photographs(c, n int) []int {
	lo, hi := d.people.Groups[c], d.people.Groups[c+1]
	all := d.rng.Perm(hi - lo)
	for i := range all {
		all[i] += lo
	}
	if n == 0 {
		n = len(all)
	}
	return all[:min(n, len(all))]
}

// size is a number of photographs as the people of lfw_several have them.
func (d *draw) size() int {
	n := 4
	for ; n < 9 && d.rng.Float64() < 0.6; n++ {
	}
	return n
}

// images plants p.
func (d *draw) images(p plan) (*dataset.Images, error) {
	who := d.rng.Perm(len(d.people.Classes))
	if p.people > 0 {
		who = who[:p.people]
	}
	next := func() (c int) { c, who = who[0], who[1:]; return c }
	name := func(c int) string { return d.people.Classes[c] }
	some := func(c, n int, label, kind string) {
		for _, j := range d.photographs(c, n) {
			d.add(d.people, j, label, kind)
		}
	}
	for range p.two {
		c := next()
		some(c, 4, name(c), "")
		some(next(), 3, name(c), "3 of 7")
	}
	for i := range p.pair {
		c := next()
		some(c, 1, name(c), "")
		first := d.ids[len(d.ids)-1]
		if i%2 == 0 {
			d.stranger(name(c), "1 of 2")
		} else {
			some(next(), 1, name(c), "1 of 2")
		}
		d.either[first] = d.ids[len(d.ids)-1]
	}
	var fours []int
	for range p.enrolled + p.unknown {
		fours = append(fours, next())
	}
	for i, c := range fours {
		some(c, 3, name(c), "")
		if i < p.unknown {
			d.stranger(name(c), "1 of 4, stranger")
		}
	}
	for i, c := range who {
		all := d.photographs(c, d.size())
		if i < p.enrolled { // one shows this person
			d.add(d.people, all[0], name(fours[p.unknown+i]), "1 of 4, enrolled")
			all = all[1:]
		}
		for _, j := range all {
			d.add(d.people, j, name(c), "")
		}
	}
	if p.random > 0 {
		d.mix(p.random)
	}
	x := mat.NewDense(d.columns[0].Len(), len(d.columns), nil)
	for j, v := range d.columns {
		x.ColView(j).(*mat.VecDense).CopyVec(v)
	}
	return dataset.NewImages(x, d.labels, d.ids, nil, d.people.Frame)
}

// mix gives a share of the photographs wrong labels: a third is moved to anybody, a third
// exchanged with another one, a third replaced by a stranger.
func (d *draw) mix(share float64) {
	order := d.rng.Perm(len(d.ids))
	n := int(share * float64(len(order)))
	for i := 0; i < n; i++ {
		j, k := order[i], order[len(order)-1-i]
		if d.labels[j] == d.labels[k] {
			continue
		}
		switch {
		case i < n/3:
			d.labels[j] = d.labels[k]
			d.wrong[d.ids[j]] = "moved"
		case i < 2*n/3:
			k = order[i+1]
			d.labels[j], d.labels[k] = d.labels[k], d.labels[j]
			d.wrong[d.ids[j]], d.wrong[d.ids[k]] = "exchanged", "exchanged"
			i++
		default:
			d.columns[j] = d.strangers.X.ColView(d.taken % d.strangers.Len())
			d.taken++
			d.wrong[d.ids[j]] = "stranger"
		}
	}
}

// planted prints, for each plan, how many wrong labels and right ones are listed.
func planted(ctx context.Context, title string, people, strangers *dataset.Images, draws int) error {
	fmt.Printf("\n%s, %d draws of each:\n%-20s %-18s %8s %8s %7s %16s\n", title, draws, "gallery", "wrong labels", "planted", "listed", "", "right, listed")
	for _, p := range plans {
		n, found := map[string]int{}, map[string]int{}
		right, listed := 0, 0
		var kinds []string
		for seed := range uint64(draws) {
			rng := rand.New(rand.NewPCG(seed, 2))
			d := &draw{people: people, strangers: strangers, rng: rng, taken: rng.IntN(strangers.Len()), wrong: map[string]string{}, either: map[string]string{}}
			set, err := d.images(p)
			if err != nil {
				return err
			}
			r, err := review(ctx, set)
			if err != nil {
				return err
			}
			there := map[string]bool{}
			for _, s := range r.Suspects {
				there[s.ID] = true
			}
			for _, id := range d.ids {
				kind := d.wrong[id]
				switch other := d.either[id]; {
				case kind == "" && other != "":
					there[other] = there[other] && there[id] // both, or nobody knows which
				case kind == "":
					if right++; there[id] {
						listed++
					}
				}
			}
			for _, id := range d.ids {
				if kind := d.wrong[id]; kind != "" {
					if n[kind]++; n[kind] == 1 {
						kinds = append(kinds, kind)
					}
					if there[id] {
						found[kind]++
					}
				}
			}
		}
		if len(kinds) == 0 {
			kinds = []string{""}
		}
		for i, kind := range kinds {
			share := ""
			if n[kind] > 0 {
				share = fmt.Sprintf("%.1f %%", 100*float64(found[kind])/float64(n[kind]))
			}
			fmt.Printf("%-20s %-18s %8d %8d %7s", p.name, kind, n[kind], found[kind], share)
			if i == 0 {
				fmt.Printf(" %6d of %6d, %.2f %%", listed, right, 100*float64(listed)/float64(right))
			}
			fmt.Println()
		}
	}
	return nil
}
