package feature

import "math"

// Equalise spreads the grey values so that all are about as frequent: with
// N(g) the pixels that are at most g, of 256 levels, and g₀ the darkest level
// there is,
//
//	g → 255·(N(g) − N(g₀))/(N(255) − N(g₀))
//
// Pixels are rounded to the nearest level. An even image becomes black.
type Equalise struct{}

// levels are those of grey values.
const levels = 256

// Name implements Step.
func (Equalise) Name() string { return "equalise" }

// Validate implements Step.
func (Equalise) Validate() error { return nil }

// Over implements Step.
func (Equalise) Over(height, width int) (Filter, error) {
	if err := fitsImage(height, width); err != nil {
		return nil, err
	}
	return spread(height * width), nil
}

type spread int

// Apply implements Filter.
func (n spread) Apply(dst, pix []float64) {
	mustHave(len(dst) == int(n) && len(pix) == int(n))
	var count [levels]int
	for _, v := range pix {
		count[level(v)]++
	}
	below, darkest := 0, 0
	var to [levels]float64
	for g, c := range count {
		below += c
		if darkest == 0 {
			darkest = below
		}
		if brighter := int(n) - darkest; brighter > 0 {
			to[g] = (levels - 1) * float64(below-darkest) / float64(brighter)
		}
	}
	for i, v := range pix {
		dst[i] = to[level(v)]
	}
}

// level is the level nearest to a grey value.
func level(v float64) int { return int(math.Round(min(max(v, 0), levels-1))) }
