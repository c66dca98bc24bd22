package main

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"nrdl/internal/blas"
	"nrdl/internal/cli"
	"nrdl/internal/console"
)

// build is what nrdl version tells.
type build struct {
	Version   string   `json:"version"`
	Revision  string   `json:"revision,omitempty"` // of the source, with "+changes" if it had any
	Time      string   `json:"time,omitempty"`     // of the revision
	Go        string   `json:"go"`
	System    string   `json:"system"`
	Threads   int      `json:"threads"`
	Backend   string   `json:"blas"`
	Available []string `json:"available"`
	GFLOPS    speeds   `json:"gflops"`
}

// speeds are of products of 1024×760 matrices, in GFLOP/s.
type speeds struct {
	One  float64 `json:"one_thread"`
	All  float64 `json:"all_threads"`
	Peak float64 `json:"peak_one_thread"` // multiply-adds with nothing to load
}

func (a *app) versionCmd() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:   "version",
		Short: "Show the version and how fast linear algebra is here",
		Long: `version shows the version, and the back end for linear algebra with its measured
speed. The environment variable NRDL_BLAS names another back end.`,
		Example: `  nrdl version
  nrdl version --json`,
		Args: cli.Arguments(0, 0),
		RunE: func(*cobra.Command, []string) error {
			b := newBuild()
			b.GFLOPS = measure(150 * time.Millisecond)
			if asJSON {
				return a.printJSON(b)
			}
			a.printBuild(b)
			return nil
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "write one object")
	return c
}

func newBuild() build {
	b := build{
		Version: "unknown", Go: runtime.Version(), System: runtime.GOOS + "/" + runtime.GOARCH,
		Threads: runtime.GOMAXPROCS(0), Backend: blas.Current().String(),
	}
	for _, v := range blas.Available() {
		b.Available = append(b.Available, v.String())
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	b.Version = info.Main.Version
	if b.Version == "" {
		b.Version = "(devel)"
	}
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			b.Revision = s.Value
		case s.Key == "vcs.time":
			b.Time = s.Value
		case s.Key == "vcs.modified" && s.Value == "true":
			b.Revision += "+changes"
		}
	}
	return b
}

// versionLine is what --version prints.
func versionLine() string { return "nrdl " + newBuild().Version }

// line is the version with the revision, for records.
func (b build) line() string {
	if b.Revision == "" || strings.Contains(b.Version, b.Revision[:min(12, len(b.Revision))]) {
		return b.Version
	}
	return b.Version + " " + b.Revision
}

func measure(d time.Duration) speeds {
	return speeds{
		One:  blas.MeasureGEMM(1, d),
		All:  blas.MeasureGEMM(0, d),
		Peak: blas.PeakFMA(d / 3),
	}
}

func (a *app) printBuild(b build) {
	a.Print("nrdl %s", b.Version)
	if b.Revision != "" {
		a.Print(" (%s, %s)", b.Revision, b.Time)
	}
	a.Print("\n%s %s, %s\n", b.Go, b.System, console.Plural(b.Threads, "thread"))
	a.Print("blas %s (available: %s; choose with %s)\n", b.Backend, strings.Join(b.Available, ", "), blas.EnvVar)
	s := b.GFLOPS
	a.Print("%s GFLOP/s on one thread, %.0f %% of its peak; %s GFLOP/s on %s\n",
		fmt.Sprintf("%.1f", s.One), 100*s.One/s.Peak, fmt.Sprintf("%.1f", s.All), console.Plural(b.Threads, "thread"))
}
