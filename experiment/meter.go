package experiment

import (
	"os"
	"strconv"
	"strings"
	"sync"
)

// A meter measures the most memory that the process has had while a run ran.
// Linux counts the peak, and forgets it when asked; runs at the same time see
// each other's memory.
type meter struct {
	mu   sync.Mutex
	runs map[*uint64]struct{} // the peak so far of each that is measured
}

// start begins a measurement; the function that it returns ends it and gives
// the peak in bytes, 0 where it cannot be known.
func (m *meter) start() (stop func() uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.settle()
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		return func() uint64 { return 0 }
	}
	peak := new(uint64)
	if m.runs == nil {
		m.runs = map[*uint64]struct{}{}
	}
	m.runs[peak] = struct{}{}
	return func() uint64 {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.settle()
		delete(m.runs, peak)
		return *peak
	}
}

// settle gives every run that is measured the peak up to now.
func (m *meter) settle() {
	now := peakMemory()
	for peak := range m.runs {
		*peak = max(*peak, now)
	}
}

// peakMemory is the most resident memory since it was last forgotten, in
// bytes, or 0.
func peakMemory() uint64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			if err != nil {
				return 0
			}
			return kib << 10
		}
	}
	return 0
}
