package gallery

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/openset"
)

// A HeldOutResult is the result of recognising a face of the gallery by a model
// that was trained without it.
type HeldOutResult struct {
	Image    int     // column of the images
	Stranger bool    // its person was left out of the training
	Guess    string  // the most likely person
	Right    bool    // Guess is the true person
	Rival    string  // the most likely wrong person
	Margin   float64 // difference between the largest and the second class score
	Spread   float64 // standard deviation of the class scores
}

// HeldOut identifies each face of g without using it, as Calibrate does, and returns the
// results fold by fold. A face of a person with two or more faces is tested once as a face of
// an enrolled person. If there are more than two people, each face is also tested once as that
// of a stranger, without its person. Progress is called after each step; it may be nil. The
// error wraps ErrForgotten if g keeps no images.
func (g *Gallery) HeldOut(ctx context.Context, progress func(done, total int)) ([]HeldOutResult, error) {
	if err := g.ready(ctx); err != nil {
		return nil, fmt.Errorf("hold out: %w", err)
	}
	all, err := g.calibrator().eachHeldOut(ctx, progress)
	if err != nil {
		return nil, fmt.Errorf("hold out: %w", err)
	}
	return all, nil
}

func (g byMargins) eachHeldOut(ctx context.Context, progress func(done, total int)) ([]HeldOutResult, error) {
	o := cmp.Or(g.Options(), &openset.Default)
	f, err := newCrossValidation(ctx, g.Gallery, o.Numbers().Turns+1, o.Numbers().Turns)
	if err != nil {
		return nil, err
	}
	var all []HeldOutResult
	known := map[int]bool{} // held out already: of few faces each has several turns
	tell := func(r HeldOutResult) {
		if r.Stranger || !known[r.Image] {
			all = append(all, r)
		}
		known[r.Image] = known[r.Image] || !r.Stranger
	}
	for k := range f.folds {
		if err := f.fold(ctx, k, tell); err != nil {
			return nil, fmt.Errorf("fold %d of %d: %w", k+1, f.folds, err)
		}
		if progress != nil {
			progress(k+1, f.folds)
		}
	}
	return all, nil
}

func (g byShortlists) eachHeldOut(ctx context.Context, progress func(done, total int)) (all []HeldOutResult, err error) {
	_, faces := g.Enrolled.Len()
	err = g.holdOut(ctx, faces, func(image int, p probe, r comparison) {
		if len(r.rivals) == 0 {
			return
		}
		best := r.rivals[0]
		all = append(all, HeldOutResult{
			Image: image, Stranger: true, Guess: best.Name, Rival: best.Name,
			Margin: g.Calibration.Evidence(best.Score),
		})
		if own := r.genuine; own != nil {
			all = append(all, HeldOutResult{
				Image: image, Guess: own.Name, Right: own.Name == p.Name,
				Rival: best.Name, Margin: g.Calibration.Evidence(own.Score),
			})
		}
	}, progress)
	return all, err
}

// A crossValidation is what all folds share.
type crossValidation struct {
	method classify.Method
	seed   uint64
	folds  int
	turns  int // folds into which the faces of one person are divided

	images   *dataset.Images    // of the gallery
	prepared *frontend.Prepared // of the images
	turn     []int              // in which fold each person is left out
	pairs    *openset.Pairs     // of people left out together; nil where nobody asks
}

func newCrossValidation(ctx context.Context, g *Gallery, folds, turns int) (*crossValidation, error) {
	switch {
	case g.Enrolled == nil:
		return nil, ErrForgotten
	case g.Method == nil:
		return nil, errors.New("the method that the model was trained by is not known here")
	}
	p, images := g.Parts(), g.Images()
	f := &crossValidation{method: g.Method, seed: p.Seed, images: images, turns: turns}
	classes := len(images.Classes)
	if folds == 0 {
		folds = g.Numbers().FoldsIterated
		if p.Outcome.Status == classify.ClosedForm && g.Pipeline.Shift == 0 {
			folds = g.Numbers().FoldsClosed
		}
	}
	f.folds = min(folds, max(classes, turns))
	prepared, err := g.Pipeline.Prepare(images)
	if err != nil {
		return nil, err
	}
	f.prepared = prepared.Compressed()
	f.turn = rand.New(rand.NewPCG(f.seed, uint64(classes))).Perm(classes)
	return f, context.Cause(ctx)
}

