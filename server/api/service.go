// Package api is the REST interface of the service: routes and their description, keys, bodies of requests,
// problems, and the page that uses it. What it answers comes from packages jobs and people and from the
// store; it knows nothing of photographs and faces itself.
//
//	v := api.New(s, people, jobs, api.Options{})
//	http.Serve(listener, v)
//
// Experimental: this package may change in any version.
package api

import (
	"bytes"
	"cmp"
	"context"
	"io"
	"log/slog"
	"net/http"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/google/uuid"
	"golang.org/x/sync/semaphore"
	"golang.org/x/time/rate"

	"nrdl.example/nrdl/server/jobs"
	"nrdl.example/nrdl/server/login"
	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

// Options are settings and limits of a Service. A zero stands for the default.
type Options struct {
	Log      *slog.Logger    // nil: nothing is logged
	Version  string          // of the program, for the description
	Metrics  *Metrics        // nil: new ones
	Stopping <-chan struct{} // closed when the service has to stop; nil: never

	Body    int64         // most bytes of a request; 20 MB
	Bodies  int64         // most bytes of all requests in memory, half of it for one key; 512 MB
	Part    time.Duration // longest time for 10 kB of a body to arrive; 10 s
	Rate    rate.Limit    // requests a second with one key; 200
	Burst   int           // requests of one key at once; 2000
	Lease   time.Duration // time after which a request that is not answered may be sent again; 20 s
	Import  int64         // most bytes of an upload for an import; 1 GB
	Request time.Duration // longest time for an answer; 60 s

	Origins    []string // of the pages of other sites that may send requests (CheckOrigin)
	CompreFace string   // name of the collection for which some calls of CompreFace are answered; "": they are not

	Login *login.Provider // at which people log in; nil: there are keys only
}

// WithDefaults returns o with defaults instead of zeros.
func (o Options) WithDefaults() Options {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.Metrics == nil {
		o.Metrics = NewMetrics()
	}
	o.Bodies = cmp.Or(o.Bodies, max(512<<20, o.Body))
	o.Body, o.Part = cmp.Or(o.Body, min(20<<20, o.Bodies)), cmp.Or(o.Part, 10*time.Second)
	o.Rate, o.Burst = cmp.Or(o.Rate, 200), cmp.Or(o.Burst, 2000)
	o.Lease, o.Request = cmp.Or(o.Lease, 20*time.Second), cmp.Or(o.Request, time.Minute)
	o.Import = cmp.Or(o.Import, 1<<30)
	return o
}

// A Service is an http.Handler.
type Service struct {
	Options
	Routes      *http.ServeMux // by method and path
	Description huma.API       // of the routes

	store  *store.Store
	people *people.Service
	jobs   *jobs.Service
	guard  http.Handler // Routes, behind the check of the origin

	bodies               *bodies
	uploading, following *semaphore.Weighted // imports that are received, clients that follow a job

	room    room
	present present

	mu       sync.Mutex
	limiters map[string]*rate.Limiter // by key
}

// New returns a Service on a store, with its people and jobs. It panics if an origin is none
// (CheckOrigin).
func New(s *store.Store, p *people.Service, j *jobs.Service, o Options) *Service {
	o = o.WithDefaults()
	const uploading, following = 4, 200
	v := &Service{
		Options: o, Routes: http.NewServeMux(), store: s, people: p, jobs: j, limiters: map[string]*rate.Limiter{},
		bodies:    newBodies(o.Bodies, o.Body, o.Part),
		uploading: semaphore.NewWeighted(uploading), following: semaphore.NewWeighted(following),
	}
	config := huma.DefaultConfig("nrdl", v.Version)
	config.Info.Description = "Every POST that changes something takes the header " + onceHeader +
		": sent again with it within a day, the request is answered as before and not carried out again. doc/service.md has an example of each operation."
	config.DocsPath, config.SchemasPath, config.CreateHooks = "", "", nil // no page from other hosts, no $schema in answers
	config.OpenAPIPath = ""                                               // serveDescription
	config.Components.Schemas = huma.NewMapRegistry("#/components/schemas/", schemaName)
	config.Transformers = append(config.Transformers, inWords)
	config.Components.SecuritySchemes = map[string]*huma.SecurityScheme{"key": {Type: "http", Scheme: "bearer"}}
	v.Description = humago.New(v.Routes, config)
	v.Description.UseMiddleware(v.authorized)

	v.healthRoutes()
	v.routes()
	v.Routes.HandleFunc("/", v.missing)
	guard := http.NewCrossOriginProtection()
	guard.SetDenyHandler(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		writeProblem(w, coded("cross_site", people.Failed(http.StatusForbidden,
			"a page of another site has sent this request, and the service takes changes from its own page only")))
	}))
	v.guard = guard.Handler(v.Routes)
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

// healthRoutes registers what monitoring asks.
func (v *Service) healthRoutes() {
	v.plain(http.MethodGet, "/metrics", plain{summary: "Metrics for Prometheus", scopes: []string{"metrics"}, kind: "text/plain"},
		func(w http.ResponseWriter, r *http.Request) error {
			w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
			v.writeMetrics(r.Context(), w)
			return nil
		})
	v.describe(http.MethodGet, "/healthz", plain{summary: "Say that the process runs", kind: "text/plain"})
	v.Routes.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { writeOK(w) })
	v.describe(http.MethodGet, "/readyz", plain{summary: "Say whether the database answers and has room for changes, and the collections are loaded", kind: "text/plain"})
	v.Routes.HandleFunc("GET /readyz", func(w http.ResponseWriter, r *http.Request) {
		if err := v.ready(r.Context()); err != nil {
			v.fail(w, r, err)
			return
		}
		writeOK(w)
	})
}

