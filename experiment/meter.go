package experiment

import (
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
)

// A meter measures the peak memory of the process during a run. Linux counts one peak per
// process and resets it on request. Runs at the same time include the memory of each
// other, and two benches in one process reset the peaks of each other.
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

// settle updates the peak of every measured run.
func (m *meter) settle() {
	now := memory("VmHWM:")
	for peak := range m.runs {
		*peak = max(*peak, now)
	}
}

// memory returns a value of /proc/self/status in bytes, or 0: VmRSS is the resident
// memory, VmHWM its peak since the last reset.
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
