package feature

// Pixels takes the grey values themselves, at unit length.
type Pixels struct{}

// Name implements Feature.
func (Pixels) Name() string { return "pixels" }

// Validate implements Feature.
func (Pixels) Validate() error { return nil }

// Len implements Feature.
func (Pixels) Len(height, width int) int { return height * width }

func (Pixels) planes() int { return 1 }

// Over implements Feature.
func (p Pixels) Over(height, width int) (Extractor, error) {
	if err := fits(p, height, width); err != nil {
		return nil, err
	}
	return guard(p, p, height, width), nil
}

func (Pixels) extract(dst, pix []float64) bool {
	copy(dst, pix)
	return unit(dst)
}
