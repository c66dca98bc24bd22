package cluster

import (
	"bytes"
	"cmp"
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"iter"
	"strconv"
	"sync"
	"sync/atomic"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/frontend/embedding"
)

// photos is the kind of tasks that identify faces. In a piece, which is a photograph, a worker
// finds the faces and cuts them out; the coordinator names them.
const photos = "identify"

// A photoSpec is the spec of photos.
type photoSpec struct {
	Input    frontend.Pipeline `json:"input"` // of the model
	Find     face.Options      `json:"find"`
	Detector string            `json:"detector,omitempty"` // of Find, or else of the model
}

// A photo is a piece of photos.
type photo struct {
	Name    string
	Details bool
	Data    []byte // of the file
}

// A photoResult is the result for a photo.
type photoResult struct {
	Size image.Point
	Seen []photoFace
	Err  *failure
}

// A photoFace is a face.Seen in a message.
type photoFace struct {
	Face    *face.Face
	Values  []float64
	Refused *failure
	Total   int
	Smaller int
	Thumb   *image.RGBA
}

// A failure is an error in a message.
type failure struct {
	Text   string        `json:"text"`
	Advice advice.Advice `json:"advice,omitempty"`
}

func failureOf(err error) *failure {
	if err == nil {
		return nil
	}
	return &failure{err.Error(), advice.Of(err)}
}

func (f *failure) err() error {
	switch {
	case f == nil:
		return nil
	case f.Advice != nil:
		return advice.Add(errors.New(f.Text), "%v", f.Advice)
	}
	return errors.New(f.Text)
}

// pending has the results of pieces for those who wait for them. The zero value is empty.
type pending[T any] struct {
	mu       sync.Mutex
	channels map[string]chan T // by the key of the piece
}

// channel returns the channel that gets the result of a piece, and whether this is the first
// call for it.
func (p *pending[T]) channel(key string) (ch chan T, isNew bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	ch, ok := p.channels[key]
	if !ok {
		if p.channels == nil {
			p.channels = map[string]chan T{}
		}
		ch = make(chan T, 1)
		p.channels[key] = ch
	}
	return ch, !ok
}

// deliver sends the result of a piece. A second result is left out.
func (p *pending[T]) deliver(key string, result T) {
	ch, _ := p.channel(key)
	select {
	case ch <- result:
	default:
	}
}

// has reports whether somebody waits for a piece.
func (p *pending[T]) has(key string) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.channels[key] != nil
}

// remove removes a piece that nobody waits for any more.
func (p *pending[T]) remove(key string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.channels, key)
}

// IdentifyAll returns the results of r.IdentifyAll, but the workers of c find the faces in the
// photographs. find has the options with which r looks for faces. origin distinguishes this work
// from other work of this machine. version is the version of the program; workers of another
// version refuse. tell is called with the status every second; it may be nil.
func (c *Cluster) IdentifyAll(ctx context.Context, r *faces.Recogniser, find face.Options,
	all iter.Seq[faces.Photo], origin, version string, tell func(Status),
) iter.Seq2[faces.Result, error] {
	return func(yield func(faces.Result, error) bool) {
		fail := func(err error) { yield(faces.Result{}, fmt.Errorf("identify on workers: %w", err)) }
		k, err := c.beginPhotos(ctx, r, find, origin, version, tell)
		if err != nil {
			fail(err)
			return
		}
		inner, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		l := &photoQueue{coordinator: k}
		go func() {
			cancel(k.receive(inner, l.results.has, func(key string, data []byte) (bool, error) {
				l.results.deliver(key, data)
				return true, nil
			}))
		}()
		queued := func(yield func(faces.Photo) bool) {
			for p := range all {
				p.Look = func(ctx context.Context, data []byte) ([]face.Seen, image.Point, error) { return l.look(ctx, p, data) }
				if !yield(p) {
					return
				}
			}
		}
		for result, err := range r.IdentifyAll(inner, queued) {
			if !yield(result, err) {
				break
			}
		}
		k.end(ctx)
	}
}

