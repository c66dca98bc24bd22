// Package service offers a Recogniser for collections of people over HTTP: it enrols
// and identifies, and keeps people and faces in a store. It listens to whoever New's
// caller lets it; without a key in the store it answers requests from this machine only,
// and none that a proxy has sent.
//
//	s, err := store.Open(ctx, "people.db")
//	v := service.New(s, service.Options{})
//	err = v.Serve(ctx, listener)
package service

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"path"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/google/uuid"
	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"

	"nrdl.example/nrdl/dataset"
	"nrdl.example/nrdl/face"
	"nrdl.example/nrdl/frontend"
	"nrdl.example/nrdl/service/store"
)

// Options are limits of a Service. A zero is replaced by the default.
type Options struct {
	Log     *slog.Logger      // nil: none
	Version string            // of the program, for the description of the API
	Backups string            // folder for backups, made when needed; "": none are made
	Input   frontend.Pipeline // with a network, for new collections and those that are refitted; the zero Pipeline is the one that is built in
	Search  *face.Search      // finds the faces; nil: face.DefaultSearch

	Body    int64         // bytes of a request; 20 MB
	Bodies  int64         // bytes of all requests that are in memory, half of it for one key; 512 MB
	Decoded int64         // bytes of memory for all images that are decoded at a time; dataset.MaxDecoding
	Rate    rate.Limit    // requests a second with one key; 200
	Burst   int           // requests of one key at once; 2000
	Wait    time.Duration // for room to decode an image
	Lease   time.Duration // after which another process takes a job, or a request with a key for its answer, whose process has ended; 20 s
	Import  int64         // bytes of an upload that is imported; 1 GB
	Files   int64         // bytes of all uploads and exports that are kept; 4 GB
	Private bool          // messages may be sent to private networks and this machine
	Request time.Duration // for an answer; 60 s
}

func (o Options) filled() Options {
	for _, v := range []struct {
		of   *int64
		zero int64
	}{{&o.Body, 20 << 20}, {&o.Bodies, 512 << 20}, {&o.Decoded, dataset.MaxDecoding}, {&o.Import, 1 << 30}, {&o.Files, 4 << 30}} {
		if *v.of == 0 {
			*v.of = v.zero
		}
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Rate == 0 {
		o.Rate = 200
	}
	if o.Burst == 0 {
		o.Burst = 2000
	}
	if o.Wait == 0 {
		o.Wait = 10 * time.Second
	}
	if o.Lease == 0 {
		o.Lease = 20 * time.Second
	}
	if o.Request == 0 {
		o.Request = time.Minute
	}
	return o
}

// A Service is an http.Handler.
type Service struct {
	Options
	store  *store.Store
	engine *engine
	mux    *http.ServeMux
	api    huma.API
	guard  http.Handler // mux behind the limits that hold for all requests

	bodies               *bodies
	decoding             *semaphore.Weighted
	uploading, following *semaphore.Weighted // imports that are read, jobs that are followed
	wake, changed        chan struct{}       // when there is a job; when there may be messages
	sender               *http.Client        // of messages

	curves curves
	room   room

	stopping chan struct{} // closed when Serve is told to end

	busy atomic.Int64 // requests that look at images

	mu       sync.Mutex
	limiters map[string]*rate.Limiter // by key

	requests *prometheus.CounterVec
	seconds  *prometheus.HistogramVec
}

// New returns a Service on a store, which stays the caller's to close.
func New(s *store.Store, o Options) *Service {
	v := &Service{Options: o.filled(), store: s, engine: newEngine(s, o.Input, o.Search), mux: http.NewServeMux(), limiters: map[string]*rate.Limiter{}}
	v.bodies, v.decoding = newBodies(v.Bodies, v.Body), semaphore.NewWeighted(v.Decoded)

	const uploading, following = 4, 200
	v.uploading, v.following = semaphore.NewWeighted(uploading), semaphore.NewWeighted(following)
	v.wake, v.changed, v.stopping, v.sender = make(chan struct{}, 1), make(chan struct{}, senders), make(chan struct{}), newSender(v.Private)

	config := huma.DefaultConfig("nrdl", v.Version)
	config.Info.Description = "Every POST that changes something takes the header " + onceHeader + ": sent again with it within a day, the request is answered as before and not carried out again. doc/service.md has an example of each operation."
	config.DocsPath, config.SchemasPath, config.CreateHooks = "", "", nil // no page from other hosts, no $schema in answers
	config.Transformers = append(config.Transformers, inWords)
	config.Components.SecuritySchemes = map[string]*huma.SecurityScheme{"key": {Type: "http", Scheme: "bearer"}}
	v.api = humago.New(v.mux, config)
	v.api.UseMiddleware(v.authorized)

	metrics := prometheus.NewRegistry()
	v.requests = prometheus.NewCounterVec(prometheus.CounterOpts{Name: "nrdl_requests_total", Help: "Requests by route and status."}, []string{"route", "status"})
	v.seconds = prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "nrdl_request_seconds", Help: "Time to answer by route."}, []string{"route"})
	metrics.MustRegister(v.requests, v.seconds, collectors.NewGoCollector())
	v.plain(http.MethodGet, "/metrics", plain{summary: "Metrics for Prometheus", scopes: []string{"metrics"}, kind: "text/plain"}, func(w http.ResponseWriter, r *http.Request) error {
		promhttp.HandlerFor(metrics, promhttp.HandlerOpts{}).ServeHTTP(w, r)
		return nil
	})
	v.describe(http.MethodGet, "/healthz", plain{summary: "Say that the process runs", kind: "text/plain"})
	v.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ok\n") })
	v.describe(http.MethodGet, "/readyz", plain{summary: "Say whether the database answers and has room for changes", kind: "text/plain"})
	v.mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if err := v.ready(r.Context()); err != nil {
			v.fail(w, r, err)
			return
		}
		_, _ = io.WriteString(w, "ok\n")
	})
	v.routes()
	v.mux.HandleFunc("/", v.missing)
	guard := http.NewCrossOriginProtection()
	guard.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		writeProblem(w, http.StatusForbidden, "a page of another site has sent this request, and the service takes changes from its own page only", "")
	}))
	v.guard = guard.Handler(v.mux)
	return v
}

