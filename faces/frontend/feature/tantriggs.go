package feature

import (
	"cmp"
	"fmt"
	"math"

	"nrdl.example/nrdl/advice"
)

// TanTriggs is the preprocessing sequence of [tt]: a power of the grey values,
// the difference of two Gaussian blurs, contrast equalisation
//
//	I ← I/(mean |I|^α)^(1/α),   I ← I/(mean min(τ, |I|)^α)^(1/α)
//
// and I ← τ·tanh(I/τ). What it gives is grey values no more: from −τ to τ.
// Negative grey values count as 0.
type TanTriggs struct {
	Gamma float64 `json:"gamma" help:"power of the grey values"`
	Inner float64 `json:"inner" help:"standard deviation of the narrow blur, in pixels"`
	Outer float64 `json:"outer" help:"that of the wide blur, which is taken away"`
	Alpha float64 `json:"alpha" help:"α, power that keeps large values from deciding the contrast"`
	Tau   float64 `json:"tau" help:"τ, bound of what it gives"`
}

// DefaultTanTriggs has the parameters of Tan and Triggs.
var DefaultTanTriggs = TanTriggs{Gamma: 0.2, Inner: 1, Outer: 2, Alpha: 0.1, Tau: 10}

// Name implements Step.
func (TanTriggs) Name() string { return "tan-triggs" }

// Validate implements Step.
func (s TanTriggs) Validate() error {
	err := cmp.Or(within(s.Name(), "gamma", s.Gamma, 0.01, 4), within(s.Name(), "inner", s.Inner, minSigma, maxSigma/2),
		checkSigma(s.Name(), "outer", s.Outer), within(s.Name(), "alpha", s.Alpha, 0.01, 2), within(s.Name(), "tau", s.Tau, 0.1, 1000))
	if err == nil && s.Outer <= s.Inner {
		err = advice.Add(fmt.Errorf("%s: outer = %v is not more than inner = %v", s.Name(), s.Outer, s.Inner),
			"the usual is twice it, outer=%v", 2*s.Inner)
	}
	return err
}

// Over implements Step.
func (s TanTriggs) Over(height, width int) (Filter, error) {
	if err := cmp.Or(s.Validate(), fitsImage(height, width)); err != nil {
		return nil, err
	}
	n := height * width
	return &sequence{
		TanTriggs: s, pixels: n, images: buffers{size: 2 * n},
		inner: newBlur(height, width, s.Inner), outer: newBlur(height, width, s.Outer),
	}, nil
}

type sequence struct {
	TanTriggs
	pixels       int
	inner, outer *blur
	images       buffers
}

// Apply implements Filter.
func (s *sequence) Apply(dst, pix []float64) {
	n := s.pixels
	mustHave(len(dst) == n && len(pix) == n)
	buffer := s.images.get()
	defer s.images.put(buffer)
	image, blurred := (*buffer)[:n], (*buffer)[n:]
	first := s.power(pix[0])
	for i, v := range pix {
		image[i] = s.power(v) - first // so that an even image gives exact zeros
	}
	s.inner.apply(dst, image)
	s.outer.apply(blurred, image)
	for i, v := range blurred {
		dst[i] -= v
	}
	s.equaliseContrast(dst, math.Inf(1))
	s.equaliseContrast(dst, s.Tau)
	for i, v := range dst {
		dst[i] = s.Tau * math.Tanh(v/s.Tau)
	}
}

func (s *sequence) power(v float64) float64 { return math.Pow(max(0, v), s.Gamma) }

// equaliseContrast divides v by (mean min(most, |v|)^α)^(1/α).
func (s *sequence) equaliseContrast(v []float64, limit float64) {
	var sum float64
	for _, x := range v {
		sum += math.Pow(min(limit, math.Abs(x)), s.Alpha)
	}
	by := math.Pow(sum/float64(len(v)), 1/s.Alpha)
	if by == 0 {
		return // an even image
	}
	for i := range v {
		v[i] /= by
	}
}
