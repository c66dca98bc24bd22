package worker

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"iter"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"nrdl"
	"nrdl/face"
	"nrdl/internal/hint"
)

// photos is the kind of task whose pieces are photographs: a worker finds the faces and cuts
// them out, and the coordinator names them.
const photos = "identify"

// looking is the spec of photos.
type looking struct {
	Model    string       `json:"model"` // the file of the model on the server
	Find     face.Options `json:"find"`
	Detector string       `json:"detector,omitempty"` // of Find
}

// A photo is a piece of photos.
type photo struct {
	Name    string
	Details bool
	Data    []byte // of the file
}

// A sight is the result for a photo.
type sight struct {
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
	return &failure{err.Error(), hint.Of(err)}
}

func (f *failure) err() error {
	switch {
	case f == nil:
		return nil
	case f.Hint != "":
		return hint.Add(errors.New(f.Text), "%s", f.Hint)
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
		if err := k.end(ctx); err != nil {
			fail(err)
		}
	}
}

func (c *Cluster) beginPhotos(ctx context.Context, r *nrdl.Recogniser, find face.Options, origin, version string, tell func(Status)) (*coordinator, error) {
	var model bytes.Buffer
	if err := r.Write(&model); err != nil {
		return nil, err
	}
	sum := sha256.Sum256(model.Bytes())
	file := "model-" + hex.EncodeToString(sum[:12]) + ".nrdl"
	if err := c.offer(ctx, file, func() ([]byte, error) { return model.Bytes(), nil }); err != nil {
		return nil, err
	}
	spec, err := json.Marshal(looking{file, find, find.By.String()})
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
	var s sight
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
type photoMaker struct{ r *nrdl.Recogniser }

func newPhotoMaker(ctx context.Context, w *Worker, spec json.RawMessage) (maker, error) {
	var s looking
	if err := json.Unmarshal(spec, &s); err != nil {
		return nil, err
	}
	if s.Detector != "" {
		by, err := face.OpenSearch(s.Detector)
		if err != nil {
			return nil, err
		}
		s.Find.By = by
	}
	data, err := w.file(ctx, s.Model)
	if err != nil {
		return nil, fmt.Errorf("fetch the model: %w", err)
	}
	folder, err := os.MkdirTemp("", "nrdl")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "model.nrdl")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		return nil, err
	}
	r, err := nrdl.Open(path)
	if err == nil {
		r, err = r.With(s.Find, nrdl.Observer{})
	}
	return photoMaker{r}, err
}

func (m photoMaker) make(ctx context.Context, _ string, data []byte) ([]byte, error) {
	var p photo
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&p); err != nil {
		return nil, fmt.Errorf("what is in the queue is no photograph: %w", err)
	}
	all, size, err := m.r.Look(ctx, nrdl.Photo{Name: p.Name, Details: p.Details}, p.Data)
	if cause := context.Cause(ctx); cause != nil {
		return nil, cause
	}
	s := sight{Size: size, Err: failureOf(err)}
	for _, one := range all {
		s.Seen = append(s.Seen, seen{one.Face, one.Values, failureOf(one.Refused), one.Of, one.Smaller, one.Thumb})
	}
	return encoded(s)
}

func (photoMaker) fail(_ string, err error) ([]byte, error) {
	return encoded(sight{Err: failureOf(err)})
}

func encoded(s sight) ([]byte, error) {
	var b bytes.Buffer
	err := gob.NewEncoder(&b).Encode(s)
	return b.Bytes(), err
}