// A room is whether the database has room for changes. Everybody may ask, so that it is looked
// at once a second at most.
type room struct {
	mu  sync.Mutex
	at  time.Time
	err error
}

var errRoom = huma.ErrorWithHeaders(huma.Error503ServiceUnavailable("the database answers, but nothing can be written: the disk may be full"), http.Header{"Retry-After": {"5"}})

// ready is an error if changes cannot be made.
func (v *Service) ready(ctx context.Context) error {
	if err := v.store.Ping(ctx); err != nil {
		return err
	}
	v.room.mu.Lock()
	defer v.room.mu.Unlock()
	if time.Since(v.room.at) >= time.Second {
		v.room.err = v.store.CheckRoom(ctx)
		if ctx.Err() != nil {
			return ctx.Err() // that says nothing of the disk
		}
		v.room.at = time.Now()
	}
	if v.room.err != nil {
		v.Log.Error("nothing can be written", "error", v.room.err.Error())
		return errRoom
	}
	return nil
}

// missing answers a request for which there is no operation.
func (v *Service) missing(w http.ResponseWriter, r *http.Request) {
	var methods []string
	for _, m := range []string{http.MethodGet, http.MethodPost, http.MethodPatch, http.MethodDelete} {
		with := r.Clone(r.Context())
		with.Method = m
		if _, pattern := v.mux.Handler(with); strings.HasPrefix(pattern, m+" ") {
			methods = append(methods, m)
		}
	}
	if len(methods) == 0 {
		writeProblem(w, http.StatusNotFound, "there is no such operation: /openapi.json describes all", "")
		return
	}
	w.Header().Set("Allow", strings.Join(methods, ", "))
	writeProblem(w, http.StatusMethodNotAllowed, fmt.Sprintf("%.20s is not possible here, but %s", r.Method, strings.Join(methods, ", ")), "")
}

// wholeBody is how long the body of a request may take, but that of an import.
const wholeBody = time.Minute

