// Package server is the service that names faces over HTTP, and keeps people and faces in a store. The
// caller chooses the listener. Without a key in the store, the service answers requests from this
// machine only, and none that a proxy has sent. Package api has the routes, which call jobs and people;
// these call the store.
//
//	s, err := store.Open(ctx, "people.db")
//	v := server.New(s, server.Options{})
//	err = v.Serve(ctx, listener)
//
// Experimental: this package may change in any version.
package server

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/openset"
	"nrdl.example/nrdl/server/api"
	"nrdl.example/nrdl/server/jobs"
	"nrdl.example/nrdl/server/login"
	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

// Options are settings and limits of a Service. A zero stands for the default.
type Options struct {
	Log     *slog.Logger      // nil: nothing is logged
	Version string            // version of the program, for the description of the API
	Photos  string            // folder with originals of photographs, which is only read; "": none are shown
	Tags    bool              // names may be written beside the photographs in Photos
	Album   jobs.AlbumMaker   // makes albums of the photographs in Photos; nil: there are none
	Backups string            // folder for backups, made when needed; "": backups are refused
	Input   frontend.Pipeline // network of new and refitted collections; the zero Pipeline is the one that is built in
	Search  *face.Search      // finds the faces; nil: face.DefaultSearch

	Seen func(people.Sighting) // is called for each photograph that is identified, and returns at once; may be nil

	Body int64 // most bytes of a request; 20 MB
	// most bytes of all requests in memory, half of it for one key; 512 MB, or a fifth of dataset.Budget()
	// if that is limited
	Bodies        int64
	part          time.Duration // longest time for 10 kB of a body to arrive; 10 s
	MaxImageBytes int64         // most memory of the images that are decoded at one time, in bytes; what the requests leave of dataset.Budget()
	Rate          rate.Limit    // requests a second with one key; 200
	Burst         int           // requests of one key at once; 2000
	Wait          time.Duration // longest wait for memory to decode an image; 10 s
	Lease         time.Duration // time after which another process takes over the jobs and requests of one that has ended; 20 s
	Import        int64         // most bytes of an upload for an import; 1 GB
	Files         int64         // most bytes of all stored uploads and exports; 4 GB
	Private       bool          // hooks may have addresses in private networks and on this machine
	Request       time.Duration // longest time for an answer; 60 s

	Origins    []string // of the pages of other sites that may send requests (api.CheckOrigin)
	CompreFace string   // name of the collection for which some calls of CompreFace are answered; "": they are not

	Login *login.Provider // at which people log in; nil: there are keys only, or none
}

// WithDefaults returns o with defaults instead of zeros.
func (o Options) WithDefaults() Options {
	bodies, images := shares(dataset.Budget())
	o.Bodies, o.MaxImageBytes = cmp.Or(o.Bodies, max(bodies, o.Body)), cmp.Or(o.MaxImageBytes, images)
	a, j, p := o.api().WithDefaults(), o.jobs().WithDefaults(), o.people().WithDefaults()
	o.Log, o.Body, o.part, o.Rate, o.Burst, o.Request = a.Log, a.Body, a.Part, a.Rate, a.Burst, a.Request
	o.Wait, o.Lease, o.Import, o.Files = p.Wait, j.Lease, j.Import, j.Files
	return o
}

func (o Options) api() api.Options {
	return api.Options{
		Log: o.Log, Version: o.Version, Body: o.Body, Bodies: o.Bodies, Part: o.part, Rate: o.Rate, Burst: o.Burst,
		Lease: o.Lease, Import: o.Import, Request: o.Request, Origins: o.Origins, CompreFace: o.CompreFace, Login: o.Login,
	}
}

func (o Options) jobs() jobs.Options {
	return jobs.Options{
		Log: o.Log, Backups: o.Backups, Tags: o.Tags && o.Photos != "", Album: o.Album, Private: o.Private, Body: o.Body, Import: o.Import,
		Files: o.Files, Lease: o.Lease, Wait: o.Wait,
	}
}

