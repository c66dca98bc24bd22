package tags_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"nrdl.example/nrdl/internal/testing/lacking"
)

// A tool is an exiftool that stays, as its start takes long.
type tool struct {
	mu      sync.Mutex
	in      io.Writer
	out     *bufio.Reader
	command *exec.Cmd
}

// running is the tool once it is started.
var running *tool

// TestMain ends the tool, which does not end with its input.
func TestMain(m *testing.M) {
	status := m.Run()
	if running != nil {
		_, _ = io.WriteString(running.in, "-stay_open\nFalse\n")
		_ = running.command.Wait()
	}
	os.Exit(status)
}

var started = sync.OnceValue(func() *tool {
	path, err := exec.LookPath("exiftool")
	if err != nil {
		return nil
	}
	c := exec.Command(path, "-stay_open", "True", "-@", "-")
	in, errIn := c.StdinPipe()
	out, errOut := c.StdoutPipe()
	if c.Stderr = c.Stdout; errIn != nil || errOut != nil || c.Start() != nil {
		return nil
	}
	running = &tool{in: in, out: bufio.NewReader(out), command: c}
	return running
})

// exiftool runs the program, which reads and writes tags as no code here does.
func exiftool(t *testing.T, args ...string) string {
	t.Helper()
	tool := started()
	if tool == nil {
		lacking.Skip(t, "exiftool is not installed: apt-get install libimage-exiftool-perl")
	}
	tool.mu.Lock()
	defer tool.mu.Unlock()
	args = slices.DeleteFunc(args, func(a string) bool { return a == "-q" }) // which would hide the end
	if _, err := io.WriteString(tool.in, strings.Join(args, "\n")+"\n-execute\n"); err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for {
		line, err := tool.out.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		if line == "{ready}\n" {
			break
		}
		out.WriteString(line)
	}
	if strings.Contains(out.String(), "Error: ") {
		t.Fatalf("exiftool %q: %s", args, out.String())
	}
	return out.String()
}

// validate fails where exiftool finds a fault in the file at path.
func validate(t *testing.T, path string) {
	t.Helper()
	if out := exiftool(t, "-validate", "-warning", "-error", "-a", path); !strings.Contains(out, ": OK") {
		t.Errorf("exiftool -validate %s:\n%s", path, out)
	}
}
