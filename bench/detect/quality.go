package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"gonum.org/v1/gonum/floats"

	"nrdl/dataset"
	"nrdl/face"
	"nrdl/frontend/embedding"
	"nrdl/openset"
)

// spoilt are the ways in which faces get worse, for the measurement of quality.
var spoilt = []scene{
	{About: "as it is"},
	{About: "30 pixels between the eyes", Width: 190, Height: 190, Eyes: 30},
	{About: "20 pixels", Width: 130, Height: 130, Eyes: 20},
	{About: "16 pixels", Width: 100, Height: 100, Eyes: 16},
	{About: "12 pixels", Width: 76, Height: 76, Eyes: 12},
	{About: "9 pixels", Width: 57, Height: 57, Eyes: 9},
	{About: "7 pixels", Width: 44, Height: 44, Eyes: 7},
	{About: "blur of 0.05", Blur: 0.05},
	{About: "blur of 0.1", Blur: 0.1},
	{About: "blur of 0.15", Blur: 0.15},
	{About: "blur of 0.2", Blur: 0.2},
	{About: "aside by 0.4", Aside: 0.4},
	{About: "aside by 0.6", Aside: 0.6},
	{About: "0.12 of the light", Light: 0.12},
	{About: "2.2 times the light", Light: 2.2},
	{About: "turned by 30°", Turn: 30},
	{About: "turned by 60°", Turn: 60},
	{About: "turned by 90°", Turn: 90},
	{About: "turned by 180°", Turn: 180},
	{About: "mask", Worn: "mask"},
	{About: "sunglasses", Worn: "sunglasses"},
	{About: "cap", Worn: "cap"},
}

// enrolledPhotographs are of each person, as they are; the others are spoilt.
const enrolledPhotographs = 3

// quality prints how many spoilt faces are found, refused and named, with a threshold at
// which 1 % of strangers are named, and how many strangers spoilt alike are: galleries of
// the people in a folder with enough photographs; strangers are those of another folder.
func quality(ctx context.Context, by *face.Search, root, folder, others string, people, strangers int) error {
	files, err := dataset.ImageFiles(filepath.Join(root, "photos", folder))
	if err != nil {
		return err
	}
	of := map[string][]string{}
	var names []string
	for _, f := range files {
		name := filepath.Base(filepath.Dir(f))
		if of[name] == nil {
			names = append(names, name)
		}
		of[name] = append(of[name], f)
	}
	names = slices.DeleteFunc(names, func(n string) bool { return len(of[n]) < enrolledPhotographs+2 })
	e := embedding.Default()
	in := dataset.Frame{Eyes: e.Frame().Eyes}
	cut := face.Cut{Frame: in, Embedder: e, By: by}
	look := func(m *dataset.Photo) (face.Seen, error) {
		seen, err := face.In(ctx, m, face.Largest, cut)
		if err != nil || len(seen) == 0 {
			return face.Seen{}, err
		}
		if seen[0].Values == nil { // refused: what would be named all the same
			values, err := cut.Values(ctx, m, *seen[0].Face)
			seen[0].Values = values
			return seen[0], err
		}
		return seen[0], err
	}
	read := func(file string) (source, error) {
		data, err := os.ReadFile(file)
		if err != nil {
			return source{}, err
		}
		photo, err := dataset.DecodeColour(data, file)
		if err != nil {
			return source{}, err
		}
		p := lfwPupils
		if faces := face.DefaultFinder.Find(photo.Grey); len(faces) > 0 && near(faces[0].Pupils, p) {
			p = faces[0].Pupils
		}
		return source{rgba(photo), p}, nil
	}
	var means [][]float64
	var probes []source
	var whose []int
	for i := range min(people, len(names)) {
		list := of[names[i*len(names)/min(people, len(names))]]
		mean := make([]float64, e.Frame().Len())
		for k, file := range list[:enrolledPhotographs+2] {
			s, err := read(file)
			if err != nil {
				return err
			}
			if k >= enrolledPhotographs {
				probes, whose = append(probes, s), append(whose, i)
				continue
			}
			seen, err := look(dataset.NewPhoto(s.photo))
			if err != nil {
				return err
			}
			if seen.Values != nil {
				floats.Add(mean, seen.Values)
			}
		}
		floats.Scale(1/floats.Norm(mean, 2), mean)
		means = append(means, mean)
	}
	var nobody []source
	list, err := dataset.ImageFiles(filepath.Join(root, "photos", others))
	if err != nil {
		return err
	}
	for i := range min(strangers, len(list)) {
		s, err := read(list[i*len(list)/min(strangers, len(list))])
		if err != nil {
			return err
		}
		nobody = append(nobody, s)
	}
	best := func(v []float64) (int, float64) {
		at, most := -1, math.Inf(-1)
		for i, m := range means {
			if c := floats.Dot(m, v); c > most {
				at, most = i, c
			}
		}
		return at, most
	}
	law := openset.ImpostorsOf(e.Frame().Embedding.Digest, e.Frame().Embedding.Mirror)
	limit := openset.AtLarge(0.01, len(means))
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "%d people, %d photographs of them, %d strangers\n", len(means), len(probes), len(nobody))
	fmt.Fprintln(w, "faces\tfound %\trefused %\tbest guess right %\tnamed rightly %\twrongly %\tstrangers named %\tsharpness: 5 %\tmedian\teyes: median\t")
	for _, s := range spoilt {
		var found, refused, right, named, wrong, strange int
		var sharp, eyes []float64
		for i, p := range probes {
			m, _ := s.of(p.photo, p.pupils, nil)
			seen, err := look(dataset.NewPhoto(m))
			if err != nil {
				return err
			}
			if seen.Face == nil {
				continue
			}
			found++
			sharp, eyes = append(sharp, seen.Face.Quality.Sharpness), append(eyes, seen.Face.Quality.Eyes)
			if seen.Refused != nil {
				refused++
			}
			at, cosine := best(seen.Values)
			over := law.Deviate(enrolledPhotographs, cosine) > limit
			switch {
			case at == whose[i]:
				right++
				if over {
					named++
				}
			case over:
				wrong++
			}
		}
		for _, p := range nobody {
			m, _ := s.of(p.photo, p.pupils, nil)
			seen, err := look(dataset.NewPhoto(m))
			if err != nil {
				return err
			}
			if seen.Face != nil {
				if _, cosine := best(seen.Values); law.Deviate(enrolledPhotographs, cosine) > limit {
					strange++
				}
			}
		}
		slices.Sort(sharp)
		slices.Sort(eyes)
		share := func(n int) float64 { return 100 * float64(n) / float64(len(probes)) }
		at := func(v []float64, q int) float64 {
			if len(v) == 0 {
				return math.NaN()
			}
			return v[len(v)*q/100]
		}
		fmt.Fprintf(w, "%s\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%.2f\t%.2f\t%.1f\t\n", s.About, share(found), share(refused), share(right), share(named), share(wrong),
			100*float64(strange)/float64(len(nobody)), at(sharp, 5), at(sharp, 50), at(eyes, 50))
	}
	return w.Flush()
}
