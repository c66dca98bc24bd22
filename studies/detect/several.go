package main

import (
	"context"
	"fmt"
	"image"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"text/tabwriter"

	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/face"
)

// A party is people in one photograph of 1600×1200 pixels.
type party struct {
	About string
	Eyes  float64   // pixels between the eyes
	Turns []float64 // degrees by which each of them is turned
}

var parties = []party{
	{"one person, 64 pixels between the eyes, upright", 64, []float64{0}},
	{"turned by 90°", 64, []float64{90}},
	{"one person, 48 pixels, upright", 48, []float64{0}},
	{"turned by 30°", 48, []float64{30}},
	{"turned by 90°", 48, []float64{90}},
	{"turned by 180°", 48, []float64{180}},
	{"one person, 32 pixels, upright", 32, []float64{0}},
	{"turned by 90°", 32, []float64{-90}},
	{"six people, 48 pixels, upright", 48, []float64{0, 0, 0, 0, 0, 0}},
	{"all turned by 30°", 48, []float64{30, 30, 30, 30, 30, 30}},
	{"all turned by 90°", 48, []float64{-90, -90, -90, -90, -90, -90}},
	{"all turned by 180°", 48, []float64{180, 180, 180, 180, 180, 180}},
	{"two people, 64 pixels, one of them turned by 90°", 64, []float64{0, 90}},
	{"two people, turned by 90° and −90°", 64, []float64{-90, 90}},
}

// several prints how many faces are found in photographs of several people, and of people
// who are far away, who are turned: n of each kind, made of photographs of a folder.
func several(ctx context.Context, by *face.Search, root, folder string, n int) error {
	const width, height = 1600, 1200
	all, err := sources(root, folder, 6*n)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "photographs\tfaces\tfound %\tother faces\tms\t")
	for k, p := range parties {
		var faces, found, others int
		var ms []float64
		for i := range n {
			rng := rand.New(rand.NewPCG(uint64(i), uint64(k)))
			m := texture(width/8, height/8, rng)
			var at []placed
			for j, degrees := range p.Turns {
				from := all[(i*len(p.Turns)+j)%len(all)]
				x, y := (float64(j%3)+0.5)/3, (float64(j/3)+0.5)/2
				if len(p.Turns) == 1 {
					x, y = 0.3+0.4*rng.Float64(), 0.3+0.4*rng.Float64()
				}
				var pupils placed
				m, pupils = scene{Width: width, Height: height, Eyes: p.Eyes, At: face.Point{X: x, Y: y}, Turn: degrees}.of(rgba(from.photo), from.pupils, m)
				at = append(at, pupils)
			}
			seen, took, err := sought(ctx, by, m)
			if err != nil {
				return err
			}
			ms = append(ms, took)
			faces += len(at)
			for _, f := range seen {
				if !slices.ContainsFunc(at, func(p placed) bool { return near(f.Pupils, p) }) {
					others++
				}
			}
			for _, pupils := range at {
				if slices.ContainsFunc(seen, func(f face.Face) bool { return near(f.Pupils, pupils) }) {
					found++
				}
			}
		}
		slices.Sort(ms)
		fmt.Fprintf(w, "%s\t%d\t%.1f\t%d\t%.0f\t\n", p.About, faces, 100*float64(found)/float64(faces), others, ms[len(ms)/4])
	}
	return w.Flush()
}

// sought returns the faces in m, and the milliseconds of the processor that it took.
func sought(ctx context.Context, by *face.Search, m image.Image) ([]face.Face, float64, error) {
	photo := dataset.NewPhoto(m)
	before := used()
	faces, err := by.Find(ctx, photo)
	return faces, used() - before, err
}

// bordered prints how many faces are found in photographs with a plain border of these
// shares of their width, white, black and grey.
func bordered(ctx context.Context, by *face.Search, root string, folders []string, n int) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "border\tphotographs\tfound %\tonly that face %\tnone\tms\t")
	for _, folder := range folders {
		all, err := sources(root, folder, n)
		if err != nil {
			return err
		}
		for _, share := range []float64{0, 0.25, 0.5, 1, 2} {
			for _, grey := range []byte{255, 0, 128} {
				if share == 0 && grey != 255 {
					continue
				}
				var found, alone, none int
				var ms []float64
				for _, s := range all {
					m, pupils := inFrame(s, share, grey)
					seen, took, err := sought(ctx, by, m)
					if err != nil {
						return err
					}
					ms = append(ms, took)
					ok := slices.ContainsFunc(seen, func(f face.Face) bool { return near(f.Pupils, pupils) })
					if ok {
						found++
					}
					if ok && len(seen) == 1 {
						alone++
					}
					if len(seen) == 0 {
						none++
					}
				}
				slices.Sort(ms)
				fmt.Fprintf(w, "%s, %g of the width, grey value %d\t%d\t%.1f\t%.1f\t%d\t%.0f\t\n", filepath.Base(folder), share, grey, len(all),
					100*float64(found)/float64(len(all)), 100*float64(alone)/float64(len(all)), none, ms[len(ms)/4])
			}
		}
	}
	return w.Flush()
}

// inFrame returns the photograph with a border of this share of its width and of this
// grey value on each side, and where the pupils are then.
func inFrame(s source, share float64, grey byte) (*image.RGBA, placed) {
	from := rgba(s.photo)
	b := int(share * float64(from.Rect.Dx()))
	m := image.NewRGBA(image.Rect(0, 0, from.Rect.Dx()+2*b, from.Rect.Dy()+2*b))
	for i := range m.Pix {
		m.Pix[i] = grey
		if i%4 == 3 {
			m.Pix[i] = 255
		}
	}
	for y := range from.Rect.Dy() {
		copy(m.Pix[m.PixOffset(b, y+b):], from.Pix[y*from.Stride:][:4*from.Rect.Dx()])
	}
	p := s.pupils
	for i := range p {
		p[i] = face.Point{X: p[i].X + float64(b), Y: p[i].Y + float64(b)}
	}
	return m, p
}
