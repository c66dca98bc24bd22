package nrdl

import (
	"context"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"nrdl/coding"
	"nrdl/internal/lin"
)

// Place returns c told what pixels the samples of in are, where it asks for
// that; the error is of a coder that cannot code such samples.
func (in Input) Place(c coding.Coder) (coding.Coder, error) {
	if s, ok := c.(coding.Spatial); ok {
		return s.Place(in.Height, in.Width, in.Planes())
	}
	return c, nil
}

func (p *Parts) validateCoder() error {
	c, err := p.Input.Place(p.Coder)
	if err != nil {
		return err
	}
	d, k := p.D.Dims()
	return coding.Check(c, d, k)
}

// prepare makes ready to code over the dictionary.
func (p *Parts) prepare() (coding.Coding, error) {
	c, err := p.Input.Place(p.Coder)
	if err != nil {
		return nil, err
	}
	return c.Over(p.D, p.Groups)
}

// votes returns out, C×n, with the scores of the columns of x by the rule Votes.
func (m *Model) votes(ctx context.Context, out, x *mat.Dense) (*mat.Dense, error) {
	err := m.each(ctx, x, func(over coding.Coding, lo, hi int, y *mat.Dense) error {
		v, ok := over.(coding.Voter)
		if !ok {
			panic(fmt.Sprintf("nrdl: the coder %s does not vote", m.p.Coder.Name()))
		}
		return v.Votes(ctx, lin.Cols(out, lo, hi), y)
	})
	if err == nil {
		err = lin.Finite("the scores of sample", out)
	}
	if err != nil {
		return nil, fmt.Errorf("recognise: %w", err)
	}
	return out, nil
}
