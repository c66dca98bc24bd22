package server

import (
	"os"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"nrdl.example/nrdl/internal/testing/lacking"
)

// The metrics count what is in the database, refusals by their code, and backups.
func TestMetrics(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{Version: "1.2.3", Backups: t.TempDir()})
	at := c.collection()
	c.enrol(at, everybody[0], everybody[1])
	photo := "photo=" + photos(t, "people/person001")[0]
	c.upload(200, at+"/strangers", nil, photo)
	c.upload(200, at+"/identify", nil, photo)
	c.do(404, "GET", at+"/people/x", nil, nil)
	c.do(422, "GET", at+"/people?cursor=x", nil, nil)
	read := func() string { return string(c.send(200, "GET", "/metrics", "", nil, nil)) }
	text := read()
	for _, want := range []string{
		"nrdl_people 2", `nrdl_faces{of="person"} 4`, `nrdl_faces{of="nobody"} 0`, `nrdl_faces{of="stranger"} 1`,
		"nrdl_database_up 1", `nrdl_build_info{version="1.2.3"} 1`,
		`nrdl_refusals_total{code="not_found"} 1`, `nrdl_refusals_total{code="cursor_invalid"} 1`,
		`nrdl_faces_identified_total{decision="known"} 1`, "nrdl_hook_queue 0",
		`nrdl_jobs{state="waiting"} 0`, `nrdl_refusals_total{code="bug"} 0`, `nrdl_hook_messages_total{result="sent"} 0`,
		"nrdl_images_decoding 0", `nrdl_decoding_bytes{what="used"} 0`, `nrdl_decoding_bytes{what="limit"} 1200000000`,
		"# HELP nrdl_people People in all collections.", `nrdl_request_body_bytes{what="limit"} 536870912`,
	} {
		if !strings.Contains(text, want+"\n") {
			t.Errorf("no %s", want)
		}
	}
	size := regexp.MustCompile(`nrdl_database_bytes (\S+)`).FindStringSubmatch(text)
	if size == nil || size[1] == "0" || strings.Contains(text, "nrdl_backup_age_seconds ") || t.Failed() {
		t.Fatalf("%v %s", size, text)
	}
	var j Job
	c.do(200, "POST", at+"/jobs", object{"kind": "export"}, &j)
	c.follow(at, j.ID, &ExportResult{})
	defer c.v.people.Memory.Look()()
	done, err := c.v.people.Memory.Reserve(t.Context(), 5e8)
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	for _, want := range []string{`nrdl_jobs{state="done"} 1`, "nrdl_images_decoding 1", `nrdl_decoding_bytes{what="used"} 500000000`} {
		if !strings.Contains(read(), want+"\n") {
			t.Errorf("no %s", want)
		}
	}
	c.do(200, "POST", "/v1/backup", nil, nil)
	if text = read(); !strings.Contains(text, "nrdl_backup_age_seconds ") {
		t.Errorf("no backup in %s", text)
	}
}

// Alerts, dashboard and documentation name metrics that there are; the documentation has all.
func TestMetricsAreDocumented(t *testing.T) {
	t.Parallel()
	c := newClient(t, Options{Backups: t.TempDir()})
	at := c.collection()
	c.enrol(at, everybody[0], everybody[1])
	c.upload(200, at+"/identify", nil, "photo="+photos(t, "people/person001")[0])
	c.do(404, "GET", at+"/people/x", nil, nil)
	c.do(200, "POST", "/v1/backup", nil, nil)
	there := map[string]bool{}
	name := regexp.MustCompile(`\bnrdl_[a-z_]+`)
	answer := string(c.send(200, "GET", "/metrics", "", nil, nil))
	for _, m := range regexp.MustCompile(`(?m)^# TYPE (nrdl_[a-z_]+)`).FindAllStringSubmatch(answer, -1) {
		if there[m[1]] {
			t.Errorf("%s has two types", m[1])
		}
		there[m[1]] = true
	}
	for _, m := range regexp.MustCompile(`(?m)^# TYPE (\S+)`).FindAllStringSubmatch(answer, -1) {
		if !regexp.MustCompile(`(?m)^# HELP ` + m[1] + ` [A-Z0-9]`).MatchString(answer) {
			t.Errorf("the answer does not say what %s is", m[1])
		}
	}
	if len(there) < 15 {
		t.Fatalf("%v", there)
	}
	for _, file := range []string{"../doc/operating.md", "../packaging/prometheus-rules.yaml", "../packaging/grafana-dashboard.json"} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		in := map[string]bool{}
		for _, m := range name.FindAllString(string(text), -1) {
			m = strings.TrimSuffix(m, "_bucket")
			if in[m] = true; !there[m] {
				t.Errorf("%s: there is no %s", file, m)
			}
		}
		for m := range there {
			if file == "../doc/operating.md" && !in[m] {
				t.Errorf("%s does not have %s", file, m)
			}
		}
	}
}

// Alerts come when they should, as promtool of Prometheus says where it is installed.
func TestAlerts(t *testing.T) {
	t.Parallel()
	promtool, err := exec.LookPath("promtool")
	if err != nil {
		lacking.Skip(t, "there is no promtool: apt-get install prometheus")
	}
	for _, args := range [][]string{{"check", "rules", "../packaging/prometheus-rules.yaml"}, {"test", "rules", "testdata/alerts.yaml"}} {
		if output, err := exec.CommandContext(t.Context(), promtool, args...).CombinedOutput(); err != nil {
			t.Errorf("promtool %s: %v\n%s", args, err, output)
		}
	}
}
