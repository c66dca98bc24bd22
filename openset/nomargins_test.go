package openset

import (
	"errors"
	"testing"
)

// That scores are all equal is another cause than that people are few.
func TestCauseOfNoThreshold(t *testing.T) {
	c := &Calibration{FPIR: 0.01, Prior: 0.5, Folds: 5, People: 5}
	if err := c.Fit(5, UnknownLaw); !errors.Is(err, ErrNoStrangers) {
		t.Errorf("without margins: %v", err)
	}
	for range 5 {
		c.Add(0, 0, true, false)
	}
	if err := c.Fit(5, UnknownLaw); !errors.Is(err, ErrNoMargins) || errors.Is(err, ErrNoStrangers) {
		t.Errorf("of five people with margins of 0: %v", err)
	}
}

// Rounding makes the cosine of equal samples larger than 1.
func TestPairsOfEqualSamples(t *testing.T) {
	var p Pairs
	for range 90 {
		p.Add(1.0000000000000004, false)
	}
	if err := p.Validate(); err != nil {
		t.Error(err)
	}
}
