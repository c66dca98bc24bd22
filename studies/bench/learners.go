package main

import "fmt"

// A contest is a method at the size of the paper's Extended Yale B against the
// published program: seconds to learn and to code 1654 images, as measured for
// it under Octave on two cores, and what is asked for; 0 where nothing is.
type contest struct {
	what                   string
	method                 string
	set                    map[string]string
	learnThere, learnAsked float64
	codeThere, codeAsked   float64
}

var contests = []contest{
	{"K-SVD, 50 passes, T₀ 30", "ksvd", map[string]string{"passes": "50"}, 7.5, 3, 0.5, 0.2},
	{"D-KSVD, 50 passes", "dksvd", map[string]string{"passes": "50"}, 25, 6, 0.5, 0.2},
	{"LC-KSVD2, 50 passes after 20", "lcksvd2", map[string]string{"passes": "50", "init.passes": "20"}, 26, 7, 0.5, 0.2},
	{"LCLE, 10 passes", "lcle", map[string]string{"passes": "10"}, 19, 1.5, 0.5, 0.2},
	{"FDDL, 30 passes (reference: DICTOL)", "fddl", map[string]string{"passes": "30"}, 24, 5, 4.6, 1},
	{"SRC, duality gap 1e-6 (reference: FISTA)", "src", map[string]string{"coder.gap": "1e-6"}, 0, 0, 12.9, 2},
	{"NRC, 10 ADMM passes", "nrc", nil, 0, 0, 0.5, 0.1},
	{"LLC", "llc", nil, 0, 0, 1.1, 0.2},
	{"LRC", "lrc", nil, 0, 0, 0.7, 0.2},
}

// learners measures every method of contests three times and keeps the least.
func (r *report) learners() error {
	r.head("Extended Yale B, N = K = 760 | learn | published program | asked | code 1654 images | published program | asked")
	for _, c := range contests {
		m, err := fit{Method: c.method, Set: c.set, Data: "yaleb_32x32.mat", People: 38, Images: 20, Probes: true}.least()
		if err != nil {
			return err
		}
		fmt.Fprintf(r.w, "| %s | %.2f s | %s | %s | %.3f s | %s | %s |\n", c.what,
			m.FitSeconds, limit("", c.learnThere), limit("≤ ", c.learnAsked),
			m.CodeSeconds, limit("", c.codeThere), limit("≤ ", c.codeAsked))
	}
	return nil
}

func limit(sign string, seconds float64) string {
	if seconds == 0 {
		return "–"
	}
	return fmt.Sprintf("%s%g s", sign, seconds)
}
