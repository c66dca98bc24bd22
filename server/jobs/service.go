// Package jobs carries out what takes long and goes on when a process ends: imports, exports, refits,
// and messages to the hooks of other programs. Several processes may share the jobs of one store.
//
//	j := jobs.New(s, people.New(s, people.Options{}), jobs.Options{})
//	go j.Work(ctx)
//
// Experimental: this package may change in any version.
package jobs

import (
	"cmp"
	"context"
	"log/slog"
	"math"
	"net/http"
	"time"

	"nrdl.example/nrdl/server/people"
	"nrdl.example/nrdl/server/store"
)

// Options are settings and limits of a Service. A zero stands for the default.
type Options struct {
	Log     *slog.Logger                    // nil: nothing is logged
	Count   func(name, label, value string) // counts for the metrics; nil: nothing is counted
	Backups string                          // folder for backups; "": none are made
	Tags    bool                            // names may be written beside the photographs of the folder of originals
	Album   AlbumMaker                      // nil: no albums are made
	Private bool                            // hooks may have addresses in private networks and on this machine

	Body   int64         // most bytes of a file in an archive; 20 MB
	Import int64         // most bytes of an archive; 1 GB
	Files  int64         // most bytes of all stored uploads and exports; 4 GB
	Lease  time.Duration // time after which another process takes over the jobs of one that has ended; 20 s
	Wait   time.Duration // longest time to note the end of a job; 10 s
}

// WithDefaults returns o with defaults instead of zeros.
func (o Options) WithDefaults() Options {
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	if o.Count == nil {
		o.Count = func(_, _, _ string) {}
	}
	o.Body, o.Import, o.Files = cmp.Or(o.Body, 20<<20), cmp.Or(o.Import, 1<<30), cmp.Or(o.Files, 4<<30)
	o.Lease, o.Wait = cmp.Or(o.Lease, 20*time.Second), cmp.Or(o.Wait, 10*time.Second)
	return o
}

// A Service carries out the jobs of a store. It is safe for concurrent use.
type Service struct {
	Options
	store         *store.Store
	people        *people.Service
	wake, changed chan struct{} // there is a job; there may be messages
	sender        *http.Client  // of messages
}

// New returns a Service on a store whose people p knows. The caller closes the store.
func New(s *store.Store, p *people.Service, o Options) *Service {
	o = o.WithDefaults()
	return &Service{
		Options: o, store: s, people: p, wake: make(chan struct{}, 1), changed: make(chan struct{}, senders),
		sender: newSender(o.Private),
	}
}

// NewWriter returns the file of a new import.
func (v *Service) NewWriter(ctx context.Context, collection string) *Writer {
	return &Writer{Job: store.NewID(), ctx: ctx, store: v.store, collection: collection, limit: math.MaxInt64}
}

// StartImport starts the import of a file that was written by NewWriter.
func (v *Service) StartImport(ctx context.Context, f *Writer, r ImportRequest) (store.Job, error) {
	r.Bytes = f.Size
	return v.Enqueue(ctx, store.Job{Collection: f.collection, ID: f.Job, Kind: kindImport, Payload: people.AsJSON(r)})
}

// keyOriginals is that of an import of the folder of originals, which is there once, until it ends.
const keyOriginals = "originals"

// ImportOriginals starts the import of the folder of originals. One that has not ended is cancelled: files may be
// new since it began.
func (v *Service) ImportOriginals(ctx context.Context, collection string) (store.Job, error) {
	j := store.Job{Collection: collection, Kind: kindImport, Key: keyOriginals, Payload: people.AsJSON(ImportRequest{Originals: true})}
	for {
		started, err := v.Enqueue(ctx, j)
		if err != nil || started.Attempts == 0 && started.State == store.Waiting {
			return started, err
		}
		if _, err := v.store.Cancel(ctx, people.CallerOf(ctx).Actor, collection, started.ID); err != nil {
			return started, err
		}
	}
}
