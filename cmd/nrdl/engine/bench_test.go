package engine_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/method"
)

// BenchmarkScores is what python/bench.py does, without Python: 200 atoms of 20 classes. With
// NRDL_TIMES it prints the time of each call, for python/bench.py.
func BenchmarkScores(b *testing.B) {
	for _, size := range [][2]int{{128, 10}, {128, 1000}, {1024, 1000}} {
		d, n := size[0], size[1]
		b.Run(fmt.Sprintf("%dx%d", n, d), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 2))
			random := func(cols int) *mat.Dense {
				data := make([]float64, d*cols)
				for i := range data {
					data[i] = rng.Float64()
				}
				return mat.NewDense(d, cols, data)
			}
			var y []string
			for i := range 200 {
				y = append(y, fmt.Sprint(i/10))
			}
			fit, err := classify.Learn(b.Context(), random(200), y, method.DefaultNRC, classify.LearnOptions{})
			if err != nil {
				b.Fatal(err)
			}
			probes := random(n)
			var times []time.Duration
			for b.Loop() {
				start := time.Now()
				if _, err := fit.Classifier.Scores(b.Context(), probes); err != nil {
					b.Fatal(err)
				}
				times = append(times, time.Since(start))
			}
			if os.Getenv("NRDL_TIMES") != "" {
				for _, t := range times {
					fmt.Println("ms", 1e3*t.Seconds())
				}
			}
		})
	}
}
