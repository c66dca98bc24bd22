package method

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/dictionary"
	"nrdl.example/nrdl/internal/lin"
)

func TestClasswise(t *testing.T) {
	train := positive(rand.New(rand.NewPCG(5, 5)), 12, 7, 5, 6)
	x := classify.Unit(train.X)
	k := dictionary.DefaultKSVD
	k.MinUses = 1

	d, groups, err := classwise(context.Background(), k, x, train, 4)
	if err != nil || !slices.Equal(groups, []int{0, 4, 8, 12}) {
		t.Fatalf("groups %v, %v", groups, err)
	}
	k.Sparsity = 4 // all the atoms of a class
	for c := range 3 {
		own := lin.Cols(x, train.Groups[c], train.Groups[c+1])
		want, _, err := k.Learn(context.Background(), own, lin.Cols(own, 0, 4), classify.Run{})
		if err != nil || !mat.Equal(want, lin.Cols(d, 4*c, 4*c+4)) {
			t.Errorf("the atoms of class %d are not learned from its samples alone (%v)", c, err)
		}
	}

	d, groups, err = classwise(context.Background(), k, x, train, 0)
	if err != nil || !mat.Equal(d, x) || !slices.Equal(groups, train.Groups) {
		t.Errorf("0 atoms are not all samples: %v", err)
	}
	d.Set(0, 0, 7)
	if x.At(0, 0) == 7 {
		t.Error("the dictionary is not a copy")
	}

	_, _, err = classwise(context.Background(), k, x, train, 6)
	if err == nil || !strings.Contains(err.Error(), "atoms = 6, more than the 5 training samples of class "+train.Classes[1]) ||
		advice.Text(err) == "" {
		t.Errorf("6 atoms of 5 samples: %v", err)
	}
	why := errors.New("no time")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(why)
	if _, _, err := classwise(ctx, k, x, train, 4); !errors.Is(err, why) {
		t.Errorf("cancelled: %v", err)
	}
}
