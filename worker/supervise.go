package worker

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

// Supervise keeps n processes running, which command makes and which call RunChild, until
// ctx ends. A process that ends by itself, for example for lack of memory, is counted as a
// crash of the run that it was at, and is replaced. When this process ends, so do they.
func (c *Cluster) Supervise(ctx context.Context, n int, command func() *exec.Cmd) error {
	c.meter.works()
	var all sync.WaitGroup
	for range max(n, 1) {
		all.Go(func() {
			for ctx.Err() == nil {
				at, err := c.child(ctx, command())
				if ctx.Err() != nil {
					return
				}
				c.warn("a worker process ended: %v; another one is started", err)
				c.meter.crashed.Inc()
				if at != (piece{}) {
					if err := c.again(ctx, "count a crash", func(ctx context.Context) error { return c.countCrash(ctx, at) }); err != nil {
						return
					}
				}
				select {
				case <-ctx.Done():
				case <-time.After(time.Second): // one that cannot start does not fill the log
				}
			}
		})
	}
	all.Wait()
	return context.Cause(ctx)
}

// killDelay is how long a process has to end after ctx.
const killDelay = 5 * time.Second

// child runs a process, and returns the run that it was at when it ended.
func (c *Cluster) child(ctx context.Context, cmd *exec.Cmd) (at piece, err error) {
	alive, err := cmd.StdinPipe() // which it reads to know that this process lives
	if err != nil {
		return at, err
	}
	defer alive.Close()
	said, err := cmd.StdoutPipe()
	if err != nil {
		return at, err
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		return at, err
	}
	stop := context.AfterFunc(ctx, func() {
		alive.Close()
		time.AfterFunc(killDelay, func() { _ = cmd.Process.Kill() })
	})
	defer stop()
	lines := bufio.NewScanner(said)
	for lines.Scan() {
		var p piece
		if json.Unmarshal(lines.Bytes(), &p) == nil {
			if p == (piece{}) {
				c.meter.ended.Inc()
			} else {
				c.meter.begun.Inc()
			}
			at = p
		}
	}
	if err = cmd.Wait(); err == nil {
		err = errors.New("without an error")
	}
	return at, err
}

// RunChild is Run in a process that Supervise started: it writes what it is at to out, and
// ends when in does.
func (w *Worker) RunChild(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		_, _ = io.Copy(io.Discard, in)
		cancel()
	}()
	w.at = func(p piece) {
		if text, err := json.Marshal(p); err == nil {
			_, _ = fmt.Fprintf(out, "%s\n", text)
		}
	}
	return w.Run(ctx)
}

// crashed is how many processes ended by themselves during p.
func (c *Cluster) crashed(ctx context.Context, p piece) (n int, err error) {
	err = c.again(ctx, "read the crashes of a run", func(ctx context.Context) error {
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
	return c.conn.Publish(p.Ack, []byte("-NAK")) // without it the run is missed only after lost
}
