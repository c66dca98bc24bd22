package main

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
)

// worn draws something that covers the part of a face, of random form, size and shade, but not
// as wear does: the function returns its grey value at a place, in eye distances.
func worn(part string, rng *rand.Rand) func(u, v float64) (float64, bool) {
	between := func(lo, hi float64) float64 { return lo + (hi-lo)*rng.Float64() }
	shade, wave, often, aslant := between(15, 240), between(0, 12), between(3, 23), between(-1, 1)
	top, hollow, bottom, round, wide, tilt := between(0.35, 0.7), between(-0.25, 0.3), between(1.5, 2.1),
		between(0.1, 0.5), between(0.8, 1.3), between(-0.1, 0.1)
	if part == "mouth" {
		return func(u, v float64) (float64, bool) {
			y := v + tilt*u
			return shade*(1-0.2*u*u) + wave*math.Sin(often*(v+aslant*u)) + 2*rng.NormFloat64(),
				y > top+hollow*u*u && y < bottom-round*u*u && math.Abs(u) < wide
		}
	}
	dark, fade, width, height, corner, at, bar := between(5, 75), between(0, 40), between(0.3, 0.45),
		between(0.2, 0.35), between(2, 5), between(-0.05, 0.1), between(0.02, 0.07)
	return func(u, v float64) (float64, bool) {
		du, dv := (math.Abs(u)-0.5)/width, (v-at)/height
		return dark + fade*dv, math.Pow(math.Abs(du), corner)+math.Pow(math.Abs(dv), corner) < 1 || math.Abs(v-at+0.15) < bar && math.Abs(u) < 1
	}
}

// coveredIn says which parts of the largest face in photo are covered, as face.Face.Covered does.
func coveredIn(ctx context.Context, by *face.Search, photo *dataset.Photo) (string, error) {
	cut := face.Cut{Frame: dataset.Frame{Size: dataset.Size{Height: 8, Width: 8}, Eyes: dataset.ArcFaceEyes}, Network: true, Search: by}
	seen, err := face.In(ctx, photo, face.Largest, cut)
	if err != nil || len(seen) == 0 {
		return "", err
	}
	return seen[0].Face.Covered, nil
}

// fitCovers fits the weights of face.Covered on faces that worn covers, by ridge regression, and
// writes them to file. Half of the photographs set the weights of the other half's threshold: of
// its free faces at most one in 200 is called covered, and of its covered ones nine in ten at
// most, so that the threshold is not nearer to the free faces than it has to be.
func fitCovers(ctx context.Context, by *face.Search, folder string, n int, file string) error {
	files, err := dataset.ImageFiles(folder)
	if err != nil {
		return err
	}
	of := map[string][][]float64{} // features by what is covered
	for i := range min(n, len(files)) {
		s, err := sourceOf(files[i*len(files)/min(n, len(files))])
		if err != nil {
			return err
		}
		found, err := by.Find(ctx, s.photo)
		if err != nil {
			return err
		}
		if len(found) == 0 || !near(found[0].Pupils, s.pupils) {
			continue
		}
		for _, part := range append([]string{""}, face.CoverParts...) {
			photo := s.photo
			if part != "" {
				m, _ := scene{Paint: worn(part, rand.New(rand.NewPCG(uint64(i), 0)))}.of(rgba(photo), s.pupils, nil)
				photo = dataset.NewPhoto(m)
			}
			f, err := face.CoverFeatures(ctx, photo, face.Face{Pupils: s.pupils})
			if err != nil {
				return err
			}
			of[part] = append(of[part], f)
		}
	}
	var out []float32
	for _, part := range face.CoverParts {
		var scores [2][]float64 // of free and of covered faces, by the weights of the other half
		for half := range 2 {
			weights := ridge(of, part, func(i int) bool { return i%2 != half })
			for i := half; i < len(of[""]); i += 2 {
				scores[0] = append(scores[0], floats.Dot(weights, of[""][i]))
				scores[1] = append(scores[1], floats.Dot(weights, of[part][i]))
			}
		}
		slices.Sort(scores[0])
		slices.Sort(scores[1])
		threshold := max(scores[0][len(scores[0])*199/200], scores[1][len(scores[1])/10])
		at := func(v []float64) float64 {
			k, _ := slices.BinarySearch(v, math.Nextafter(threshold, 2))
			return 100 * float64(len(v)-k) / float64(len(v))
		}
		fmt.Printf("%s: %d faces; called covered: %.1f %% of the free ones, %.1f %% of the covered ones\n",
			part, len(scores[0]), at(scores[0]), at(scores[1]))
		for _, w := range append(ridge(of, part, func(int) bool { return true }), -threshold) {
			out = append(out, float32(w))
		}
	}
	data, err := binary.Append(nil, binary.LittleEndian, out)
	return cmp.Or(err, os.WriteFile(filepath.Clean(file), data, 0o666))
}

// ridge returns the weights whose sums are about 1 for faces of which part is covered, and about
// 0 for others, of the photographs that use selects.
func ridge(of map[string][][]float64, part string, use func(i int) bool) []float64 {
	const penalty = 3e-4 // of the mean square of a sum
	d := len(of[part][0])
	a, b := mat.NewSymDense(d, nil), mat.NewVecDense(d, nil)
	for _, name := range append([]string{""}, face.CoverParts...) { // in this order, so that sums are the same
		all := of[name]
		for i, f := range all {
			if !use(i) {
				continue
			}
			x := mat.NewVecDense(d, f)
			a.SymRankOne(a, 1/float64(len(all)), x)
			if name == part {
				b.AddScaledVec(b, 1/float64(len(all)), x)
			}
		}
	}
	for i := range d {
		a.SetSym(i, i, a.At(i, i)+penalty)
	}
	var factor mat.Cholesky
	if !factor.Factorize(a) {
		panic("covers: not positive definite")
	}
	w := mat.NewVecDense(d, nil)
	if err := factor.SolveVecTo(w, b); err != nil {
		panic(err)
	}
	return w.RawVector().Data
}
