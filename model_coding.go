package nrdl

import (
	"nrdl/coding"
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
