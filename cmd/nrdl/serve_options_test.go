package main

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/server"
)

// Sizes are read and written in the same units; what is no size is refused.
func TestBytes(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int64{
		"1": 1, "512": 512, "20MB": 20 << 20, "20 mb": 20 << 20,
		"1.5G": 3 << 29, "1k": 1 << 10, "100B": 100, "1TB": 1 << 40,
	} {
		n, err := parseBytes(text)
		if err != nil || n != want {
			t.Errorf("%q is %d, %v", text, n, err)
		}
		if again, err := parseBytes(showBytes(n)); err != nil || again != n {
			t.Errorf("%d is written as %s", n, showBytes(n))
		}
	}
	for _, text := range []string{"", "0", "-1", "x", "MB", "NaN", "Inf", "1e99", "20MBB", "2 0"} {
		if n, err := parseBytes(text); err == nil {
			t.Errorf("%q is %d", text, n)
		}
	}
}

// A service whose port is in use makes no folder.
func TestPortInUse(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	dir := t.TempDir()
	status, _, story := nrdlIn(t, dir, "serve", "data", "--listen", l.Addr().String())
	if _, err := os.Stat(filepath.Join(dir, "data")); status != misused || err == nil ||
		!strings.Contains(story, "take any port that is free: --listen 127.0.0.1:0") {
		t.Errorf("%d, %v\n%s", status, err, story)
	}
}

// A variable of the environment sets a flag that the command line does not have.
func TestFromEnvironment(t *testing.T) {
	t.Setenv("NRDL_MAX_REQUEST", "50MB")
	t.Setenv("NRDL_RATE", "5")
	var o server.Options
	c := &cobra.Command{}
	limitFlags(c, &o)
	f := c.Flags()
	if err := f.Parse([]string{"--rate", "7"}); err != nil {
		t.Fatal(err)
	}
	if err := fromEnvironment(f); err != nil || o.Body != 50<<20 || o.Rate != 7 || o.Burst != 2000 {
		t.Errorf("%v %+v", err, o)
	}
	for _, other := range []string{"NRDL_SERVICE_HOST", "NRDL_PORT_8080_TCP_ADDR", "NRDL_DATA"} { // as Kubernetes and tests set them
		t.Setenv(other, "x")
	}
	if err := fromEnvironment(f); err != nil {
		t.Error(err)
	}
	t.Setenv("NRDL_MAX_REQEST", "1MB")
	if err := fromEnvironment(f); err == nil || !strings.Contains(advice.Text(err), "NRDL_MAX_REQUEST") {
		t.Error(err)
	}
	os.Unsetenv("NRDL_MAX_REQEST")
	t.Setenv("NRDL_BURST", "many")
	if err := fromEnvironment(f); err == nil || !strings.Contains(err.Error(), "NRDL_BURST") {
		t.Error(err)
	}
}

// The log is in the format and from the level on that is asked for.
func TestNewLog(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	log, err := newLog(&b, "json", "warn")
	if err != nil {
		t.Fatal(err)
	}
	log.Info("a")
	log.Error("b")
	if got := b.String(); strings.Contains(got, `"a"`) || !strings.Contains(got, `"msg":"b"`) {
		t.Error(got)
	}
	for _, wrong := range [][2]string{{"xml", "info"}, {"json", "loud"}} {
		if _, err := newLog(&b, wrong[0], wrong[1]); err == nil {
			t.Errorf("%v is taken", wrong)
		}
	}
}

// Limits that contradict each other are refused.
func TestCheckLimits(t *testing.T) {
	t.Parallel()
	good := server.Options{}.WithDefaults()
	if err := checkLimits(good); err != nil {
		t.Error(err)
	}
	if good.Body = good.Bodies + 1; checkLimits(good) == nil {
		t.Error("a request that never fits is taken")
	}
}

// Each number of the options of the service is set by a flag, and so by a variable of the environment.
func TestEveryLimitIsAFlag(t *testing.T) {
	t.Parallel()
	var o server.Options
	c := &cobra.Command{}
	limitFlags(c, &o)
	f := c.Flags()
	before := reflect.ValueOf(o)
	f.VisitAll(func(flag *pflag.Flag) {
		if err := flag.Value.Set(map[string]string{"BYTES": "7MB", "float64": "7", "int": "7", "TIME": "7s"}[flag.Value.Type()]); err != nil {
			t.Errorf("--%s: %v", flag.Name, err)
		}
	})
	numbers := 0
	for i, after := 0, reflect.ValueOf(o); i < after.NumField(); i++ {
		if v := after.Field(i); after.Type().Field(i).IsExported() && (v.CanInt() || v.CanFloat()) {
			if numbers++; v.Equal(before.Field(i)) {
				t.Errorf("no flag sets %s", after.Type().Field(i).Name)
			}
		}
	}
	if numbers < 10 {
		t.Errorf("%d numbers", numbers)
	}
}

// The page for operators has each limit with its default.
func TestLimitsAreDocumented(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../doc/operating.md")
	if err != nil {
		t.Fatal(err)
	}
	var o server.Options
	c := &cobra.Command{}
	limitFlags(c, &o)
	f := c.Flags()
	f.VisitAll(func(flag *pflag.Flag) {
		value := strings.TrimSuffix(strings.TrimSuffix(flag.DefValue, "0s"), "m0s")
		if line := lineWith(string(text), "`--"+flag.Name+"`"); !strings.Contains(line, value) {
			t.Errorf("--%s is %s: %q", flag.Name, flag.DefValue, line)
		}
	})
}

func lineWith(text, part string) string {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, "|") && strings.Contains(line, part) {
			return line
		}
	}
	return ""
}
