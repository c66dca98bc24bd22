package experiment

import (
	"testing"
	"time"
)

// What is left of a plan takes as long as what was made of it, by method.
func TestLeftOfAPlan(t *testing.T) {
	p := parse(t, `{"repeats": 3, "datasets": [`+aSet+`], "methods": ["crc", "nrc"]}`)
	var records []Record
	for i, j := range p.jobs() {
		if j.repeat == 0 {
			records = append(records, Record{Key: p.Keys()[i], Cost: Cost{FitSeconds: 10, CodeSeconds: float64(i)}})
		}
	}
	for _, c := range []struct {
		records []Record
		runs    int
		left    time.Duration
	}{{nil, 6, 0}, {records, 4, 21 * time.Second}} {
		if runs, left := p.Left(c.records, 2); runs != c.runs || left != c.left {
			t.Errorf("with %d records %d runs are left, for %v; want %d and %v", len(c.records), runs, left, c.runs, c.left)
		}
	}
}
