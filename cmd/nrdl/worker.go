package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/cmd/nrdl/engine"
	"nrdl.example/nrdl/cmd/nrdl/internal/buildinfo"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/cmd/nrdl/internal/cluster"
	"nrdl.example/nrdl/internal/blas"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/lab/experiment"
	"nrdl.example/nrdl/lab/report"
)

// elsewhere is the usage of --nats for the commands that hand out work.
const elsewhere = "let workers do the work, through the NATS server at `URL`"

// clusterVar registers the flags that say how a cluster is reached.
func clusterVar(c *cobra.Command, o *cluster.Options, usage string) {
	c.Flags().StringVar(&o.URL, "nats", "", usage)
	c.Flags().StringVar(&o.Credentials, "creds", "", "`FILE` of credentials for the NATS server")
	c.Flags().StringVar(&o.CA, "ca", "", "`FILE` of certificates that sign the one of the NATS server")
	c.Flags().StringVar(&o.Metrics, "metrics", "", "`HOST:PORT` where Prometheus finds /metrics of the work")
}

// cluster connects as o says, nil without --nats, and returns what tells how many workers
// there are.
func (a *app) cluster(ctx context.Context, o cluster.Options) (*cluster.Cluster, func(cluster.Status), error) {
	if o.URL == "" {
		return nil, nil, nil
	}
	o.Warn = a.WarnOf
	c, err := cluster.Connect(ctx, o)
	if err == nil {
		a.Tell("on each machine that works: nrdl worker --nats %s", o.URL)
	}
	workers := -1
	return c, func(s cluster.Status) {
		if s.Workers != workers {
			workers = s.Workers
			a.Tell("%s at work, %d done, %.1f a second", legible.Count(workers, "worker"), s.Results, s.Rate)
		}
	}, err
}

func (a *app) workerCmd() *cobra.Command {
	o := cluster.Options{Wait: true, Warn: a.WarnOf}
	var root string
	var child bool
	var allow []string
	processes := runtime.GOMAXPROCS(0)
	c := &cobra.Command{
		Use:  "worker --nats URL [flags]",
		Args: cli.Arguments(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			programs, err := allowedPrograms(allow)
			if err != nil {
				return err
			}
			if !strings.Contains(o.URL, "://") {
				return cli.Misuse("worker needs --nats nats://HOST:PORT, the address of the NATS server")
			}
			a.endless = true
			host, err := os.Hostname()
			if err != nil {
				return err
			}
			o.Name = host + " " + strconv.Itoa(os.Getpid())
			if child {
				o.Metrics = "" // of its parent
			}
			return a.worker(c.Context(), o, root, programs, processes, child)
		},
	}
	clusterVar(c, &o, "`URL` of the NATS server: nats://HOST:PORT or tls://HOST:PORT")
	cli.Number(c, &processes, "jobs", "j", cli.InRange(1, 1024), "do `N` things at a time, each in a process of its own")
	c.Flags().StringVar(&root, "data", "", "`DIR` in which data sets are searched")
	c.Flags().StringArrayVar(&allow, "allow-program", nil,
		"let plans start the program at PATH, where their command is NAME; none else is started (`NAME=PATH`)")
	c.Flags().BoolVar(&child, "child", false, "")
	_ = c.Flags().MarkHidden("child") // for Supervise
	cli.Complete(c, "data", cli.Folders)
	return c
}

// allowedPrograms reads NAME=PATH: the paths of programs by the commands of plans.
func allowedPrograms(allow []string) (map[string]string, error) {
	programs := map[string]string{}
	for _, one := range allow {
		name, path, ok := strings.Cut(one, "=")
		if !ok || name == "" || path == "" || programs[name] != "" {
			return nil, cli.Misuse("--allow-program %s is no NAME=PATH with a name of its own", one)
		}
		path, err := filepath.Abs(path)
		if err == nil {
			_, err = exec.LookPath(path)
		}
		if err != nil {
			return nil,
				advice.Add(cli.Misuse("--allow-program %s: %v", one, err), "give the path of a program that can be started; it gets no arguments")
		}
		programs[name] = path
	}
	return programs, nil
}

func (a *app) worker(ctx context.Context, o cluster.Options, root string, programs map[string]string, processes int, child bool) error {
	machines, err := cluster.Connect(ctx, o)
	if err != nil {
		return err
	}
	defer machines.Close()
	if !child {
		a.Tell("waiting for work from %s, %d at a time", o.URL, processes)
		program, err := os.Executable()
		if err != nil {
			return err
		}
		again := slices.Concat(os.Args[1:], []string{"--child"})
		return machines.Supervise(ctx, processes, func() *exec.Cmd { return exec.Command(program, again...) })
	}
	blas.SetThreads(1)
	w := cluster.Worker{
		Cluster: machines,
		Bench: experiment.Bench{
			Databases: a.databases(root), Programs: programs, Jobs: 1,
			Version: buildinfo.Read().Line(), Warn: func(s string) { a.Warn("%s", s) },
		},
		Done: func(r *experiment.Record) { a.Tell("%s", report.Line(r)) },
	}
	if err := w.RunChild(ctx, os.Stdin, os.Stdout); err != nil {
		return fmt.Errorf("worker: %w", err)
	}
	return nil
}

func (a *app) engineCmd() *cobra.Command {
	return &cobra.Command{
		Use:  "engine",
		Args: cli.Arguments(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			a.endless = true
			err := engine.Serve(c.Context(), os.Stdin, os.Stdout, engine.Options{})
			if errors.Is(err, context.Canceled) {
				return nil
			}
			return err
		},
	}
}
