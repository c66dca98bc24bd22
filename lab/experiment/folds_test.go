package experiment

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/method"
)

// unequal returns some of the drawn faces: 8, 1, 2, 5 and 3 of the people.
func unequal(t testing.TB) *dataset.Images {
	t.Helper()
	var idx []int
	for c, n := range []int{8, 1, 2, 5, 3} {
		for j := range n {
			idx = append(idx, 8*c+j)
		}
	}
	return drawn(t).Select(idx)
}

// Folds are a partition, stratified and of like size; the only image of a
// person is always learned from.
func TestFoldsArePartitions(t *testing.T) {
	set := unequal(t)
	for _, n := range []int{2, 3, 4, 18} {
		fold, err := Folds{N: n}.deal(set, 5)
		if err != nil {
			t.Fatal(err)
		}
		all := make([]int, n)
		for c := range set.Classes {
			count := make([]int, n)
			for _, f := range fold[set.Groups[c]:set.Groups[c+1]] {
				if f == neverHeldOut {
					if size := set.Groups[c+1] - set.Groups[c]; size > 1 {
						t.Errorf("%d folds: an image of class %d, of %d, is kept", n, c, size)
					}
					continue
				}
				count[f]++
				all[f]++
			}
			if slices.Max(count)-slices.Min(count) > 1 {
				t.Errorf("class %d has %v in the folds", c, count)
			}
		}
		if slices.Max(all)-slices.Min(all) > 1 {
			t.Errorf("folds of %v", all)
		}
	}
	one, _ := Folds{N: 3}.deal(set, 5)
	other, _ := Folds{N: 3}.deal(set, 6)
	if slices.Equal(one, other) {
		t.Error("two seeds deal alike")
	}
	if _, err := (Folds{N: 19}).deal(set, 5); err == nil {
		t.Error("18 images are dealt to 19 folds")
	}
}

// Every image with a like is held out once a repeat, and the counts are those
// made by hand from the folds.
func TestValidateCounts(t *testing.T) {
	set, f := unequal(t), Folds{N: 3, Repeats: 2, Seed: 4}
	var done int
	got, err := Validate(t.Context(), set, method.DefaultCRC, f, Observer{Done: func(run int, _ Run, _ *frontend.Model) {
		if run != done {
			t.Errorf("run %d after %d", run, done)
		}
		done++
	}})
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Runs) != 6 || got.Repeats != 6 || done != 6 {
		t.Fatalf("%d runs, %d repeats, %d observed", len(got.Runs), got.Repeats, done)
	}
	for r := range 2 {
		fold, err := f.deal(set, f.Seed+uint64(r))
		if err != nil {
			t.Fatal(err)
		}
		for held := range 3 {
			var learn, judge []int
			for j, k := range fold {
				if k == held {
					judge = append(judge, j)
				} else {
					learn = append(learn, j)
				}
			}
			model, err := frontend.Learn(t.Context(), set.Select(learn), frontend.Pipeline{Frame: set.Frame}, method.DefaultCRC, classify.Run{})
			if err != nil {
				t.Fatal(err)
			}
			want, err := Judge(t.Context(), model, set.Select(judge))
			if err != nil {
				t.Fatal(err)
			}
			want.Train, want.Seed = len(learn), f.Seed+uint64(r)
			for i, j := range want.MissedColumns {
				want.MissedColumns[i] = judge[j]
			}
			if diff := cmp.Diff(want, got.Runs[3*r+held], times); diff != "" {
				t.Errorf("repeat %d, fold %d:\n%s", r, held, diff)
			}
		}
	}
}

// A fold's model never sees what it is judged by: images that are held out may
// be anything without a change of what the model says of others.
func TestValidateHoldsOut(t *testing.T) {
	set, f := unequal(t), Folds{N: 2, Repeats: 1}
	fold, err := f.deal(set, 0)
	if err != nil {
		t.Fatal(err)
	}
	models := func(s *dataset.Images) (m []*frontend.Model) {
		_, err := Validate(t.Context(), s, method.DefaultNRC, f, Observer{Done: func(_ int, _ Run, one *frontend.Model) { m = append(m, one) }})
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	before := models(set)[0].Parts().D
	for j, k := range fold {
		if k == 0 { // held out first
			set.X.Set(0, j, 1e3)
		}
	}
	if after := models(set)[0].Parts().D; !cmp.Equal(before.RawMatrix().Data, after.RawMatrix().Data) {
		t.Error("the images held out change the model")
	}
}

func TestValidateErrors(t *testing.T) {
	set := unequal(t)
	singles := set.Select([]int{0, 8, 11, 16})
	for _, c := range []struct {
		set *dataset.Images
		m   classify.Method
		f   Folds
	}{
		{set, method.DefaultCRC, Folds{N: 1, Repeats: 1}},
		{set, method.DefaultCRC, Folds{N: 2}},
		{singles, method.DefaultCRC, Folds{N: 2, Repeats: 1}},
		{set, method.CRC{Kappa: math.NaN()}, Folds{N: 2, Repeats: 1}},
	} {
		if _, err := Validate(t.Context(), c.set, c.m, c.f, Observer{}); err == nil {
			t.Errorf("%+v: no error", c.f)
		}
	}
}
