package worker

import (
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"nrdl.example/nrdl/advice"
)

// A meter counts what a process does, for Prometheus.
type meter struct {
	registry *prometheus.Registry
	server   *http.Server

	workers, left         prometheus.Gauge   // of a coordinator
	results, refusals     prometheus.Counter // of a coordinator
	starts, ends, crashes prometheus.Counter // of a worker
}

func newMeter() *meter {
	gauge := func(name, help string) prometheus.Gauge {
		return prometheus.NewGauge(prometheus.GaugeOpts{Namespace: "nrdl", Name: name, Help: help})
	}
	counter := func(name, help string) prometheus.Counter {
		return prometheus.NewCounter(prometheus.CounterOpts{Namespace: "nrdl", Name: name, Help: help})
	}
	return &meter{
		registry: prometheus.NewRegistry(),
		workers:  gauge("workers", "Worker processes that are at a piece of the work of this coordinator."),
		left:     gauge("pieces_left", "Pieces of work that this coordinator has handed out and has no result of."),
		results:  counter("results_total", "Results that this coordinator received."),
		refusals: counter("refusals_total", "Reasons of workers not to take part that this coordinator received."),
		starts:   counter("worker_pieces_begun_total", "Pieces of work that this worker began."),
		ends:     counter("worker_pieces_ended_total", "Pieces of work that this worker ended or gave back."),
		crashes:  counter("worker_crashes_total", "Processes of this worker that ended by themselves."),
	}
}

// showCoordinator shows the numbers of a coordinator.
func (m *meter) showCoordinator() { m.show(m.workers, m.left, m.results, m.refusals) }

// showWorker shows the numbers of a worker.
func (m *meter) showWorker() { m.show(m.starts, m.ends, m.crashes) }

func (m *meter) show(all ...prometheus.Collector) {
	for _, c := range all {
		_ = m.registry.Register(c) // fails for the second task, which has the same numbers
	}
}

// serve listens at address, unless that is "".
func (m *meter) serve(address string) error {
	if address == "" {
		return nil
	}
	l, err := net.Listen("tcp", address)
	if err != nil {
		return advice.Add(fmt.Errorf("metrics: %w", err), "give %v with a free port, as 127.0.0.1:9090", advice.Metrics.To("HOST:PORT"))
	}
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	m.server = &http.Server{Addr: l.Addr().String(), Handler: mux, ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second}
	go func() { _ = m.server.Serve(l) }()
	return nil
}

func (m *meter) close() {
	if m.server != nil {
		_ = m.server.Close()
	}
}
