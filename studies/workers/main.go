// Command workers does work on worker processes of this machine: how long it takes with 1,
// 2, 4 and 8 of them, and, with -kills, whether the results are those of an undisturbed
// command although processes are killed at random moments: workers, and the command. The
// server is in this process. The work is the runs of a plan, a search for parameters, or the
// identification of drawn photographs.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"nrdl.example/nrdl/experiment"
	"nrdl.example/nrdl/internal/natsserver"
)

const (
	port    = 14333
	address = "127.0.0.1:14333"
)

func main() {
	log.SetFlags(0)
	kills := flag.Int("kills", 0, "how many processes are killed")
	plan := flag.String("plan", "quick", "the plan of the work bench")
	kind := flag.String("work", "bench", "bench, tune or identify")
	photos := flag.Int("photos", 10000, "how many photographs identify gets, of some that are drawn")
	program := flag.String("nrdl", "nrdl", "the program")
	seed := flag.Uint64("seed", 1, "of the moments at which processes are killed")
	flag.Parse()
	if err := run(*program, *kind, *plan, *photos, *kills, *seed); err != nil {
		log.Fatal(err)
	}
}

// A work is a command whose work workers do.
type work struct {
	program string
	args    []string // of the command; its results go to standard output, or to the path after the last one
	file    bool     // they go to a file
	pieces  int
	same    func(want, got []byte) error
}

// command is the command of w with its results in path.
func (w *work) command(ctx context.Context, path string, more ...string) *exec.Cmd {
	args := slices.Concat(w.args, more)
	if w.file {
		args = append(args, "-o", path)
	}
	c := exec.CommandContext(ctx, w.program, args...)
	c.Stderr = os.Stderr
	if more != nil {
		c.Stderr = nil // the connection is lost, and comes back
	}
	return c
}

// result runs c, and returns what it wrote.
func (w *work) result(c *exec.Cmd, path string) ([]byte, error) {
	var out bytes.Buffer
	c.Stdout = &out
	if err := c.Run(); err != nil {
		return nil, err
	}
	if w.file {
		return os.ReadFile(path)
	}
	return out.Bytes(), nil
}

// newWork prepares the work of that kind in dir.
func newWork(program, kind, plan string, photos int, dir string) (*work, error) {
	synth := func(args ...string) error {
		return exec.Command(program, slices.Concat([]string{"data", "synth"}, args)...).Run()
	}
	switch kind {
	case "bench":
		return &work{program: program, args: []string{"bench", plan, "-j", "1"}, file: true, same: sameRecords}, nil
	case "tune":
		crops := filepath.Join(dir, "crops")
		if err := synth(crops, "--people", "12", "--images", "8"); err != nil {
			return nil, err
		}
		const budget, folds = 20, 4
		return &work{
			program: program, pieces: budget * folds, same: equalBut(regexp.MustCompile(`"seconds": ?[^,}\n]*`)),
			args: []string{"tune", crops, "--input", "pixels", "--size", "24x20", "--method", "nrdl", "--budget", strconv.Itoa(budget), "--folds", strconv.Itoa(folds), "--json"},
		}, nil
	case "identify":
		drawn, model, many := filepath.Join(dir, "drawn"), filepath.Join(dir, "people.nrdl"), filepath.Join(dir, "many")
		if err := errors.Join(synth(drawn, "--photos", "--size", "480x640"),
			exec.Command(program, "train", filepath.Join(drawn, "people"), "-o", model).Run(), os.Mkdir(many, 0o777)); err != nil {
			return nil, err
		}
		files, err := filepath.Glob(filepath.Join(drawn, "others", "*.jpg"))
		if err != nil || len(files) == 0 {
			return nil, fmt.Errorf("no photographs are drawn: %w", err)
		}
		for i := range photos {
			data, err := os.ReadFile(files[i%len(files)])
			if err != nil {
				return nil, err
			}
			data = fmt.Append(data, i) // after its end, so that it is no copy
			if err := os.WriteFile(filepath.Join(many, fmt.Sprintf("%06d.jpg", i)), data, 0o666); err != nil {
				return nil, err
			}
		}
		return &work{
			program: program, pieces: photos, file: true, args: []string{"identify", model, many, "--resume"},
			same: equalBut(regexp.MustCompile(`$^`)),
		}, nil
	}
	return nil, fmt.Errorf("unknown work %q: bench, tune or identify", kind)
}

func run(program, kind, plan string, photos, kills int, seed uint64) error {
	dir, err := os.MkdirTemp("", "nrdl-workers")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	_, stopServer, err := natsserver.Start(port, filepath.Join(dir, "queue"))
	if err != nil {
		return err
	}
	defer stopServer()
	w, err := newWork(program, kind, plan, photos, dir)
	if err != nil {
		return err
	}
	ctx := context.Background()
	start := time.Now()
	path := filepath.Join(dir, "alone.jsonl")
	alone := w.command(ctx, path)
	alone.Env = append(os.Environ(), "GOMAXPROCS=1")
	want, err := w.result(alone, path)
	if err != nil {
		return err
	}
	one := time.Since(start)
	if w.pieces == 0 {
		w.pieces = bytes.Count(want, []byte("\n"))
	}
	fmt.Printf("%s: %d pieces in one process with one thread: %.1f s\n", kind, w.pieces, one.Seconds())
	if kills > 0 {
		return w.disturbed(dir, kills, rand.New(rand.NewPCG(seed, 0)), want)
	}
	for _, n := range []int{1, 2, 4, 8} {
		path := filepath.Join(dir, fmt.Sprintf("%d.jsonl", n))
		stop := startWorkers(program, n)
		time.Sleep(time.Second) // their programs start
		start := time.Now()
		got, err := w.result(w.command(ctx, path, "--nats", "nats://"+address), path)
		took := time.Since(start)
		stop()
		if err == nil {
			err = w.same(want, got)
		}
		if err != nil {
			return fmt.Errorf("%d workers: %w", n, err)
		}
		cores := float64(min(n, runtime.NumCPU()))
		fmt.Printf("%d workers: %.1f s, efficiency %.0f %% of %v cores, %.1f ms more a piece; results equal\n", n, took.Seconds(),
			100*one.Seconds()/took.Seconds()/cores, cores, 1000*(took.Seconds()*cores-one.Seconds())/float64(w.pieces))
	}
	return nil
}

