package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// The scripts run hundreds of commands. To start a process takes as long as most of them.
// So `run nrdl` gives the command to a process that stays: it executes one command after
// the other, each with its own folder, environment, output and error. `exec nrdl` starts a
// process.

// gcPercent is for many small commands in one heap: without it each of them collects garbage early.
const gcPercent = "200"

// An order is a command line for a process that stays.
type order struct {
	Args, Env      []string
	Dir            string
	Stdout, Stderr string // paths
}

// stay executes the orders on standard input and answers each with its exit status.
func stay() {
	in, out := json.NewDecoder(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		var o order
		if err := in.Decode(&o); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			panic(err)
		}
		status, err := o.execute()
		if err == nil {
			err = out.Encode(status)
		}
		if err != nil {
			panic(err)
		}
	}
}

// execute runs the command line, and returns its exit status.
func (o order) execute() (status int, err error) {
	os.Clearenv()
	for i := 0; i < len(o.Env); i += 2 {
		err = errors.Join(err, os.Setenv(o.Env[i], o.Env[i+1]))
	}
	stdout, e := os.Create(o.Stdout)
	err = errors.Join(err, e, os.Chdir(o.Dir))
	stderr, e := os.Create(o.Stderr)
	if err = errors.Join(err, e); err != nil {
		return 0, err
	}
	defer func(out, err *os.File) { os.Stdout, os.Stderr = out, err }(os.Stdout, os.Stderr)
	os.Stdout, os.Stderr = stdout, stderr
	status = run(o.Args)
	return status, errors.Join(stdout.Close(), stderr.Close())
}

// A resident is a process that stays.
type resident struct {
	cmd      *exec.Cmd
	stdin    io.Closer
	requests *json.Encoder
	out      *json.Decoder
}

// residents are those without an order; each is started when it is first needed.
var residents = sync.OnceValue(func() chan *resident {
	all := make(chan *resident, runtime.NumCPU())
	for range cap(all) {
		all <- nil
	}
	return all
})

func newResident() (*resident, error) {
	cmd := exec.Command("resident")
	cmd.Stderr = os.Stderr // of a panic
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &resident{cmd, in, json.NewEncoder(in), json.NewDecoder(out)}, cmd.Start()
}

// do lets a resident execute a command line and returns its exit status.
func do(o order) (status int, err error) {
	r := <-residents()
	defer func() { residents() <- r }()
	if r == nil {
		if r, err = newResident(); err != nil {
			return 0, err
		}
	}
	if err = r.requests.Encode(o); err == nil {
		err = r.out.Decode(&status)
	}
	if err != nil {
		_ = r.cmd.Process.Kill()
		err = fmt.Errorf("nrdl %q: its process ended: %w", o.Args, errors.Join(err, r.cmd.Wait()))
		r = nil
	}
	return status, err
}

// withResidents runs tests, and then ends the processes that stay: without that, their time is
// not counted as that of the tests.
type withResidents struct{ testscript.TestingM }

func (m withResidents) Run() int {
	status := m.TestingM.Run()
	for range cap(residents()) {
		if r := <-residents(); r != nil {
			if err := errors.Join(r.stdin.Close(), r.cmd.Wait()); err != nil {
				fmt.Fprintf(os.Stderr, "a process that stays ended: %v\n", err)
				status = 1
			}
		}
	}
	return status
}

