package feature

import (
	"slices"
	"strings"
	"testing"

	"nrdl.example/nrdl/advice"
)

// taps counts the multiply-adds of a prepared feature or step from its filters.
func taps(t *testing.T, prepared any, height, width int) (n int) {
	t.Helper()
	blurs := func(all ...*blur) {
		for _, b := range all {
			n += 2 * len(b.w) * height * width
		}
	}
	switch p := prepared.(type) {
	case *guarded:
		bank, ok := p.extractor.(*waveletBank)
		if !ok {
			return 0
		}
		for _, s := range bank.scales {
			for _, w := range s.wavelets {
				n += 2*len(s.rowsAt)*width*len(w.downRe) + 4*len(s.rowsAt)*len(s.colsAt)*len(w.rightRe)
			}
		}
	case *contrast:
		blurs(p.blur, p.blur)
	case *sequence:
		blurs(p.inner, p.outer)
	}
	return n
}

func TestWorkBoundsFilters(t *testing.T) {
	const height, width = 40, 56
	filters := 0
	check := func(v, prepared any, err error) {
		if err != nil {
			t.Fatalf("%+v: %v", v, err)
		}
		n := taps(t, prepared, height, width)
		l, ok := v.(laborious)
		if ok != (n > 0) {
			t.Fatalf("%+v has filters of %d operations, but no work", v, n)
		}
		if n > 0 {
			filters++
		}
		if ok && !(float64(n) <= l.work(height, width)) {
			t.Errorf("%+v takes %d operations, more than %g", v, n, l.work(height, width))
		}
	}
	for _, f := range append(slices.Clone(All), Gabor{Cell: 1, Scales: 1, Orientations: 16, Wavelength: 2, Width: 0.25},
		Gabor{Cell: 40, Scales: 8, Orientations: 2, Wavelength: 32, Width: 1},
		Gabor{Cell: 7.7, Scales: 8, Orientations: 3, Wavelength: 3.3, Width: 0.7}) {
		e, err := f.Over(height, width)
		check(f, e, err)
	}
	for _, s := range append(slices.Clone(Steps), LCN{Sigma: 64, Floor: 1}, LCN{Sigma: 0.1, Floor: 1},
		TanTriggs{Gamma: 1, Inner: 32, Outer: 64, Alpha: 1, Tau: 1}) {
		f, err := s.Over(height, width)
		check(s, f, err)
	}
	if filters < 9 {
		t.Errorf("%d filters", filters)
	}
}

// Lists of the longest filters over the largest images are refused, and the
// defaults are not.
func TestTooMuchWork(t *testing.T) {
	long := Gabor{Cell: 16, Scales: 8, Orientations: 16, Wavelength: 32, Width: 1}
	_, err := (Features{Pixels{}, long}).Over(1024, 1024)
	if err == nil || !strings.Contains(err.Error(), "gabor") || !strings.Contains(err.Error(), "operations") || advice.Text(err) == "" {
		t.Error(err)
	}
	_, err = StepList(slices.Repeat([]Step{LCN{Sigma: 64, Floor: 1}}, 8)).Over(1024, 1024)
	if err == nil || !strings.Contains(err.Error(), "lcn") {
		t.Error(err)
	}
	for _, f := range All {
		if e, err := (Features{f}).Over(512, 512); err != nil {
			t.Errorf("%v, %v", e, err)
		}
	}
	if _, err := (StepList{Despeckle{}, DefaultTanTriggs, DefaultLCN}).Over(1024, 1024); err != nil {
		t.Error(err)
	}
}