func writeOK(w http.ResponseWriter) {
	w.Header().Set("Content-Type", "text/plain")
	_, _ = io.WriteString(w, "ok\n")
}

// A room remembers for a second whether the database has room for changes, as anybody may ask.
type room struct {
	mu   sync.Mutex
	time time.Time
	err  error
}

var errLoading = headed(coded("loading", people.Failed(http.StatusServiceUnavailable,
	"the collections are being loaded: requests are answered, the first ones slowly")), "Retry-After", "1")

var errRoom = headed(coded("no_room", people.Failed(http.StatusServiceUnavailable,
	"the database answers, but nothing can be written: the disk may be full")), "Retry-After", "5")

// ready returns an error if the database cannot be changed, or the collections are not loaded yet.
func (v *Service) ready(ctx context.Context) error {
	if err := v.store.Ping(ctx); err != nil {
		return err
	}
	v.room.mu.Lock()
	defer v.room.mu.Unlock()
	if time.Since(v.room.time) >= time.Second {
		v.room.err = v.store.CheckRoom(ctx)
		if ctx.Err() != nil {
			return ctx.Err() // which says nothing about the disk
		}
		v.room.time = time.Now()
	}
	if v.room.err != nil {
		v.Log.Error("nothing can be written", "error", v.room.err.Error())
		return errRoom
	}
	if !v.people.IsLoaded.Load() {
		return errLoading
	}
	return nil
}

// missing answers requests without an operation.
func (v *Service) missing(w http.ResponseWriter, r *http.Request) {
	var methods []string
	for _, m := range []string{http.MethodGet, http.MethodPost, http.MethodPatch, http.MethodDelete} {
		other := r.Clone(r.Context())
		other.Method = m
		if _, pattern := v.Routes.Handler(other); strings.HasPrefix(pattern, m+" ") {
			methods = append(methods, m)
		}
	}
	if len(methods) == 0 {
		writeProblem(w, people.Failed(http.StatusNotFound, "there is no such operation: /openapi.json describes all"))
		return
	}
	w.Header().Set("Allow", strings.Join(methods, ", "))
	writeProblem(w, people.Failed(http.StatusMethodNotAllowed, "%.20s is not possible here, but %s", r.Method, strings.Join(methods, ", ")))
}

// WholeBody is the longest time for the body of a request; an import has more.
const WholeBody = time.Minute

// A request describes the request of a context.
type request struct {
	people.Caller
	key store.Key // with scopes, also without a key

	bearer   bool   // the key came in the header Authorization
	session  string // secret in the cookie; "" without a cookie
	isSecure bool   // it came by TLS
	prefix   string // path below which a proxy shows the service
	base     string // address of the service for a browser, without a slash at its end
}

// may reports whether the key of the request has a scope, or admin.
func (r *request) may(scope string) bool {
	return slices.Contains(r.key.Scopes, scope) || slices.Contains(r.key.Scopes, "admin")
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
	r = asSeen(r)
	req := &request{Caller: people.Caller{ID: uuid.NewString()}}
	limit, long, whole, streams := v.Body, v.Request, WholeBody, false
	switch path.Base(r.URL.Path) {
	case "import":
		limit, long, whole, streams = v.Import, time.Hour, time.Hour, true
	case "export", "file", "album.zip":
		long = time.Hour
	}
	ctx, cancel := context.WithTimeout(people.WithCaller(context.WithValue(r.Context(), requestKey{}, req), &req.Caller), long)
	defer cancel()
	r = r.WithContext(ctx)
	answer := &recorder{ResponseWriter: w}
	if r.Body != nil && r.Body != http.NoBody {
		answer.body = v.bodies.receive(w, r.Body, req, whole, streams)
		defer func() {
			if !answer.isBroken {
				answer.body.finish(r, limit, v.Stopping)
			}
		}()
		defer answer.body.release()
		r.Body = answer.body
	}
	r.Body = http.MaxBytesReader(w, r.Body, limit)
	h := answer.Header()
	h.Set("X-Request-Id", req.ID)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	defer func() {
		p := recover()
		if p == http.ErrAbortHandler {
			answer.isBroken = true
			defer panic(p) // net/http breaks the connection
		} else if p != nil {
			v.Log.Error("panic", "request", req.ID, "stack", string(debug.Stack())) // the value might have a name
			if answer.status == 0 {
				writeProblem(answer, people.Failed(http.StatusInternalServerError, "the service has a bug: its log tells more"))
			}
		}
		// Neither path nor query: they may have what callers keep to themselves.
		route, took := r.Pattern, time.Since(start)
		if answer.code != "" {
			v.Metrics.Count("nrdl_refusals_total", "code", answer.code)
		}
		v.Metrics.request(route, answer.status, took)
		level := slog.LevelInfo
		if route == followRoute && answer.status < http.StatusBadRequest {
			level = slog.LevelDebug
		}
		v.Log.Log(context.WithoutCancel(ctx), level, "request", "request", req.ID, "route", route, "status",
			answer.status, "ms", took.Milliseconds(), "actor", req.Actor)
	}()
	v.guard.ServeHTTP(answer, r)
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		v.jobs.MayHaveChanged()
	}
}

// A recorder notes the status of an answer. When the answer begins, it releases the memory of
// the body of the request.
type recorder struct {
	http.ResponseWriter
	status   int
	code     string        // of a problem; "" for another answer
	body     *arriving     // nil: none
	copy     *bytes.Buffer // gets a copy of the answer; nil: none
	isBroken bool          // the connection ends without the rest of the answer
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
	if r.copy != nil {
		r.copy.Write(b)
	}
	return r.ResponseWriter.Write(b)
}

// Unwrap is for http.ResponseController.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
