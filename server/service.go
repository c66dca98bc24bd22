// Package server offers a Recogniser for collections of people over HTTP: it enrols
// and identifies, and keeps people and faces in a store. It listens to whoever New's
// caller lets it; without a key in the store it answers requests from this machine only,
// and none that a proxy has sent.
//
//	s, err := store.Open(ctx, "people.db")
//	v := server.New(s, server.Options{})
//	err = v.Serve(ctx, listener)
package server

import (
	"bytes"
	"cmp"
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
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/google/uuid"
	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/server/store"
)

// Options are settings and limits of a Service. A zero stands for the default.
type Options struct {
	Log     *slog.Logger      // nil: nothing is logged
	Version string            // version of the program, for the description of the API
	Photos  string            // folder with originals of photographs, which is only read; "": none are shown
	Backups string            // folder for backups, made when needed; "": backups are refused
	Input   frontend.Pipeline // network of new and refitted collections; the zero Pipeline is the one that is built in
	Search  *face.Search      // finds the faces; nil: face.DefaultSearch

	Body    int64         // most bytes of a request; 20 MB
	Bodies  int64         // most bytes of all requests in memory, half of it for one key; 512 MB, or a fifth of dataset.Budget() if that is limited
	Decoded int64         // most memory of the images that are decoded at one time, in bytes; what the requests leave of dataset.Budget()
	Rate    rate.Limit    // requests a second with one key; 200
	Burst   int           // requests of one key at once; 2000
	Wait    time.Duration // longest wait for memory to decode an image; 10 s
	Lease   time.Duration // time after which another process takes over the jobs and requests of one that has ended; 20 s
	Import  int64         // most bytes of an upload for an import; 1 GB
	Files   int64         // most bytes of all stored uploads and exports; 4 GB
	Private bool          // hooks may have addresses in private networks and on this machine
	Request time.Duration // longest time for an answer; 60 s

	Origins    []string // of the pages of other sites that may send requests (CheckOrigin)
	CompreFace string   // name of the collection for which some calls of CompreFace are answered; "": they are not
}

// WithDefaults returns o with defaults instead of zeros.
func (o Options) WithDefaults() Options {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	bodies, images := shares(dataset.Budget())
	o.Bodies, o.Decoded = cmp.Or(o.Bodies, max(bodies, o.Body)), cmp.Or(o.Decoded, images)
	o.Body = cmp.Or(o.Body, min(20<<20, o.Bodies))
	o.Rate, o.Burst = cmp.Or(o.Rate, 200), cmp.Or(o.Burst, 2000)
	o.Wait, o.Lease, o.Request = cmp.Or(o.Wait, 10*time.Second), cmp.Or(o.Lease, 20*time.Second), cmp.Or(o.Request, time.Minute)
	o.Import, o.Files = cmp.Or(o.Import, 1<<30), cmp.Or(o.Files, 4<<30)
	return o
}

// shares divides memory between the bodies of requests and the images that are decoded.
func shares(memory int64) (bodies, images int64) {
	if memory >= dataset.MaxDecoding { // it is not limited
		return 512 << 20, dataset.MaxDecoding
	}
	bodies = memory / 5
	return bodies, memory - inMemory*bodies
}

// CheckMemory returns an error if the bodies of requests and the images that are decoded may take
// more than this process has.
func (o Options) CheckMemory() error { return o.fits(dataset.Budget()) }

func (o Options) fits(memory int64) error {
	if need := inMemory*o.Bodies + o.Decoded; memory < dataset.MaxDecoding && need > memory {
		return fmt.Errorf("%d MB for requests, twice, and %d MB for images do not fit into the %d MB that the memory limit of this process leaves", o.Bodies/1_000_000, o.Decoded/1_000_000, memory/1_000_000)
	}
	return nil
}

// A Service is an http.Handler.
type Service struct {
	Options
	store  *store.Store
	engine *engine
	mux    *http.ServeMux
	api    huma.API
	guard  http.Handler // mux, behind the check of the origin

	bodies               *bodies
	decoding             *semaphore.Weighted
	uploading, following *semaphore.Weighted // imports that are received, clients that follow a job
	wake, changed        chan struct{}       // there is a job; there may be messages
	sender               *http.Client        // of messages

	curves    curves
	room      room
	originals originals
	present   present

	stopping chan struct{} // closed when Serve is told to stop

	busy    atomic.Int64 // requests that look at images
	imaging atomic.Int64 // memory of the images that are decoded now

	mu       sync.Mutex
	limiters map[string]*rate.Limiter // by key

	metrics *metrics
}

