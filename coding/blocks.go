package coding

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/internal/parallel"
)

// Blocks codes an image block by block. Each square block of the grid has its own dictionary,
// the same block of all atoms, and is coded by Inner. So an occlusion of a part of the image
// spoils only some of the blocks.
//
// A sample is Planes planes of Height×Width pixels, one after the other, each in column-major
// order; a block has its pixels in all planes. Blocks begin every Step pixels down and to the
// right, and a last one ends at the edge; where Step ≤ Side they cover the image. The blocks
// of the sample and of the atoms are brought to unit norm.
//
// The code is the mean of the codes of the blocks. The rule votes counts their votes:
// a block gives class c the part
//
//	exp(−R_c/(T·R̄)) / Σ_j exp(−R_j/(T·R̄)),   R_c = ‖y − D_c·s_c‖
//
// of a vote, with T the temperature and R̄ the mean of R over the classes.
//
// Call Place, which sets the size of the samples, before Over.
type Blocks struct {
	Side        int     `json:"side" help:"1 to 1024, side of a block, pixels; that of the image where it is smaller"`
	Step        int     `json:"step" help:"1 to 1024 and at least side/8, from one block to the next, pixels"`
	Temperature float64 `json:"temperature" help:"T > 0, how much a block prefers its best class, as a part of its mean residual; votes only"`
	Inner       Coder   `json:"inner" help:"how a block is coded"`

	place
}

// place is the geometry of the samples; zero before Place.
type place struct {
	height, width, planes int
}

// DefaultBlocks has blocks side by side, coded as NRC codes images.
var DefaultBlocks = Blocks{
	Side: 8, Step: 8, Temperature: 0.1,
	Inner: NonNegative{Solver: ADMM, Rho: 0.1, Passes: 5},
}

const (
	maxBlockSide = 1024 // the largest side of an image
	maxOverlap   = 8    // side/step: its square bounds the memory, in dictionaries
)

// CanVote reports whether c can count votes: whether it is Blocks or Fused.
func CanVote(c Coder) bool {
	switch c.(type) {
	case Blocks, Fused:
		return true
	}
	return false
}

// FindsErrors reports whether c finds the sparse errors of samples: whether it is Robust.
func FindsErrors(c Coder) bool {
	_, ok := c.(Robust)
	return ok
}

func (Blocks) Name() string { return "blocks" }

func (c Blocks) Validate() error {
	err := cmp.Or(between(c, "side", c.Side, maxBlockSide), between(c, "step", c.Step, maxBlockSide),
		positive(c, "temperature", c.Temperature))
	switch {
	case err != nil:
		return err
	case c.Step*maxOverlap < c.Side:
		err := fmt.Errorf("step = %d of the block coder is less than side/%d for side = %d", c.Step, maxOverlap, c.Side)
		return advice.Add(err, "set step to %d or more", (c.Side+maxOverlap-1)/maxOverlap)
	case c.Inner == nil:
		return errors.New("the block coder has no inner coder")
	}
	if _, ok := c.Inner.(Blocks); ok {
		return advice.Add(fmt.Errorf("the inner coder %s of the block coder is of images, not of blocks", c.Inner.Name()),
			"set inner to another coder, for example %s", NonNegative{}.Name())
	}
	if err := c.Inner.Validate(); err != nil {
		return fmt.Errorf("inner: %w", err)
	}
	return nil
}

// Place returns the coder for samples of so many planes of height×width pixels. It is an error
// if c cannot code such samples.
func (c Blocks) Place(height, width, planes int) (Blocks, error) {
	if err := c.Validate(); err != nil {
		return c, err
	}
	if height < 1 || width < 1 || planes < 1 {
		return c, errNoGrid()
	}
	if limit := min(height, width); c.Side > limit {
		c.Side, c.Step = limit, min(c.Step, limit)
	}
	c.place = place{height, width, planes}
	return c, nil
}

func errNoGrid() error {
	return advice.Add(errors.New("block-wise coding needs images, or features that keep the pixel grid"),
		"use the features pixels or igo, and no projection, or another coder")
}

