// Package people keeps who is known: collections, people, faces and labels in a store, and for each
// collection a recogniser in memory that knows its last change. It finds and names faces in
// photographs. It knows nothing of HTTP beside the statuses of its errors.
//
//	v := people.New(s, people.Options{}.WithDefaults())
//	photo, err := v.Identify(ctx, collection, form, "photo", people.Question{})
//
// Experimental: this package may change in any version.
package people

import (
	"cmp"
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/server/store"
)

// Options are settings and limits of a Service. A zero stands for the default.
type Options struct {
	Log    *slog.Logger                    // nil: nothing is logged
	Count  func(name, label, value string) // counts for the metrics; nil: nothing is counted
	Seen   func(Sighting)                  // is called for each photograph that Identify looked at, and returns at once; may be nil
	Photos string                          // folder with originals of photographs, which is only read; "": none are shown
	Input  frontend.Pipeline               // network of new and refitted collections; the zero Pipeline is the one that is built in
	Search *face.Search                    // finds the faces; nil: face.DefaultSearch

	MaxImageBytes int64         // most memory of the images that are decoded at one time, in bytes; dataset.MaxDecoding
	Wait          time.Duration // longest wait for memory to decode an image; 10 s
	Import        int64         // most bytes of an original; 1 GB
	MaxGroupFaces int           // most faces without a person that are grouped at one time; 4000
}

// WithDefaults returns o with defaults instead of zeros.
func (o Options) WithDefaults() Options {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.Count == nil {
		o.Count = func(_, _, _ string) {}
	}
	if o.Seen == nil {
		o.Seen = func(Sighting) {}
	}
	o.MaxImageBytes, o.Wait = cmp.Or(o.MaxImageBytes, dataset.MaxDecoding), cmp.Or(o.Wait, 10*time.Second)
	o.Import, o.MaxGroupFaces = cmp.Or(o.Import, 1<<30), cmp.Or(o.MaxGroupFaces, maxGrouped)
	return o
}

// A Service knows the people of all collections of a store. It is safe for concurrent use.
type Service struct {
	Options
	Memory   *Memory     // of images that are decoded
	IsLoaded atomic.Bool // whether Load has ended

	store     *store.Store
	engine    *engine
	curves    curves
	originals originals
	visiting
}

// New returns a Service on a store. The caller closes the store.
func New(s *store.Store, o Options) *Service {
	o = o.WithDefaults()
	e := newEngine(s, o.Input, o.Search)
	return &Service{
		Options: o, Memory: newMemory(o.MaxImageBytes, o.Wait), store: s, engine: e,
		visiting: visiting{store: s, engine: e, log: o.Log, wait: o.Wait},
	}
}

// Space names the network of new collections, as their vectors have it.
func (v *Service) Space() string { return v.engine.inputs[0].space }

// SpaceOf names the network of a collection that has a space in the store. It is an error if the service
// does not have that network.
func (v *Service) SpaceOf(space string) (string, error) {
	in, err := v.engine.input(space)
	if err != nil {
		return "", err
	}
	return in.space, nil
}

// CheckNetwork returns an error unless the collection exists and the service has its network.
func (v *Service) CheckNetwork(ctx context.Context, collection string) error {
	_, err := v.engine.inputOf(ctx, collection)
	return err
}

// Recogniser returns what recognises the people of a collection now; nil if too few are enrolled. Their
// names are ids.
func (v *Service) Recogniser(ctx context.Context, collection string) (*faces.Recogniser, error) {
	s, err := v.engine.snapshot(ctx, collection)
	if err != nil {
		return nil, err
	}
	return s.live, nil
}

// Publish makes a change of a collection visible to the next request, unless it failed with err.
func (v *Service) Publish(ctx context.Context, collection string, err error) error {
	if err != nil {
		return err
	}
	return v.engine.publish(ctx, collection)
}

// Forget removes a collection that was deleted from memory.
func (v *Service) Forget(ctx context.Context, collection string) {
	_, _ = v.engine.snapshot(ctx, collection)
}

// Pause waits for a time, for wake, or for ctx to end.
func Pause(ctx context.Context, d time.Duration, wake <-chan struct{}) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-wake:
	case <-t.C:
	}
}

// A Caller is who sends a request, or has started a job.
type Caller struct {
	ID    string // of the request or job
	Actor string // id of the key; "local" without a key
	Job   bool   // not a request but a job, which has no time limit
}

type callerKey struct{}

// WithCaller returns a context for a request of c, who may still be changed.
func WithCaller(ctx context.Context, c *Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c)
}

// CallerOf returns the caller of a context; never nil.
func CallerOf(ctx context.Context) *Caller {
	if c, _ := ctx.Value(callerKey{}).(*Caller); c != nil {
		return c
	}
	return &Caller{}
}

// A Form has the image files of a request. They arrive when they are asked for.
type Form interface {
	// File returns the only file, which has to be in a field.
	File(field string) ([]byte, error)
	// Files returns all files. A file outside of fields is an error.
	Files(fields ...string) ([]File, error)
}

// A File is a file of a form.
type File struct {
	Field string
	Data  []byte
}
