package main

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"gonum.org/v1/gonum/stat"

	"nrdl.example/nrdl"
	"nrdl.example/nrdl/dataset"
)

// divided are photographs to learn from and to name. Strangers are photographs of
// people who are not among those to learn from.
type divided struct{ train, known, strangers []photo }

// divide takes so many people of s at random, and so many photographs of each to
// learn from. With fewer photographs a person is left out.
func divide(s set, rng *rand.Rand, people, each int) (d divided) {
	names, of := s.people()
	names = slices.DeleteFunc(names, func(n string) bool { return len(of[n]) <= each })
	rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for k, name := range names {
		of := of[name]
		for n, i := range rng.Perm(len(of)) {
			p := s.photos[of[i]]
			switch {
			case k >= people:
				d.strangers = append(d.strangers, p)
			case n < each:
				d.train = append(d.train, p)
			default:
				d.known = append(d.known, p)
			}
		}
	}
	return d
}

// rates are shares of photographs in percent: of enrolled people with the right
// best guess, and named rightly; of strangers who are named; both by the program's
// own threshold. At has the share that is named rightly where the threshold is
// set afterwards so that 1 %, and 0.1 %, of these strangers are named.
type rates struct{ guessed, right, let, atOne, atTenth float64 }

func (d divided) measure(ctx context.Context, p program) (r rates, err error) {
	name, err := p.learn(ctx, d.train)
	if err != nil {
		return r, err
	}
	var impostors, genuine []float64
	let, right := 0, 0
	for _, s := range d.strangers {
		a := name(s)
		impostors = append(impostors, a.score)
		if a.named {
			let++
		}
	}
	for _, k := range d.known {
		a := name(k)
		if a.guess != k.person {
			continue
		}
		genuine = append(genuine, a.score)
		if a.named {
			right++
		}
	}
	percent := func(n, of int) float64 { return 100 * float64(n) / float64(max(of, 1)) }
	slices.SortFunc(impostors, func(a, b float64) int { return cmp.Compare(b, a) })
	at := func(share float64) float64 {
		limit := impostors[int(share*float64(len(impostors)))] // this share of the impostors scores higher
		n := 0
		for _, s := range genuine {
			if s > limit {
				n++
			}
		}
		return percent(n, len(d.known))
	}
	r = rates{guessed: percent(len(genuine), len(d.known)), right: percent(right, len(d.known)), let: percent(let, len(d.strangers))}
	if len(impostors) > 0 {
		r.atOne, r.atTenth = at(0.01), at(0.001)
	}
	return r, nil
}

// A row is a line of the table.
type row struct {
	what         string
	set          int // of sets
	people, each int // 0 people: all
}

var rows = []row{
	{"LFW, everybody enrolled, 8 photographs each", 0, 0, 8},
	{"LFW, 43 people, 8 photographs each", 0, 43, 8},
	{"LFW, 20 people, 5 photographs each", 0, 20, 5},
	{"LFW, 5 people, 5 photographs each", 0, 5, 5},
	{"LFW, 43 people, 1 photograph each", 0, 43, 1},
	{"Georgia Tech, everybody enrolled, 5 photographs each", 1, 0, 5},
	{"Georgia Tech, half of the people, 5 photographs each", 1, 6, 5},
}

func run(ctx context.Context, data, detector, cache string, draws int) error {
	photos := filepath.Join(data, "photos")
	var sets []set
	var images []*dataset.Images
	var paths []string
	for _, name := range []string{"lfw86", "gt_db"} {
		files, err := dataset.PeopleFiles([]string{filepath.Join(photos, name)}, "", func(n string) string { return n }, func(error) {})
		if err != nil {
			return err
		}
		s := set{name: name}
		for _, f := range files {
			s.photos = append(s.photos, photo{Path: f.Path, person: f.Person})
			paths = append(paths, f.Path)
		}
		start := time.Now()
		read, err := nrdl.Read(ctx, filepath.Join(photos, name), nrdl.ReadOptions{})
		if err != nil {
			return err
		}
		each := time.Since(start).Seconds() / float64(len(files))
		fmt.Printf("%s: %d photographs; nrdl finds a face in %.1f %%, mean %.0f ms with %d threads\n", name, len(files), 100*float64(read.Faces().Len())/float64(len(files)), 1000*each, runtime.GOMAXPROCS(0))
		for j, id := range read.IDs {
			read.IDs[j] = filepath.Join(photos, name, id)
		}
		sets, images = append(sets, s), append(images, read)
	}
	seen, err := describe(ctx, detector, cache, paths)
	if err != nil {
		return err
	}
	for _, s := range sets {
		var ms []float64
		found := 0
		for i := range s.photos {
			p := &s.photos[i]
			v := seen[p.Path]
			p.Descriptor, p.found = v.Descriptor, v.Faces > 0
			ms = append(ms, v.Milliseconds)
			if p.found {
				found++
			}
		}
		slices.Sort(ms)
		fmt.Printf("%s: %d photographs; face-api (%s) finds a face in %.1f %%, median %.0f ms\n", s.name, len(s.photos), detector, 100*float64(found)/float64(len(s.photos)), stat.Quantile(0.5, stat.Empirical, ms, nil))
	}
	fmt.Println("\n| photographs | program | best guess right | named rightly | strangers named | named rightly at 1 % | at 0.1 % |")
	fmt.Println("| --- | --- | --- | --- | --- | --- | --- |")
	for _, r := range rows {
		s := sets[r.set]
		people := r.people
		if people == 0 {
			people = len(s.photos)
		}
		for _, p := range []struct {
			name string
			program
		}{{"face-api, " + detector, matcher{}}, {"nrdl", ours{images[r.set]}}} {
			var guessed, right, let, one, tenth []float64
			for draw := range draws {
				d := divide(s, rand.New(rand.NewPCG(uint64(draw), 0)), people, r.each)
				m, err := d.measure(ctx, p)
				if err != nil {
					return fmt.Errorf("%s: %s: %w", r.what, p.name, err)
				}
				guessed, right, let, one, tenth = append(guessed, m.guessed), append(right, m.right), append(let, m.let), append(one, m.atOne), append(tenth, m.atTenth)
			}
			open := "| – | – | – |"
			if people < len(s.photos) {
				open = fmt.Sprintf("| %.2f | %.1f | %.1f |", stat.Mean(let, nil), stat.Mean(one, nil), stat.Mean(tenth, nil))
			}
			fmt.Fprintf(os.Stdout, "| %s | %s | %.1f | %.1f %s\n", r.what, p.name, stat.Mean(guessed, nil), stat.Mean(right, nil), open)
		}
	}
	return nil
}