// startWorkers starts n worker processes, and returns what ends them.
func startWorkers(program string, n int) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			c := exec.CommandContext(ctx, program, "worker", "--nats", "nats://"+address, "-j", "1")
			c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
			c.WaitDelay = 10 * time.Second
			_ = c.Run()
		})
	}
	return func() { cancel(); all.Wait() }
}

// A victim is a process that is started again when it is killed.
type victim struct {
	mu   sync.Mutex
	proc *os.Process
}

func (v *victim) kill() {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.proc != nil {
		_ = v.proc.Kill()
	}
}

// keep runs command until it ends with success or ctx ends, and returns what it wrote.
func (v *victim) keep(ctx context.Context, command func() *exec.Cmd) []byte {
	for ctx.Err() == nil {
		c := command()
		var out bytes.Buffer
		c.Stdout = &out
		if err := c.Start(); err != nil {
			log.Print(err)
			return nil
		}
		v.mu.Lock()
		v.proc = c.Process
		v.mu.Unlock()
		err := c.Wait()
		v.mu.Lock()
		v.proc = nil
		v.mu.Unlock()
		if err == nil {
			return out.Bytes()
		}
		time.Sleep(50 * time.Millisecond)
	}
	return nil
}

// disturbed does w with two workers, kills one process after another, and compares the
// results.
func (w *work) disturbed(dir string, kills int, rng *rand.Rand, want []byte) error {
	path := filepath.Join(dir, "disturbed.jsonl")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	victims := make([]victim, 3) // the command, two workers
	var workers sync.WaitGroup
	for i := range victims[1:] {
		workers.Go(func() {
			victims[1+i].keep(ctx, func() *exec.Cmd {
				return exec.CommandContext(ctx, w.program, "worker", "--nats", "nats://"+address, "-j", "1")
			})
		})
	}
	done := make(chan error, 1)
	rounds, killed := 0, [2]int{}
	var mu sync.Mutex // of killed
	enough := func() bool {
		mu.Lock()
		defer mu.Unlock()
		return killed[0]+killed[1] >= kills
	}
	go func() { // the work is done again and again until all kills are done
		for rounds == 0 || !enough() {
			_ = os.Remove(path)
			got := victims[0].keep(ctx, func() *exec.Cmd {
				c := w.command(ctx, path, "--nats", "nats://"+address)
				c.Dir = dir
				return c
			})
			rounds++
			if w.file {
				var err error
				if got, err = os.ReadFile(path); err != nil {
					done <- err
					return
				}
			}
			if err := w.same(want, got); err != nil {
				done <- err
				return
			}
		}
		done <- nil
	}()
	for {
		select {
		case err := <-done:
			cancel()
			workers.Wait()
			if err == nil {
				fmt.Printf("%d kills of workers and %d of the command with its server, in %d rounds: results equal to those of an undisturbed one\n", killed[1], killed[0], rounds)
			}
			return err
		case <-time.After(time.Duration(200+rng.IntN(1500)) * time.Millisecond):
			if !enough() {
				i := rng.IntN(3)
				victims[i].kill()
				mu.Lock()
				killed[min(i, 1)]++
				mu.Unlock()
			}
		}
	}
}

// sameRecords compares files of records but for times.
func sameRecords(want, got []byte) error {
	byKey := map[string]experiment.Record{}
	for line := range bytes.Lines(got) {
		r, err := experiment.DecodeRecord(line)
		if err != nil {
			return err
		}
		if _, twice := byKey[r.Key]; twice {
			return errors.New("a record comes twice: " + r.Label + " on " + r.Dataset.Name)
		}
		byKey[r.Key] = r
	}
	n := 0
	for line := range bytes.Lines(want) {
		r, err := experiment.DecodeRecord(line)
		if err != nil {
			return err
		}
		if n++; !r.Same(byKey[r.Key]) {
			return errors.New("another record: " + r.Label + " on " + r.Dataset.Name)
		}
	}
	if n != len(byKey) {
		return fmt.Errorf("%d records, not %d", len(byKey), n)
	}
	return nil
}

// equalBut compares what is left without what times matches.
func equalBut(times *regexp.Regexp) func(want, got []byte) error {
	return func(want, got []byte) error {
		want, got = times.ReplaceAll(want, nil), times.ReplaceAll(got, nil)
		if bytes.Equal(want, got) {
			return nil
		}
		a, b := bytes.Split(want, []byte("\n")), bytes.Split(got, []byte("\n"))
		for i := range a {
			if i >= len(b) || !bytes.Equal(a[i], b[i]) {
				return fmt.Errorf("line %d of %d and %d differs", i+1, len(a), len(b))
			}
		}
		return errors.New("there are more lines")
	}
}
