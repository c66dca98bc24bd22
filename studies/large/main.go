// Command large measures learning from many samples on the machine that it runs on,
// and prints a table in Markdown:
//
//	go -C studies run ./large
//	go -C studies run ./large -samples 1000,10000,100000 -methods nrdl,nrdl-online
//	go -C studies run ./large -pie $NRDL_DATA/sets/pie_32x32.mat
//
// The samples are drawn: vectors of norm 1 that are as far from the mean of their
// person as persons are apart. Each fit has a process of its own, so that its memory is
// its own. Times are processor time, of all threads together.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"strconv"
	"strings"

	"gonum.org/v1/gonum/stat"

	"nrdl.example/nrdl/internal/hint"
)

func main() {
	samples := flag.String("samples", "1000,3000,10000,30000,100000", "numbers of samples")
	methods := flag.String("methods", "nrdl,nrdl-online,online,ksvd,lcksvd2,lcle,fddl", "the methods; online is the learner of a dictionary alone")
	size := fit{}
	flag.IntVar(&size.Features, "features", 128, "d")
	flag.IntVar(&size.Classes, "classes", 100, "C")
	flag.IntVar(&size.Atoms, "atoms", 10, "atoms per class")
	flag.IntVar(&size.Passes, "passes", 2, "passes; the first is not counted")
	pie := flag.String("pie", "", "measure the gap of nrdl-online to nrdl on this set instead")
	child := flag.String("child", "", "measure one fit, described in JSON, and print the result as JSON")
	flag.Parse()
	var err error
	switch {
	case *child != "":
		err = runChild(*child)
	case *pie != "":
		err = gap(context.Background(), os.Stdout, *pie)
	default:
		err = table(os.Stdout, size, strings.Split(*methods, ","), strings.Split(*samples, ","))
	}
	hint.Exit("large", err)
}

func runChild(request string) error {
	var f fit
	if err := json.Unmarshal([]byte(request), &f); err != nil {
		return err
	}
	m, err := f.measure(context.Background())
	if err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(m)
}

// apart measures f in a process of its own.
func (f fit) apart() (m measurement, err error) {
	request, err := json.Marshal(f)
	if err != nil {
		return m, err
	}
	self, err := os.Executable()
	if err != nil {
		return m, err
	}
	cmd := exec.Command(self, "-child", string(request))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return m, fmt.Errorf("measure %s: %w", request, err)
	}
	return m, json.Unmarshal(out, &m)
}

// table measures every method with every number of samples.
func table(w io.Writer, size fit, methods, samples []string) error {
	fmt.Fprintf(w, "d = %d, C = %d, K = %d\n\n", size.Features, size.Classes, size.Classes*size.Atoms)
	fmt.Fprintln(w, "| method | N | seconds a pass | seconds before it | GFLOP a pass | GFLOP/s, of those of a product | peak GiB | bound GiB |")
	fmt.Fprintln(w, "| --- | --: | --: | --: | --: | --: | --: | --: |")
	for _, method := range methods {
		var n, seconds, flops []float64
		for _, s := range samples {
			f := size
			var err error
			if f.Samples, err = strconv.Atoi(s); err != nil {
				return err
			}
			f.Method = method
			m, err := f.apart()
			if err != nil {
				return err
			}
			rate, count := "–", "–"
			if m.GFlop > 0 {
				count = fmt.Sprintf("%.3g", m.GFlop)
				rate = fmt.Sprintf("%.0f, %.0f %%", m.GFlop/m.Pass, 100*m.GFlop/m.Pass/m.Rate)
				flops = append(flops, math.Log(m.GFlop))
			}
			fmt.Fprintf(w, "| `%s` | %d | %.3g | %.3g | %s | %s | %.2f | %.2f |\n", method, f.Samples, m.Pass, m.Start, count, rate, m.PeakGiB, m.BoundGiB)
			n, seconds = append(n, math.Log(float64(f.Samples))), append(seconds, math.Log(m.Pass))
		}
		if len(n) < 2 {
			continue
		}
		growth := func(y []float64) string {
			if len(y) < len(n) {
				return "–"
			}
			_, slope := stat.LinearRegression(n, y, nil, false)
			return fmt.Sprintf("N^%.2f", slope)
		}
		fmt.Fprintf(w, "| | growth | %s | | %s | | | |\n", growth(seconds), growth(flops))
	}
	return nil
}
