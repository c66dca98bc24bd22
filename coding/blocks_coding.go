package coding

import (
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/internal/parallel"
)

// blockwise is the Coding of Blocks.
type blockwise struct {
	blocks      []block
	d, k        int
	groups      []int // nil where there are no classes
	temperature float64
}

var _ Detailed = (*blockwise)(nil)

// A block is one place of the image.
type block struct {
	rows []int      // its features
	d    *mat.Dense // what the atoms have there, at unit norm, len(rows)×K
	over Coding
}

func newBlocks(c Blocks, basis Basis) (*blockwise, error) {
	d, groups := basis.D, basis.Groups
	m, k := d.Dims()
	limit := basis.sampleLimit(m, k)
	b := &blockwise{d: m, k: k, groups: groups, temperature: c.Temperature}
	for _, rows := range c.rows() {
		b.blocks = append(b.blocks, block{rows: rows})
	}
	errs := make([]error, len(b.blocks))
	parallel.For(len(b.blocks), 1, func(i, _ int) {
		at := &b.blocks[i]
		at.d = mat.NewDense(len(at.rows), k, nil)
		at.cut(at.d, d, make([]float64, k))
		at.over, errs[i] = c.Inner.Over(Basis{D: at.d, Groups: groups, work: limit / float64(len(b.blocks))})
	})
	for i, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("block %d of %d: %w", i+1, len(errs), err)
		}
	}
	return b, nil
}

// cut writes the block of the columns of a, d×n, at unit norm, into dst, and
// the norms, 0 of a blank block, into norms, len n.
func (b *block) cut(dst, a *mat.Dense, norms []float64) {
	for i, row := range b.rows {
		copy(dst.RawRowView(i), a.RawRowView(row))
	}
	lin.SquaredColumnNorms(norms, dst)
	for j, v := range norms {
		norms[j] = math.Sqrt(v)
	}
	for i := range b.rows {
		row := dst.RawRowView(i)
		for j, norm := range norms {
			if norm > 0 {
				row[j] /= norm
			}
		}
	}
}

// each codes the columns of y, d×n, and hands every block on, with its samples
// at unit norm, their norms before, and their codes.
func (b *blockwise) each(ctx context.Context, y *mat.Dense, f func(at *block, s, y *mat.Dense, norms []float64)) error {
	if err := lin.Finite("column", y); err != nil {
		return fmt.Errorf("block-wise code: %w", err)
	}
	_, n := y.Dims()
	s, norms := mat.NewDense(b.k, n, nil), make([]float64, n)
	part := mat.NewDense(len(b.blocks[0].rows), n, nil)
	for i := range b.blocks {
		at := &b.blocks[i]
		at.cut(part, y, norms)
		if err := at.over.Code(ctx, s, part); err != nil {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			return fmt.Errorf("block %d of %d: %w", i+1, len(b.blocks), err)
		}
		f(at, s, part, norms)
	}
	return nil
}

func (b *blockwise) Code(ctx context.Context, s, y *mat.Dense) error {
	return b.run(ctx, s, nil, y)
}

// CodeWith implements Detailed: the votes of a column are divided by the number of
// all blocks; blank ones do not vote.
func (b *blockwise) CodeWith(ctx context.Context, out Details, y *mat.Dense) error {
	return b.run(ctx, out.S, out.Votes, y)
}

// run codes each block once and writes the mean codes into mean and the votes
// into votes; either may be nil.
func (b *blockwise) run(ctx context.Context, mean, votes, y *mat.Dense) error {
	_, n := y.Dims()
	if mean != nil {
		mustFit(mean, y, b.d, b.k)
		mean.Zero()
	}
	if votes != nil {
		if b.groups == nil {
			return errors.New("the votes of blocks need the classes of the atoms")
		}
		mustFit(votes, y, b.d, len(b.groups)-1)
		votes.Zero()
	}
	for lo := 0; lo < n; lo += chunk {
		hi := min(n, lo+chunk)
		err := b.each(ctx, lin.Cols(y, lo, hi), func(at *block, s, y *mat.Dense, norms []float64) {
			if mean != nil {
				lin.Add(lin.Cols(mean, lo, hi), 1/float64(len(b.blocks)), s)
			}
			if votes == nil {
				return
			}
			sum := lin.Cols(votes, lo, hi)
			parallel.For(hi-lo, blockVoters, func(lo, hi int) {
				b.vote(at, lin.Cols(sum, lo, hi), lin.Cols(s, lo, hi), lin.Cols(y, lo, hi), norms[lo:hi])
			})
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// blockVoters is how many columns of a block vote together: their residuals
// stay in the cache from class to class.
const blockVoters = 128

// vote adds the votes of one block to sum, C×n.
func (b *blockwise) vote(at *block, sum, s, y *mat.Dense, norms []float64) {
	m, n := y.Dims()
	classes := len(b.groups) - 1
	rest, res := mat.NewDense(m, n, nil), mat.NewDense(classes, n, nil)
	for c := range classes {
		lo, hi := b.groups[c], b.groups[c+1]
		lin.Set(rest, 1, y)
		lin.AddAB(rest, -1, lin.Cols(at.d, lo, hi), lin.Block(s, lo, hi, 0, n)) // y − D_c·s_c
		lin.SquaredColumnNorms(res.RawRowView(c), rest)
	}
	r := make([]float64, classes)
	for j, norm := range norms {
		if norm == 0 {
			continue
		}
		for c := range r {
			r[c] = math.Sqrt(res.At(c, j))
		}
		softmax(r, b.temperature)
		for c, part := range r {
			sum.Set(c, j, sum.At(c, j)+part/float64(len(b.blocks)))
		}
	}
}

// softmax turns the residuals r of the classes into parts of a vote.
func softmax(r []float64, temperature float64) {
	least, mean := math.Inf(1), 0.0
	for _, v := range r {
		least, mean = min(least, v), mean+v/float64(len(r))
	}
	if mean == 0 { // every class rebuilds the block
		mean = 1
	}
	var sum float64
	for c, v := range r {
		r[c] = math.Exp((least - v) / (temperature * mean))
		sum += r[c]
	}
	for c := range r {
		r[c] /= sum
	}
}
