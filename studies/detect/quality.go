package main

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/face"
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
	g := newEnrolled()
	var probes []source
	var whose []int
	for i := range min(people, len(names)) {
		var photos []*dataset.Photo
		for k, file := range of[names[i*len(names)/min(people, len(names))]][:enrolledPhotographs+2] {
			s, err := sourceOf(file)
			if err != nil {
				return err
			}
			if k >= enrolledPhotographs {
				probes, whose = append(probes, s), append(whose, i)
			} else {
				photos = append(photos, s.photo)
			}
		}
		if err := g.enrol(ctx, by, photos); err != nil {
			return err
		}
	}
	var nobody []source
	list, err := dataset.ImageFiles(filepath.Join(root, "photos", others))
	if err != nil {
		return err
	}
	for i := range min(strangers, len(list)) {
		s, err := sourceOf(list[i*len(list)/min(strangers, len(list))])
		if err != nil {
			return err
		}
		nobody = append(nobody, s)
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "%d people, %d photographs of them, %d strangers\n", len(g.means), len(probes), len(nobody))
	fmt.Fprintln(w, "faces\tfound %\trefused %\tbest guess right %\tnamed rightly %\twrongly %\tstrangers named %\tsharpness: 5 %\tmedian\teyes: median\t")
	for _, s := range spoilt {
		var found, refused, right, named, wrong, strange int
		var sharp, eyes []float64
		for i, p := range probes {
			m, _ := s.of(rgba(p.photo), p.pupils, nil)
			a, err := g.answer(ctx, by, dataset.NewPhoto(m))
			if err != nil {
				return err
			}
			if len(a.faces) == 0 {
				continue
			}
			found++
			sharp, eyes = append(sharp, a.faces[0].Quality.Sharpness), append(eyes, a.faces[0].Quality.Eyes)
			if face.NetworkLimits.Refusal(a.faces[0]) != nil {
				refused++
			}
			switch {
			case a.best == whose[i]:
				right++
				if a.named {
					named++
				}
			case a.named:
				wrong++
			}
		}
		for _, p := range nobody {
			m, _ := s.of(rgba(p.photo), p.pupils, nil)
			a, err := g.answer(ctx, by, dataset.NewPhoto(m))
			if err != nil {
				return err
			}
			if a.named {
				strange++
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
