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
	begun, ended, crashed prometheus.Counter // of a worker
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
		begun:    counter("worker_pieces_begun_total", "Pieces of work that this worker began."),
		ended:    counter("worker_pieces_ended_total", "Pieces of work that this worker ended or gave back."),
		crashed:  counter("worker_crashes_total", "Processes of this worker that ended by themselves."),
	}
}

// coordinates shows the numbers of a coordinator.
func (m *meter) coordinates() { m.show(m.workers, m.left, m.results, m.refusals) }

// works shows the numbers of a worker.
func (m *meter) works() { m.show(m.begun, m.ended, m.crashed) }

func (m *meter) show(all ...prometheus.Collector) {
	for _, c := range all {
		_ = m.registry.Register(c) // again for the next task
	}
}

// serve listens at address; "" for nowhere.
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
