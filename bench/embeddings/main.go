// Command embeddings asks whether learning adds anything to the class mean of
// embeddings: closed-set rates of methods on the same splits, with the paired
// difference from the mean.
//
//	go run ./bench/embeddings -data FILE.npz [-draws N]
package main

import (
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"text/tabwriter"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"nrdl/classify"
	"nrdl/dataset"
	"nrdl/method"
)

func main() {
	data := flag.String("data", "", "file with embeddings")
	draws := flag.Int("draws", 5, "splits")
	flag.Parse()
	if err := run(context.Background(), *data, *draws); err != nil {
		fmt.Fprintln(os.Stderr, "embeddings:", err)
		os.Exit(1)
	}
}

// settings are the methods that are compared, the mean first.
func settings() ([]string, []classify.Method, error) {
	names := []string{"mean", "lrc", "lrc, λ = 0.3", "nrc", "crc", "nrdl, 1 atom a person", "nrdl, 2", "nrdl, 4", "nrdl, every sample"}
	base := []string{"mean", "lrc", "lrc", "nrc", "crc", "nrdl", "nrdl", "nrdl", "nrdl"}
	sets := [][2]string{2: {"coder.lambda", "0.3"}, 5: {"atoms", "1"}, 6: {"atoms", "2"}, 7: {"atoms", "4"}, 8: {}}
	var all []classify.Method
	for i, name := range base {
		m, err := method.Named(name)
		if err == nil && sets[i][0] != "" {
			m, err = method.Set(m, sets[i][0], sets[i][1])
		}
		if err != nil {
			return nil, nil, err
		}
		all = append(all, m)
	}
	return names, all, nil
}

func run(ctx context.Context, data string, draws int) error {
	set, err := dataset.Open(ctx, data, dataset.Options{})
	if err != nil {
		return err
	}
	names, methods, err := settings()
	if err != nil {
		return err
	}
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(w, "photographs a person\tmethod\tright %%\tbeyond the mean\t± of %d splits\tp\t\n", draws)
	for _, split := range []string{"random:1", "random:2", "random:8"} {
		s, err := dataset.ParseSplit(split)
		if err != nil {
			return err
		}
		rates := make([][]float64, len(methods))
		for seed := range uint64(draws) {
			learn, test, err := s.Apply(set, seed)
			if err != nil {
				return err
			}
			train, probes := set.Select(learn), set.Select(test)
			for i, m := range methods {
				c, err := m.Fit(ctx, &train.Samples, classify.Run{Seed: seed})
				if err != nil {
					rates[i] = append(rates[i], math.NaN()) // as of more atoms than samples
					continue
				}
				guesses, err := c.Predict(ctx, probes.X)
				if err != nil {
					return err
				}
				right := 0
				for j, g := range guesses {
					if train.Classes[g] == probes.Classes[probes.ClassOf(j)] {
						right++
					}
				}
				rates[i] = append(rates[i], 100*float64(right)/float64(len(guesses)))
			}
		}
		for i, name := range names {
			more := make([]float64, draws)
			for d := range more {
				more[d] = rates[i][d] - rates[0][d]
			}
			mean, sd := stat.MeanStdDev(more, nil)
			t := mean / (sd / math.Sqrt(float64(draws)))
			p := 2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: float64(draws - 1)}.Survival(math.Abs(t))
			if i == 0 {
				p = math.NaN()
			}
			fmt.Fprintf(w, "%s\t%s\t%.2f\t%+.2f\t%.2f\t%.3f\t\n", split, name, stat.Mean(rates[i], nil), mean, sd, p)
		}
		w.Flush()
	}
	return nil
}
