package api

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	prom "github.com/VictoriaMetrics/metrics"

	"nrdl.example/nrdl/server/jobs"
)

// Metrics are the numbers for an operator; doc/operating.md explains each.
type Metrics struct{ set *prom.Set }

// helps are what the answer says of each metric.
var helps = map[string]string{
	"nrdl_requests_total":         "Requests, by their route and the status of the answer.",
	"nrdl_request_seconds":        "Time to answer a request.",
	"nrdl_refusals_total":         "Errors, by their code.",
	"nrdl_faces_identified_total": "Faces that were to be named, by the decision.",
	"nrdl_images_decoding":        "Requests that look at images now.",
	"nrdl_decoding_bytes":         "Memory of the images that are decoded now, and its limit.",
	"nrdl_request_body_bytes":     "Memory of the bodies of requests, and its limit.",
	"nrdl_jobs":                   "Imports, exports, refits and others, by their state.",
	"nrdl_hook_queue":             "Messages that wait.",
	"nrdl_hook_messages_total":    "Attempts to send a message.",
	"nrdl_people":                 "People in all collections.",
	"nrdl_faces":                  "Faces in all collections, by whose they are.",
	"nrdl_database_up":            "1 if the database answered.",
	"nrdl_database_bytes":         "Size of the database.",
	"nrdl_disk_free_bytes":        "Free on the disk of the database.",
	"nrdl_backup_age_seconds":     "Time since the last backup in the folder of the service.",
	"nrdl_build_info":             "1; its label is the version.",
}

var isHelp = regexp.MustCompile(`(?m)^# HELP (\w+)$`)

// explained returns metrics with what helps says of them.
func explained(text []byte) []byte {
	return isHelp.ReplaceAllFunc(text, func(line []byte) []byte {
		name := string(isHelp.FindSubmatch(line)[1])
		about := helps[name]
		if kind, words, ok := strings.Cut(name, "_"); about == "" && ok { // of Go and the process
			about = map[string]string{"go": "Go", "process": "Process"}[kind] + ": " + strings.ReplaceAll(words, "_", " ") + "."
		}
		return append(append(line[:len(line):len(line)], ' '), about...)
	})
}

// NewMetrics returns metrics that are all zero.
func NewMetrics() *Metrics {
	prom.ExposeMetadata(true)
	m := &Metrics{prom.NewSet()}
	// What alerts look at is there from the start: Prometheus does not see
	// the growth of a counter that was missing before.
	for _, code := range []string{"bug", "no_room", "rate_limited", "decoding_full", "too_many_requests"} {
		m.counter("nrdl_refusals_total", "code", code)
	}
	for _, result := range []string{"sent", "failed"} {
		m.counter("nrdl_hook_messages_total", "result", result)
	}
	return m
}

// counter counts what name says, with a label of a value.
func (m *Metrics) counter(name, label, value string) *prom.Counter {
	return m.set.GetOrCreateCounter(fmt.Sprintf("%s{%s=%q}", name, label, value))
}

// Count counts one more of what name says, with a label of a value.
func (m *Metrics) Count(name, label, value string) {
	m.counter(name, label, value).Inc()
}

// request counts a request to a route that was answered with a status after a time.
func (m *Metrics) request(route string, status int, took time.Duration) {
	m.set.GetOrCreateCounter(fmt.Sprintf(`nrdl_requests_total{route=%q,status="%d"}`, route, status)).Inc()
	m.set.GetOrCreatePrometheusHistogram(fmt.Sprintf("nrdl_request_seconds{route=%q}", route)).Update(took.Seconds())
}

// writeMetrics writes what was counted, and what the database and the process hold now.
func (v *Service) writeMetrics(ctx context.Context, w io.Writer) {
	var text bytes.Buffer
	v.Metrics.set.WritePrometheus(&text)
	v.state(ctx).WritePrometheus(&text)
	prom.WriteProcessMetrics(&text)
	_, _ = w.Write(explained(text.Bytes()))
}

// state reads what the database and the process hold.
func (v *Service) state(ctx context.Context) *prom.Set {
	const longest = 5 * time.Second
	ctx, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	now := prom.NewSet()
	gauge := func(x float64, format string, values ...any) {
		now.GetOrCreateGauge(fmt.Sprintf(format, values...), nil).Set(x)
	}
	gauge(1, "nrdl_build_info{version=%q}", v.Version)
	requests, decoding := v.people.Memory.Used()
	gauge(float64(requests), "nrdl_images_decoding")
	gauge(float64(decoding), `nrdl_decoding_bytes{what="used"}`)
	gauge(float64(v.people.MaxImageBytes), `nrdl_decoding_bytes{what="limit"}`)
	gauge(float64(v.bodies.inUse()), `nrdl_request_body_bytes{what="used"}`)
	gauge(float64(v.Bodies), `nrdl_request_body_bytes{what="limit"}`)
	if at, ok := jobs.LastBackup(v.jobs.Backups); ok {
		gauge(time.Since(at).Seconds(), "nrdl_backup_age_seconds")
	}
	n, err := v.store.Count(ctx)
	if err != nil {
		gauge(0, "nrdl_database_up")
		return now
	}
	gauge(1, "nrdl_database_up")
	for state, count := range n.Jobs {
		gauge(float64(count), "nrdl_jobs{state=%q}", state)
	}
	gauge(float64(n.Messages), "nrdl_hook_queue")
	gauge(float64(n.People), "nrdl_people")
	gauge(float64(n.Labelled), `nrdl_faces{of="person"}`)
	gauge(float64(n.Unlabelled), `nrdl_faces{of="nobody"}`)
	gauge(float64(n.Strangers), `nrdl_faces{of="stranger"}`)
	gauge(float64(n.Bytes), "nrdl_database_bytes")
	if n.Free >= 0 {
		gauge(float64(n.Free), "nrdl_disk_free_bytes")
	}
	return now
}
