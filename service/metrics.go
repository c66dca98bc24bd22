package service

import (
	"context"
	"os"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
)

// metrics are the numbers for an operator; doc/operating.md explains each.
type metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
	refusals *prometheus.CounterVec // by code
	named    *prometheus.CounterVec // faces by decision
	hooks    *prometheus.CounterVec // messages by result
}

func newMetrics(v *Service) *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "nrdl_requests_total", Help: "Requests by route and status."}, []string{"route", "status"}),
		seconds:  prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "nrdl_request_seconds", Help: "Time to answer by route."}, []string{"route"}),
		refusals: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "nrdl_refusals_total", Help: "Errors by code."}, []string{"code"}),
		named:    prometheus.NewCounterVec(prometheus.CounterOpts{Name: "nrdl_faces_identified_total", Help: "Faces in photographs that were to be named, by decision."}, []string{"decision"}),
		hooks:    prometheus.NewCounterVec(prometheus.CounterOpts{Name: "nrdl_hook_messages_total", Help: "Attempts to send a message, by result: sent or failed."}, []string{"result"}),
	}
	build := prometheus.NewGauge(prometheus.GaugeOpts{Name: "nrdl_build_info", Help: "1, with the version of the program.", ConstLabels: prometheus.Labels{"version": v.Version}})
	build.Set(1)
	m.registry.MustRegister(m.requests, m.seconds, m.refusals, m.named, m.hooks, build, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}), &stateCollector{v})
	return m
}

// A stateCollector reads what the database and the process hold when somebody asks for metrics.
type stateCollector struct{ v *Service }

var (
	descJobs     = prometheus.NewDesc("nrdl_jobs", "Jobs in the database, by state; those that have ended are kept for a while.", []string{"state"}, nil)
	descMessages = prometheus.NewDesc("nrdl_hook_queue", "Messages that wait to be sent.", nil, nil)
	descPeople   = prometheus.NewDesc("nrdl_people", "People in all collections.", nil, nil)
	descFaces    = prometheus.NewDesc("nrdl_faces", "Faces in all collections, by whose they are: person, nobody (yet) or stranger.", []string{"of"}, nil)
	descSize     = prometheus.NewDesc("nrdl_database_bytes", "Size of the database.", nil, nil)
	descBackup   = prometheus.NewDesc("nrdl_backup_age_seconds", "Time since the last backup in the folder of the service; missing if there is none.", nil, nil)
	descBodies   = prometheus.NewDesc("nrdl_request_body_bytes", "Memory that bodies of requests take, and the limit.", []string{"what"}, nil)
	descLooking  = prometheus.NewDesc("nrdl_images_decoding", "Requests that look at images.", nil, nil)
	descUp       = prometheus.NewDesc("nrdl_database_up", "1 if the database answered when the metrics were read.", nil, nil)
)

// Describe implements prometheus.Collector.
func (s *stateCollector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{descJobs, descMessages, descPeople, descFaces, descSize, descBackup, descBodies, descLooking, descUp} {
		out <- d
	}
}

// Collect implements prometheus.Collector.
func (s *stateCollector) Collect(out chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, x float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, x, labels...)
	}
	const longest = 5 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	defer cancel()
	gauge(descLooking, float64(s.v.busy.Load()))
	gauge(descBodies, float64(s.v.bodies.inUse()), "used")
	gauge(descBodies, float64(s.v.Bodies), "limit")
	if at, ok := lastBackup(s.v.Backups); ok {
		gauge(descBackup, time.Since(at).Seconds())
	}
	n, err := s.v.store.Count(ctx)
	if err != nil {
		gauge(descUp, 0)
		return
	}
	gauge(descUp, 1)
	for state, count := range n.Jobs {
		gauge(descJobs, float64(count), state)
	}
	gauge(descMessages, float64(n.Messages))
	gauge(descPeople, float64(n.People))
	gauge(descFaces, float64(n.Labelled), "person")
	gauge(descFaces, float64(n.Unlabelled), "nobody")
	gauge(descFaces, float64(n.Strangers), "stranger")
	gauge(descSize, float64(n.Bytes))
}

// lastBackup returns when the latest backup in a folder was made.
func lastBackup(folder string) (latest time.Time, ok bool) {
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		if !isBackup.MatchString(e.Name()) {
			continue
		}
		if info, err := e.Info(); err == nil && info.ModTime().After(latest) {
			latest = info.ModTime()
		}
	}
	return latest, !latest.IsZero()
}
