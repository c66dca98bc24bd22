package main

import (
	"context"
	"encoding/csv"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"text/tabwriter"

	"golang.org/x/image/draw"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
)

// A boxedPhoto is a photograph with boxes about faces.
type boxedPhoto struct {
	file   string
	labels []string
	boxes  []face.Box
}

// boxed reads the photographs of a folder with boxes.csv, by name.
func boxed(folder string) (all []boxedPhoto, err error) {
	f, err := os.Open(filepath.Join(folder, "boxes.csv"))
	if err != nil {
		return nil, err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return nil, err
	}
	for _, r := range rows[1:] {
		var v [4]float64
		for i := range v {
			if v[i], err = strconv.ParseFloat(r[2+i], 64); err != nil {
				return nil, err
			}
		}
		file := filepath.Join(folder, r[0])
		i := slices.IndexFunc(all, func(p boxedPhoto) bool { return p.file == file })
		if i < 0 {
			i, all = len(all), append(all, boxedPhoto{file: file})
		}
		all[i].labels = append(all[i].labels, r[1])
		all[i].boxes = append(all[i].boxes, face.Box{Left: v[0], Top: v[1], Right: v[2], Bottom: v[3]})
	}
	return all, nil
}

func readColour(ctx context.Context, file string) (*dataset.Photo, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	return dataset.DecodeColour(ctx, data, file)
}

// minBox is the height of the boxes that count, in pixels.
const minBox = 48

// webcams prints how many of the boxes of webcam photographs are found, with and without a mask, and
// how many faces lie in none, of every second photograph and of the others.
func webcams(ctx context.Context, by *face.Search, root string, names bool) error {
	all, err := boxed(filepath.Join(root, "photos", "webcams"))
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "webcams\twith a mask: found\tof\t%\twithout: found\tof\t%\telsewhere\tms\t")
	for half, name := range []string{"first half", "second half"} {
		var found, of [2]int
		elsewhere, ms := 0, 0.
		for i := half; i < len(all); i += 2 {
			p := all[i]
			photo, err := readColour(ctx, p.file)
			if err != nil {
				return err
			}
			before := used()
			faces, behind, err := by.FindAll(ctx, photo)
			if err != nil {
				return err
			}
			ms += used() - before
			faces = append(faces, behind...)
			for k, b := range p.boxes {
				if b.Bottom-b.Top < minBox {
					continue
				}
				kind := 0
				if p.labels[k] == "without_mask" {
					kind = 1
				}
				of[kind]++
				if slices.ContainsFunc(faces, func(f face.Face) bool { return overlap(boxFrom(f), b) >= minOverlap }) {
					found[kind]++
				} else if names {
					fmt.Println("not found:", p.file, p.labels[k], b)
				}
			}
			for _, f := range faces {
				if !slices.ContainsFunc(p.boxes, func(b face.Box) bool { return overlap(boxFrom(f), b) > 0 }) {
					elsewhere++
					if names {
						fmt.Println("elsewhere:", p.file, f.Box, f.Quality.Detection)
					}
				}
			}
		}
		share := func(k int) float64 { return 100 * float64(found[k]) / float64(of[k]) }
		fmt.Fprintf(w, "%s\t%d\t%d\t%.1f\t%d\t%d\t%.1f\t%d\t%.1f\t\n", name, found[0], of[0], share(0),
			found[1], of[1], share(1), elsewhere, ms/float64(len(all)/2))
	}
	return w.Flush()
}

func boxFrom(f face.Face) face.Box {
	return face.Box{Left: float64(f.Box.Min.X), Top: float64(f.Box.Min.Y), Right: float64(f.Box.Max.X), Bottom: float64(f.Box.Max.Y)}
}

