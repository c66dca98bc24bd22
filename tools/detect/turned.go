package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
)

// turns are the angles, degrees, by which photographs are turned.
var turns = []float64{30, -30, 60, -60, 90, -90, 180}

// seedOfTurned draws the photographs that are turned.
const seedOfTurned = 7

// turned prints how many faces are found, and named as in the upright photograph, in n
// photographs of each folder that are turned; with names, those that are not. The
// galleries are of the people of the folder, by photographs that are not turned.
func turned(ctx context.Context, by *face.Search, root string, folders []string, n int, names bool) error {
	var probes []probe
	var galleries []*enrolled
	for _, folder := range folders {
		some, g, err := drawProbes(ctx, by, filepath.Join(root, "photos", folder), n)
		if err != nil {
			return err
		}
		for range some {
			galleries = append(galleries, g)
		}
		probes = append(probes, some...)
	}
	kept := make([]answer, len(probes)) // of the upright photographs
	right := 0
	for i, p := range probes {
		var err error
		if kept[i], err = galleries[i].answer(ctx, by, p.photo); err != nil {
			return err
		}
		if kept[i].aboveThreshold && kept[i].best == p.person {
			right++
		}
		if len(kept[i].faces) > 0 {
			probes[i].pupils = kept[i].faces[0].Pupils
		}
	}
	share := func(k, of int) float64 { return 100 * float64(k) / float64(of) }
	fmt.Printf("%d photographs; as they are, %d are named rightly\n", len(probes), right)
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "turned by\tfound %\tonly that face %\tanswer as upright %\tof those named rightly upright: named %\twrongly\tms\t")
	var list []string
	for _, degrees := range turns {
		var found, alone, same, still, wrong int
		var ms []float64
		for i, p := range probes {
			m, pupils := turnedBy(p.source, degrees)
			before := used()
			a, err := galleries[i].answer(ctx, by, m)
			if err != nil {
				return err
			}
			ms = append(ms, used()-before)
			ok := slices.ContainsFunc(a.faces, func(f face.Face) bool { return near(f.Pupils, pupils) })
			if ok {
				found++
			}
			if ok && len(a.faces) == 1 {
				alone++
			}
			is := func(a answer) int {
				if !a.aboveThreshold {
					return -1
				}
				return a.best
			}
			if is(a) == is(kept[i]) {
				same++
			} else if names {
				list = append(list, fmt.Sprintf("%v°: %s: person %d, upright %d, cosines with the own person %.3f, %.3f",
					degrees, p.file, is(a), is(kept[i]), a.own(p.person), kept[i].own(p.person)))
			}
			if !ok && names {
				list = append(list, fmt.Sprintf("%v°: %s: not found, pupils at %.0f; %d faces", degrees, p.file, pupils, len(a.faces)))
			}
			if kept[i].aboveThreshold && kept[i].best == p.person && a.aboveThreshold && a.best == p.person {
				still++
			}
			if a.aboveThreshold && a.best != p.person {
				wrong++
			}
		}
		slices.Sort(ms)
		fmt.Fprintf(w, "%v°\t%.1f\t%.1f\t%.1f\t%.1f\t%d\t%.0f\t\n", degrees, share(found, len(probes)),
			share(alone, len(probes)), share(same, len(probes)), share(still, right), wrong, ms[len(ms)/4])
	}
	if err := w.Flush(); err != nil {
		return err
	}
	for _, line := range list {
		fmt.Println(line)
	}
	return nil
}

// A probe is a photograph of a person of a gallery.
type probe struct {
	source
	file   string
	person int
}

// drawProbes draws n photographs in a folder of folders of people, and enrolls the
// people with others.
func drawProbes(ctx context.Context, by *face.Search, folder string, n int) ([]probe, *enrolled, error) {
	files, err := dataset.ImageFiles(folder)
	if err != nil {
		return nil, nil, err
	}
	rng := rand.New(rand.NewPCG(seedOfTurned, 1))
	rng.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
	n = min(n, len(files)/3)
	of := map[string][]string{} // photographs to enrol
	var people []string
	for _, f := range files[n:] {
		name := filepath.Base(filepath.Dir(f))
		if len(of[name]) == 0 {
			people = append(people, name)
		}
		if len(of[name]) < enrolledPhotographs {
			of[name] = append(of[name], f)
		}
	}
	people = slices.DeleteFunc(people, func(p string) bool { return len(of[p]) < enrolledPhotographs })
	slices.Sort(people)
	g := newEnrolled()
	for _, p := range people {
		var photos []*dataset.Photo
		for _, file := range of[p] {
			s, err := sourceOf(file)
			if err != nil {
				return nil, nil, err
			}
			photos = append(photos, s.photo)
		}
		if err := g.enrol(ctx, by, photos); err != nil {
			return nil, nil, err
		}
	}
	var probes []probe
	for _, file := range files[:n] {
		person := slices.Index(people, filepath.Base(filepath.Dir(file)))
		s, err := sourceOf(file)
		if err != nil {
			return nil, nil, err
		}
		if person >= 0 && s.pupils != (placed{}) {
			probes = append(probes, probe{s, file, person})
		}
	}
	return probes, g, nil
}

// turnedBy returns the photograph turned by degrees, and the positions of its pupils. At a multiple
// of 90 degrees it is complete; at other angles it is a frame of the same size about the eyes.
func turnedBy(s source, degrees float64) (*dataset.Photo, placed) {
	m := rgba(s.photo)
	w, h := m.Rect.Dx(), m.Rect.Dy()
	about := scene{Turn: degrees}
	if math.Mod(degrees, 90) == 0 {
		x, y := (s.pupils[0].X+s.pupils[1].X)/2/float64(w), (s.pupils[0].Y+s.pupils[1].Y)/2/float64(h)
		about.Width, about.Height, about.Eyes = w, h, s.pupils.eyes()
		switch degrees {
		case 90:
			about.Width, about.Height, about.Position = h, w, face.Point{X: 1 - y, Y: x}
		case -90:
			about.Width, about.Height, about.Position = h, w, face.Point{X: y, Y: 1 - x}
		default:
			about.Position = face.Point{X: 1 - x, Y: 1 - y}
		}
	}
	turned, pupils := about.of(m, s.pupils, nil)
	return dataset.NewPhoto(turned), pupils
}
