package plans

import (
	_ "embed" // the times
	"encoding/json"
	"sync"
)

// Times are of runs of the built-in plans: seconds of learning, recognising and tuning, by the
// names of plan and data set and the label of the method.
type Times map[string]map[string]map[string]float64

//go:embed times/seconds.json
var seconds []byte

// RecordedTimes returns the means over the records of this project, one thread of an AMD EPYC
// with AVX2 each. They are shared: nobody may change them.
var RecordedTimes = sync.OnceValue(func() (all Times) {
	if err := json.Unmarshal(seconds, &all); err != nil {
		panic(err) // embedded
	}
	return all
})

// Of returns the time of a run; false if no plan has a run like it. A plan of another name has
// the times of the built-in ones.
func (all Times) Of(plan, data, label string) (float64, bool) {
	if t, ok := all[plan][data][label]; ok {
		return t, true
	}
	sum, n := 0.0, 0
	for _, p := range Names() {
		if t, ok := all[p][data][label]; ok {
			sum, n = sum+t, n+1
		}
	}
	return sum / float64(max(n, 1)), n > 0
}