// fits reports why c cannot code over k atoms of d features.
func (c Blocks) fits(d, k int) error {
	if c.place == (place{}) {
		return nil // Place is still to come
	}
	if want := c.height * c.width * c.planes; d != want {
		return fmt.Errorf("%d planes of %d×%d pixels are %d features, not %d", c.planes, c.height, c.width, want, d)
	}
	if err := Check(c.Inner, c.Side*c.Side*c.planes, k); err != nil {
		return fmt.Errorf("inner: %w", err)
	}
	return nil
}

// Over implements Coder. Votes need the groups of b.
func (c Blocks) Over(b Basis) (Coding, error) {
	d, groups := b.D, b.Groups
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if c.place == (place{}) {
		return nil, errNoGrid()
	}
	if err := ready(c, d); err != nil {
		return nil, err
	}
	_, k := d.Dims()
	if groups != nil {
		if err := grouped(groups, k); err != nil {
			return nil, fmt.Errorf("prepare the block coder: %w", err)
		}
	}
	return newBlocks(c, b)
}

// Starts are where blocks begin in a length of n ≥ Side pixels.
func (c Blocks) Starts(n int) []int {
	var at []int
	for i := 0; i+c.Side <= n; i += c.Step {
		at = append(at, i)
	}
	if last := n - c.Side; at[len(at)-1] != last {
		at = append(at, last) // flush with the edge
	}
	return at
}

// along is how many blocks there are in a length of n pixels.
func (c Blocks) along(n int) int {
	return (n-c.Side+c.Step-1)/c.Step + 1 // the last one flush with the edge
}

// rows are the features of the blocks, from left to right and, there, from top
// to bottom.
func (c Blocks) rows() [][]int {
	var blocks [][]int
	for _, left := range c.Starts(c.width) {
		for _, top := range c.Starts(c.height) {
			var rows []int
			for p := range c.planes {
				for j := range c.Side {
					first := (p*c.width+left+j)*c.height + top
					for i := range c.Side {
						rows = append(rows, first+i)
					}
				}
			}
			blocks = append(blocks, rows)
		}
	}
	return blocks
}

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
	rows   []int      // its features
	d      *mat.Dense // what the atoms have there, at unit norm, len(rows)×K
	coding Coding
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
		at.coding, errs[i] = c.Inner.Over(Basis{D: at.d, Groups: groups, work: limit / float64(len(b.blocks))})
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
		if err := at.coding.Code(ctx, s, part); err != nil {
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
	if mean != nil {
		if err := sized(mean, y, b.d, b.k); err != nil {
			return err
		}
		mean.Zero()
	}
	if votes != nil {
		if b.groups == nil {
			return errors.New("the votes of blocks need the classes of the atoms")
		}
		if err := sized(votes, y, b.d, len(b.groups)-1); err != nil {
			return err
		}
		votes.Zero()
	}
	_, n := y.Dims()
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
	classes := len(b.groups) - 1
	res := mat.NewDense(classes, len(norms), nil)
	squaredResiduals(res, at.d, b.groups, s, y)
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

// squaredResiduals writes ‖y − D_c·s_c‖² of every class c into out, C×n.
func squaredResiduals(out, d *mat.Dense, groups []int, s, y *mat.Dense) {
	m, n := y.Dims()
	rest := mat.NewDense(m, n, nil)
	for c, lo := range groups[:len(groups)-1] {
		hi := groups[c+1]
		lin.Set(rest, 1, y)
		lin.AddAB(rest, -1, lin.Cols(d, lo, hi), lin.Block(s, lo, hi, 0, n)) // y − D_c·s_c
		lin.SquaredColumnNorms(out.RawRowView(c), rest)
	}
}

// softmax turns the residuals r of the classes into parts of a vote.
func softmax(r []float64, temperature float64) {
	smallest, mean := math.Inf(1), 0.0
	for _, v := range r {
		smallest, mean = min(smallest, v), mean+v/float64(len(r))
	}
	if mean == 0 { // every class rebuilds the block
		mean = 1
	}
	var sum float64
	for c, v := range r {
		r[c] = math.Exp((smallest - v) / (temperature * mean))
		sum += r[c]
	}
	for c := range r {
		r[c] /= sum
	}
}
