package main

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"image"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/image/draw"
	"golang.org/x/image/math/f64"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/face"
	"nrdl.example/nrdl/synthetic"
)

// An example is a finding of the network with its features.
type example struct {
	features []float64
	face     bool
	picture  int     // number of the picture in which it is found
	weight   float64 // all kinds of pictures weigh the same
	animal   bool
}

// examples are the findings in pictures that are made for the fit.
type examples struct {
	ctx      context.Context
	all      []example
	pictures int
}

// add takes the findings in a picture. Those that overlap one of faces show a face, the others do if
// none are given: others of a picture with faces are left out.
func (e *examples) add(photo *dataset.Photo, faces []face.Box, animal bool) (int, error) {
	found, features, err := face.DefaultSearch.ConfirmFeatures(e.ctx, photo)
	if err != nil {
		return 0, err
	}
	n := 0
	for i, d := range found {
		is := slices.ContainsFunc(faces, func(b face.Box) bool { return overlap(d.Box, b) >= minOverlap })
		if !is && len(faces) > 0 {
			continue
		}
		e.all = append(e.all, example{features[i], is, e.pictures, 1, animal})
		n++
	}
	e.pictures++
	return n, nil
}

// kind adds all pictures of a kind, and makes them weigh as much as any other.
func (e *examples) kind(about string, add func() error) error {
	first, before := len(e.all), e.pictures
	if err := add(); err != nil {
		return err
	}
	fmt.Printf("%s: %d findings in %d pictures\n", about, len(e.all)-first, e.pictures-before)
	for i := first; i < len(e.all); i++ {
		e.all[i].weight = 1 / float64(max(20, len(e.all)-first))
	}
	return nil
}

