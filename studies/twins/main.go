// Command twins compares nine methods with their twins in NumPy, programs that were
// written from the equations of the papers alone (twins.py): recognition rates and
// processor time. The script run beside it makes the records of plan.json, the file of
// the twins' seconds, and calls it:
//
//	go -C studies run ./twins twins.jsonl twins.seconds
//
// It repeats the runs of the methods for their processor time, on one thread, as the
// twins have, and prints a table in Markdown. NRDL_DATA names the databases.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/signal"
	"runtime"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/experiment"
	"nrdl.example/nrdl/internal/blas"
	"nrdl.example/nrdl/internal/hint"
	"nrdl.example/nrdl/method"
	"nrdl.example/nrdl/studies/internal/cputime"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	runtime.GOMAXPROCS(1)
	blas.SetThreads(1)
	hint.Exit("twins", run(ctx, os.Stdout, os.Args[1:]))
}

// A pair is a method and its twin on a database, at one split.
type pair struct{ own, twin *experiment.Record }

func run(ctx context.Context, w io.Writer, args []string) error {
	if len(args) != 2 {
		return advice.Add(errors.New("two files are needed"), "go -C studies run ./twins RECORDS.jsonl SECONDS")
	}
	records, err := experiment.ReadRecordsFile(args[0], nil)
	if err != nil {
		return err
	}
	seconds, err := readSeconds(args[1])
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s, %s/%s, back end %v; one thread each, processor time of learning and recognising.\n\n", runtime.Version(), runtime.GOOS, runtime.GOARCH, blas.Current())
	fmt.Fprintf(w, "| method | database | twin | nrdl | points apart | twin | nrdl | ratio |\n| --- | --- | --: | --: | --: | --: | --: | --: |\n")
	sets := &experiment.Databases{Roots: []string{os.Getenv("NRDL_DATA")}}
	for _, p := range pairs(records) {
		own, err := ownSeconds(ctx, sets, *p.own)
		if err != nil {
			return err
		}
		twin, ok := seconds[task{p.own.Method, p.twin.Train, p.twin.N}]
		if !ok {
			return advice.Add(fmt.Errorf("%s has no seconds of the twin of %s on %s", args[1], p.own.Label, p.own.Dataset.Title), "remove both files, and run studies/twins/run again")
		}
		fmt.Fprintf(w, "| %s | %s | %.1f | %.1f | %+.1f | %.2f s | %.3f s | %.*f × |\n", p.own.Label, p.own.Dataset.Title,
			100*p.twin.Rate, 100*p.own.Rate, 100*(p.own.Rate-p.twin.Rate), twin, own, digits(twin/own), twin/own)
	}
	return nil
}

// digits are those after the point that a ratio is printed with.
func digits(ratio float64) int {
	if ratio < 10 {
		return 1
	}
	return 0
}

// pairs returns the methods whose twin has a record too, in the order of the records. Of
// the twin's records the last counts: those before are of a program that has changed.
func pairs(records []experiment.Record) (all []pair) {
	for i := range records {
		p := pair{own: &records[i]}
		for j := range records {
			if twin := &records[j]; p.own.Error == "" && twin.Error == "" && p.own.Method == twinOf(twin) &&
				p.own.Dataset.Name == twin.Dataset.Name && p.own.SplitHash == twin.SplitHash {
				p.twin = twin
			}
		}
		if p.twin != nil {
			all = append(all, p)
		}
	}
	return all
}

// twinOf returns the name of the method that r repeats, which is the last word of its
// command; "" if r is not of a twin.
func twinOf(r *experiment.Record) string {
	var p experiment.Program
	if r.Method != experiment.ProgramMethod || json.Unmarshal(r.Params, &p) != nil || len(p.Command) == 0 {
		return ""
	}
	return p.Command[len(p.Command)-1]
}

// A task is what a twin did: its method and how many samples it learnt and named.
type task struct {
	method   string
	train, n int
}

// readSeconds reads what the twins added to the file at path; the last line on a task
// counts.
func readSeconds(path string) (map[task]float64, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all, lines := map[task]float64{}, bufio.NewScanner(f)
	for lines.Scan() {
		var t task
		var seconds float64
		if _, err := fmt.Sscanf(lines.Text(), "%s %d %d %g", &t.method, &t.train, &t.n, &seconds); err != nil {
			return nil, fmt.Errorf("%s: %q is not METHOD TRAIN TEST SECONDS: %w", path, lines.Text(), err)
		}
		all[t] = seconds
	}
	return all, lines.Err()
}

// ownSeconds repeats the run of r and returns the processor time of learning and
// recognising: the least of three where it is short, since the collection of garbage
// comes at any time.
func ownSeconds(ctx context.Context, sets *experiment.Databases, r experiment.Record) (float64, error) {
	again, err := experiment.Replay(ctx, sets, r)
	if err != nil {
		return 0, err
	}
	if again.Record.Wrong != r.Wrong {
		return 0, fmt.Errorf("%s on %s: wrong %d times, and %d times when repeated", r.Label, r.Dataset.Title, r.Wrong, again.Record.Wrong)
	}
	m, err := method.Named(r.Method)
	if err == nil {
		m, err = method.Unmarshal(m, r.Params)
	}
	if err != nil {
		return 0, err
	}
	least := math.Inf(1)
	for range 3 {
		runtime.GC()
		start := cputime.Used()
		model, err := m.Fit(ctx, &again.Train.Samples, classify.Run{Seed: r.Seed})
		if err != nil {
			return 0, err
		}
		if _, err := model.Predict(ctx, again.Test.X); err != nil {
			return 0, err
		}
		if least = min(least, (cputime.Used() - start).Seconds()); least > 2 {
			break
		}
	}
	return least, nil
}
