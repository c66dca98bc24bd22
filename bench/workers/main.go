// Command workers makes the runs of a plan on worker processes of this machine: how long
// it takes with 1, 2, 4 and 8 of them, and, with -kills, whether the records are those of
// an undisturbed run although processes are killed at random moments: workers, and the
// bench, which is the server too.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"nrdl/experiment"
)

const address = "127.0.0.1:14333"

func main() {
	log.SetFlags(0)
	kills := flag.Int("kills", 0, "how many processes are killed")
	plan := flag.String("plan", "quick", "the plan")
	program := flag.String("nrdl", "nrdl", "the program")
	seed := flag.Uint64("seed", 1, "of the moments at which processes are killed")
	flag.Parse()
	if err := run(*program, *plan, *kills, *seed); err != nil {
		log.Fatal(err)
	}
}

func run(program, plan string, kills int, seed uint64) error {
	dir, err := os.MkdirTemp("", "nrdl-workers")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	start := time.Now()
	alone := filepath.Join(dir, "alone.jsonl")
	if err := exec.Command(program, "bench", plan, "-j", "1", "-o", alone).Run(); err != nil {
		return err
	}
	want, err := experiment.ReadRecordsFile(alone, nil)
	if err != nil {
		return err
	}
	one := time.Since(start)
	fmt.Printf("%d runs in one process, one at a time: %.1f s\n", len(want), one.Seconds())
	if kills > 0 {
		return disturbed(program, plan, dir, kills, rand.New(rand.NewPCG(seed, 0)), want)
	}
	for _, n := range []int{1, 2, 4, 8} {
		path := filepath.Join(dir, fmt.Sprintf("%d.jsonl", n))
		workers := startWorkers(program, n)
		start := time.Now()
		err := exec.Command(program, "bench", plan, "--nats", "listen://"+address, "-o", path).Run()
		took := time.Since(start)
		workers()
		if err != nil {
			return err
		}
		if err := compare(want, path); err != nil {
			return err
		}
		fmt.Printf("%d workers: %.1f s, %.0f ms more a run and worker than alone; records equal\n", n, took.Seconds(),
			1000*(took.Seconds()*float64(min(n, 2))-one.Seconds())/float64(len(want)))
	}
	return nil
}

// startWorkers starts n worker processes, and returns what ends them.
func startWorkers(program string, n int) (stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var all sync.WaitGroup
	for range n {
		all.Go(func() {
			for ctx.Err() == nil {
				c := exec.CommandContext(ctx, program, "worker", "--nats", "nats://"+address, "-j", "1")
				c.Cancel = func() error { return c.Process.Signal(os.Interrupt) }
				c.WaitDelay = 10 * time.Second
				_ = c.Run() // ends at once as long as there is no server
				select {
				case <-ctx.Done():
				case <-time.After(100 * time.Millisecond):
				}
			}
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

// keep runs command until it ends with success or stop returns true.
func (v *victim) keep(ctx context.Context, command func() *exec.Cmd) {
	for ctx.Err() == nil {
		c := command()
		if err := c.Start(); err != nil {
			log.Print(err)
			return
		}
		v.mu.Lock()
		v.proc = c.Process
		v.mu.Unlock()
		err := c.Wait()
		v.mu.Lock()
		v.proc = nil
		v.mu.Unlock()
		if err == nil {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// disturbed makes the plan with two workers, kills one process after another, and
// compares the records.
func disturbed(program, plan, dir string, kills int, rng *rand.Rand, want []experiment.Record) error {
	path := filepath.Join(dir, "disturbed.jsonl")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	victims := make([]victim, 3) // the bench, two workers
	var workers, bench sync.WaitGroup
	for i := range victims[1:] {
		workers.Go(func() {
			victims[1+i].keep(ctx, func() *exec.Cmd {
				return exec.CommandContext(ctx, program, "worker", "--nats", "nats://"+address, "-j", "1")
			})
		})
	}
	done := make(chan struct{})
	rounds, killed := 0, [2]int{}
	go func() { // the plan is made again and again until all kills are done
		defer close(done)
		for killed[0]+killed[1] < kills || rounds == 0 {
			_ = os.Remove(path)
			bench.Go(func() {
				victims[0].keep(ctx, func() *exec.Cmd {
					return exec.CommandContext(ctx, program, "bench", plan, "--nats", "listen://"+address, "-o", path)
				})
			})
			bench.Wait()
			rounds++
			if err := compare(want, path); err != nil {
				log.Fatal(err)
			}
		}
	}()
	for {
		select {
		case <-done:
			cancel()
			workers.Wait()
			fmt.Printf("%d kills of workers and %d of the bench with its server, in %d rounds of the plan: records equal to those of an undisturbed run\n", killed[1], killed[0], rounds)
			return nil
		case <-time.After(time.Duration(200+rng.IntN(1500)) * time.Millisecond):
			if killed[0]+killed[1] < kills {
				i := rng.IntN(3)
				victims[i].kill()
				killed[min(i, 1)]++
			}
		}
	}
}

// compare reports records at path that are not those wanted.
func compare(want []experiment.Record, path string) error {
	all, err := experiment.ReadRecordsFile(path, nil)
	if err != nil {
		return err
	}
	if len(all) != len(want) {
		return fmt.Errorf("%d records, not %d", len(all), len(want))
	}
	got := map[string]experiment.Record{}
	for _, r := range all {
		got[r.Key] = r
	}
	for _, r := range want {
		if !r.Same(got[r.Key]) {
			return errors.New("another record: " + r.Label + " on " + r.Dataset.Name)
		}
	}
	return nil
}
