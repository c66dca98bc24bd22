package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"regexp"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rogpeppe/go-internal/testscript"

	"nrdl.example/nrdl/faces/explain"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/internal/kit/packed"
	"nrdl.example/nrdl/internal/kit/testing/onnxfile"
	"nrdl.example/nrdl/lab/experiment"
)

func TestMain(m *testing.M) {
	small := func(main func()) func() {
		return func() {
			synthetic.Default.People = 8 // .ci/run has the demo with all people
			explain.DefaultOccluder.Places = 4
			demoPhotographs = []string{"--people", "4", "--images", "2", "--size", "240x320", "--seed", "52"}
			main()
		}
	}
	percent, _ := strconv.Atoi(gcPercent)
	debug.SetGCPercent(percent)
	testscript.Main(withResidents{m}, map[string]func(){"nrdl": small(main), "resident": small(stay)})
}

func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"run":       runs,
			"drawn":     drawnFor,
			"status":    status,
			"interrupt": interrupt,
			"lines":     lines,
			"json":      jsonKeys,
			"mode":      mode,
			"only":      only,
			"samerun":   sameRun,
			"network":   networkFile,

			"samerecords": sameRecords,
			"wholelines":  wholeLines,
		},
		Condition: holds,
	})
}

// network FILE writes the network that is built in as an ONNX file of another digest; network FILE
// FLAT writes one whose vectors are the mean colours, which do not tell faces apart.
func networkFile(ts *testscript.TestScript, _ bool, args []string) {
	data := onnxfile.Means(112, nil)
	if len(args) == 1 {
		stored, err := os.ReadFile("../../faces/frontend/embedding/weights/faceplugin.onnx.zst")
		ts.Check(err)
		var g onnxfile.Graph
		g.Meta("copy", "of another digest")
		data = append(packed.Bytes(stored), g.Metadata()...)
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), data, 0o666))
}

// holds tells whether the condition of a line of a script holds.
func holds(condition string) (bool, error) {
	switch condition {
	case "devfull":
		_, err := os.Stat("/dev/full")
		return err == nil, nil
	case "long":
		return os.Getenv("NRDL_LONG") != "", nil
	}
	return false, errors.New("unknown condition " + condition)
}

// interrupt N REGEXP nrdl ARG... starts a command, sends it a SIGINT when a line of
// its standard error matches, and wants it to exit with 1. If N is 2 it sends more
// until the command ends: two that a busy machine delivers at once are one. If N is term it sends
// one SIGTERM.
func interrupt(ts *testscript.TestScript, _ bool, args []string) {
	again, signal := args[0] == "2", os.Signal(os.Interrupt)
	if args[0] == "term" {
		signal = syscall.SIGTERM
	}
	args = args[1:]
	pattern := regexp.MustCompile(args[0])
	path, err := exec.LookPath(args[1])
	ts.Check(err)
	cmd := exec.Command(path, args[2:]...)
	cmd.Dir, cmd.Env = ts.Getenv("WORK"), append(os.Environ(), "PATH="+ts.Getenv("PATH"))
	stderr, err := cmd.StderrPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	ended := make(chan struct{})
	story, sent := bufio.NewScanner(stderr), false
	for story.Scan() {
		ts.Logf("%s", story.Text())
		if !sent && pattern.MatchString(story.Text()) {
			time.Sleep(100 * time.Millisecond) // into the fit
			sent = true
			ts.Check(cmd.Process.Signal(signal))
			if again {
				go func() {
					for {
						select {
						case <-ended:
							return
						case <-time.After(100 * time.Millisecond):
							_ = cmd.Process.Signal(os.Interrupt)
						}
					}
				}()
			}
		}
		if strings.HasPrefix(story.Text(), "nrdl: error:") && story.Text() != "nrdl: error: interrupted" {
			ts.Fatalf("it says %q", story.Text())
		}
	}
	err = cmd.Wait()
	close(ended)
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != 1 {
		ts.Fatalf("it ended with %v", err)
	}
	if !sent {
		ts.Fatalf("it ended without the line %q", args[0])
	}
}

// lines N FILE wants a file of N lines; ! lines of another number.
func lines(ts *testscript.TestScript, neg bool, args []string) {
	n := strings.Count(ts.ReadFile(args[1]), "\n")
	if equal := args[0] == strconv.Itoa(n); equal == neg {
		ts.Fatalf("%s has %d lines", args[1], n)
	}
}

// json FILE KEY,KEY,... wants every line of a file, or the file, to be an
// object with these keys in this order.
func jsonKeys(ts *testscript.TestScript, _ bool, args []string) {
	dec := json.NewDecoder(strings.NewReader(ts.ReadFile(args[0])))
	objects := 0
	for ; dec.More(); objects++ {
		var raw json.RawMessage
		ts.Check(dec.Decode(&raw))
		if keys := strings.Join(keysOf(raw), ","); keys != args[1] {
			ts.Fatalf("object %d has the keys %s", objects+1, keys)
		}
	}
	if objects == 0 {
		ts.Fatalf("%s holds no object", args[0])
	}
}

// keysOf returns the keys of a JSON object in order.
func keysOf(raw json.RawMessage) []string {
	dec := json.NewDecoder(bytes.NewReader(raw))
	_, _ = dec.Token()
	var keys []string
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil
		}
		keys = append(keys, key.(string))
		var value json.RawMessage
		if dec.Decode(&value) != nil {
			return nil
		}
	}
	return keys
}

// mode FILE PREFIX wants the mode of a file, as Go shows it, to begin so.
func mode(ts *testscript.TestScript, _ bool, args []string) {
	info, err := os.Stat(ts.MkAbs(args[0]))
	ts.Check(err)
	if got := info.Mode().String(); !strings.HasPrefix(got, args[1]) {
		ts.Fatalf("%s has the mode %s", args[0], got)
	}
}

// only DIR NAME... wants a folder to hold nothing but these, hidden or not.
func only(ts *testscript.TestScript, _ bool, args []string) {
	entries, err := os.ReadDir(ts.MkAbs(args[0]))
	ts.Check(err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if got, want := strings.Join(names, " "), strings.Join(args[1:], " "); got != want {
		ts.Fatalf("%s holds %s", args[0], got)
	}
}

// sameRun FILE R FILE2 wants run R, from 0, of one evaluation to be the only
// run of the other, apart from the time it took.
func sameRun(ts *testscript.TestScript, _ bool, args []string) {
	var all, one experiment.Result
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &all))
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[2])), &one))
	r, err := strconv.Atoi(args[1])
	ts.Check(err)
	times := cmpopts.IgnoreFields(experiment.Run{}, "FitSeconds", "CodeSeconds")
	if diff := cmp.Diff(all.Runs[r:r+1], one.Runs, times); diff != "" {
		ts.Fatalf("the runs differ:\n%s", diff)
	}
}