func (o Options) people() people.Options {
	return people.Options{
		Log: o.Log, Seen: o.Seen, Photos: o.Photos, Input: o.Input, Search: o.Search,
		MaxImageBytes: o.MaxImageBytes, Wait: o.Wait, Import: o.Import,
	}
}

// shares divides memory between the bodies of requests and the images that are decoded.
func shares(memory int64) (bodies, images int64) {
	if memory >= dataset.MaxDecoding { // it is not limited
		return 512 << 20, dataset.MaxDecoding
	}
	bodies = memory / 5
	return bodies, memory - api.InMemory*bodies
}

// CheckMemory returns an error if the bodies of requests and the images that are decoded may take
// more than this process has.
func (o Options) CheckMemory() error { return o.fits(dataset.Budget()) }

func (o Options) fits(memory int64) error {
	if need := api.InMemory*o.Bodies + o.MaxImageBytes; memory < dataset.MaxDecoding && need > memory {
		return fmt.Errorf(
			"%d MB for requests, twice, and %d MB for images do not fit into the %d MB that the memory limit of this process leaves",
			o.Bodies/1_000_000, o.MaxImageBytes/1_000_000, memory/1_000_000)
	}
	return nil
}

// A Service is an http.Handler that also works on jobs.
type Service struct {
	*api.Service
	options  Options
	store    *store.Store
	people   *people.Service
	jobs     *jobs.Service
	stopping chan struct{} // closed when the context of Serve ends
}

// New returns a Service on a store. The caller closes the store.
func New(s *store.Store, o Options) *Service {
	o = o.WithDefaults()
	v := &Service{options: o, store: s, stopping: make(chan struct{})}
	ofAPI, ofJobs, ofPeople := o.api(), o.jobs(), o.people()
	ofAPI.Metrics, ofAPI.Stopping = api.NewMetrics(), v.stopping
	ofJobs.Count, ofPeople.Count = ofAPI.Metrics.Count, ofAPI.Metrics.Count
	v.people = people.New(s, ofPeople)
	v.jobs = jobs.New(s, v.people, ofJobs)
	v.Service = api.New(s, v.people, v.jobs, ofAPI)
	return v
}

// Work works on jobs and sends messages until ctx ends. Jobs that are not finished then wait for
// another process. Serve calls it.
func (v *Service) Work(ctx context.Context) { v.jobs.Work(ctx) }

// ImportPhotos starts a job that adds the faces of Options.Photos to the oldest collection, which is made, with
// this name, if there is none. It returns the id of the collection.
func (v *Service) ImportPhotos(ctx context.Context, name string) (collection string, err error) {
	ctx = people.WithCaller(ctx, &people.Caller{Actor: "local"})
	all, err := v.store.Collections(ctx, "", 1)
	if err != nil {
		return "", err
	}
	if len(all) > 0 {
		collection = all[0].ID
	} else {
		c, err := v.store.CreateCollection(ctx, "local", name, openset.Default.FPIR, v.people.Space())
		if err != nil {
			return "", err
		}
		collection = c.ID
	}
	_, err = v.jobs.ImportOriginals(ctx, collection)
	return collection, err
}

// Grace is the time that a service has, when it ends, for the requests that are not answered yet.
const Grace = 10 * time.Second

// Serve answers requests on a listener and works on jobs until ctx ends. Requests that are not
// answered then have Grace. It may be called once.
func (v *Service) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler: v, ErrorLog: slog.NewLogLogger(v.options.Log.Handler(), slog.LevelWarn),
		ReadHeaderTimeout: 5 * time.Second, ReadTimeout: api.WholeBody, WriteTimeout: v.options.Request + time.Minute,
		IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 1 << 16,
	}
	if err := v.MakeCompreFace(ctx); err != nil { // the first call tries again
		v.options.Log.Warn("the collection of CompreFace is not made", "error", err.Error())
	}
	inner, stop := context.WithCancel(ctx)
	var working sync.WaitGroup
	working.Go(func() { v.Work(inner) })
	if v.options.Login != nil {
		working.Go(func() {
			if err := v.options.Login.Discover(inner); err != nil && inner.Err() == nil { // each login tries again
				v.options.Log.Warn("nobody can log in", "error", err.Error())
			}
		})
	}
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
