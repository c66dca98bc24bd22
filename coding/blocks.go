package coding

import (
	"cmp"
	"errors"
	"fmt"

	"nrdl.example/nrdl/advice"
)

// Blocks codes an image block by block: every square block of the grid has a
// dictionary of its own, of what the atoms have at that place, and is coded by
// Inner. What covers a part of the image then spoils a part of the blocks only.
//
// A sample is Planes planes of Height×Width pixels, one after the other, each
// in column-major order; a block has the pixels of all planes at its place. The
// blocks begin every Step pixels down and to the right, with a last one flush
// with the edge; where Step ≤ Side they cover the image. The block of the sample
// and those of the atoms are brought to unit norm.
//
// The code is the mean of the blocks' codes. Their classes are heard by Votes:
// a block gives class c the part
//
//	exp(−R_c/(T·R̄)) / Σ_j exp(−R_j/(T·R̄)),   R_c = ‖y − D_c·s_c‖
//
// of a vote, with T the temperature and R̄ the mean of R over the classes.
//
// Place says what the samples are before Over is called.
type Blocks struct {
	Side        int     `json:"side" help:"1 to 1024, side of a block, pixels; at most that of the image"`
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

// CanVote reports whether the Codings of c give votes.
func CanVote(c Coder) bool {
	_, ok := c.(Blocks)
	return ok
}

// FindsErrors reports whether the Codings of c give errors.
func FindsErrors(c Coder) bool {
	_, ok := c.(Robust)
	return ok
}

func (Blocks) Name() string { return "blocks" }

func (c Blocks) Validate() error {
	err := cmp.Or(between(c, "side", c.Side, maxBlockSide), between(c, "step", c.Step, maxBlockSide), positive(c, "temperature", c.Temperature))
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

// Place returns the coder for samples of so many planes of height×width
// pixels. The error is of one that cannot code such.
func (c Blocks) Place(height, width, planes int) (Blocks, error) {
	if err := c.Validate(); err != nil {
		return c, err
	}
	if height < 1 || width < 1 || planes < 1 {
		return c, errNoGrid()
	}
	if most := min(height, width); c.Side > most {
		err := fmt.Errorf("side = %d of the block coder is more than the image has, which is %d×%d", c.Side, height, width)
		return c, advice.Add(err, "set side to %d or less", most)
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

// Over implements Coder. It needs groups where votes are asked for.
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
