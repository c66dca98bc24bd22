// Command review measures two answers of nrdl about single photographs: which of the
// enrolled ones look mislabelled (nrdl people --html), and who an unknown face may be
// (nrdl identify).
//
//	go -C studies run ./review -data DIR
//
// DIR has the folders photos/lfw86, lfw_strangers, lfw_several and lfw_cohort. For the first answer, in each
// draw five photographs of one person of lfw86 are moved to another person, one photograph
// each of five pairs of people are exchanged, and five people get one photograph of a
// stranger; planted.go says what is planted into lfw_several, with strangers of lfw_cohort,
// on which nothing was fitted. For the second, the first four photographs of each person are enrolled, and
// the others and the strangers are named.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/frontend/embedding"
	"nrdl.example/nrdl/gallery"
	"nrdl.example/nrdl/internal/hint"
	"nrdl.example/nrdl/method"
)

func main() {
	data := flag.String("data", os.Getenv("NRDL_DATA"), "folder with photos")
	draws := flag.Int("draws", 20, "draws of mislabelled photographs")
	flag.Parse()
	hint.Exit("review", run(context.Background(), *data, *draws))
}

func run(ctx context.Context, data string, draws int) error {
	people, strangers, err := read(ctx, data, "lfw86", "lfw_strangers")
	if err != nil {
		return err
	}
	if err := mislabelled(ctx, people, strangers, draws); err != nil {
		return err
	}
	if err := guesses(ctx, people, strangers); err != nil {
		return err
	}
	if people, strangers, err = read(ctx, data, "lfw_several", "lfw_cohort"); err != nil {
		return err
	}
	return planted(ctx, "lfw_several", people, strangers, draws)
}

// read returns the faces of a folder of people and of a folder of strangers.
func read(ctx context.Context, data, of, others string) (people, strangers *dataset.Images, err error) {
	all, err := nrdl.Read(ctx, filepath.Join(data, "photos", of), nrdl.ReadOptions{})
	if err != nil {
		return nil, nil, err
	}
	people = all.Faces()
	paths, err := dataset.ImageFiles(filepath.Join(data, "photos", others))
	if err != nil {
		return nil, nil, err
	}
	var files []dataset.File
	for _, path := range paths {
		files = append(files, dataset.File{Path: path, ID: filepath.Base(path)})
	}
	some, err := nrdl.ReadFiles(ctx, files, nrdl.ReadOptions{Frame: people.Frame, Embedder: embedding.Default()})
	if err != nil {
		return nil, nil, err
	}
	return people, some.Faces(), nil
}

// A kind of mislabelled photograph.
const (
	moved     = "five moved"
	exchanged = "exchanged"
	stranger  = "of a stranger"
)

// mislabelled prints how many planted photographs are found.
func mislabelled(ctx context.Context, people, strangers *dataset.Images, draws int) error {
	planted, found, looks := map[string]int{}, map[string]int{}, map[string]int{}
	listed, right, before := 0, 0, 0
	for seed := range uint64(draws) {
		set, wrong, err := plant(people, strangers, rand.New(rand.NewPCG(seed, 1)))
		if err != nil {
			return err
		}
		r, err := review(ctx, set)
		if err != nil {
			return err
		}
		for _, w := range wrong {
			planted[w.kind]++
		}
		left := len(wrong)
		for _, s := range r.Suspects {
			listed++
			w, is := wrong[s.ID]
			if !is {
				if left > 0 {
					before++
				}
				continue
			}
			left--
			right++
			found[w.kind]++
			if s.Other == w.shows {
				looks[w.kind]++
			}
		}
	}
	fmt.Printf("Mislabelled photographs, %d draws:\n%-15s %8s %8s %15s\n", draws, "kind", "planted", "found", "right person")
	for _, k := range []string{moved, exchanged, stranger} {
		fmt.Printf("%-15s %8d %8d %15d\n", k, planted[k], found[k], looks[k])
	}
	fmt.Printf("%d listed, %d of them planted: precision %.1f %%; %d others before the last planted one\n", listed, right, 100*float64(right)/float64(listed), before)
	r, err := review(ctx, people)
	if err != nil {
		return err
	}
	fmt.Printf("of the %d photographs as they are, %d are listed:\n", people.Len(), len(r.Suspects))
	for _, s := range r.Suspects {
		fmt.Printf("  %s looks like %q, %.2f\n", s.ID, s.Other, *s.Probability)
	}
	return nil
}

