package gallery

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"nrdl/classify"
	"nrdl/dataset"
	"nrdl/frontend"
	"nrdl/internal/lin"
	"nrdl/openset"
)

// Folds of the cross-validation where the options do not say how many.
const (
	foldsClosed   = 20 // of what is learnt at once
	foldsIterated = 5
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

// HeldOut cross-validates m, which was trained by method, as Calibrate does,
// and returns the results fold by fold. Each face of a person with two or more
// faces is held out once as a face of an enrolled person. With more than two
// people, each face is held out once as a stranger's. Progress is called after
// each fold; may be nil. The error wraps ErrForgotten if m keeps no images.
func (m *Model) HeldOut(ctx context.Context, method classify.Method, progress func(done, total int)) ([]HeldOutResult, error) {
	if m.Impostors() != nil && m.Images != nil {
		return m.heldOutByLaw(), context.Cause(ctx)
	}
	f, err := newCrossValidation(ctx, m, method, openset.Turns+1)
	if err != nil {
		return nil, fmt.Errorf("hold out: %w", err)
	}
	var all []HeldOutResult
	known := map[int]bool{} // held out already: of few faces each has several turns
	tell := func(r HeldOutResult) {
		if r.Stranger || !known[r.Image] {
			all = append(all, r)
		}
		known[r.Image] = known[r.Image] || !r.Stranger
	}
	for g := range f.folds {
		if err := f.fold(ctx, g, tell); err != nil {
			return nil, fmt.Errorf("hold out: fold %d of %d: %w", g+1, f.folds, err)
		}
		if progress != nil {
			progress(g+1, f.folds)
		}
	}
	return all, nil
}

// A crossValidation is what all folds share.
type crossValidation struct {
	method   classify.Method
	pipeline frontend.Pipeline // of the samples
	seed     uint64
	folds    int

	images  *dataset.Images   // of the gallery
	samples *classify.Samples // of the images and their copies, before they are projected
	of      *classify.Samples // that a projection is fit to
	turn    []int             // in which fold each person is left out
	pairs   *openset.Pairs    // of people left out together; nil where nobody asks
}

func newCrossValidation(ctx context.Context, m *Model, method classify.Method, folds int) (*crossValidation, error) {
	if m.Images == nil {
		return nil, ErrForgotten
	}
	p, images := m.Parts(), m.Images
	f := &crossValidation{method: method, pipeline: m.Pipeline, seed: p.Seed, images: images}
	classes := len(images.Classes)
	if folds == 0 {
		folds = foldsIterated
		if p.Trained.Status == classify.ClosedForm && f.pipeline.Shift == 0 {
			folds = foldsClosed
		}
	}
	f.folds = min(folds, max(classes, openset.Turns))
	var err error
	if f.samples, f.of, err = f.pipeline.Training(images); err != nil {
		return nil, err
	}
	f.compress()
	f.turn = rand.New(rand.NewPCG(f.seed, uint64(classes))).Perm(classes)
	return f, context.Cause(ctx)
}

// compress replaces samples that are to be projected by their coordinates in an
// orthonormal basis of what they span, which changes no projected sample: with
// X = QR the columns of R have the inner products of those of X, and there are
// as many rows as columns at most.
func (f *crossValidation) compress() {
	d, n := f.samples.X.Dims()
	if f.pipeline.Projection.IsZero() || f.of != f.samples || n >= d {
		return
	}
	small := *f.samples
	small.X, small.Grid = lin.FactorQR(classify.Unit(small.X)).R(), classify.Grid{}
	f.pipeline = frontend.Pipeline{Projection: f.pipeline.Projection}
	f.samples, f.of = &small, &small
}

// fold learns without the people whose turn g is and without some faces of the
// others, and tells how the faces that were left out are recognised.
func (f *crossValidation) fold(ctx context.Context, g int, tell func(HeldOutResult)) error {
	out, held := f.leftOut(g)
	kept := make([]bool, len(out))
	for j := range kept {
		kept[j] = !out[j] && !held[j]
	}
	train := f.samples.Select(copiesOf(f.images.Groups, f.samples.Groups, kept))
	of := train
	if f.of != f.samples {
		of = f.of.Select(copiesOf(f.images.Groups, f.of.Groups, kept))
	}
	fitted, train, err := f.pipeline.FitTo(ctx, train, of)
	if err != nil {
		return err
	}
	c, err := f.method.Fit(ctx, train, classify.Run{Seed: f.seed})
	if err != nil {
		return err
	}
	m := &frontend.Model{Fitted: fitted, Classifier: c}
	if err := f.judge(ctx, m, out, true, tell); err != nil {
		return err
	}
	f.pair(m, out, held)
	return f.judge(ctx, m, held, false, tell)
}

// pair takes in the cosines of the images out, of people left out of the training,
// with each other and with those that were held out of the others.
func (f *crossValidation) pair(m *frontend.Model, out, held []bool) {
	at := originals(f.images.Groups, f.samples.Groups, out)
	if f.pairs == nil || len(at) == 0 {
		return
	}
	strangers := f.samples.Select(at)
	columns := make([]bool, len(out))
	for j := range columns {
		columns[j] = out[j] || held[j]
	}
	others := f.samples.Select(originals(f.images.Groups, f.samples.Groups, columns))
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

// judge tells how the images in columns are recognised.
func (f *crossValidation) judge(ctx context.Context, m *frontend.Model, columns []bool, stranger bool, tell func(HeldOutResult)) error {
	at := originals(f.images.Groups, f.samples.Groups, columns)
	if len(at) == 0 {
		return nil
	}
	scores, err := m.Classifier.Scores(ctx, m.Project(f.samples.Select(at).X))
	if err != nil {
		return err
	}
	classes := m.Parts().Classes
	j := -1
	for i, class := range classify.Best(scores) {
		for j++; !columns[j]; j++ {
		}
		r := HeldOutResult{Image: j, Stranger: stranger, Guess: classes[class], Margin: classify.Margin(scores.ColView(i)), Spread: stat.StdDev(mat.Col(nil, i, scores), nil)}
		own := f.images.Classes[f.images.ClassOf(j)]
		r.Right = r.Guess == own
		r.Rival = r.Guess
		if r.Right {
			r.Rival = classes[second(scores.ColView(i), class)]
		}
		tell(r)
	}
	return nil
}

// second returns the element of scores that is largest but for one.
func second(scores mat.Vector, but int) int {
	at := -1
	for i := range scores.Len() {
		if i != but && (at < 0 || scores.AtVec(i) > scores.AtVec(at)) {
			at = i
		}
	}
	return at
}

// leftOut says which images are of people left out in fold g, and which are held
// out of the others.
func (f *crossValidation) leftOut(g int) (out, held []bool) {
	n := f.images.Groups[len(f.images.Classes)]
	out, held = make([]bool, n), make([]bool, n)
	for c := range f.images.Classes {
		lo, hi := f.images.Groups[c], f.images.Groups[c+1]
		strange, folds := -1, f.folds // when the person is left out, and in how many folds not
		if len(f.images.Classes) > classify.LeastClasses {
			strange, folds = f.turn[c]%f.folds, f.folds-1
		}
		turn := g
		if g > strange && strange >= 0 {
			turn--
		}
		turns := min(openset.Turns, hi-lo, folds)
		for j := lo; j < hi; j++ {
			out[j] = g == strange
			held[j] = g != strange && turns > 1 && (j-lo+c)%turns == turn%turns
		}
	}
	return out, held
}

// copiesOf returns the columns of a set with these groups that are copies of the
// images that are kept, a set with groups from which with made it.
func copiesOf(images, groups []int, kept []bool) (columns []int) {
	for c := range len(images) - 1 {
		n := images[c+1] - images[c]
		for j := groups[c]; j < groups[c+1]; j++ {
			if kept[images[c]+(j-groups[c])%n] {
				columns = append(columns, j)
			}
		}
	}
	return columns
}

// originals is copiesOf for the images themselves.
func originals(images, groups []int, kept []bool) (columns []int) {
	for c := range len(images) - 1 {
		for i := range images[c+1] - images[c] {
			if kept[images[c]+i] {
				columns = append(columns, groups[c]+i)
			}
		}
	}
	return columns
}