// New returns a Service on a store. The caller closes the store.
func New(s *store.Store, o Options) *Service {
	v := &Service{Options: o.WithDefaults(), store: s, engine: newEngine(s, o.Input, o.Search), mux: http.NewServeMux(), limiters: map[string]*rate.Limiter{}}
	v.bodies, v.decoding = newBodies(v.Bodies, v.Body), semaphore.NewWeighted(v.Decoded)

	const uploading, following = 4, 200
	v.uploading, v.following = semaphore.NewWeighted(uploading), semaphore.NewWeighted(following)
	v.wake, v.changed, v.stopping, v.sender = make(chan struct{}, 1), make(chan struct{}, senders), make(chan struct{}), newSender(v.Private)

	config := huma.DefaultConfig("nrdl", v.Version)
	config.Info.Description = "Every POST that changes something takes the header " + onceHeader + ": sent again with it within a day, the request is answered as before and not carried out again. doc/service.md has an example of each operation."
	config.DocsPath, config.SchemasPath, config.CreateHooks = "", "", nil // no page from other hosts, no $schema in answers
	config.OpenAPIPath = ""                                               // serveDescription
	config.Components.Schemas = huma.NewMapRegistry("#/components/schemas/", schemaName)
	config.Transformers = append(config.Transformers, inWords)
	config.Components.SecuritySchemes = map[string]*huma.SecurityScheme{"key": {Type: "http", Scheme: "bearer"}}
	v.api = humago.New(v.mux, config)
	v.api.UseMiddleware(v.authorized)

	v.metrics = newMetrics()
	v.plain(http.MethodGet, "/metrics", plain{summary: "Metrics for Prometheus", scopes: []string{"metrics"}, kind: "text/plain"}, func(w http.ResponseWriter, r *http.Request) error {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		v.writeMetrics(r.Context(), w)
		return nil
	})
	v.describe(http.MethodGet, "/healthz", plain{summary: "Say that the process runs", kind: "text/plain"})
	v.mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { writeOK(w) })
	v.describe(http.MethodGet, "/readyz", plain{summary: "Say whether the database answers and has room for changes", kind: "text/plain"})
	v.mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if err := v.ready(r.Context()); err != nil {
			v.fail(w, r, err)
			return
		}
		writeOK(w)
	})
	v.routes()
	v.mux.HandleFunc("/", v.missing)
	guard := http.NewCrossOriginProtection()
	guard.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		writeProblem(w, coded("cross_site", huma.Error403Forbidden("a page of another site has sent this request, and the service takes changes from its own page only")))
	}))
	v.guard = guard.Handler(v.mux)
	if len(v.Origins) > 0 {
		for _, o := range v.Origins {
			if err := guard.AddTrustedOrigin(o); err != nil {
				panic(err) // the caller has checked it
			}
		}
		v.guard = v.cors(v.guard)
	}
	return v
}

func writeOK(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain")
	_, _ = io.WriteString(w, "ok\n")
}

// A room remembers for a second whether the database has room for changes, as anybody may ask.
type room struct {
	mu  sync.Mutex
	at  time.Time
	err error
}

var errRoom = huma.ErrorWithHeaders(coded("no_room", huma.Error503ServiceUnavailable("the database answers, but nothing can be written: the disk may be full")), http.Header{"Retry-After": {"5"}})

// ready returns an error if the database cannot be changed.
func (v *Service) ready(ctx context.Context) error {
	if err := v.store.Ping(ctx); err != nil {
		return err
	}
	v.room.mu.Lock()
	defer v.room.mu.Unlock()
	if time.Since(v.room.at) >= time.Second {
		v.room.err = v.store.CheckRoom(ctx)
		if ctx.Err() != nil {
			return ctx.Err() // which says nothing about the disk
		}
		v.room.at = time.Now()
	}
	if v.room.err != nil {
		v.Log.Error("nothing can be written", "error", v.room.err.Error())
		return errRoom
	}
	return nil
}