// fold learns without the people whose turn g is and without some faces of the
// others, and tells how the faces that were left out are recognised.
func (f *crossValidation) fold(ctx context.Context, g int, tell func(HeldOutResult)) error {
	kept, out, held := f.leftOut(g)
	fitted, train, err := f.prepared.Select(kept).Fit(ctx)
	if err != nil {
		return err
	}
	c, err := f.method.Fit(ctx, train, classify.Run{Seed: f.seed})
	if err != nil {
		return err
	}
	m := &frontend.Model{Fitted: fitted, Classifier: c}
	if err := f.test(ctx, m, out, true, tell); err != nil {
		return err
	}
	f.pair(m, out, held)
	return f.test(ctx, m, held, false, tell)
}

// pair takes in the cosines of the images out, of people left out of the training,
// with each other and with those that were held out of the others.
func (f *crossValidation) pair(m *frontend.Model, out, held []int) {
	if f.pairs == nil || len(out) == 0 {
		return
	}
	strangers, others := f.prepared.Originals(out), f.prepared.Originals(slices.Concat(out, held))
	x, y := m.Centred(m.Project(strangers.X)), m.Centred(m.Project(others.X))
	cosines := mat.NewDense(strangers.Len(), others.Len(), nil)
	lin.AtB(cosines, 1, x, y)
	of, by := strangers.Labels(), others.Labels()
	seen := map[string]int{} // of the people in out, how many of their faces were met
	for i, c := range of {
		name := strangers.Classes[c]
		first := others.Groups[slices.Index(others.Classes, name)]
		for j, d := range by {
			same := others.Classes[d] == name
			if same && j-first >= seen[name] { // no face with itself
				continue
			}
			f.pairs.Add(cosines.At(i, j), same)
		}
		seen[name]++
	}
}

// test passes the result for each image in columns to tell.
func (f *crossValidation) test(ctx context.Context, m *frontend.Model, columns []int, stranger bool, tell func(HeldOutResult)) error {
	if len(columns) == 0 {
		return nil
	}
	scores, err := m.Classifier.Scores(ctx, m.Project(f.prepared.Originals(columns).X))
	if err != nil {
		return err
	}
	classes := m.Parts().Classes
	for i, class := range classify.Best(scores) {
		j := columns[i]
		r := HeldOutResult{
			Image: j, Stranger: stranger, Guess: classes[class], Margin: classify.Margin(scores.ColView(i)),
			Spread: stat.StdDev(mat.Col(nil, i, scores), nil),
		}
		own := f.images.Classes[f.images.ClassOf(j)]
		r.Right = r.Guess == own
		r.Rival = r.Guess
		if r.Right {
			r.Rival = classes[secondBest(scores.ColView(i), class)]
		}
		tell(r)
	}
	return nil
}

// secondBest returns the index of the largest score, apart from that of class but.
func secondBest(scores mat.Vector, but int) int {
	at := -1
	for i := range scores.Len() {
		if i != but && (at < 0 || scores.AtVec(i) > scores.AtVec(at)) {
			at = i
		}
	}
	return at
}

// leftOut returns the columns of the images of people left out in fold g, of those that
// are held out of the others, and of the rest, which are kept.
func (f *crossValidation) leftOut(g int) (kept, out, held []int) {
	for c := range f.images.Classes {
		lo, hi := f.images.Groups[c], f.images.Groups[c+1]
		strange, folds := -1, f.folds // when the person is left out, and in how many folds not
		if len(f.images.Classes) > classify.MinClasses {
			strange, folds = f.turn[c]%f.folds, f.folds-1
		}
		turn := g
		if g > strange && strange >= 0 {
			turn--
		}
		turns := min(f.turns, hi-lo, folds)
		for j := lo; j < hi; j++ {
			switch {
			case g == strange:
				out = append(out, j)
			case turns > 1 && (j-lo+c)%turns == turn%turns:
				held = append(held, j)
			default:
				kept = append(kept, j)
			}
		}
	}
	return kept, out, held
}
