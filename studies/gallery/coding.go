//go:build linux

package main

import (
	"context"
	"fmt"
	"math"
	"time"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/frontend"
	"nrdl.example/nrdl/gallery"
	"nrdl.example/nrdl/gallery/index"
	"nrdl.example/nrdl/method"
)

// codings compares the shortlist with coding over all faces where that can be run.
func codings(ctx context.Context, d *drawer) error {
	exact := method.DefaultNRC
	exact.Coder = coding.NonNegative{Solver: coding.Exact, Rho: 0.1, Passes: 5, L2: 0.1}
	fmt.Println("| method | faces | rank-1: shortlist | all faces | named at 1 %: shortlist | all faces | same guess | s a face: shortlist | all faces |")
	fmt.Println("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
	for _, one := range []struct {
		by    classify.Method
		most  int
		faces int
	}{{method.Mean{}, 100_000, 2000}, {exact, 10_000, 300}} {
		for faces := 1000; faces <= min(one.most, *most); faces *= 10 {
			people := faces / each
			images := imagesOf(d.people(0, people, each), d.dims, frame())
			var probes []*index.Person
			n := min(one.faces, people)
			for i := range n {
				p := i * (people / n)
				probes = append(probes, &index.Person{Name: fmt.Sprintf("drawn %d", p), IDs: []string{"new"}, Vectors: d.faces(p, 1, each, 1)})
			}
			asked := imagesOf(probes, d.dims, frame())
			strangers := imagesOf(d.people(100_000_000, one.faces, 1), d.dims, frame())
			g, err := grow(ctx, images, one.by)
			if err != nil {
				return err
			}
			m, err := gallery.Learn(ctx, images, frontend.Pipeline{}.ForImages(frame()), one.by, classify.Run{})
			if err != nil {
				return err
			}
			start := time.Now()
			short, err := g.Identify(ctx, asked)
			if err != nil {
				return err
			}
			took := time.Since(start)
			start = time.Now()
			all, err := m.Identify(ctx, asked)
			if err != nil {
				return err
			}
			tookAll := time.Since(start)
			shortStrange, err := g.Identify(ctx, strangers)
			if err != nil {
				return err
			}
			allStrange, err := m.Identify(ctx, strangers)
			if err != nil {
				return err
			}
			_, cosines := m.Parts().Rule.(classify.Cosine)
			score := func(f gallery.Face) float64 {
				if cosines {
					return f.Largest
				}
				return f.Margin
			}
			var a, b, sa, sb []scored
			same := 0
			for j := range asked.Len() {
				left, right := short[j].Of.Parts().Classes[short[j].Class], m.Parts().Classes[all[j].Class]
				a = append(a, scored{score(short[j].Face), left == probes[j].Name})
				b = append(b, scored{score(all[j]), right == probes[j].Name})
				if left == right {
					same++
				}
			}
			for j := range strangers.Len() {
				sa, sb = append(sa, scored{score: score(shortStrange[j].Face)}), append(sb, scored{score: score(allStrange[j])})
			}
			identity := func(v float64) float64 { return v }
			always := func(float64) float64 { return math.Inf(1) }
			fmt.Printf("| %s | %d | %s | %s | %s | %s | %s | %.4f | %.4f |\n", method.Words(one.by), faces,
				share(a, always, 0, true), share(b, always, 0, true),
				share(a, identity, quantile(sa, 0.99), true), share(b, identity, quantile(sb, 0.99), true),
				percent(same, asked.Len()), took.Seconds()/float64(asked.Len()), tookAll.Seconds()/float64(asked.Len()))
		}
	}
	return nil
}