// fitConfirming fits the weights by which findings of the network are confirmed, and writes them to
// file. Half of the webcam photographs and of the animals is used, of each second photograph; the
// other half is for -webcams and -animals. It prints the sum of the weights that one in fifty of
// the animals exceeds, by weights that were fitted on others.
func fitConfirming(ctx context.Context, root string, n int, file string) error {
	e := &examples{ctx: ctx}
	photos := filepath.Join(root, "photos")
	webcams, err := boxed(filepath.Join(photos, "webcams"))
	if err != nil {
		return err
	}
	err = e.kind("webcams", func() error {
		for i, p := range webcams {
			if i%2 == 1 {
				continue
			}
			photo, err := readColour(ctx, p.file)
			if err != nil {
				return err
			}
			if _, err := e.add(photo, p.boxes(0), false); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	err = e.kind("animals", func() error {
		files, err := dataset.ImageFiles(filepath.Join(photos, "animals"))
		for i := 0; i < len(files) && err == nil; i += 2 {
			var photo *dataset.Photo
			if photo, err = readColour(ctx, files[i]); err == nil {
				err = e.addAnimal(rgba(photo))
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := e.people(filepath.Join(photos, "lfw_cohort"), n); err != nil {
		return err
	}
	if err := e.people(filepath.Join(photos, "ordinary"), n); err != nil {
		return err
	}
	if err := e.nobody(filepath.Join(photos, "lfw_cohort"), n); err != nil {
		return err
	}
	err = e.kind("drawn faces", func() error {
		p := synthetic.Photographs{People: 20, PerPerson: 1, Size: dataset.Size{Height: 240, Width: 320}, Seed: 5}
		for i := range p.Len() {
			m, found := p.Draw(i)
			if _, err := e.add(dataset.NewPhoto(m), drawnBoxes(found), false); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	if err := e.patterns(filepath.Join(photos, "ordinary"), 2*n); err != nil {
		return err
	}
	e.judge()
	var out []float32
	for _, w := range e.weights(func(int) bool { return true }) {
		out = append(out, float32(w))
	}
	data, err := binary.Append(nil, binary.LittleEndian, out)
	return cmp.Or(err, os.WriteFile(filepath.Clean(file), data, 0o666))
}

// addAnimal adds a picture as it is, the middle of its mirror image enlarged, and a smaller copy that
// is turned a little.
func (e *examples) addAnimal(m *image.RGBA) error {
	w, h := m.Rect.Dx(), m.Rect.Dy()
	pictures := e.pictures
	for i, to := range []f64.Aff3{{1, 0, 0, 0, 1, 0}, {-1.25, 0, 1.125 * float64(w), 0, 1.25, -0.125 * float64(h)}, {0.7, -0.14, 0.14 * float64(h), 0.14, 0.7, 0}} {
		out := m
		if i > 0 {
			out = image.NewRGBA(m.Rect)
			draw.BiLinear.Transform(out, to, m, m.Rect, draw.Src, nil)
		}
		e.pictures = pictures // one picture, so that no half has a copy of the other's
		if _, err := e.add(dataset.NewPhoto(out), nil, true); err != nil {
			return err
		}
	}
	return nil
}

// people adds n people of a folder, as they are, turned, covered, and small in a larger picture that is turned.
func (e *examples) people(folder string, n int) error {
	files, err := dataset.ImageFiles(folder)
	if err != nil {
		return err
	}
	var all []source
	for i := range min(n, len(files)) {
		s, err := sourceOf(files[i*len(files)/min(n, len(files))])
		if err != nil {
			return err
		}
		if s.pupils != (placed{}) {
			all = append(all, s)
		}
	}
	for _, how := range []string{"", "crop", "soft crop", "turned", "eyes", "mouth", "mask", "small", "tiny", "over-exposed", "blurred"} {
		err := e.kind(filepath.Base(folder)+" "+how, func() error {
			for i, from := range all {
				rng := rand.New(rand.NewPCG(uint64(i), 3))
				s := scene{}
				var background *image.RGBA
				switch how {
				case "turned":
					s.Turn = 360 * rng.Float64()
				case "eyes", "mouth":
					s.Paint = worn(how, rng)
				case "mask":
					s.Worn = how
				case "crop", "soft crop":
					s = scene{Width: 100, Height: 100, Eyes: 30 + 15*rng.Float64(), At: face.Point{X: 0.45 + 0.1*rng.Float64(), Y: 0.38 + 0.1*rng.Float64()}}
					if how != "crop" {
						s.Blur = 0.03 + 0.07*rng.Float64()
					}
				case "over-exposed":
					s.Light = 1.5 + rng.Float64()
				case "blurred":
					s.Blur = 0.05 + 0.15*rng.Float64()
				case "tiny":
					s = scene{Width: 320, Height: 240, Eyes: 8 + 6*rng.Float64()}
					background = texture(160, 120, rng)
				case "small":
					s = scene{Width: 640, Height: 480, Eyes: 9 + 15*rng.Float64(), Turn: 360 * rng.Float64()}
					background = texture(160, 120, rng)
				}
				m, p := s.of(rgba(from.photo), from.pupils, background)
				if _, err := e.add(dataset.NewPhoto(m), []face.Box{p.box()}, false); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// nobody adds pictures without people, which are made of n photographs of a folder.
func (e *examples) nobody(folder string, n int) error {
	all, err := sources(filepath.Dir(filepath.Dir(folder)), filepath.Base(folder), n)
	if err != nil {
		return err
	}
	for _, kind := range withoutPeople {
		err := e.kind(kind.about, func() error {
			for i, from := range all {
				m := kind.make(i+1000, from, rgba(from.photo), rand.New(rand.NewPCG(uint64(i), 98)))
				if m == nil {
					continue
				}
				if _, err := e.add(dataset.NewPhoto(m), nil, false); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// patterns adds pictures of many small squares, of n photographs of a folder: parts of letters, buttons and
// eyes beside others, as large as they come.
func (e *examples) patterns(folder string, n int) error {
	files, err := dataset.ImageFiles(folder)
	if err != nil {
		return err
	}
	return e.kind("squares of "+filepath.Base(folder), func() error {
		for i := range min(n, len(files)) {
			photo, err := readColour(e.ctx, files[i*len(files)/min(n, len(files))])
			if err != nil {
				return err
			}
			rng := rand.New(rand.NewPCG(uint64(i), 97))
			m := image.NewRGBA(image.Rect(0, 0, 640, 480))
			draw.CatmullRom.Scale(m, m.Rect, rgba(photo), photo.Grey.Rect, draw.Src, nil)
			if _, err := e.add(dataset.NewPhoto(mosaic(m, rng)), nil, false); err != nil {
				return err
			}
		}
		return nil
	})
}

// judge prints what weights of one half of the pictures make of the others.
func (e *examples) judge() {
	best := map[int]float64{} // by picture of animals
	var faces, patterns []float64
	for half := range 2 {
		w := e.weights(func(picture int) bool { return picture%2 != half })
		for _, x := range e.all {
			if x.picture%2 != half {
				continue
			}
			v := floats.Dot(w[:len(x.features)], x.features) + w[len(x.features)]
			switch {
			case x.face:
				faces = append(faces, v)
			case x.animal:
				best[x.picture] = max(best[x.picture], v)
			default:
				patterns = append(patterns, v)
			}
		}
	}
	var animals []float64
	for _, v := range best {
		animals = append(animals, v)
	}
	slices.Sort(animals)
	slices.Sort(faces)
	slices.Sort(patterns)
	at := func(v []float64, share float64) float64 { return v[int(share*float64(len(v)-1))] }
	for _, share := range []float64{0.9, 0.95, 0.98, 1} {
		t := at(animals, share)
		k, _ := slices.BinarySearch(faces, t)
		q, _ := slices.BinarySearch(patterns, t)
		fmt.Printf("sum %.3f: above it %.1f %% of the animals, %.1f %% of %d faces, %d of %d patterns\n", t, 100*(1-share), 100*float64(len(faces)-k)/float64(len(faces)), len(faces), len(patterns)-q, len(patterns))
	}
}

// weights returns the weights whose sums are about 1 for faces, and about 0 for others, of the
// pictures that use selects; the last is added.
func (e *examples) weights(use func(picture int) bool) []float64 {
	const penalty = 1e-3 // of the mean square of a sum
	d := len(e.all[0].features) + 1
	var total [2]float64
	class := func(x example) int {
		if x.face {
			return 1
		}
		return 0
	}
	for _, x := range e.all {
		if use(x.picture) {
			total[class(x)] += x.weight
		}
	}
	a, b := mat.NewSymDense(d, nil), mat.NewVecDense(d, nil)
	for _, x := range e.all {
		if !use(x.picture) {
			continue
		}
		v := mat.NewVecDense(d, append(slices.Clone(x.features), 1))
		w := x.weight / total[class(x)] / 2
		a.SymRankOne(a, w, v)
		if x.face {
			b.AddScaledVec(b, w, v)
		}
	}
	for i := range d - 1 {
		a.SetSym(i, i, a.At(i, i)+penalty)
	}
	var factor mat.Cholesky
	if !factor.Factorize(a) {
		panic("confirming: not positive definite")
	}
	w := mat.NewVecDense(d, nil)
	if err := factor.SolveVecTo(w, b); err != nil {
		panic(err)
	}
	return w.RawVector().Data
}
