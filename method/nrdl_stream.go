package method

import (
	"context"
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/lin"
)

// FitStream learns from batches of samples, each batch once, in their order. The samples first
// are the first batch: they decide which classes there are, and D₀ is made of them. Other
// batches may lack classes and have any size; they are cut and joined to batches of
// Online.Batch samples. Online.Passes and Online.Tol are not used. It is an error if a batch
// has a class that first does not have, or other features. An error of batches ends learning.
func (m NRDLOnline) FitStream(ctx context.Context, first *classify.Samples, batches iter.Seq2[*classify.Samples, error],
	run classify.Run,
) (*classify.Classifier, error) {
	l, err := begin(ctx, m, first, run, m.plan(), func(t *task) (learner, error) {
		s, err := m.start(t)
		if err != nil {
			return nil, err
		}
		q := &batchQueue{s: s, x: mat.NewDense(t.x.RawMatrix().Rows, m.Online.Batch, nil)}
		labels, order := t.Labels(), rand.New(rand.NewPCG(run.Seed, 0)).Perm(t.Len())
		for _, j := range order {
			if err := q.add(ctx, t.x.ColView(j), labels[j]); err != nil {
				return nil, err
			}
		}
		at := 0
		for batch, err := range batches {
			at++
			if err == nil {
				err = q.addSamples(ctx, t.Classes, batch)
			}
			if err != nil {
				return nil, fmt.Errorf("batch %d of the stream: %w", at, err)
			}
		}
		return &onlinePasses{nrdlOnlineState: s}, q.flush(ctx)
	})
	if err != nil {
		return nil, err
	}
	return l.Finish(classify.Outcome{Status: classify.Complete, Iter: 1})
}

// A batchQueue makes batches of samples that come in any number.
type batchQueue struct {
	s     *nrdlOnlineState
	x     *mat.Dense // d×Batch
	class []int
}

// addSamples adds those of t that are not zero, with the classes called names.
func (q *batchQueue) addSamples(ctx context.Context, names []string, t *classify.Samples) error {
	if err := t.Validate(); err != nil {
		return err
	}
	d, _ := t.X.Dims()
	if rows, _ := q.x.Dims(); d != rows {
		return fmt.Errorf("samples of %d features, and the first of %d", d, rows)
	}
	class := make([]int, len(t.Classes))
	for c, name := range t.Classes {
		if class[c] = slices.Index(names, name); class[c] < 0 {
			return advice.Add(fmt.Errorf("%q is not among the classes of the first samples", name), "give samples of every class first")
		}
	}
	x, labels := classify.Unit(t.X), t.Labels()
	for _, j := range classify.NonZero(t.X) {
		if err := q.add(ctx, x.ColView(j), class[labels[j]]); err != nil {
			return err
		}
	}
	return nil
}

// add adds one sample, of norm 1.
func (q *batchQueue) add(ctx context.Context, x mat.Vector, class int) error {
	at := len(q.class)
	for i := range x.Len() {
		q.x.Set(i, at, x.AtVec(i))
	}
	if q.class = append(q.class, class); len(q.class) == q.s.Online.Batch {
		return q.flush(ctx)
	}
	return nil
}

// flush learns from the samples that wait.
func (q *batchQueue) flush(ctx context.Context) error {
	n := len(q.class)
	if n == 0 {
		return nil
	}
	err := q.s.add(ctx, lin.Cols(q.x, 0, n), q.class)
	q.class = q.class[:0]
	return err
}
