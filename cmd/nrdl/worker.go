package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"nrdl/experiment"
	"nrdl/internal/blas"
	"nrdl/internal/buildinfo"
	"nrdl/internal/cli"
	"nrdl/report"
	"nrdl/worker"
)

// clusterVar registers the flags that say how a cluster is reached.
func clusterVar(c *cobra.Command, o *worker.Options, usage string) {
	c.Flags().StringVar(&o.URL, "nats", "", usage)
	c.Flags().StringVar(&o.Credentials, "creds", "", "`FILE` of credentials for the NATS server")
	c.Flags().StringVar(&o.CA, "ca", "", "`FILE` of certificates that sign the one of the NATS server")
}

func (a *app) workerCmd() *cobra.Command {
	o := worker.Options{Wait: true, Warn: func(s string) { a.Warn("%s", s) }}
	var root string
	var child bool
	processes := runtime.GOMAXPROCS(0)
	c := &cobra.Command{
		Use:   "worker --nats URL [flags]",
		Short: "Make runs for a bench on another machine",
		Long: `worker takes runs from the queue of a NATS server, makes them, and returns their
records to the bench that put them there: nrdl bench PLAN --nats URL. Start it on as
many machines as you like, before or after the bench. It ends when it is interrupted;
another worker makes the run that it was at. Data sets are searched below --data, and
are fetched from the server if they are not there. doc/scale.md says more.`,
		Example: `  nrdl worker --nats nats://example.org:4222 --data DIR`,
		Args:    cli.Arguments(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			if !strings.Contains(o.URL, "://") || strings.HasPrefix(o.URL, "listen:") {
				return cli.Misuse("worker needs --nats nats://HOST:PORT, the address of the server or of the bench that listens")
			}
			a.endless = true
			host, err := os.Hostname()
			if err != nil {
				return err
			}
			o.Name = host + " " + strconv.Itoa(os.Getpid())
			return a.worker(c.Context(), o, root, processes, child)
		},
	}
	clusterVar(c, &o, "`URL` of the NATS server: nats://HOST:PORT or tls://HOST:PORT")
	cli.Number(c, &processes, "jobs", "j", cli.InRange(1, 1024), "`N` runs at a time, each in a process of its own")
	c.Flags().StringVar(&root, "data", "", "`DIR` in which data sets are searched")
	c.Flags().BoolVar(&child, "child", false, "")
	_ = c.Flags().MarkHidden("child") // for Supervise
	cli.Complete(c, "data", cli.Folders)
	return c
}

func (a *app) worker(ctx context.Context, o worker.Options, root string, processes int, child bool) error {
	cluster, err := worker.Connect(ctx, o)
	if err != nil {
		return err
	}
	defer cluster.Close()
	if !child {
		a.Tell("waiting for runs from %s, %d at a time", o.URL, processes)
		program, err := os.Executable()
		if err != nil {
			return err
		}
		again := slices.Concat(os.Args[1:], []string{"--child"})
		return cluster.Supervise(ctx, processes, func() *exec.Cmd { return exec.Command(program, again...) })
	}
	blas.SetThreads(1)
	w := worker.Worker{
		Cluster: cluster,
		Bench:   experiment.Bench{Databases: a.databases(root), Jobs: 1, Version: buildinfo.Read().Line(), Warn: o.Warn},
		Done:    func(r *experiment.Record) { a.Tell("%s", report.Line(r)) },
	}
	if err := w.RunChild(ctx, os.Stdin, os.Stdout); err != nil {
		return fmt.Errorf("worker: %w", err)
	}
	return nil
}
