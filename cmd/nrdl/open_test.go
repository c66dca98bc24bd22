package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"

	"nrdl.example/nrdl/faces/tags"
)

// open shows the faces of a folder to be named, in a browser if there is one; a second run has the names
// and adds what is new. The folder of the photographs stays as it was.
func TestOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	drawnTo(t, dir, "240x240")
	photos := filepath.Join(dir, "drawn", "people")
	before := filesIn(t, photos)
	browser := filepath.Join(dir, "xdg-open")
	if err := os.WriteFile(browser, []byte("#!/bin/sh\necho \"shown: $1\" >&2\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for run, want := range []string{`"photos":6,"faces":6,"people":0,"duplicates":0`, `"photos":0,"faces":0,"people":0,"duplicates":6`} {
		cmd := exec.CommandContext(t.Context(), "nrdl", "open", photos, "--detector", "cascade")
		cmd.Env = append(os.Environ(), "DISPLAY=:0", "PATH="+dir+string(os.PathListSeparator)+os.Getenv("PATH"))
		if run == 1 {
			cmd.Args = append(cmd.Args, "--browser=false")
		}
		stderr, err := cmd.StderrPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		lines, output := bufio.NewScanner(stderr), ""
		for !strings.Contains(output, "Ctrl-C ends") && lines.Scan() {
			output += lines.Text() + "\n"
		}
		m := regexp.MustCompile(`(http://127\.0\.0\.1:\d+)/#/(\S+)/groups \((a|open)`).FindStringSubmatch(output)
		if m == nil || (m[3] == "a") != (run == 0) || !strings.Contains(output, "kept in "+photos+"-nrdl;") {
			t.Fatal(output)
		}
		base := m[1] + "/v1/collections/" + m[2]
		var jobs struct{ Items []struct{ ID string } }
		if err := json.Unmarshal([]byte(got(t, base+"/jobs")), &jobs); err != nil || len(jobs.Items) != run+1 {
			t.Fatalf("%v %+v", err, jobs)
		}
		if events := got(t, base+"/jobs/"+jobs.Items[0].ID+"/events"); !strings.Contains(events, want) { // to its end
			t.Errorf("run %d: %s", run, events)
		}
		if groups := got(t, base+"/review"); !strings.Contains(groups, `"faces":["`) {
			t.Error(groups)
		}
		if run == 1 {
			writesNames(t, base, photos)
		}
		if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		rest, _ := io.ReadAll(stderr)
		if err := cmd.Wait(); err != nil {
			t.Fatalf("%v: %s", err, rest)
		}
	}
	if after := filesIn(t, photos); after != before {
		t.Errorf("the folder has %s, and had %s", after, before)
	}
}

// writesNames names a group on the page of open, has the names written beside its photographs, and taken back.
func writesNames(t *testing.T, base, photos string) {
	t.Helper()
	var groups struct{ Items []struct{ Faces []string } }
	if err := json.Unmarshal([]byte(got(t, base+"/review")), &groups); err != nil {
		t.Fatal(err)
	}
	faces, err := json.Marshal(groups.Items[0].Faces)
	if err != nil {
		t.Fatal(err)
	}
	posted(t, base+"/review/decide", `{"decisions":[{"verb":"is","name":"Zo\u00eb","faces":`+string(faces)+`}]}`)
	for _, c := range []struct{ request, want string }{
		{`{}`, fmt.Sprintf(`"photos":%[1]d,"faces":%[1]d,"kept":0,"files":%[1]d,"refused":[]`, len(groups.Items[0].Faces))},
		{`{"remove":true}`, fmt.Sprintf(`"photos":0,"faces":0,"kept":0,"files":%d,"refused":[]`, len(groups.Items[0].Faces))},
	} {
		var job struct{ ID string }
		if err := json.Unmarshal([]byte(posted(t, base+"/tags", c.request)), &job); err != nil {
			t.Fatal(err)
		}
		if events := got(t, base+"/jobs/"+job.ID+"/events"); !strings.Contains(events, c.want) {
			t.Errorf("%s: %s", c.request, events)
		}
		sidecars, err := filepath.Glob(filepath.Join(photos, "*", "*.xmp"))
		if err != nil {
			t.Fatal(err)
		}
		if c.request != `{}` {
			continue // TestOpen compares the folder
		}
		if len(sidecars) != len(groups.Items[0].Faces) {
			t.Errorf("%v", sidecars)
		}
		for _, path := range sidecars {
			p, err := tags.Read(strings.TrimSuffix(path, ".xmp"))
			if err != nil || len(p.Regions) != 1 || p.Regions[0].Name != "Zoë" {
				t.Errorf("%s: %v %+v", path, err, p)
			}
		}
	}
}

// posted is the body of the answer to a request.
func posted(t *testing.T, address, body string) string {
	t.Helper()
	a, err := http.Post(address, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	answer, err := io.ReadAll(a.Body)
	if err != nil || a.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d %s %v", address, a.StatusCode, answer, err)
	}
	return string(answer)
}

// got is the body of an answer.
func got(t *testing.T, address string) string {
	t.Helper()
	a, err := http.Get(address)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	body, err := io.ReadAll(a.Body)
	if err != nil || a.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d %s %v", address, a.StatusCode, body, err)
	}
	return string(body)
}

// filesIn lists the files in a folder with their content.
func filesIn(t *testing.T, folder string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "sh", "-c", "cd \"$1\" && find . -type f | sort | xargs cksum", "sh", folder).Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
