package main

import (
	"bufio"
	"io"
	"net/http"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"nrdl.example/nrdl/internal/kit/testing/smalldisk"
	"nrdl.example/nrdl/server/store"
)

// On a full disk serve starts, says so, and answers what only reads.
func TestServeOnFullDisk(t *testing.T) {
	t.Parallel()
	disk := smalldisk.Mount(t, 4<<20)
	s, err := store.Open(t.Context(), filepath.Join(disk, "nrdl.db"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err = s.CreateCollection(t.Context(), "t", "visitors", 0.01, ""); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	smalldisk.Fill(t, disk)
	cmd := exec.CommandContext(t.Context(), "nrdl", "serve", disk, "--listen", "127.0.0.1:0")
	stderr, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines, address, output := bufio.NewScanner(stderr), "", ""
	for address == "" && lines.Scan() {
		output += lines.Text() + "\n"
		_, address, _ = strings.Cut(lines.Text(), "listening on ")
	}
	if !strings.Contains(output, "the disk of the database is full") || address == "" {
		t.Fatal(output)
	}
	for path, want := range map[string]string{"/v1/collections": "visitors", "/readyz": "no_room"} {
		a, err := http.Get(address + path)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(a.Body)
		a.Body.Close()
		if err != nil || !strings.Contains(string(body), want) {
			t.Errorf("%s: %s, %v", path, body, err)
		}
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, stderr)
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// train finds a full disk before it reads.
func TestTrainOnFullDisk(t *testing.T) {
	t.Parallel()
	disk := smalldisk.Mount(t, 1<<20)
	smalldisk.Fill(t, disk)
	status, _, story := nrdlIn(t, t.TempDir(), "train", "nowhere", "-o", filepath.Join(disk, "m.nrdl"))
	if status != failed || !strings.Contains(story, "no space left") || !strings.Contains(story, "make room") {
		t.Errorf("%d\n%s", status, story)
	}
}
