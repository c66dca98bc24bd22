package worker

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

	"nrdl.example/nrdl"
	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/face"
	"nrdl.example/nrdl/frontend"
	"nrdl.example/nrdl/frontend/embedding"
)

// photos is the kind of task whose pieces are photographs: a worker finds the faces and cuts
// them out, and the coordinator names them.
const photos = "identify"

// looking is the spec of photos.
type looking struct {
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
	Seen []seen
	Err  *failure
}

// seen is a face.Seen.
type seen struct {
	Face    *face.Face
	Values  []float64
	Refused *failure
	Of      int
	Smaller int
	Thumb   *image.RGBA
}

// A failure is an error on its way.
type failure struct{ Text, Hint string }

func failureOf(err error) *failure {
	if err == nil {
		return nil
	}
	return &failure{err.Error(), advice.Text(err)}
}

func (f *failure) err() error {
	switch {
	case f == nil:
		return nil
	case f.Hint != "":
		return advice.Add(errors.New(f.Text), "%s", f.Hint)
	}
	return errors.New(f.Text)
}

// IdentifyAll is IdentifyAll of r with the work on each photograph on the workers of c. find
// are the options of r, origin tells this work from others of this machine, and version is
// that of the program. Tell, which may be nil, is called with the status every second.
func (c *Cluster) IdentifyAll(ctx context.Context, r *nrdl.Recogniser, find face.Options, all iter.Seq[nrdl.Photo], origin, version string, tell func(Status)) iter.Seq2[nrdl.Result, error] {
	return func(yield func(nrdl.Result, error) bool) {
		fail := func(err error) { yield(nrdl.Result{}, fmt.Errorf("identify on workers: %w", err)) }
		k, err := c.beginPhotos(ctx, r, find, origin, version, tell)
		if err != nil {
			fail(err)
			return
		}
		inner, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		l := &lookout{coordinator: k, waiting: map[string]chan []byte{}}
		go func() { cancel(k.receive(inner, l.wants, l.use)) }()
		looked := func(yield func(nrdl.Photo) bool) {
			for p := range all {
				p.Look = func(ctx context.Context, data []byte) ([]face.Seen, image.Point, error) { return l.look(ctx, p, data) }
				if !yield(p) {
					return
				}
			}
		}
		for result, err := range r.IdentifyAll(inner, looked) {
			if !yield(result, err) {
				break
			}
		}
		k.end(ctx)
	}
}

func (c *Cluster) beginPhotos(ctx context.Context, r *nrdl.Recogniser, find face.Options, origin, version string, tell func(Status)) (*coordinator, error) {
	by := cmp.Or(find.By, r.Model().Search)
	spec, err := json.Marshal(looking{r.Model().Pipeline, find, by.String()})
	if err != nil {
		return nil, err
	}
	return c.begin(ctx, task{Kind: photos, Spec: spec, Version: version}, origin, false, tell)
}

// A lookout waits for the results of photographs.
type lookout struct {
	*coordinator
	mu      sync.Mutex
	next    int
	waiting map[string]chan []byte // by key
}

func (l *lookout) wants(key string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.waiting[key] != nil
}

func (l *lookout) use(key string, data []byte) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if ch := l.waiting[key]; ch != nil {
		ch <- data
		delete(l.waiting, key)
	}
	return true, nil
}

// look has a worker look at a photograph: nrdl.Recogniser.Look.
func (l *lookout) look(ctx context.Context, p nrdl.Photo, data []byte) ([]face.Seen, image.Point, error) {
	var b bytes.Buffer
	if err := gob.NewEncoder(&b).Encode(photo{p.Name, p.Details, data}); err != nil {
		return nil, image.Point{}, err
	}
	ch := make(chan []byte, 1)
	l.mu.Lock()
	l.next++
	key := strconv.Itoa(l.next)
	l.waiting[key] = ch
	l.mu.Unlock()
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
		all = append(all, face.Seen{Face: one.Face, Values: one.Values, Refused: one.Refused.err(), Of: one.Of, Smaller: one.Smaller, Thumb: one.Thumb})
	}
	return all, s.Size, s.Err.err()
}

// photoMaker looks at photographs.
type photoMaker struct {
	cut     face.Cut
	detects bool
	which   face.Which
}

func newPhotoMaker(_ context.Context, _ *Worker, spec json.RawMessage) (maker, error) {
	var s looking
	if err := json.Unmarshal(spec, &s); err != nil {
		return nil, junk(err)
	}
	m := photoMaker{
		cut:     face.Cut{Frame: s.Input.Frame},
		detects: s.Find.Detect != face.Never && !s.Input.Eyes.IsZero(), which: cmp.Or(s.Find.Which, face.All),
	}
	if !s.Input.Embedding.IsZero() {
		by, err := embedding.Restore(s.Input.Frame, nil)
		if err != nil {
			return nil, err
		}
		m.cut.Embedder = by
	}
	var err error
	if s.Detector != "" {
		m.cut.By, err = face.OpenSearch(s.Detector)
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
		s.Seen = append(s.Seen, seen{one.Face, one.Values, failureOf(one.Refused), one.Of, one.Smaller, one.Thumb})
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
