// Command impostors measures how similar a network finds different people, and tries
// the threshold that follows from it: the numbers of openset/impostors and
// those of openset/assumptions.go.
//
//	go -C studies run ./impostors -data DIR [-law FILE.json] [-fit]
//	go -C studies run ./impostors -data DIR -write FILE.json -network SHA256 -mirror
//
// DIR has the embeddings lfw_several.npz and lfw_cohort.npz, which are enough to write a law,
// lfw86.npz, lfw_strangers.npz and alike50.npz, as nrdl data convert IN OUT.npz --input embedding makes them; IN is a folder
// with a folder per person, or a list PATH;LABEL of those that have none. The law comes from
// the first two. Galleries are drawn from the people of lfw86 ("at large", with lfw_cohort and
// lfw_strangers as strangers), of every second person of alike50 ("like", with the others of
// these as strangers), of both in equal parts ("mixed", with those of alike50 as strangers), and
// of eight clusters (k-means) of all LFW folders ("cluster", with others of it as strangers);
// "all alike" and "all mixed" are of all of alike50. Half of the strangers who are like a
// gallery are never given to it. The numbers of openset/assumptions.go were chosen with -fit on
// other people: the other half of alike50, and lfw_several in place of lfw86.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/measure"
	"nrdl.example/nrdl/openset"
)

func main() {
	data := flag.String("data", "", "folder with the embeddings")
	law := flag.String("law", "", "read the law from this file; else it is measured")
	write := flag.String("write", "", "write the law to this file")
	network := flag.String("network", "", "SHA-256 of the file of the network")
	mirror := flag.Bool("mirror", false, "the embeddings are means over the face and its mirror image")
	fit := flag.Bool("fit", false, "draw galleries of the people on whom the numbers of openset/assumptions.go were chosen, and try other numbers")
	landmarks := flag.Bool("landmarks", true, "faces are aligned by five landmarks")
	draws := flag.Int("draws", 20, "galleries of each kind")
	flag.Parse()
	sets := map[string]*dataset.Images{}
	names := []string{"lfw_several", "lfw_cohort", "lfw86", "lfw_strangers", "alike50"}
	if *write != "" {
		names = names[:2]
	}
	err := open(*data, names, sets)
	l := &openset.Impostors{}
	switch {
	case err != nil:
	case *law != "":
		var text []byte
		if text, err = os.ReadFile(*law); err == nil {
			err = json.Unmarshal(text, l)
		}
	default:
		if l, err = measure.Law(sets["lfw_several"], sets["lfw_cohort"]); err != nil {
			break
		}
		l.Network, l.Mirror, l.Landmarks = *network, *mirror, *landmarks
		l.Source = "go -C studies run ./impostors: means of photographs of the people of lfw_several against the faces of lfw_cohort; the rates are one standard error (bootstrap over people) above those measured"
	}
	if err == nil && *write != "" {
		err = os.WriteFile(*write, measure.Lines(l), 0o666)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "impostors:", err)
		os.Exit(1)
	}
	if *write != "" {
		return
	}
	for _, name := range []string{"lfw_several", "lfw86", "alike50"} {
		pairs(name, sets[name], l)
	}
	try(sets, l, *draws, *fit)
}

func open(data string, names []string, sets map[string]*dataset.Images) error {
	for _, name := range names {
		set, err := dataset.Open(context.Background(), filepath.Join(data, name+".npz"), dataset.Options{})
		if err != nil {
			return err
		}
		set = set.Faces()
		sets[name] = set.Select(classify.NonZero(set.X))
	}
	return nil
}

// pairs prints the share of genuine pairs of the faces of s that are accepted where so many
// impostor pairs are, and how many impostor pairs are accepted at the usual rate of l.
func pairs(name string, s *dataset.Images, l *openset.Impostors) {
	var genuine, impostors []float64
	x := classify.Unit(s.X)
	cosines := compared(x, x)
	for i := range s.Len() {
		for j := range i {
			if v := cosines.At(i, j); s.ClassOf(i) == s.ClassOf(j) {
				genuine = append(genuine, v)
			} else {
				impostors = append(impostors, v)
			}
		}
	}
	slices.Sort(genuine)
	slices.Sort(impostors)
	fmt.Printf("%s: %d faces; of %d genuine pairs, in percent,", name, s.Len(), len(genuine))
	for _, rate := range []float64{0.01, 0.001, 0.0001, 0.00001} {
		threshold := impostors[int(math.Ceil(float64(len(impostors))*(1-rate)))-1]
		above, _ := slices.BinarySearchFunc(genuine, threshold, func(v, t float64) int {
			if v > t {
				return 1
			}
			return -1
		})
		fmt.Printf(" %.2f at %v %% of impostors", 100*float64(len(genuine)-above)/float64(len(genuine)), 100*rate)
	}
	fmt.Println()
	accepted := 0
	for _, v := range impostors {
		if l.FMR(1, v) <= openset.DefaultFMR {
			accepted++
		}
	}
	fmt.Printf("%s: %d of %d impostor pairs, %.2f %%, are accepted at an FMR of %v %% in general\n", name, accepted, len(impostors), 100*float64(accepted)/float64(len(impostors)), 100*openset.DefaultFMR)
}

// try prints what the threshold by l does.
func try(sets map[string]*dataset.Images, l *openset.Impostors, draws int, fit bool) {
	const clusters = 8
	alike, famous, others := sets["alike50"], sets["lfw86"], sets["lfw_several"]
	if fit {
		famous, others = others, famous
	}
	first := len(alike.Classes)
	second := first + len(famous.Classes)
	f := facesOf(alike, famous, sets["lfw_cohort"], sets["lfw_strangers"], others)
	if fit { // the clusters are without those who are not looked at
		f.groups = f.groups[:len(f.groups)-len(others.Classes)]
	}
	large := facesOf(sets["lfw_cohort"], sets["lfw_strangers"]).x
	for _, k := range []int{5, 1, 2, 3, 10} {
		all := galleries(l, populations(f, first, second, k, clusters, fit), f, large, k, draws)
		fmt.Printf("\n%d photographs of each person, 1 %%\n", k)
		report(all, l, 0.01, 0)
		reportCalibration(all, l, k)
		if k != 5 {
			continue
		}
		fmt.Printf("\n%d photographs of each person, 0.1 %%\n", k)
		report(all, l, 0.001, 0)
		for _, given := range []int{10, 20, 40} {
			fmt.Printf("\n%d photographs of each person, 1 %%, %d given strangers\n", k, given)
			report(all, l, 0.01, given)
		}
		if fit {
			search(all, l)
		}
	}
}