// execute executes nrdl ARG... and returns its exit status: by a process that stays, but by
// its own where it reads standard input, or what is read once in a process.
func execute(ts *testscript.TestScript, args []string) int {
	if args[0] != "nrdl" || slices.Contains(args, "-") || ts.Getenv("GOMAXPROCS") != "" || ts.Getenv("NRDL_BLAS") != "" {
		err := ts.Exec(args[0], args[1:]...)
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			return exit.ExitCode()
		}
		ts.Check(err)
		return succeeded
	}
	dir, err := os.MkdirTemp("", "nrdl")
	ts.Check(err)
	defer os.RemoveAll(dir)
	o := order{
		Args: args[1:], Env: []string{"GOGC", gcPercent}, Dir: ts.MkAbs("."), Stdout: filepath.Join(dir, "stdout"),
		Stderr: filepath.Join(dir, "stderr"),
	}
	for _, name := range []string{"HOME", "NRDL_DATA", "PATH", "PWD", "TMPDIR", "WORK"} {
		if value := ts.Getenv(name); value != "" {
			o.Env = append(o.Env, name, value)
		}
	}
	status, err := do(o)
	ts.Check(err)
	for path, to := range map[string]io.Writer{o.Stdout: ts.Stdout(), o.Stderr: ts.Stderr()} {
		text, err := os.ReadFile(path)
		ts.Check(err)
		_, err = to.Write(text)
		ts.Check(err)
	}
	return status
}

// runs executes a command line, and wants it to succeed; ! to fail.
func runs(ts *testscript.TestScript, neg bool, args []string) {
	if status := execute(ts, args); (status == succeeded) == neg {
		ts.Fatalf("it ended with %d", status)
	}
}

// status N COMMAND ARG... wants a command line to end with N.
func status(ts *testscript.TestScript, _ bool, args []string) {
	if status := execute(ts, args[1:]); strconv.Itoa(status) != args[0] {
		ts.Fatalf("it ended with %d", status)
	}
}

// nrdlIn executes nrdl ARG... in the folder dir by a process that stays, and returns its exit status,
// its results and its log.
func nrdlIn(t *testing.T, dir string, args ...string) (status int, results, log string) {
	t.Helper()
	out := t.TempDir()
	dir, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	o := order{
		Args: args, Env: []string{"GOGC", gcPercent, "HOME", out, "PATH", os.Getenv("PATH")}, Dir: dir,
		Stdout: filepath.Join(out, "stdout"), Stderr: filepath.Join(out, "stderr"),
	}
	if status, err = do(o); err != nil {
		t.Fatal(err)
	}
	var texts [2]string
	for i, path := range []string{o.Stdout, o.Stderr} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(text)
	}
	return status, texts[0], texts[1]
}

// drawings are folders of photographs of three people, two of each, by their size; they are drawn once
// for all tests, and copied.
var drawings = map[string]func() (string, error){"240x240": drawOnce("240x240"), "240x320": drawOnce("240x320")}

func drawOnce(size string) func() (string, error) {
	return sync.OnceValues(func() (string, error) {
		program, err := exec.LookPath("nrdl")
		if err != nil {
			return "", err
		}
		dir, err := os.MkdirTemp(filepath.Dir(program), "drawn") // of testscript, which removes it
		if err != nil {
			return "", err
		}
		o := order{
			Args: []string{"data", "synth", "drawn", "--photos", "--people", "3", "--images", "2", "--size", size},
			Env:  []string{"GOGC", gcPercent, "HOME", dir}, Dir: dir, Stdout: filepath.Join(dir, "stdout"), Stderr: filepath.Join(dir, "stderr"),
		}
		status, err := do(o)
		if err == nil && status != succeeded {
			err = fmt.Errorf("nrdl %q ended with %d", o.Args, status)
		}
		return dir, err
	})
}

// copyDrawn puts the photographs of a size into the folder drawn in dir.
func copyDrawn(dir, size string) error {
	from, err := drawings[size]()
	if err != nil {
		return err
	}
	return os.CopyFS(filepath.Join(dir, "drawn"), os.DirFS(filepath.Join(from, "drawn")))
}

// drawnTo is copyDrawn in a test.
func drawnTo(t *testing.T, dir, size string) {
	t.Helper()
	if err := copyDrawn(dir, size); err != nil {
		t.Fatal(err)
	}
}

// drawn SIZE makes the folder drawn, with photographs.
func drawnFor(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(copyDrawn(ts.MkAbs("."), args[0]))
}
