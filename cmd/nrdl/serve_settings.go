package main

import (
	"errors"
	"io"
	"log/slog"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/cmd/nrdl/internal/cli"
	"nrdl.example/nrdl/internal/legible"
	"nrdl.example/nrdl/server"
)

// showBytes writes a number of bytes in the largest unit of which it is a whole number; units are
// powers of 1024.
func showBytes(n int64) string {
	for i, unit := range []string{"GB", "MB", "KB"} {
		if size := int64(1) << (30 - 10*i); n%size == 0 && n/size < 1e5 {
			return strconv.FormatInt(n/size, 10) + unit
		}
	}
	return strconv.FormatInt(n, 10)
}

// parseBytes reads a number of bytes, such as 20MB or 1.5GB.
func parseBytes(text string) (int64, error) {
	number, factor := strings.ToUpper(strings.TrimSpace(text)), 1.0
	for i, unit := range []string{"K", "M", "G", "T"} {
		if rest, ok := strings.CutSuffix(strings.TrimSuffix(number, "B"), unit); ok {
			number, factor = strings.TrimSpace(rest), float64(int64(1)<<(10*(i+1)))
			break
		}
	}
	x, err := strconv.ParseFloat(strings.TrimSuffix(number, "B"), 64)
	if n := x * factor; err == nil && n >= 1 && n <= 1<<50 {
		return int64(n), nil
	}
	return 0, errors.New("not a number of bytes such as 20MB")
}

// parseTime reads a time, such as 10s or 1m30s.
func parseTime(text string) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 || d > 24*time.Hour {
		return 0, errors.New("not a time above 0 and at most 24h, such as 10s or 1m")
	}
	return d, nil
}

// limitFlags registers flags for the limits of the service.
func limitFlags(c *cobra.Command, o *server.Options) {
	*o = server.Options{}.WithDefaults()
	size := func(to *int64, name, use string) { cli.Var(c, to, name, "", "BYTES", use, parseBytes, showBytes) }
	size(&o.Body, "max-request", "take requests of at most `BYTES`")
	size(&o.Bodies, "max-requests", "hold at most `BYTES` of all requests in memory, half of it for one key")
	size(&o.MaxImageBytes, "max-decoding", "decode images in at most `BYTES` at a time")
	size(&o.Import, "max-import", "take files for imports of at most `BYTES`")
	size(&o.Files, "max-files", "keep at most `BYTES` of imports and exports")
	cli.Number(c, (*float64)(&o.Rate), "rate", "", cli.InRange(1e-6, 1e9), "take `N` requests a second with one key")
	cli.Number(c, &o.Burst, "burst", "", cli.InRange(1, 1_000_000_000), "take `N` requests of one key at once")
	long := func(to *time.Duration, name, use string) {
		cli.Var(c, to, name, "", "TIME", use, parseTime, time.Duration.String)
	}
	long(&o.Wait, "wait", "let a photograph wait at most this `TIME` for memory")
	long(&o.Request, "request-time", "answer a request within this `TIME`")
	long(&o.Lease, "lease", "take over jobs and requests of a process that has not been heard of for this `TIME`")
}

// checkLimits returns an error for limits that contradict each other.
func checkLimits(o server.Options) error {
	if o.Body > o.Bodies {
		return cli.Misuse("--max-request is more than --max-requests: one request would not fit")
	}
	if err := o.CheckMemory(); err != nil {
		return cli.Misuse("%s: give --max-requests and --max-decoding less, or the process more memory", err)
	}
	return nil
}

// otherVariables are those that are no flags of serve: of the library and its tests, of clients, and what
// Kubernetes sets where a service is called nrdl.
var otherVariables = regexp.MustCompile(`^NRDL_((BLAS|TEST)(_.*)?|AXE|CACHE|COMPARE|DATA|FACES|GOLDEN|KEY|LONG|NETWORKS|NEWER|PART|PICTURES|` +
	`PROGRAM|SKIPPED|TIMES|TOY|URL|WRITE|SERVICE_(HOST|PORT.*)|PORT(_.*)?)$`)

// fromEnvironment sets the flags that the command line does not have by variables of the
// environment: --max-request by NRDL_MAX_REQUEST. A variable that is none of these is refused: it would
// have no effect.
func fromEnvironment(f *pflag.FlagSet) error {
	var wrong error
	names := []string{}
	f.VisitAll(func(flag *pflag.Flag) {
		name := "NRDL_" + strings.ReplaceAll(strings.ToUpper(flag.Name), "-", "_")
		names = append(names, name)
		text, there := os.LookupEnv(name)
		if !there || text == "" || flag.Changed || wrong != nil { // an empty one is as none, in a file of compose
			return
		}
		if err := f.Set(flag.Name, text); err != nil {
			wrong = cli.Misuse("%s: %q: %s", name, legible.Address(text), cli.Cause(flag, err))
		}
	})
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if wrong == nil && strings.HasPrefix(name, "NRDL_") && !slices.Contains(names, name) && !otherVariables.MatchString(name) {
			next := "each flag of serve can be a variable: --max-request is NRDL_MAX_REQUEST"
			if near := advice.Nearest(name, names); near != "" {
				next = "did you mean " + near + "?"
			}
			wrong = advice.Add(cli.Misuse("the environment has %s, which nothing reads", name), "%s", next)
		}
	}
	return wrong
}

// newLog returns a log in a format, text or json, from a level on.
func newLog(w io.Writer, format, level string) (*slog.Logger, error) {
	var o slog.HandlerOptions
	var from slog.Level
	if err := from.UnmarshalText([]byte(level)); err != nil {
		return nil, cli.Misuse("--log-level: %q is not debug, info, warn or error", level)
	}
	o.Level = from
	switch format {
	case "text":
		return slog.New(slog.NewTextHandler(w, &o)), nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, &o)), nil
	}
	return nil, cli.Misuse("--log: %q is neither text nor json", format)
}
