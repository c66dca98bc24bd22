package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/mat"

	"nrdl/classify"
	"nrdl/dataset"
	"nrdl/experiment"
	"nrdl/frontend"
	"nrdl/internal/hint"
	"nrdl/method"
)

// A kind says what a copy of an image is.
type kind string

const (
	exact       kind = "exact"
	near        kind = "near"        // with noise
	mean        kind = "mean"        // of the image and another one of the person
	triple      kind = "triple"      // two copies
	mislabelled kind = "mislabelled" // of another person
)

func (k kind) MarshalText() ([]byte, error) { return []byte(k), nil }

func (k *kind) UnmarshalText(text []byte) error {
	kinds := []string{string(exact), string(near), string(mean), string(triple), string(mislabelled)}
	for _, name := range kinds {
		if name == string(text) {
			*k = kind(name)
			return nil
		}
	}
	return hint.Unknown("kind", string(text), kinds)
}

// all stands for one image of each person in a list of copies.
const all = -1

// A study is what the flags ask for.
type study struct {
	methods []classify.Method
	params  [][2]string
	split   dataset.Split
	kind    kind
	noise   float64
	copies  []int
	draws   int
	seed    uint64
	warm    bool
}

func (s *study) assign(text string) error {
	path, value, ok := strings.Cut(text, "=")
	if !ok {
		return fmt.Errorf("%q is not PATH=VALUE", text)
	}
	s.params = append(s.params, [2]string{path, value})
	return nil
}

// parse reads the lists of methods and of copies.
func (s *study) parse(methods, copies string) error {
	for _, name := range strings.Split(methods, ",") {
		m, err := method.Named(name)
		if err != nil {
			return err
		}
		for _, p := range s.params {
			if m, err = method.Set(m, p[0], p[1]); err != nil {
				return err
			}
		}
		s.methods = append(s.methods, m)
	}
	for _, word := range strings.Split(copies, ",") {
		n, err := strconv.Atoi(word)
		if word == "all" {
			n, err = all, nil
		}
		if err != nil || n < 1 && n != all {
			return fmt.Errorf("-copies: %q is not a number of images", word)
		}
		s.copies = append(s.copies, n)
	}
	if s.draws < 1 {
		return fmt.Errorf("-draws = %d is not ≥ 1", s.draws)
	}
	return nil
}

// run prints a row per method and number of copies.
func (s *study) run(ctx context.Context, w io.Writer, set *dataset.Images, data string) error {
	fmt.Fprintf(w, "%s, split %v, %s copies, %d draws, seed %d; percent of the test images that are named correctly\n\n", data, s.split, s.title(), s.draws, s.seed)
	fmt.Fprintf(w, "| method | copies | without | with | difference | worst draw | failed fits |\n| --- | --- | --: | --: | --: | --: | --: |\n")
	for _, m := range s.methods {
		clean := make([]float64, s.draws)
		for r := range clean {
			if r > 0 && !s.split.Random() {
				clean[r] = clean[0]
				continue
			}
			var err error
			if clean[r], err = s.rate(ctx, set, m, 0, r); err != nil {
				return fmt.Errorf("%s without copies: %w", m.Name(), err)
			}
		}
		for _, n := range s.copies {
			if err := s.row(ctx, w, set, m, n, clean); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *study) title() string {
	if s.kind == near {
		return fmt.Sprintf("%s (noise %g)", s.kind, s.noise)
	}
	return string(s.kind)
}

func (s *study) row(ctx context.Context, w io.Writer, set *dataset.Images, m classify.Method, n int, clean []float64) error {
	var without, with, failed float64
	worst := math.Inf(1)
	for r, before := range clean {
		after, err := s.rate(ctx, set, m, n, r)
		switch {
		case errors.Is(err, classify.ErrDiverged):
			failed++
		case err != nil:
			return fmt.Errorf("%s, %d copies, draw %d: %w", m.Name(), n, r, err)
		}
		without, with = without+before/float64(s.draws), with+after/float64(s.draws)
		worst = min(worst, after-before)
	}
	label := strconv.Itoa(n)
	if n == all {
		label = "one of each person"
	}
	_, err := fmt.Fprintf(w, "| %s | %s | %.1f | %.1f | %+.1f | %+.1f | %.0f |\n", m.Name(), label, without, with, with-without, worst, failed)
	return err
}

// rate is the rate of draw r with n copies, in percent.
func (s *study) rate(ctx context.Context, set *dataset.Images, m classify.Method, n, r int) (float64, error) {
	seed := s.seed + uint64(r)
	learn, judge, err := s.split.Apply(set, seed)
	if err != nil {
		return 0, err
	}
	train, err := s.copied(set.Select(learn), n, rand.New(rand.NewPCG(seed, uint64(n))))
	if err != nil {
		return 0, err
	}
	in, fit := frontend.Pipeline{}.ForImages(train.Frame), classify.Run{Seed: seed}
	if s.warm {
		last := train.Groups[len(train.Classes)-1]
		columns := make([]int, last)
		for j := range columns {
			columns[j] = j
		}
		warm, err := frontend.Learn(ctx, train.Select(columns), in, m, classify.Run{Seed: seed})
		if err != nil {
			return 0, err
		}
		fit.Warm = warm.Classifier
	}
	model, err := frontend.Learn(ctx, train, in, m, fit)
	if err != nil {
		return 0, err
	}
	got, err := experiment.Judge(ctx, model, set.Select(judge))
	return 100 * got.Accuracy, err
}

// copied returns train with copies of n images, drawn by rng.
func (s *study) copied(train *dataset.Images, n int, rng *rand.Rand) (*dataset.Images, error) {
	d, size := train.X.Dims()
	of := train.Labels()
	var from []int
	if n == all {
		for c := range train.Classes {
			from = append(from, train.Groups[c]+rng.IntN(train.Groups[c+1]-train.Groups[c]))
		}
	} else {
		from = rng.Perm(size)[:min(n, size)]
	}
	labels := make([]string, 0, size+2*len(from))
	for _, c := range of {
		labels = append(labels, train.Classes[c])
	}
	x := mat.NewDense(d, size+2*len(from), nil)
	x.Slice(0, d, 0, size).(*mat.Dense).Copy(train.X)
	for _, j := range from {
		image, c := mat.Col(nil, j, train.X), of[j]
		switch s.kind {
		case near:
			disturb(image, s.noise, rng)
		case mean:
			own := train.Groups[c+1] - train.Groups[c]
			other := train.Groups[c] + (j-train.Groups[c]+1+rng.IntN(max(own-1, 1)))%own
			for i := range image {
				image[i] = (image[i] + train.X.At(i, other)) / 2
			}
		case mislabelled:
			c = (c + 1 + rng.IntN(len(train.Classes)-1)) % len(train.Classes)
		}
		times := 1
		if s.kind == triple {
			times = 2
		}
		for range times {
			x.SetCol(len(labels), image)
			labels = append(labels, train.Classes[c])
		}
	}
	x = mat.DenseCopyOf(x.Slice(0, d, 0, len(labels)))
	return dataset.NewImages(x, labels, nil, train.Classes, train.Frame)
}

// disturb adds normal noise whose norm is a part of that of image.
func disturb(image []float64, part float64, rng *rand.Rand) {
	noise := make([]float64, len(image))
	var a, b float64
	for i, v := range image {
		noise[i] = rng.NormFloat64()
		a, b = a+v*v, b+noise[i]*noise[i]
	}
	for i := range image {
		image[i] += part * math.Sqrt(a/b) * noise[i]
	}
}
