package method

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
)

// At the limit one more sample makes the difference; nothing is allocated for it.
func TestMemoryEndsAtTheLimit(t *testing.T) {
	for _, m := range All() {
		s := Size{Features: 128, Classes: 100}
		if s.Samples = MaxSamples(m, s); s.Samples == 0 {
			if name := m.Name(); name != "mean" && name != "blocks" {
				t.Errorf("%s does not tell", name)
			}
			continue
		}
		if err := fitsMemory(m, s); err != nil {
			t.Errorf("%d samples are the most: %v", s.Samples, err)
		}
		s.Samples++
		err := fitsMemory(m, s)
		if !errors.Is(err, coding.ErrMemory) || !strings.Contains(err.Error(), m.Name()) {
			t.Errorf("%s: %d samples: %v", m.Name(), s.Samples, err)
		}
		if advice.Text(err) == "" {
			t.Errorf("%v: no hint", err)
		}
	}
}

// A coder of a method that keeps every sample is refused where its matrices do not
// fit, before they are made, and the hint names the ways on.
func TestSampleDictionariesEndAtTheLimit(t *testing.T) {
	const n = 60_000
	x := mat.NewDense(1, n, nil)
	labels := make([]string, n)
	for j := range n {
		x.Set(0, j, 1)
		labels[j] = fmt.Sprint(j % 2)
	}
	train, err := classify.NewSamples(x, labels, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range []classify.Method{DefaultSRC, DefaultCRC, DefaultDSRC, DefaultProCRC, DefaultKNRC, DefaultKCRC, DefaultKSRC} {
		_, err := m.Fit(context.Background(), train, classify.Run{})
		if !errors.Is(err, coding.ErrMemory) || !strings.Contains(err.Error(), "60000 atoms") {
			t.Errorf("%s: %v", m.Name(), err)
		}
		if h := advice.Text(err); !strings.Contains(h, "learn a dictionary") || !strings.Contains(h, "shortlist") {
			t.Errorf("%s: hint %q", m.Name(), h)
		}
	}
	_, err = DefaultNRDL.Fit(context.Background(), train, classify.Run{})
	if !errors.Is(err, coding.ErrMemory) || !strings.Contains(advice.Text(err), "parameter: atoms=") {
		t.Errorf("%v: hint %q", err, advice.Text(err))
	}
}

func TestMemoryLimitFollowsTheEnvironment(t *testing.T) {
	s := Size{Features: 128, Classes: 100}
	before := MaxSamples(DefaultCRC, s)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 40))
	if after := MaxSamples(DefaultCRC, s); after <= before {
		t.Errorf("%d samples fit 16 GiB, and %d a TiB", before, after)
	}
}
