package nrdl

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"gonum.org/v1/gonum/mat"

	"nrdl/internal/lin"
)

// Folds of a Calibration where CalibrationOptions do not say how many.
const (
	foldsClosed   = 20 // of what is learnt at once
	foldsIterated = 5
)

// heldOut is in how many turns the faces of one person are held out.
const heldOut = 5

// Calibrate returns m with a Calibration: method, which learnt m from the images
// that m keeps, learns again and again without some people, who are strangers
// then, and without some faces of the others. Given are the margins of other
// strangers in m, as Margins returns them; it may be nil. Progress is told how many folds are
// done; it may be nil. Equal models and options give equal results. The error
// wraps ErrNoStrangers where m knows two people only and nobody is given, and
// ErrForgotten where m keeps no images.
func (m *Model) Calibrate(ctx context.Context, method Method, opt CalibrationOptions, given []float64, progress func(done, total int)) (*Model, error) {
	if err := opt.Validate(); err != nil {
		return nil, fmt.Errorf("calibrate: %w", err)
	}
	if m.p.Enrolled == nil {
		return nil, fmt.Errorf("calibrate: %w", ErrForgotten)
	}
	f, err := newFolding(ctx, m, method, opt.Folds)
	if err != nil {
		return nil, fmt.Errorf("calibrate: %w", err)
	}
	c := &Calibration{FAR: opt.FAR, Prior: opt.Prior, Folds: f.folds, Asked: opt.Folds, Given: given}
	if len(m.p.Classes) > leastClasses {
		c.People = len(m.p.Classes)
	}
	for g := range f.folds {
		if err := f.fold(ctx, g, c); err != nil {
			return nil, fmt.Errorf("calibrate: fold %d of %d: %w", g+1, f.folds, err)
		}
		if progress != nil {
			progress(g+1, f.folds)
		}
	}
	if err := c.fit(len(m.p.Classes), lawOf(&m.p)); err != nil {
		return nil, fmt.Errorf("calibrate: %w", err)
	}
	return m.WithCalibration(c)
}

// Recalibrate returns m with its Calibration for another share of false accepts, and
// with the margins of strangers in place of those that were given before, unless
// given is nil.
func (m *Model) Recalibrate(far float64, given []float64) (*Model, error) {
	if m.p.Calibration == nil {
		return nil, errors.New("refine: the model has no calibration")
	}
	c := *m.p.Calibration
	c.FAR = far
	if given != nil {
		c.Given = append([]float64(nil), given...)
	}
	if err := (CalibrationOptions{c.FAR, c.Prior, c.Folds}).Validate(); err != nil {
		return nil, fmt.Errorf("refine: %w", err)
	}
	if err := c.fit(len(m.p.Classes), lawOf(&m.p)); err != nil {
		return nil, fmt.Errorf("refine: %w", err)
	}
	return m.WithCalibration(&c)
}

// WithCalibration returns m with the calibration c, which it keeps; nil for none.
func (m *Model) WithCalibration(c *Calibration) (*Model, error) {
	p := m.p
	p.Calibration = c
	return NewModel(p)
}

// Margins returns by how much the largest class score of each column of set
// exceeds the second.
func (m *Model) Margins(ctx context.Context, set *Set) ([]float64, error) {
	scores, err := m.ScoresOf(ctx, set)
	if err != nil {
		return nil, err
	}
	_, n := scores.Dims()
	margins := make([]float64, n)
	for j := range margins {
		margins[j] = margin(scores.ColView(j))
	}
	return margins, nil
}

// leastClasses is how many a model needs.
const leastClasses = 2

// A folding is what all folds of a calibration share.
type folding struct {
	method Method
	input  Input // of the samples
	seed   uint64
	folds  int

	images  *Set  // that a model keeps
	samples *Set  // of the images and their copies, before they are projected
	of      *Set  // that a projection is fit on
	turn    []int // in which fold each class is left out
}

func newFolding(ctx context.Context, m *Model, method Method, folds int) (*folding, error) {
	f := &folding{method: method, input: m.p.Input, seed: m.p.Seed, images: m.p.Enrolled}
	classes := len(f.images.Classes)
	if folds == 0 {
		folds = foldsIterated
		if m.p.Trained.Status == ClosedForm && f.input.Shift == 0 {
			folds = foldsClosed
		}
	}
	f.folds = min(folds, max(classes, heldOut))
	var err error
	if f.samples, f.of, err = f.images.learnt(f.input); err != nil {
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
func (f *folding) compress() {
	d, n := f.samples.X.Dims()
	if f.input.Projection.IsZero() || f.of != f.samples || n >= d {
		return
	}
	small := *f.samples
	small.X = lin.FactorQR(Unit(small.X)).R()
	f.input = Input{Projection: f.input.Projection}
	small.Input = Input{}
	f.samples, f.of = &small, &small
}

// fold learns without the people whose turn g is and without some faces of the
// others, and adds the margins of both to c.
func (f *folding) fold(ctx context.Context, g int, c *Calibration) error {
	return f.try(ctx, g, c.take)
}

// take adds the margin of a face to c.
func (c *Calibration) take(v HeldOutResult) {
	switch {
	case v.Stranger:
		c.Left = append(c.Left, v.Margin)
		c.Spread += (v.Spread - c.Spread) / float64(len(c.Left))
	case v.Right:
		c.Right = append(c.Right, v.Margin)
	default:
		c.Wrong = append(c.Wrong, v.Margin)
	}
}

// try learns as fold does and tells what becomes of the faces that were left out.
func (f *folding) try(ctx context.Context, g int, tell func(HeldOutResult)) error {
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
	train, err := train.projected(ctx, of, f.input)
	if err != nil {
		return err
	}
	model, err := f.method.Fit(ctx, train, Run{Seed: f.seed})
	if err != nil {
		return err
	}
	if err := f.judge(ctx, model, out, true, tell); err != nil {
		return err
	}
	return f.judge(ctx, model, held, false, tell)
}

// judge tells what becomes of the images in columns.
func (f *folding) judge(ctx context.Context, model *Model, columns []bool, stranger bool, tell func(HeldOutResult)) error {
	at := originals(f.images.Groups, f.samples.Groups, columns)
	if len(at) == 0 {
		return nil
	}
	query := f.samples.Select(at)
	query.Input = f.input.Fixed()
	scores, err := model.ScoresOf(ctx, query)
	if err != nil {
		return err
	}
	j := -1
	for i, class := range best(scores) {
		for j++; !columns[j]; j++ {
		}
		v := HeldOutResult{Image: j, Stranger: stranger, Guess: model.p.Classes[class], Margin: margin(scores.ColView(i)), Spread: spread(mat.Col(nil, i, scores))}
		own := f.images.Classes[f.images.ClassOf(j)]
		v.Right = v.Guess == own
		v.Rival = v.Guess
		if v.Right {
			v.Rival = model.p.Classes[second(scores.ColView(i), class)]
		}
		tell(v)
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
func (f *folding) leftOut(g int) (out, held []bool) {
	n := f.images.Groups[len(f.images.Classes)]
	out, held = make([]bool, n), make([]bool, n)
	for c := range f.images.Classes {
		lo, hi := f.images.Groups[c], f.images.Groups[c+1]
		strange, folds := -1, f.folds // when the person is left out, and in how many folds not
		if len(f.images.Classes) > leastClasses {
			strange, folds = f.turn[c]%f.folds, f.folds-1
		}
		turn := g
		if g > strange && strange >= 0 {
			turn--
		}
		turns := min(heldOut, hi-lo, folds)
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
