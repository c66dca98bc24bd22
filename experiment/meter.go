package experiment

import (
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
)

// A meter measures the most memory that the process has had while a run ran.
// Linux counts the peak, and forgets it when asked; runs at the same time see
// each other's memory. The count is one for a process: two benches at the same
// time make each other forget peaks.
type meter struct {
	alone bool // there is one run at a time

	mu   sync.Mutex
	runs map[*uint64]struct{} // the peak so far of each that is measured
}

// start begins a measurement; the function that it returns ends it and gives
// the peak in bytes, and what the process had at the start, 0 unless the run is
// alone. Both are 0 where they cannot be known.
func (m *meter) start() (stop func() (peak, base uint64)) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.settle()
	base := uint64(0)
	if m.alone {
		debug.FreeOSMemory() // what is left of the run before is not this one's
		base = memory("VmRSS:")
	}
	if err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0); err != nil {
		return func() (peak, base uint64) { return 0, 0 }
	}
	peak := new(uint64)
	if m.runs == nil {
		m.runs = map[*uint64]struct{}{}
	}
	m.runs[peak] = struct{}{}
	return func() (uint64, uint64) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.settle()
		delete(m.runs, peak)
		return *peak, base
	}
}

// settle gives every run that is measured the peak up to now.
func (m *meter) settle() {
	now := memory("VmHWM:")
	for peak := range m.runs {
		*peak = max(*peak, now)
	}
}

// memory is what Linux says of the process, in bytes, or 0: VmRSS is resident
// now, VmHWM was at most so since it was last forgotten.
func memory(name string) uint64 {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, ok := strings.CutPrefix(line, name); ok {
			kib, err := strconv.ParseUint(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
			if err != nil {
				return 0
			}
			return kib << 10
		}
	}
	return 0
}
