package cluster

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// Supervise keeps n processes running until ctx ends. command returns their commands, and they
// call RunChild. A process that ends by itself, for example for lack of memory, is replaced and
// counts as a crash of its piece. The processes end when this one does.
func (c *Cluster) Supervise(ctx context.Context, n int, command func() *exec.Cmd) error {
	c.meter.showWorker()
	var all sync.WaitGroup
	for range max(n, 1) {
		all.Go(func() {
			for ctx.Err() == nil {
				at, err := c.child(ctx, command())
				if ctx.Err() != nil {
					return
				}
				c.warn("a worker process ended: %v; another one is started", err)
				c.meter.count(workerCrashes)
				if at != (piece{}) {
					if err := c.retry(ctx, "count a crash", func(ctx context.Context) error { return c.countCrash(ctx, at) }); err != nil {
						return
					}
				}
				pause(ctx, time.Second) // a process that cannot start does not fill the log
			}
		})
	}
	all.Wait()
	return context.Cause(ctx)
}

// killDelay is the time for a process to end by itself after ctx.
const killDelay = 5 * time.Second

// child runs a process, and returns its piece at its end; the zero piece if it had none.
func (c *Cluster) child(ctx context.Context, cmd *exec.Cmd) (current piece, err error) {
	alive, err := cmd.StdinPipe() // ends with this process
	if err != nil {
		return current, err
	}
	defer alive.Close()
	reports, err := cmd.StdoutPipe()
	if err != nil {
		return current, err
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return current, err
	}
	stop := context.AfterFunc(ctx, func() {
		alive.Close()
		time.AfterFunc(killDelay, func() { _ = cmd.Process.Kill() })
	})
	defer stop()
	lines := bufio.NewScanner(reports)
	for lines.Scan() {
		var p piece
		if json.Unmarshal(lines.Bytes(), &p) == nil {
			if p == (piece{}) {
				c.meter.count(piecesEnded)
			} else {
				c.meter.count(piecesBegun)
			}
			current = p
		}
	}
	if err = cmd.Wait(); err == nil {
		err = errors.New("without an error")
	}
	return current, err
}

// RunChild does what Run does, in a process that Supervise has started. It reports to out which
// piece it makes, and returns when in ends.
func (w *Worker) RunChild(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, in)
		cancel()
	}()
	w.report = func(p piece) {
		if text, err := json.Marshal(p); err == nil {
			_, _ = fmt.Fprintf(out, "%s\n", text)
		}
	}
	return w.Run(ctx)
}

// crashed returns how many processes ended by themselves during p.
func (c *Cluster) crashed(ctx context.Context, p piece) (n int, err error) {
	err = c.retry(ctx, "read the crashes of a run", func(ctx context.Context) error {
		entry, err := c.crash.Get(ctx, p.Task+"."+p.Key)
		if errors.Is(err, jetstream.ErrKeyNotFound) {
			return nil
		}
		if errors.Is(err, jetstream.ErrInvalidKey) {
			return junk(err)
		}
		if err != nil {
			return err
		}
		n, err = strconv.Atoi(string(entry.Value()))
		return err
	})
	return n, err
}

// countCrash counts a process that ended during p, and gives p back to the queue.
func (c *Cluster) countCrash(ctx context.Context, p piece) error {
	n, err := c.crashed(ctx, p)
	if err == nil {
		_, err = c.crash.PutString(ctx, p.Task+"."+p.Key, strconv.Itoa(n+1))
	}
	if err != nil {
		return err
	}
	return c.conn.Publish(p.Ack, []byte("-NAK")) // without this, the piece is free only after ackWait
}
