package main

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/experiment"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/synthetic"
)

func drawn(t testing.TB) *dataset.Images {
	t.Helper()
	s := synthetic.Default
	s.People, s.PerPerson, s.Input = 5, 8, dataset.Size{Height: 12, Width: 10}
	set, err := s.Draw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func split(t testing.TB, s string) dataset.Split {
	t.Helper()
	p, err := dataset.ParseSplit(s)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestSettings(t *testing.T) {
	axes, err := parseGrid(" a=1,2  b.c=x ")
	if err != nil {
		t.Fatal(err)
	}
	if got := fmt.Sprint(settings(axes)); got != "[[a=1 b.c=x] [a=2 b.c=x]]" {
		t.Error(got)
	}
	if got := settings(nil); len(got) != 1 || got[0] != nil {
		t.Error(got)
	}
	for _, text := range []string{"a", "=1", "a="} {
		if _, err := parseGrid(text); err == nil {
			t.Errorf("%q: no error", text)
		}
	}
}

// Nothing of what is found depends on a test image: those of the split hold no
// number at all, which every method refuses.
func TestNoTestImageIsSeen(t *testing.T) {
	for name, spoil := range map[string]spoil{"first:4": {}, "random:4": {noise: 0.1, occlusion: 0.3}} {
		set := drawn(t)
		axes, err := parseGrid("kappa=0.001,10")
		if err != nil {
			t.Fatal(err)
		}
		s := search{axes: axes, split: split(t, name), folds: 2, repeats: 1, spoil: spoil}
		results, err := s.run(t.Context(), set, method.DefaultCRC)
		if err != nil {
			t.Fatal(err)
		}
		_, test, err := s.split.Apply(set, 0)
		if err != nil {
			t.Fatal(err)
		}
		d, _ := set.X.Dims()
		for _, j := range test {
			for i := range d {
				set.X.Set(i, j, math.NaN())
			}
		}
		again, err := s.run(t.Context(), set, method.DefaultCRC)
		if err != nil {
			t.Fatal(err)
		}
		for i := range results {
			if fmt.Sprint(results[i].rates()) != fmt.Sprint(again[i].rates()) || len(results[i].runs) != 2 {
				t.Errorf("%s, %v: rates %v, then %v", name, results[i].setting, results[i].rates(), again[i].rates())
			}
		}
	}
}

// watched notes what its method learns from.
type watched struct {
	classify.Method
	sets *[]*classify.Samples
}

func (w watched) Fit(ctx context.Context, train *classify.Samples, run classify.Run) (*classify.Classifier, error) {
	*w.sets = append(*w.sets, train)
	return w.Method.Fit(ctx, train, run)
}

// All images have the noise of the set's, and only what is held out is covered:
// where that is everything, all is named alike.
func TestSpoil(t *testing.T) {
	set := drawn(t)
	columns, err := split(t, "first:4").Train(set, 3)
	if err != nil {
		t.Fatal(err)
	}
	part := set.Select(columns)
	for _, noise := range []float64{0, 0.2} {
		want, err := dataset.SaltAndPepper{Density: noise}.Apply(part, 3)
		if err != nil {
			t.Fatal(err)
		}
		for _, share := range []float64{0, 1} {
			var learned []*classify.Samples
			s := search{split: split(t, "first:4"), folds: 2, repeats: 1, seed: 3, spoil: spoil{noise, share}}
			results, err := s.run(t.Context(), set, watched{method.DefaultCRC, &learned})
			if err != nil {
				t.Fatal(err)
			}
			for _, l := range learned {
				for i, id := range l.IDs {
					j, err := strconv.Atoi(id)
					if err != nil || !mat.Equal(l.X.ColView(i), want.X.ColView(j)) {
						t.Fatalf("noise %v, share %v: image %q is not learned from as it is", noise, share, id)
					}
				}
			}
			folds := experiment.Folds{N: 2, Repeats: 1, Seed: 3}
			plain, err := experiment.Validate(t.Context(), want, method.DefaultCRC, folds, experiment.Observer{})
			if err != nil {
				t.Fatal(err)
			}
			for i, r := range results[0].runs {
				if right := r.N / len(part.Classes); share == 1 && r.N-r.Wrong != right || share == 0 && r.Wrong != plain.Runs[i].Wrong {
					t.Errorf("noise %v, share %v: %d of %d are wrong", noise, share, r.Wrong, r.N)
				}
			}
			if len(learned) != 2 {
				t.Errorf("%d fits", len(learned))
			}
		}
	}
}

// The table has a row for every setting, and a setting that cannot be learned
// says why.
func TestTable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "faces.mat")
	if err := dataset.Save(t.Context(), path, drawn(t)); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	args := []string{"-data", path, "-split", "first:4", "-method", "nrc", "-set", "coder.solver=admm", "-grid", "coder.rho=0.1,-1,100"}
	if err := run(t.Context(), &out, args); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(out.String()), "\n")
	if len(lines) != 8 || !strings.HasPrefix(lines[6], "| -1 | — ") || !strings.Contains(lines[6], "rho") || strings.Count(out.String(), "**") != 2 {
		t.Errorf("table:\n%s", &out)
	}
	if !strings.Contains(lines[0], "4 folds, learning from 15 images and judging by 5") {
		t.Error(lines[0])
	}
	args = append(args, "-noise", "0.01", "-occlude", "0.25", "-seed", "7")
	if err := run(t.Context(), &out, args); err != nil || !strings.Contains(out.String(), "judging by 5, all with 1 % of salt and pepper, the latter covered by 25 %.") {
		t.Errorf("%v\n%s", err, &out)
	}
	for _, args := range [][]string{
		{"-method", "nrc"},
		{"-data", path, "-occlude", "2"},
		{"-data", path, "-noise", "-1"},
		{"-data", path, "-method", "none"},
		{"-data", path, "-grid", "nothing=1"},
		{"-data", path, "-preset", "nowhere"},
		{"-data", path, "-method", "nrc", "-grid", "coder.rho=-1"},
		{"-data", path, "-repeats", "0"},
		{"-data", path, "stray"},
	} {
		if err := run(t.Context(), &out, args); err == nil {
			t.Errorf("%q: no error", args)
		}
	}
}
