package experiment

import (
	"slices"
	"time"

	"nrdl.example/nrdl/plans"
)

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
