package feature

// Despeckle replaces pixels that salt and pepper may have hit, those of exactly
// 0 or 255, by the median of the 3×3 pixels around, and leaves all others.
// Beyond the border the image has the value of the nearest pixel.
type Despeckle struct{}

const (
	pepper = 0
	salt   = levels - 1
)

// Name implements Step.
func (Despeckle) Name() string { return "despeckle" }

// Validate implements Step.
func (Despeckle) Validate() error { return nil }

// Over implements Step.
func (Despeckle) Over(height, width int) (Filter, error) {
	if err := fitsImage(height, width); err != nil {
		return nil, err
	}
	return medians{height, width}, nil
}

type medians struct{ height, width int }

// Apply implements Filter.
func (m medians) Apply(dst, pix []float64) {
	mustHave(len(dst) == m.height*m.width && len(pix) == len(dst))
	copy(dst, pix)
	for at, v := range pix {
		if v == pepper || v == salt {
			dst[at] = m.around(pix, at%m.height, at/m.height)
		}
	}
}

// around is the median of the 3×3 pixels about (i, j).
func (m medians) around(pix []float64, i, j int) float64 {
	var sorted [9]float64
	n := 0
	for q := j - 1; q <= j+1; q++ {
		column := pix[min(max(q, 0), m.width-1)*m.height:][:m.height]
		for p := i - 1; p <= i+1; p++ {
			v := column[min(max(p, 0), m.height-1)]
			k := n
			for ; k > 0 && sorted[k-1] > v; k-- {
				sorted[k] = sorted[k-1]
			}
			sorted[k] = v
			n++
		}
	}
	return sorted[len(sorted)/2]
}
