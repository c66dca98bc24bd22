package nrdl

import (
	"context"
	"fmt"
)

// A HeldOutResult says how one of the faces that a model keeps is recognised by a
// model that was trained without it.
type HeldOutResult struct {
	Image    int     // column of Enrolled
	Stranger bool    // its person was left out of the training
	Guess    string  // the likeliest of the people that were learnt
	Right    bool    // Guess is who it is
	Rival    string  // the likeliest of the others
	Margin   float64 // by which the largest class score exceeds the second
	Spread   float64 // standard deviation of the class scores
}

// HeldOut learns again and again without some of the faces that m keeps, as
// Calibrate does, and returns what becomes of them, fold by fold: each face of a
// person who has two or more once as one of somebody who is known and, where m
// knows more than two people, each face once as a stranger's. Method is the one
// that learnt m. Progress is told how many folds are done; it may be nil. The
// error wraps ErrForgotten where m keeps no images.
func (m *Model) HeldOut(ctx context.Context, method Method, progress func(done, total int)) ([]HeldOutResult, error) {
	if m.p.Enrolled == nil {
		return nil, fmt.Errorf("hold out: %w", ErrForgotten)
	}
	f, err := newFolding(ctx, m, method, heldOut+1)
	if err != nil {
		return nil, fmt.Errorf("hold out: %w", err)
	}
	var all []HeldOutResult
	known := map[int]bool{} // held out already: of few faces each has several turns
	tell := func(v HeldOutResult) {
		if v.Stranger || !known[v.Image] {
			all = append(all, v)
		}
		known[v.Image] = known[v.Image] || !v.Stranger
	}
	for g := range f.folds {
		if err := f.try(ctx, g, tell); err != nil {
			return nil, fmt.Errorf("hold out: fold %d of %d: %w", g+1, f.folds, err)
		}
		if progress != nil {
			progress(g+1, f.folds)
		}
	}
	return all, nil
}