func (c *Cluster) beginPhotos(ctx context.Context, r *faces.Recogniser, find face.Options,
	origin, version string, tell func(Status),
) (*coordinator, error) {
	by := cmp.Or(find.Search, r.Model().Search)
	spec, err := json.Marshal(photoSpec{r.Model().Pipeline, find, by.String()})
	if err != nil {
		return nil, err
	}
	return c.begin(ctx, task{Kind: photos, Spec: spec, Version: version}, origin, false, tell)
}

// A photoQueue has workers find the faces in photographs.
type photoQueue struct {
	*coordinator
	count   atomic.Int64
	results pending[[]byte] // encoded photoResults
}

// look finds the faces in a photograph, as faces.Photo.Look does.
func (l *photoQueue) look(ctx context.Context, p faces.Photo, data []byte) ([]face.Seen, image.Point, error) {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(photo{p.Name, p.Details, data}); err != nil {
		return nil, image.Point{}, err
	}
	key := strconv.FormatInt(l.count.Add(1), 10)
	ch, _ := l.results.channel(key)
	defer l.results.remove(key)
	if err := l.put(ctx, key, b.Bytes()); err != nil {
		return nil, image.Point{}, err
	}
	var s photoResult
	select {
	case <-ctx.Done():
		return nil, image.Point{}, context.Cause(ctx)
	case result := <-ch:
		if err := gob.NewDecoder(bytes.NewReader(result)).Decode(&s); err != nil {
			return nil, image.Point{}, fmt.Errorf("%s: a worker sent what is no result: %w", p.Name, err)
		}
	}
	var all []face.Seen
	for _, one := range s.Seen {
		all = append(all, face.Seen{
			Face: one.Face, Values: one.Values, Reason: one.Refused.err(),
			Total: one.Total, Smaller: one.Smaller, Thumb: one.Thumb,
		})
	}
	return all, s.Size, s.Err.err()
}

// A photoMaker finds the faces in photographs.
type photoMaker struct {
	cut     face.Cut
	detects bool
	which   face.Which
}

func newPhotoMaker(_ context.Context, _ *Worker, spec json.RawMessage) (maker, error) {
	s, err := decodeJSON[photoSpec](spec)
	if err != nil {
		return nil, err
	}
	m := photoMaker{
		cut:     face.Cut{Frame: s.Input.Frame},
		detects: s.Find.Detect != face.Never && !s.Input.Eyes.IsZero(), which: cmp.Or(s.Find.Which, face.All),
	}
	if !s.Input.Embedding.IsZero() {
		by, err := embedding.Restore(s.Input.Frame, nil, nil)
		if err != nil {
			return nil, err
		}
		m.cut.Embedder = by
	}
	if s.Detector != "" {
		m.cut.Search, err = face.OpenSearch(s.Detector)
	}
	return m, err
}

func (m photoMaker) make(ctx context.Context, _ string, data []byte) ([]byte, error) {
	var p photo
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&p); err != nil {
		return nil, junk(err)
	}
	cut := m.cut
	cut.Thumbs = p.Details
	all, size, err := face.Decode(ctx, p.Data, p.Name, m.detects, m.which, cut)
	if cause := context.Cause(ctx); cause != nil {
		return nil, cause
	}
	s := photoResult{Size: size, Err: failureOf(err)}
	for _, one := range all {
		s.Seen = append(s.Seen, photoFace{one.Face, one.Values, failureOf(one.Reason), one.Total, one.Smaller, one.Thumb})
	}
	return encoded(s)
}

func (photoMaker) fail(_ string, err error) ([]byte, error) {
	return encoded(photoResult{Err: failureOf(err)})
}

func encoded(s photoResult) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(s)
	return b.Bytes(), err
}