// review reviews a model of set.
func review(ctx context.Context, set *dataset.Images) (*gallery.Review, error) {
	r, err := nrdl.Train(ctx, set, nrdl.Defaults(set))
	if err != nil {
		return nil, err
	}
	return r.Model().Review(ctx, method.Mean{}, nil)
}

// A planted photograph.
type plantedAs struct{ kind, shows string }

// plant returns people with wrong labels, and which these are, by ID.
func plant(people, strangers *dataset.Images, r *rand.Rand) (*dataset.Images, map[string]plantedAs, error) {
	labels := make([]string, people.Len())
	for j := range labels {
		labels[j] = people.Classes[people.ClassOf(j)]
	}
	wrong := map[string]plantedAs{}
	who := r.Perm(len(people.Classes))
	some := func(c, n int) []int { // photographs of person c
		lo := people.Groups[c]
		list := r.Perm(people.Groups[c+1] - lo)[:n]
		for i := range list {
			list[i] += lo
		}
		return list
	}
	label := func(j, c int, kind string) {
		wrong[people.ID(j)] = plantedAs{kind, labels[j]}
		labels[j] = people.Classes[c]
	}
	const several, each = 5, 5
	for _, j := range some(who[0], several) {
		label(j, who[1], moved)
	}
	who = who[2:]
	for range each {
		i, j := some(who[0], 1)[0], some(who[1], 1)[0]
		label(i, who[1], exchanged)
		label(j, who[0], exchanged)
		who = who[2:]
	}
	ids := slices.Clone(people.IDs)
	d, n := people.X.Dims()
	x := mat.NewDense(d, n+each, nil)
	x.Slice(0, d, 0, n).(*mat.Dense).Copy(people.X)
	for i, j := range r.Perm(strangers.Len())[:each] {
		x.SetCol(n+i, mat.Col(nil, j, strangers.X))
		id := fmt.Sprintf("stranger %d", i)
		labels, ids = append(labels, people.Classes[who[i]]), append(ids, id)
		wrong[id] = plantedAs{stranger, ""}
	}
	set, err := dataset.NewImages(x, labels, ids, nil, people.Frame)
	return set, wrong, err
}

// guesses prints of how many unknown faces the best guess is right, from various
// probabilities on.
func guesses(ctx context.Context, people, strangers *dataset.Images) error {
	const enrolled = 4
	var in, out []int
	for j := range people.Len() {
		if j-people.Groups[people.ClassOf(j)] < enrolled {
			in = append(in, j)
		} else {
			out = append(out, j)
		}
	}
	gallery := people.Select(in)
	r, err := nrdl.Train(ctx, gallery, nrdl.Defaults(gallery))
	if err != nil {
		return err
	}
	m, others := r.Model(), people.Select(out)
	known, err := m.Identify(ctx, unlabelled(others))
	if err != nil {
		return err
	}
	unknown, err := m.Identify(ctx, unlabelled(strangers))
	if err != nil {
		return err
	}
	fmt.Printf("\nUnknown faces with a best guess of at least this probability, of %d of enrolled people and %d of strangers:\n", len(known), len(unknown))
	fmt.Printf("%11s %10s %8s %10s\n", "probability", "of people", "right", "strangers")
	for _, least := range []float64{0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.5} {
		n, right, no := 0, 0, 0
		for j, f := range known {
			if !f.Known && f.Probability >= least {
				n++
				if m.Parts().Classes[f.Class] == others.Classes[others.ClassOf(j)] {
					right++
				}
			}
		}
		for _, f := range unknown {
			if !f.Known && f.Probability >= least {
				no++
			}
		}
		fmt.Printf("%11.2f %10d %8d %10d\n", least, n, right, no)
	}
	return nil
}

func unlabelled(s *dataset.Images) *dataset.Images { return dataset.Unlabelled(s.X, s.Frame) }
