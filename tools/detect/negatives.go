package main

import (
	"context"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"

	"golang.org/x/image/draw"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/synthetic"
)

// A nobody is a kind of pictures without people, and what a detector finds in them.
type nobody struct {
	label               string
	pictures, positives int // positives: pictures in which faces are found
	scores              []float64
	ms                  float64
}

// withoutPeople are the kinds of pictures without people that are made of a photograph;
// nil where it has no room for one.
var withoutPeople = []struct {
	label string
	make  func(i int, from source, photo *image.RGBA, rng *rand.Rand) *image.RGBA
}{
	{"beside a head", func(i int, from source, photo *image.RGBA, _ *rand.Rand) *image.RGBA {
		return corner(photo, from.pupils, i%2 == 0)
	}},
	{"below a chin", func(_ int, from source, photo *image.RGBA, _ *rand.Rand) *image.RGBA {
		return below(photo, from.pupils)
	}},
	{"shuffled squares", func(_ int, _ source, photo *image.RGBA, rng *rand.Rand) *image.RGBA { return mosaic(photo, rng) }},
	{"textures", func(_ int, _ source, _ *image.RGBA, rng *rand.Rand) *image.RGBA { return texture(320, 240, rng) }},
	{"drawn shapes", func(_ int, _ source, _ *image.RGBA, rng *rand.Rand) *image.RGBA { return drawn(320, 240, rng) }},
	{"drawn scenes", func(i int, _ source, _ *image.RGBA, _ *rand.Rand) *image.RGBA { return emptyScene(i) }},
}

// falseFaces returns what d finds in pictures without people, and writes those in which
// it finds faces to the folder save.
func falseFaces(ctx context.Context, d detector, all []source, save string) ([]nobody, error) {
	kinds := make([]nobody, len(withoutPeople))
	for i, from := range all {
		rng := rand.New(rand.NewPCG(uint64(i), 99))
		photo := rgba(from.photo)
		for k, kind := range withoutPeople {
			m := kind.make(i, from, photo, rng)
			if m == nil {
				continue
			}
			found, ms, err := timed(ctx, d, dataset.NewPhoto(m))
			if err != nil {
				return nil, err
			}
			n := &kinds[k]
			n.label = kind.label
			n.pictures++
			n.ms += ms
			for _, f := range found {
				n.scores = append(n.scores, f.Score)
			}
			if len(found) == 0 {
				continue
			}
			n.positives++
			if save != "" {
				for _, f := range found {
					frame(m, image.Rect(int(f.Box.Left), int(f.Box.Top), int(f.Box.Right), int(f.Box.Bottom)))
				}
				if err := write(filepath.Join(save, fmt.Sprintf("%s %s %d %.2f.png", d.name, kind.label, i, found[0].Score)), m); err != nil {
					return nil, err
				}
			}
		}
	}
	return kinds, nil
}

// below returns the part of photo below the chin of p, enlarged.
func below(photo *image.RGBA, p placed) *image.RGBA {
	const chin = 2.2 // eye distances below the eyes
	top := int((p[0].Y+p[1].Y)/2 + chin*p.eyes())
	r := image.Rect(0, top, photo.Rect.Dx(), photo.Rect.Dy())
	const minHeight = 24
	if r.Dy() < minHeight {
		return nil
	}
	if r.Dx() > 2*r.Dy() {
		middle := int((p[0].X + p[1].X) / 2)
		left := max(0, min(r.Dx()-2*r.Dy(), middle-r.Dy()))
		r.Min.X, r.Max.X = left, left+2*r.Dy()
	}
	out := image.NewRGBA(image.Rect(0, 0, 320, 320*r.Dy()/r.Dx()))
	draw.CatmullRom.Scale(out, out.Rect, photo, r, draw.Src, nil)
	return out
}

// emptyScene draws a place without people.
func emptyScene(i int) *image.RGBA {
	p := synthetic.Photographs{People: 2, PerPerson: 1, Size: dataset.Size{Height: 480, Width: 640}, Seed: uint64(i)}
	m, _ := p.Draw(p.Len() - 1)
	out := image.NewRGBA(m.Rect)
	draw.Draw(out, out.Rect, m, m.Rect.Min, draw.Src)
	return out
}

// frame draws a white rectangle.
func frame(m *image.RGBA, r image.Rectangle) {
	line := image.White
	for _, side := range []image.Rectangle{
		{Min: r.Min, Max: image.Pt(r.Max.X, r.Min.Y+2)},
		{Min: image.Pt(r.Min.X, r.Max.Y-2), Max: r.Max},
		{Min: r.Min, Max: image.Pt(r.Min.X+2, r.Max.Y)},
		{Min: image.Pt(r.Max.X-2, r.Min.Y), Max: r.Max},
	} {
		draw.Draw(m, side, line, image.Point{}, draw.Src)
	}
}

func write(path string, m image.Image) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := png.Encode(f, m); err != nil {
		f.Close()
		return err
	}
	return f.Close()
}
