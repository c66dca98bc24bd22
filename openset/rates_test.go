package openset

import "testing"

func TestSuggest(t *testing.T) {
	offer := func(present int, right ...float64) (all []Rates) {
		for i, v := range right {
			all = append(all, Rates{FPIR: Offered[i], Right: v, Present: i == present})
		}
		return all
	}
	for name, c := range map[string]struct {
		rates  []Rates
		wanted float64
		want   float64 // 0: none
	}{
		"enough":               {offer(1, 0.1, 0.6, 0.9, 0.95), 0.5, 0},
		"the smallest":         {offer(1, 0.1, 0.3, 0.6, 0.9), 0.5, 0.05},
		"the largest of all":   {offer(1, 0, 0.1, 0.2, 0.3), 0.5, 0.1},
		"the smallest of best": {offer(0, 0, 0.1, 0.3, 0.3), 0.5, 0.05},
		"hardly more":          {offer(1, 0, 0.1, 0.12, 0.13), 0.5, 0},
		"no smaller one":       {offer(3, 0.9, 0.9, 0.9, 0.3), 0.5, 0},
		"nothing held out":     {nil, 0.5, 0},
	} {
		got, ok := new(Calibration).Suggest(c.rates, c.wanted)
		if ok != (c.want > 0) || ok && got.FPIR != c.want {
			t.Errorf("%s: %+v, %v", name, got, ok)
		}
	}
}