// Serve answers requests on a listener until ctx ends, and works on jobs. Then requests
// that are being answered have ten seconds. It is called once.
func (v *Service) Serve(ctx context.Context, l net.Listener) error {
	const grace = 10 * time.Second
	server := &http.Server{
		Handler: v, ErrorLog: slog.NewLogLogger(v.Log.Handler(), slog.LevelWarn),
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: wholeBody, WriteTimeout: v.Request + time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 1 << 16,
	}
	inner, stop := context.WithCancel(ctx)
	var working sync.WaitGroup
	working.Go(func() { v.Work(inner) })
	defer working.Wait()
	defer stop()
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(l) }()
	select {
	case err := <-failed:
		return err
	case <-ctx.Done():
	}
	close(v.stopping)
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if err := server.Shutdown(end); err != nil {
		return errors.Join(err, server.Close())
	}
	return nil
}

// A request is what is known of the request that is being answered.
type request struct {
	id          string
	actor       string   // of the key; "local" without one
	collections []string // which the key is for; none: all
	job         bool     // it is a job, which waits as long as it takes

	bearer  bool   // the key came in the header Authorization
	session string // of the cookie; "" without one
	secure  bool   // nobody between the browser and the proxy can read it
}

type requestKey struct{}

// by returns the request that ctx is of.
func by(ctx context.Context) *request {
	r, _ := ctx.Value(requestKey{}).(*request)
	if r == nil {
		return &request{}
	}
	return r
}

// ServeHTTP implements http.Handler.
func (v *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	start := time.Now()
	req := &request{id: uuid.NewString()}
	most, long, whole, streams := v.Body, v.Request, wholeBody, false
	switch path.Base(r.URL.Path) {
	case "import":
		most, long, whole, streams = v.Import, time.Hour, time.Hour, true
	case "export", "file":
		long = time.Hour
	}
	ctx, cancel := context.WithTimeout(context.WithValue(r.Context(), requestKey{}, req), long)
	defer cancel()
	r = r.WithContext(ctx)
	answer := &recorder{ResponseWriter: w}
	if r.Body != nil && r.Body != http.NoBody {
		answer.body = v.bodies.receive(w, r.Body, req, whole, streams)
		defer answer.body.release()
		r.Body = answer.body
	}
	r.Body = http.MaxBytesReader(w, r.Body, most)
	h := answer.Header()
	h.Set("X-Request-Id", req.id)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	defer func() {
		p := recover()
		if p == http.ErrAbortHandler {
			defer panic(p) // net/http breaks the connection
		} else if p != nil {
			v.Log.Error("panic", "request", req.id, "stack", string(debug.Stack())) // the value might have a name
			if answer.status == 0 {
				writeProblem(answer, http.StatusInternalServerError, "the service has a bug: its log tells more", "")
			}
		}
		// Neither path nor query: they may have what callers keep to themselves.
		route, took := r.Pattern, time.Since(start)
		v.requests.WithLabelValues(route, strconv.Itoa(answer.status)).Inc()
		v.seconds.WithLabelValues(route).Observe(took.Seconds())
		v.Log.Info("request", "request", req.id, "route", route, "status", answer.status, "ms", took.Milliseconds(), "actor", req.actor)
	}()
	v.guard.ServeHTTP(answer, r)
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		v.mayHaveChanged()
	}
}

// A recorder notes the status. What the request has sent is not kept while the client reads
// the answer.
type recorder struct {
	http.ResponseWriter
	status int
	body   *arriving // nil: none
}

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 {
		r.status = status
		r.body.release()
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (int, error) {
	if r.status == 0 {
		r.WriteHeader(http.StatusOK)
	}
	return r.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// share is how many images are decoded at a time for each processor.
const share = 4

// decode waits until images may be decoded that take so many bytes of memory. Done is to be
// called then.
func (v *Service) decode(ctx context.Context, memory int64) (done func(), err error) {
	if memory > v.Decoded {
		return nil, huma.Error422UnprocessableEntity(fmt.Sprintf("to decode what was sent takes %d MB of memory; at most %d MB are taken: make the images smaller", memory/1_000_000, v.Decoded/1_000_000))
	}
	weight := max(memory, v.Decoded/int64(share*runtime.GOMAXPROCS(0)))
	if !by(ctx).job {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, v.Wait)
		defer cancel()
	}
	if v.decoding.Acquire(ctx, weight) != nil {
		return nil, errFull
	}
	return func() { v.decoding.Release(weight) }, nil
}
