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

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
)

// covers are what is painted on faces: something that has always this form, or the parts over
// which something of random form is painted.
var covers = []string{"", "sunglasses", "eyes", "mask", "white mask", "black mask", "mouth"}

// wild prints how many small faces are found and named in larger pictures that are turned
// or, with covered, how many covered faces are. People are enrolled by other photographs,
// as they are.
func wild(ctx context.Context, by *face.Search, root string, folders []string, n int, covered bool) error {
	probes, g, err := drawProbes(ctx, by, filepath.Join(root, "photos", folders[0]), n)
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "%d photographs of %d people\n", len(probes), len(g.means))
	fmt.Fprintln(w, "face\twithout a face %\tother faces per mille\tnamed rightly %\twrongly %\tcalled covered %\tms\t")
	for k, degrees := range []float64{0, 30, -30, 45, -45, 60, -60} {
		if covered {
			break
		}
		row := wildRow{}
		for i, p := range probes {
			rng := rand.New(rand.NewPCG(uint64(i), uint64(k)))
			eyes := 13 + 13*rng.Float64() // of faces of 40 to 80 pixels
			at := face.Point{X: 0.3 + 0.4*rng.Float64(), Y: 0.3 + 0.4*rng.Float64()}
			m, pupils := scene{Width: 1000, Height: 750, Eyes: eyes, Position: at, Turn: degrees}.of(rgba(p.photo),
				p.pupils, backdrop(i, p.source, rng))
			if err := row.add(ctx, g, by, m, pupils, p.person); err != nil {
				return err
			}
		}
		row.print(w, fmt.Sprintf("40 to 80 pixels in 1000×750, turned by %v°", degrees))
	}
	for _, cover := range covers {
		if !covered {
			break
		}
		row := wildRow{}
		for i, p := range probes {
			s := scene{Accessory: cover}
			if slices.Contains(face.CoverParts, cover) {
				s = scene{Paint: worn(cover, rand.New(rand.NewPCG(uint64(i), 1)))}
			}
			m, pupils := s.of(rgba(p.photo), p.pupils, nil)
			parts, err := coveredIn(ctx, by, dataset.NewPhoto(m))
			if err != nil {
				return err
			}
			if parts != "" {
				row.coveredFaces++
			}
			if err := row.add(ctx, g, by, m, pupils, p.person); err != nil {
				return err
			}
		}
		row.print(w, "covered by: "+cover)
	}
	return w.Flush()
}

// backdrop is the i-th picture behind a small face: waves, a gradient, noise, or what is
// beside the head in the photograph itself.
func backdrop(i int, p source, rng *rand.Rand) *image.RGBA {
	switch m := corner(rgba(p.photo), p.pupils, true); {
	case i%4 == 1 && m != nil:
		return m
	case i%4 > 1:
		m := image.NewRGBA(image.Rect(0, 0, 250, 188))
		for k := range m.Pix {
			m.Pix[k] = byte(60 + 120*(k/4%250)/250 + rng.IntN(1+50*(i%4-2)))
		}
		return m
	}
	return texture(160, 120, rng)
}

// A wildRow counts the answers for one kind of pictures.
type wildRow struct {
	pictures, withoutFace, otherFaces, right, wrong, coveredFaces int
	ms                                                            []float64
}

func (r *wildRow) add(ctx context.Context, g *enrolled, by *face.Search, m *image.RGBA, pupils placed, person int) error {
	photo := dataset.NewPhoto(m)
	before := used()
	a, err := g.answer(ctx, by, photo)
	if err != nil {
		return err
	}
	r.ms = append(r.ms, used()-before)
	r.pictures++
	if !slices.ContainsFunc(a.faces, func(f face.Face) bool { return near(f.Pupils, pupils) }) {
		r.withoutFace++
	}
	for _, f := range a.faces {
		if !near(f.Pupils, pupils) {
			r.otherFaces++
		}
	}
	switch {
	case a.aboveThreshold && a.best == person:
		r.right++
	case a.aboveThreshold:
		r.wrong++
	}
	return nil
}

func (r *wildRow) print(w *tabwriter.Writer, about string) {
	slices.Sort(r.ms)
	share := func(k int) float64 { return 100 * float64(k) / float64(r.pictures) }
	fmt.Fprintf(w, "%s\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f\t%.0f\t\n", about, share(r.withoutFace),
		10*share(r.otherFaces), share(r.right), share(r.wrong), share(r.coveredFaces), r.ms[len(r.ms)/4])
}
