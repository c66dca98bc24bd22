// Command people measures how the built-in network recognises people of all ages and groups, and makes
// the numbers of the program that come from many of them.
//
//	go -C tools run ./people -data DIR [-fit [-other]]
//	go -C tools run ./people -data DIR -centring FILE
//	go -C tools run ./people -data DIR -law FILE
//
// DIR has vectors that are not centred: ordinary.npz, ages.npz, lfw_several.npz, lfw_cohort.npz,
// lfw_strangers.npz, lfw86.npz, alike50.npz and gt_db.npz, as nrdl data convert IN OUT.npz --input
// "embedding centring=off" makes them. IN is a folder with a folder per person, or a list PATH;LABEL of
// those that have none. The label of a face of ordinary.npz is AGE_SEX_GROUP_NUMBER, and the files of
// ages.npz begin with young or adult.
//
// It prints what pairs of different people, and of the same person, reach by the centring and the law in the
// program; and what galleries, families and groups of them do. With -fit, centring and law are made
// of every second person, and the tables are of the others.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/frontend/embedding"
	"nrdl.example/nrdl/faces/measure"
	"nrdl.example/nrdl/openset"
)

func main() {
	data := flag.String("data", "", "folder with the vectors")
	centring := flag.String("centring", "", "make the centring, and write it to this file")
	law := flag.String("law", "", "measure the law, and write it to this file")
	fit := flag.Bool("fit", false, "fit to every second person, and measure the others")
	other := flag.Bool("other", false, "fit to those who are measured otherwise, and measure the others")
	draws := flag.Int("draws", 20, "galleries of each kind")
	by := flag.String("by", "", "assumptions of galleries that differ, as JSON")
	flag.Parse()
	if err := run(*data, *centring, *law, *by, *fit, *other, *draws); err != nil {
		fmt.Fprintln(os.Stderr, "people:", err)
		os.Exit(1)
	}
}

func run(data, centring, law, by string, fit, other bool, draws int) error {
	raw, err := openAll(data)
	if err != nil {
		return err
	}
	c, l := embedding.Default().Centring(), frontend.Embedding.Law()
	judged := raw
	if centring != "" || fit {
		of := raw
		if fit {
			if of, judged = raw.half(0), raw.half(1); other {
				of, judged = judged, of
			}
		}
		if c, err = of.fitCentring(); err != nil {
			return err
		}
		if fit {
			l, err = of.law(c)
		}
	}
	switch {
	case err != nil:
		return err
	case centring != "":
		return os.WriteFile(centring, c.File(), 0o666)
	case law != "":
		if l, err = raw.law(c); err != nil {
			return err
		}
		frontend.Describe(l, embedding.Default())
		l.Channels, l.Settings = embedding.Default().Frame().Embedding.Channels, ""
		return os.WriteFile(law, measure.Lines(l), 0o666)
	}
	assumptions := openset.DefaultAssumptions
	if by != "" {
		if err := json.Unmarshal([]byte(by), &assumptions); err != nil {
			return err
		}
	}
	return judged.centred(c).report(l, draws, &assumptions)
}

// A face is a vector with what its file says of the person.
type face struct {
	vector     []float64
	person     string
	age        int
	sex, group string
	young      bool

	photographs int // whose mean the vector is
}

// people are the faces of all sets.
type people map[string][]face

var sets = []string{"ordinary", "ages", "lfw_several", "lfw_cohort", "lfw_strangers", "lfw86", "alike50", "gt_db"}

func openAll(folder string) (people, error) {
	p := people{}
	for _, name := range sets {
		var err error
		if p[name], err = open(folder, name); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// open reads the vectors of a set.
func open(folder, name string) (all []face, err error) {
	set, err := dataset.Open(context.Background(), filepath.Join(folder, name+".npz"), dataset.Options{})
	if err != nil {
		return nil, err
	}
	if e := set.Frame.Embedding; e.Centring != "" {
		return nil, fmt.Errorf("%s.npz: the vectors are centred: make them with --input \"embedding centring=off\"", name)
	}
	set = set.Faces()
	set = set.Select(classify.NonZero(set.X))
	for j := range set.Len() {
		f := face{vector: mat.Col(nil, j, set.X), person: set.Classes[set.ClassOf(j)], photographs: 1}
		toUnit(f.vector)
		if parts := strings.Split(f.person, "_"); name == "ordinary" && len(parts) == 4 {
			f.age, _ = strconv.Atoi(parts[0])
			f.sex, f.group = parts[1], parts[2]
		}
		f.young = strings.HasPrefix(filepath.Base(set.IDs[j]), "young")
		all = append(all, f)
	}
	return all, nil
}

// half has every second person of each set.
func (p people) half(which int) people {
	h := people{}
	for name, faces := range p {
		n := -1
		for j, f := range faces {
			if j == 0 || f.person != faces[j-1].person {
				n++
			}
			if n%2 == which {
				h[name] = append(h[name], f)
			}
		}
	}
	return h
}

// centred are the same faces with vectors that c has centred.
func (p people) centred(c *embedding.Centring) people {
	r := people{}
	for name, faces := range p {
		for _, f := range faces {
			f.vector = slices.Clone(f.vector)
			if c.Apply(f.vector) {
				r[name] = append(r[name], f)
			}
		}
	}
	return r
}

// distinct are those whose vectors are centred without ordinary people who are there before.
func (p people) distinct() people {
	const same = 0.5 // no two of ten million different people are as similar
	r := maps.Clone(p)
	r["ordinary"] = nil
	for _, f := range p["ordinary"] {
		if !slices.ContainsFunc(r["ordinary"], func(o face) bool { return floats.Dot(o.vector, f.vector) > same }) {
			r["ordinary"] = append(r["ordinary"], f)
		}
	}
	return r
}

// all are the faces of some sets.
func (p people) all(names ...string) (all []face) {
	for _, n := range names {
		all = append(all, p[n]...)
	}
	return all
}

// young are the faces of ages in childhood.
func (p people) young() []face {
	return slices.DeleteFunc(slices.Clone(p["ages"]), func(f face) bool { return !f.young })
}

// set returns a set as measure.Law takes it.
func (p people) set(name string) *dataset.Images {
	faces := p[name]
	s := &dataset.Images{}
	s.X, s.Frame, s.Groups = columns(faces), embedding.Default().Frame(), []int{0}
	for j, f := range faces {
		if j == 0 || f.person != faces[j-1].person {
			s.Classes = append(s.Classes, f.person)
			s.Groups = append(s.Groups, j)
		}
		s.Groups[len(s.Groups)-1] = j + 1
	}
	return s
}