// animals prints in how many pictures of animals a face is found.
func animals(ctx context.Context, by *face.Search, root string, names bool) error {
	files, err := dataset.ImageFiles(filepath.Join(root, "photos", "animals"))
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "animals\tpictures\twith a face\t%\tms\t")
	for half, name := range []string{"first half", "second half"} {
		with, of, ms := 0, 0, 0.
		for i := half; i < len(files); i += 2 {
			photo, err := readColour(ctx, files[i])
			if err != nil {
				return err
			}
			before := used()
			faces, err := by.Find(ctx, photo)
			if err != nil {
				return err
			}
			ms += used() - before
			of++
			if len(faces) > 0 {
				with++
				if names {
					fmt.Println(files[i], faces[0].Box, faces[0].Quality.Detection)
				}
			}
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%.1f\t%.1f\t\n", name, of, with, 100*float64(with)/float64(of), ms/float64(of))
	}
	return w.Flush()
}

// far prints how many small faces are found in large photographs: one in four places, and a class of
// thirty.
func far(ctx context.Context, by *face.Search, root string, folders []string) error {
	all, err := sources(root, folders[0], 40)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "faces\tpixels between the eyes\tin\tfound\tothers\tms\t")
	for _, c := range []struct{ faces, eyes, width, height int }{
		{4, 36, 6000, 4000},
		{30, 26, 3000, 2000},
		{30, 26, 6000, 4000},
		{30, 60, 6000, 4000},
		{30, 80, 6000, 4000},
		{10, 30, 12000, 2400},
		{0, 0, 6000, 4000},
	} {
		m := smooth(c.width, c.height)
		var at []placed
		for i := range c.faces {
			from := all[i%len(all)]
			columns := max(1, (c.faces+4)/5)
			x, y := c.width*(2*(i%columns)+1)/(2*columns), c.height*(2*(i/columns)+1)/(2*((c.faces+columns-1)/columns))
			at = append(at, pasted(m, rgba(from.photo), from.pupils, float64(c.eyes), x, y))
		}
		photo := dataset.NewPhoto(m)
		before := used()
		faces, behind, err := by.FindAll(ctx, photo)
		if err != nil {
			return err
		}
		ms := used() - before
		found, others := 0, len(faces)+len(behind)
		for _, p := range at {
			if slices.ContainsFunc(append(faces, behind...), func(f face.Face) bool { return near(f.Pupils, p) }) {
				found, others = found+1, others-1
			}
		}
		fmt.Fprintf(w, "%d\t%d\t%d×%d\t%d\t%d\t%.0f\t\n", c.faces, c.eyes, c.width, c.height, found, others, ms)
	}
	return w.Flush()
}

// smooth is a picture without shapes.
func smooth(w, h int) *image.RGBA {
	m := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		row := m.Pix[y*m.Stride:][:4*w]
		for x := range w {
			row[4*x], row[4*x+1], row[4*x+2], row[4*x+3] = byte(90+60*x/w), byte(110+50*y/h), byte(130-30*x/w), 255
		}
	}
	return m
}

// pasted draws the head of a photograph into m about (x, y), and returns where its pupils are.
func pasted(m, photo *image.RGBA, p placed, eyes float64, x, y int) placed {
	const half = 2.2 // of the square that is shown, in eye distances
	cx, cy := (p[0].X+p[1].X)/2, (p[0].Y+p[1].Y)/2+0.4*p.eyes()
	r := image.Rect(int(cx-half*p.eyes()), int(cy-half*p.eyes()), int(cx+half*p.eyes()), int(cy+half*p.eyes())).Intersect(photo.Rect)
	f := eyes / p.eyes()
	to := image.Rect(0, 0, int(f*float64(r.Dx())), int(f*float64(r.Dy()))).Add(image.Pt(x, y))
	draw.CatmullRom.Scale(m, to, photo, r, draw.Src, nil)
	for i, q := range p {
		p[i] = face.Point{X: float64(to.Min.X) + f*(q.X-float64(r.Min.X)), Y: float64(to.Min.Y) + f*(q.Y-float64(r.Min.Y))}
	}
	return p
}
