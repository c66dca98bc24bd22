package experiment

import (
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"nrdl.example/nrdl/lab/plans"
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

func (c Cost) seconds() float64 { return c.FitSeconds + c.CodeSeconds + c.TuneSeconds }

// pace estimates the time of a job: the mean over finished jobs with the same method and
// data, or else with the same method, or else over all.
type pace struct {
	sum   map[[2]string]float64
	count map[[2]string]float64
}

func (p *pace) keys(j *job) [3][2]string {
	return [3][2]string{{j.contestant.label, j.data.name}, {j.contestant.label, ""}, {}}
}

func (p *pace) add(j *job, seconds float64) {
	if p.sum == nil {
		p.sum, p.count = map[[2]string]float64{}, map[[2]string]float64{}
	}
	for _, k := range p.keys(j) {
		p.sum[k] += seconds
		p.count[k]++
	}
}

// remaining estimates the time for jobs, so many at a time. It is 0 if most jobs are of
// methods that no finished job has, since fast methods say nothing about slow ones.
func (p *pace) remaining(jobs []*job, atATime int) time.Duration {
	var total float64
	unseen := 0
	for _, j := range jobs {
		keys := p.keys(j)
		i := slices.IndexFunc(keys[:], func(k [2]string) bool { return p.count[k] > 0 })
		if i >= 0 {
			total += p.sum[keys[i]] / p.count[keys[i]]
		}
		if i != 0 && i != 1 {
			unseen++
		}
	}
	if 2*unseen > len(jobs) {
		return 0
	}
	return time.Duration(total / float64(max(atATime, 1)) * float64(time.Second))
}

// Left is the number of runs of p without a record among those, and an estimate of their
// time, so many at a time, by the times of the runs that have one; if there is none, by
// plans.RecordedTimes. It is 0 where these say too little.
func (p *Plan) Left(records []Record, atATime int) (runs int, _ time.Duration) {
	made := map[string]*Record{}
	for i := range records {
		made[records[i].Key] = &records[i]
	}
	var known pace
	var pending []*job
	for _, j := range p.jobs() {
		if r := made[j.key]; r != nil {
			known.add(j, r.Cost.seconds())
		} else {
			pending = append(pending, j)
		}
	}
	if len(known.sum) == 0 {
		for _, j := range pending {
			if t, ok := plans.RecordedTimes().Of(p.Name, j.data.name, j.contestant.label); ok {
				known.add(j, t)
			}
		}
	}
	return len(pending), known.remaining(pending, atATime)
}