// missing answers requests without an operation.
func (v *Service) missing(w http.ResponseWriter, r *http.Request) {
	var methods []string
	for _, m := range []string{http.MethodGet, http.MethodPost, http.MethodPatch, http.MethodDelete} {
		other := r.Clone(r.Context())
		other.Method = m
		if _, pattern := v.mux.Handler(other); strings.HasPrefix(pattern, m+" ") {
			methods = append(methods, m)
		}
	}
	if len(methods) == 0 {
		writeProblem(w, huma.Error404NotFound("there is no such operation: /openapi.json describes all"))
		return
	}
	w.Header().Set("Allow", strings.Join(methods, ", "))
	writeProblem(w, huma.Error405MethodNotAllowed(fmt.Sprintf("%.20s is not possible here, but %s", r.Method, strings.Join(methods, ", "))))
}

// wholeBody is the longest time for the body of a request; an import has more.
const wholeBody = time.Minute

// Grace is the time that requests have which are not answered when a service ends.
const Grace = 10 * time.Second

// Serve answers requests on a listener and works on jobs until ctx ends. Requests that are not
// answered then have Grace. It may be called once.
func (v *Service) Serve(ctx context.Context, l net.Listener) error {
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
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), Grace)
	defer cancel()
	if err := server.Shutdown(end); err != nil {
		return errors.Join(err, server.Close())
	}
	return nil
}

// A request describes the request of a context.
type request struct {
	id          string
	actor       string   // id of the key; "local" without a key
	scopes      []string // of the key
	collections []string // that the key may use; none: all
	job         bool     // not a request but a job, which has no time limit

	bearer  bool   // the key came in the header Authorization
	session string // secret in the cookie; "" without a cookie
	secure  bool   // it came by TLS
}

type requestKey struct{}

// requestOf returns the request of a context.
func requestOf(ctx context.Context) *request {
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
		defer func() {
			if !answer.broken {
				answer.body.finish(r, most, v.stopping)
			}
		}()
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
			answer.broken = true
			defer panic(p) // net/http breaks the connection
		} else if p != nil {
			v.Log.Error("panic", "request", req.id, "stack", string(debug.Stack())) // the value might have a name
			if answer.status == 0 {
				writeProblem(answer, huma.Error500InternalServerError("the service has a bug: its log tells more"))
			}
		}
		// Neither path nor query: they may have what callers keep to themselves.
		route, took := r.Pattern, time.Since(start)
		if answer.code != "" {
			v.metrics.add("nrdl_refusals_total", "code", answer.code)
		}
		v.metrics.request(route, answer.status, took)
		level := slog.LevelInfo
		if route == followRoute && answer.status < http.StatusBadRequest {
			level = slog.LevelDebug
		}
		v.Log.Log(context.WithoutCancel(ctx), level, "request", "request", req.id, "route", route, "status", answer.status, "ms", took.Milliseconds(), "actor", req.actor)
	}()
	v.guard.ServeHTTP(answer, r)
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		v.mayHaveChanged()
	}
}

// A recorder notes the status of an answer. When the answer begins, it releases the memory of
// the body of the request.
type recorder struct {
	http.ResponseWriter
	status int
	code   string        // of a problem; "" for another answer
	body   *arriving     // nil: none
	copied *bytes.Buffer // gets a copy of the answer; nil: none
	broken bool          // the connection ends without the rest of the answer
}

func (r *recorder) WriteHeader(status int) {
	if r.status != 0 {
		return // huma has noticed that the client went away in the middle of the answer
	}
	r.status = status
	r.body.release()
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (int, error) {
	if r.status == 0 {
		r.WriteHeader(http.StatusOK)
	}
	if r.copied != nil {
		r.copied.Write(b)
	}
	return r.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }

// imagesPerProcessor is how many images are decoded at one time for each processor.
const imagesPerProcessor = 4

// decode waits until there is memory, in bytes, to decode images. The caller calls done
// afterwards.
func (v *Service) decode(ctx context.Context, memory int64) (done func(), err error) {
	if memory > v.Decoded {
		return nil, coded("image_too_large", huma.Error422UnprocessableEntity(fmt.Sprintf("to decode what was sent takes %d MB of memory; at most %d MB are taken: make the images smaller, or start the service with a larger --max-decoding", memory/1_000_000, v.Decoded/1_000_000)))
	}
	weight := max(memory, v.Decoded/int64(imagesPerProcessor*runtime.GOMAXPROCS(0)))
	if !requestOf(ctx).job {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, v.Wait)
		defer cancel()
	}
	if v.decoding.Acquire(ctx, weight) != nil {
		return nil, errFull
	}
	v.imaging.Add(weight)
	return func() {
		v.imaging.Add(-weight)
		v.decoding.Release(weight)
	}, nil
}
