package classify_test

import (
	"encoding/json"
	"math"
	"testing"

	"nrdl.example/nrdl/classify"
)

func TestProgressJSON(t *testing.T) {
	for want, p := range map[string]classify.Progress{
		`{"iter":1,"residual":0.5}`: {Iter: 1, Residual: 0.5, Terms: terms()},
		`{"iter":2,"mu":1e-7,"residual":null,"fit":3,"sum":null}`: {
			Iter: 2, Residual: math.NaN(),
			Terms: terms(classify.Term{Name: "mu", Value: 1e-7}, classify.Term{Name: "fit", Value: 3},
				classify.Term{Name: "sum", Value: math.Inf(1)}),
		},
	} {
		if got, err := json.Marshal(p); err != nil || string(got) != want {
			t.Errorf("%s, %v, want %s", got, err, want)
		}
	}
}

func terms(all ...classify.Term) func() []classify.Term {
	return func() []classify.Term { return all }
}
