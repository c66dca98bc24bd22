package cluster

import (
	"fmt"
	"net"
	"net/http"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"nrdl.example/nrdl/advice"
)

// A meter counts what a process does, for Prometheus.
type meter struct {
	set    *metrics.Set
	server *http.Server
}

// The numbers: workers at a piece of a coordinator's work, its pieces without a result, results
// that it received, reasons of workers not to take part; of a worker its pieces begun, ended or
// given back, and its processes that ended by themselves.
const (
	busyWorkers     = "nrdl_workers"
	piecesLeft      = "nrdl_pieces_left"
	resultsReceived = "nrdl_results_total"
	workerRefusals  = "nrdl_refusals_total"
	piecesBegun     = "nrdl_worker_pieces_begun_total"
	piecesEnded     = "nrdl_worker_pieces_ended_total"
	workerCrashes   = "nrdl_worker_crashes_total"
)

func newMeter() *meter {
	metrics.ExposeMetadata(true)
	return &meter{set: metrics.NewSet()}
}

func (m *meter) count(name string) { m.set.GetOrCreateCounter(name).Inc() }

func (m *meter) gauge(name string, x float64) { m.set.GetOrCreateGauge(name, nil).Set(x) }

// showCoordinator shows the numbers of a coordinator before they are known.
func (m *meter) showCoordinator() {
	m.gauge(busyWorkers, 0)
	m.gauge(piecesLeft, 0)
	m.show(resultsReceived, workerRefusals)
}

// showWorker shows the numbers of a worker before there are any.
func (m *meter) showWorker() { m.show(piecesBegun, piecesEnded, workerCrashes) }

func (m *meter) show(counters ...string) {
	for _, name := range counters {
		m.set.GetOrCreateCounter(name)
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
	mux.HandleFunc("GET /metrics", func(w http.ResponseWriter, _ *http.Request) { m.set.WritePrometheus(w) })
	m.server = &http.Server{Addr: l.Addr().String(), Handler: mux, ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second}
	go func() { _ = m.server.Serve(l) }()
	return nil
}

func (m *meter) close() {
	if m.server != nil {
		_ = m.server.Close()
	}
}
