package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/lab/experiment"
)

// A measure is a time of a run.
type measure struct {
	caption string
	value   func(experiment.Cost) float64
}

var measures = []measure{
	{"Time to learn, median over runs", func(c experiment.Cost) float64 { return c.FitSeconds }},
	{"Time to name all test images, median over runs", func(c experiment.Cost) float64 { return c.CodeSeconds }},
	{"Time to tune, median over runs", func(c experiment.Cost) float64 { return c.TuneSeconds }},
}

// median is the median of a value over the runs of c; NaN without runs.
func (c *Cell) median(of func(*experiment.Record) float64) float64 {
	v := make([]float64, len(c.runs))
	for i, r := range c.runs {
		v[i] = of(r)
	}
	return median(v)
}

// median is the median of v, for an even number the mean of the two in the middle; NaN if v
// is empty. It sorts v.
func median(v []float64) float64 {
	if len(v) == 0 {
		return math.NaN()
	}
	slices.Sort(v)
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2
}

// grid makes tables of labels and columns. Rows and tables without any text are left out.
func (p *Plan) grid(caption string, write func(c *Cell) cell) (blocks []block) {
	for _, panel := range p.panels() {
		t := &table{Caption: caption, Head: p.heads(panel)}
		for _, i := range panel.labels {
			row, some := []cell{{Text: p.Labels[i].Name}}, false
			for _, j := range panel.columns {
				c := write(p.Cells[i][j])
				some = some || c.Text != ""
				c.Text = cmp.Or(c.Text, "—")
				row = append(row, c)
			}
			if some {
				t.Rows = append(t.Rows, row)
			}
		}
		if len(t.Rows) > 0 {
			blocks = append(blocks, block{Table: t.upright()})
		}
	}
	return blocks
}

// alike reports whether the runs of p were made by one version on machines of one kind, as many
// at a time: only such times can be compared.
func (p *Plan) alike() bool {
	var first *experiment.Cost
	for r := range p.all {
		c := experiment.Cost{
			Jobs: r.Cost.Jobs, Threads: r.Cost.Threads, BLAS: r.Cost.BLAS, Version: r.Cost.Version,
			Go: r.Cost.Go, System: r.Cost.System,
		}
		if first == nil {
			first = &c
		} else if c != *first {
			return false
		}
	}
	return true
}

// cost is the section on time and memory; timed is the plan whose times are printed.
func (p *Plan) cost(timed string) (blocks []block) {
	printed := cmp.Or(timed, p.Name) == p.Name && p.alike()
	for _, m := range measures {
		if !printed {
			break
		}
		blocks = append(blocks, p.grid(m.caption, func(c *Cell) cell {
			v := c.medianOf(m)
			if c.N == 0 || v == 0 {
				return cell{}
			}
			return cell{Text: seconds(v)}
		})...)
	}
	blocks = append(blocks, p.grid("Passes, median over runs, and how the fits ended; methods without passes are left out", endings)...)
	if cmp.Or(timed, p.Name) == p.Name {
		blocks = append(blocks, p.grid("Memory of a run beyond that of the data, largest over runs", func(c *Cell) cell {
			bytes := c.memory()
			if bytes == 0 {
				return cell{}
			}
			return cell{Text: fmt.Sprintf("%d MiB", (uint64(bytes)+1<<19)>>20)}
		})...)
	}
	switch {
	case printed && len(blocks) > 0:
		blocks = append(blocks, block{Text: p.circumstances()})
	case timed != "" && timed != p.Name:
		blocks = append(blocks, block{Text: "These runs were made beside other work: only the plan " + timed + " has times and memory."})
	case !printed:
		blocks = append(blocks, block{Text: "No times: the runs were made by several versions, on several machines, or not as many at a time."})
	}
	return blocks
}

// memory is the largest memory of a run of c, without that of the data, in bytes; 0 if it
// is not known.
func (c *Cell) memory() float64 {
	peak := uint64(0)
	for _, r := range c.runs {
		if cost := r.Cost; cost.BaseBytes > 0 && cost.PeakBytes > cost.BaseBytes {
			peak = max(peak, cost.PeakBytes-cost.BaseBytes)
		}
	}
	return float64(peak)
}

// endings returns the passes of the runs of c, and how many runs converged.
func endings(c *Cell) cell {
	converged, open, closed := 0, 0, 0
	for _, r := range c.runs {
		switch r.Status {
		case classify.Converged:
			converged++
		case classify.Exhausted:
			open++
		case classify.ClosedForm:
			closed++
		}
	}
	if c.N == 0 || c.runs[0].Method == experiment.ProgramMethod {
		return cell{}
	}
	if closed == c.N {
		return cell{}
	}
	out := cell{Text: digits(c.passes(), 6)}
	switch {
	case converged+open > 0:
		out.Sub = fmt.Sprintf("%d of %d converged", converged, c.N)
	default:
		out.Sub = "all passes made"
	}
	return out
}

// circumstances describes how the times were measured.
func (p *Plan) circumstances() string {
	var jobs, threads []int
	for r := range p.all {
		jobs, threads = append(jobs, r.Cost.Jobs), append(threads, r.Cost.Threads)
	}
	maxJobs, minJobs := slices.Max(jobs), slices.Min(jobs)
	if maxJobs <= 1 {
		return fmt.Sprintf("Times were taken with one run at a time on %s.", legible.Count(slices.Max(threads), "thread"))
	}
	n := fmt.Sprint(maxJobs)
	if minJobs != maxJobs {
		n = fmt.Sprintf("%d to %d", minJobs, maxJobs)
	}
	return fmt.Sprintf("Times were taken with %s runs at a time, each on %s: alone on the machine a run is faster. "+
		"The memory of a run is known where it is alone: one run at a time.", n, legible.Count(slices.Max(threads), "thread"))
}

// medianOf is the median of m over the runs of c; NaN without runs.
func (c *Cell) medianOf(m measure) float64 {
	return c.median(func(r *experiment.Record) float64 { return m.value(r.Cost) })
}

// passes is the median over the runs of c; NaN without runs.
func (c *Cell) passes() float64 {
	return c.median(func(r *experiment.Record) float64 { return float64(r.Passes) })
}
