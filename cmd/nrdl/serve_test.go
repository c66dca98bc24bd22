package main

import (
	"bufio"
	"bytes"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// serve answers until it gets a signal to end, and then ends without an error. What it says and logs has
// no name.
func TestServe(t *testing.T) {
	t.Parallel()
	data := filepath.Join(t.TempDir(), "a", "data")
	for run := range 2 { // the second starts on what the first left
		cmd := exec.CommandContext(t.Context(), "nrdl", "serve", data, "--listen", "127.0.0.1:0")
		stderr, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(stderr)
		line, err := lines.ReadString('\n')
		_, address, ok := strings.Cut(strings.TrimSpace(line), "listening on ")
		if err != nil || !ok {
			t.Fatalf("%q, %v", line, err)
		}
		method, want := http.MethodPost, "Secretname"
		if run == 1 {
			method = http.MethodGet
		}
		r, err := http.NewRequestWithContext(t.Context(), method, address+"/v1/collections", strings.NewReader(`{"name":"Secretname"}`))
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set("Content-Type", "application/json")
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		var body bytes.Buffer
		_, _ = body.ReadFrom(a.Body)
		a.Body.Close()
		if a.StatusCode != http.StatusOK || !strings.Contains(body.String(), want) {
			t.Fatalf("%d %s", a.StatusCode, &body)
		}
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		var rest bytes.Buffer
		_, _ = rest.ReadFrom(lines)
		if err := cmd.Wait(); err != nil {
			t.Fatalf("%v: %s", err, &rest)
		}
		if !strings.Contains(rest.String(), "/v1/collections") || strings.Contains(rest.String(), want) {
			t.Errorf("the log is %s", &rest)
		}
	}
	none := filepath.Join(filepath.Dir(data), "none")
	photographs := t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(photographs, "Ann"), 0o777),
		os.WriteFile(filepath.Join(photographs, "Ann", "1.JPG"), nil, 0o666)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"serve", data, "--listen", "0.0.0.0:0"}, "no key"}, // to listen to everybody
		{[]string{"serve", none, "--listen", "foo"}, `"foo" is no address`},
		{[]string{"serve", photographs, "--listen", "foo"}, "is no folder of a service: it has Ann, and no database"},
		{[]string{"serve", none, "--input", "igo"}, "has no network"},
		{[]string{"serve", none, "--listen", "0.0.0.0:0"}, "no key"},
		{[]string{"serve"}, "for example: nrdl serve nrdl-data"},
	} {
		if status, _, story := nrdlIn(t, photographs, c.args...); status == succeeded || !strings.Contains(story, c.want) {
			t.Errorf("%v: %d: %s", c.args, status, story)
		}
	}
	if _, err := os.Stat(none); err == nil {
		t.Error("a folder is left")
	}
}
