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
		if err := json.Unmarshal([]byte(got(t, base+"/jobs")), &jobs); err != nil || len(jobs.Items) != 1+5*run { // three of the first run write names, one makes an album
			t.Fatalf("%v %+v", err, jobs)
		}
		if events := got(t, base+"/jobs/"+jobs.Items[0].ID+"/events"); !strings.Contains(events, want) { // to its end
			t.Errorf("run %d: %s", run, events)
		}
		if groups := got(t, base+"/review"); !strings.Contains(groups, `"faces":["`) {
			t.Error(groups)
		}
		writesNames(t, base, photos, run)
		makesAlbum(t, base)
		if run == 0 && filesIn(t, photos) == before {
			t.Error("no name is in a file")
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

// writesNames names a group on the page of open in its first run, has the names written beside its photographs,
// taken back, and written into them; the second run, which knows these photographs, takes them back.
func writesNames(t *testing.T, base, photos string, run int) {
	t.Helper()
	requests := []string{`{}`, `{"remove":true}`, `{"embed":true}`}
	if run == 1 {
		requests = requests[1:2]
	} else {
		var groups struct{ Items []struct{ Faces []string } }
		if err := json.Unmarshal([]byte(got(t, base+"/review")), &groups); err != nil {
			t.Fatal(err)
		}
		faces, err := json.Marshal(groups.Items[0].Faces)
		if err != nil {
			t.Fatal(err)
		}
		posted(t, base+"/review/decide", `{"decisions":[{"verb":"is","name":"Zo\u00eb","faces":`+string(faces)+`}]}`)
	}
	var people struct {
		Items []struct {
			ID    string
			Faces int
		}
	}
	if err := json.Unmarshal([]byte(got(t, base+"/people")), &people); err != nil || len(people.Items) != 1 {
		t.Fatal(err, people)
	}
	zoe, n := people.Items[0].ID, people.Items[0].Faces
	for _, request := range requests {
		want := fmt.Sprintf(`"photos":%[1]d,"faces":%[1]d,"kept":0,"files":%[1]d,"refused":[]`, n)
		if request == `{"remove":true}` {
			want = fmt.Sprintf(`"photos":0,"faces":0,"kept":0,"files":%d,"refused":[]`, n)
		}
		var job struct{ ID string }
		if err := json.Unmarshal([]byte(posted(t, base+"/tags", request)), &job); err != nil {
			t.Fatal(err)
		}
		if events := got(t, base+"/jobs/"+job.ID+"/events"); !strings.Contains(events, want) {
			t.Errorf("%s: %s", request, events)
		}
		all, err := filepath.Glob(filepath.Join(photos, "*", "*.jpg"))
		if err != nil {
			t.Fatal(err)
		}
		tagged := 0
		for _, path := range all {
			p, err := tags.Read(path)
			if err != nil {
				t.Fatal(err)
			}
			_, err = os.Stat(path + ".xmp")
			for _, r := range p.Regions {
				if r.Name != "Zoë" || (err == nil) != (request == `{}`) {
					t.Errorf("%s: %v %+v", path, err, r)
				}
				tagged++
			}
		}
		if named := n; request != `{"remove":true}` && tagged != named || request == `{"remove":true}` && tagged != 0 {
			t.Errorf("%s: %d of %d are tagged", request, tagged, named)
		}
		for _, photo := range regexp.MustCompile(`"photo":"([^"]+)`).FindAllStringSubmatch(got(t, base+"/people/"+zoe+"/photographs"), -1) {
			got(t, base+"/photographs/"+photo[1]+"/original") // also of a file that has just changed
		}
	}
}

// makesAlbum makes an album on the page of open: Zoë has a page of her own in it.
func makesAlbum(t *testing.T, base string) {
	t.Helper()
	var job struct{ ID string }
	if err := json.Unmarshal([]byte(posted(t, base+"/jobs", `{"kind":"album"}`)), &job); err != nil {
		t.Fatal(err)
	}
	if events := got(t, base+"/jobs/"+job.ID+"/events"); !strings.Contains(events, `"photos":6`) {
		t.Error(events)
	}
	at := base + "/jobs/" + job.ID + "/album/"
	index := got(t, at+"index.html")
	if !strings.Contains(index, `href="people/Zo%C3%AB/index.html"`) {
		t.Error(index)
	}
	if page := got(t, at+"people/Zo%C3%AB/index.html"); !strings.Contains(page, `-large.jpg"`) {
		t.Error(page)
	}
	got(t, at+regexp.MustCompile(`thumbs/[^"]+`).FindString(index))
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
