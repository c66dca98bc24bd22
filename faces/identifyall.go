package faces

import (
	"bytes"
	"context"
	"image"
	"iter"
	"runtime"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/explain"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/internal/kit/metadata"
)

// A Photo is a photograph whose faces are to be identified.
type Photo struct {
	Name string                 // of the image file, for errors
	Load func() ([]byte, error) // returns its content; called once, by any goroutine; nil: the file Name is read

	Details bool // whether its faces get a Thumb and the Nearest photographs

	At *face.Place // if not nil, its only face is the one that is there; ignored if Look is set

	// Decoded, if not nil, is called with the photograph, by any goroutine, before its faces are
	// searched for. Its error becomes that of the photograph. It is not called if Look is set.
	Decoded func(*dataset.Photo) error

	// Look, if not nil, finds the faces and cuts them out, in another process or on
	// another machine; size is that of the upright photograph.
	Look func(ctx context.Context, data []byte) (seen []face.Seen, size image.Point, err error)
}

// load returns the content of the file. Memory for its image is reserved until done, if it is read
// here.
func (p Photo) load(ctx context.Context) (data []byte, _ context.Context, done func(), err error) {
	switch {
	case p.Load != nil:
		data, err = p.Load()
	case p.Look != nil: // it is decoded elsewhere
		data, err = dataset.ReadFile(p.Name)
	default:
		return dataset.Load(ctx, p.Name, 0)
	}
	return data, ctx, func() {}, err
}

// A Result is the result of IdentifyAll for one Photo.
type Result struct {
	Photo Photo
	Size  image.Point // of the upright photograph; zero if the image is used as it is
	Faces []Face      // the largest first; empty if no face was found

	StoredSize  image.Point // size of the photograph as it is stored; zero if Size is
	Orientation int         // 1 … 8, as that of EXIF: how the stored photograph is turned upright; 0 if Size is zero
	Taken       time.Time   // by the clock of the camera, as if it were UTC; zero if EXIF does not tell

	// Smaller is the number of faces in the background, less than half as large as the
	// largest, that are left out: face.Every takes them too.
	Smaller int
}

// How many photographs are read ahead of the next one in order, and identified together.
const (
	ahead    = 64
	together = 64                     // photographs or faces; a batch ends with the first of them
	patience = 200 * time.Millisecond // after which a batch is identified that is not full
)

// A job is a photograph; done is closed when its faces were searched for.
type job struct {
	Result
	err  error
	done chan struct{}
}

// IdentifyAll returns the faces of each photograph, in the order of photos. It uses all
// processors and keeps a bounded number of photographs in memory. An error concerns one
// photograph, and results of the next ones follow; if ctx ends, the last error is that of
// ctx. Explain takes a Face of Identify, not of IdentifyAll.
func (r *Recogniser) IdentifyAll(ctx context.Context, photos iter.Seq[Photo]) iter.Seq2[Result, error] {
	return func(yield func(Result, error) bool) {
		if photos == nil {
			return
		}
		if err := noContext(ctx); err != nil {
			yield(Result{}, err)
			return
		}
		inner, cancel := context.WithCancel(ctx)
		var workers sync.WaitGroup
		defer workers.Wait()
		defer cancel()
		next, queue := make(chan *job), make(chan *job, ahead)
		workers.Go(func() {
			defer close(queue)
			defer close(next)
			for p := range photos {
				j := &job{Result: Result{Photo: p}, done: make(chan struct{})}
				for _, to := range []chan *job{queue, next} {
					select {
					case to <- j:
					case <-inner.Done():
						return
					}
				}
			}
		})
		processors := semaphore.NewWeighted(int64(runtime.GOMAXPROCS(0)))
		for range ahead {
			workers.Go(func() {
				for j := range next {
					j.err = r.read(inner, j, processors)
					close(j.done)
				}
			})
		}
		for batch := range batches(inner, queue) {
			err := r.nameBatch(inner, batch)
			for _, j := range batch {
				if err != nil {
					j.err = err
				}
				if !yield(j.Result, j.err) || err != nil {
					return
				}
			}
		}
		if err := context.Cause(ctx); err != nil {
			yield(Result{}, err)
		}
	}
}

// read looks at the photograph of j.
func (r *Recogniser) read(ctx context.Context, j *job, processors *semaphore.Weighted) error {
	if err := r.checkPhotos(ctx); err != nil {
		return err
	}
	look := j.Photo.Look
	if look == nil {
		look = func(ctx context.Context, data []byte) ([]face.Seen, image.Point, error) {
			return r.lookAt(ctx, j.Photo, data)
		}
		if err := processors.Acquire(ctx, 1); err != nil {
			return context.Cause(ctx)
		}
		defer processors.Release(1)
	}
	data, ctx, done, err := j.Photo.load(ctx)
	if err != nil {
		return err
	}
	defer done()
	seen, size, err := look(ctx, data)
	j.Size, j.Faces, j.Smaller = size, facesOf(r.m, seen), smaller(seen)
	h, problem := metadata.Read(bytes.NewReader(data), int64(len(data)))
	if j.Taken = h.Taken; size.X > 0 {
		j.StoredSize, j.Orientation = size, h.Orientation
		if problem == nil && h.Orientation >= 5 {
			j.StoredSize = image.Pt(size.Y, size.X)
		}
	}
	return err
}

// lookAt finds the faces in the photograph p, whose file has the content data, and cuts
// them out, without naming them.
func (r *Recogniser) lookAt(ctx context.Context, p Photo, data []byte) (seen []face.Seen, size image.Point, err error) {
	cut := r.cut()
	cut.Thumbs, cut.Photo, cut.At = p.Details, p.Decoded, p.At
	return face.Decode(ctx, data, p.Name, r.detects(), r.whichFaces(face.All), cut)
}

// smaller is the number of faces that were left out beside those that are seen.
func smaller(seen []face.Seen) int {
	if len(seen) == 0 {
		return 0
	}
	return seen[0].Smaller
}

// nameBatch names the faces of the photographs that could be read.
func (r *Recogniser) nameBatch(ctx context.Context, batch []*job) error {
	var faces [][]Face
	var taken []time.Time
	for _, j := range batch {
		if j.err == nil {
			faces, taken = append(faces, j.Faces), append(taken, j.Taken)
		}
	}
	if err := r.namePhotographs(ctx, taken, faces...); err != nil {
		return err
	}
	for _, j := range batch {
		for i := range j.Faces {
			f := &j.Faces[i]
			if j.Photo.Details && f.Rejection == nil && j.err == nil {
				f.Nearest, f.Values = r.nearest(f), f.values
			}
			f.values, f.result = nil, gallery.Face{}
		}
	}
	return nil
}

// nearest returns Face.Nearest of f.
func (r *Recogniser) nearest(f *Face) (all []explain.Photograph) {
	for _, c := range f.Ranking[:min(2, len(f.Ranking))] {
		if p, ok := explain.Nearest(f.result.Gallery, f.values, c.Name); ok {
			all = append(all, p)
		}
	}
	return all
}

// batches yields what is done, in the order of queue, until ctx ends.
func batches(ctx context.Context, queue <-chan *job) iter.Seq[[]*job] {
	return func(yield func([]*job) bool) {
		var batch []*job
		var first *job // of those that are not in a batch yet
		faces := 0
		for more := true; more; {
			var idle <-chan time.Time
			if len(batch) > 0 {
				idle = time.After(patience)
			}
			in, done := queue, chan struct{}(nil)
			if first != nil {
				in, done = nil, first.done
			}
			select {
			case <-ctx.Done():
				return
			case first, more = <-in:
				if more {
					continue
				}
			case <-done:
				batch = append(batch, first)
				faces += len(first.Faces)
				if first = nil; len(batch) < together && faces < together {
					continue
				}
			case <-idle:
			}
			if len(batch) > 0 && !yield(batch) {
				return
			}
			batch, faces = nil, 0
		}
	}
}

// namePhotographs names the faces of each photograph of all: those of one together, unless r
// takes face.Options.Twice. taken has the time of each photograph; nil if none is known.
func (r *Recogniser) namePhotographs(ctx context.Context, taken []time.Time, all ...[]Face) error {
	if err := r.name(ctx, all...); err != nil {
		return err
	}
	for i, faces := range all {
		var at time.Time
		if taken != nil {
			at = taken[i]
		}
		p := &facesTogether{facts: r.facts, faces: faces, unborn: r.facts.unborn(at), taken: map[string]bool{}}
		p.forbid()
		if !r.detect.Twice {
			p.nameJointly()
		}
	}
	return nil
}

// facesTogether are the faces of a photograph which are named together.
type facesTogether struct {
	facts         *knowledge
	faces         []Face
	unborn, taken map[string]bool // people who were not born, and whose name a face has
}

// excluded reports whether a name cannot be that of another face.
func (p *facesTogether) excluded(name string) bool { return p.unborn[name] || p.taken[name] }

// again decides f among the people who are not excluded.
func (p *facesTogether) again(f *Face) {
	among := f.result.Gallery
	f.result, f.Name, f.Maybe, f.Rival = among.Without(f.result, p.excluded), "", "", ""
	f.set(&f.result, among.Names(), p.excluded)
	p.compare(f)
}

// compare takes the name from f if a rival is too similar.
func (p *facesTogether) compare(f *Face) {
	if f.Rival = p.facts.rival(f, p.excluded); f.Rival != "" {
		f.Known, f.Maybe, f.Name = false, f.Name, ""
	}
}

// forbid takes names from faces that facts forbid.
func (p *facesTogether) forbid() {
	if p.facts == nil {
		return
	}
	for i := range p.faces {
		f := &p.faces[i]
		if len(f.Ranking) == 0 {
			continue
		}
		best := f.Ranking[0].Name
		if !p.unborn[best] {
			p.compare(f)
			continue
		}
		if f.Known {
			f.Unborn = best
		}
		p.again(f)
	}
}

// nameJointly sees to it that no two faces have one name. The face with the best deciding score keeps
// its name. Another face that would have it too is decided among the people that no better face
// shows: it gets the name of the next best if that reaches the threshold, and is unknown
// otherwise. Whose name a face has is no rival of other faces any more.
func (p *facesTogether) nameJointly() {
	settled := make([]bool, len(p.faces))
	for {
		best := -1
		for i, f := range p.faces {
			if f.Known && !settled[i] && (best < 0 || f.Margin > p.faces[best].Margin) {
				best = i
			}
		}
		if best < 0 {
			return
		}
		f := &p.faces[best]
		if p.taken[f.Name] {
			if f.LostName == "" {
				f.LostName = f.Name
			}
			p.again(f)
			continue
		}
		p.taken[f.Name], settled[best] = true, true
		for i := range p.faces {
			if other := &p.faces[i]; other.Rival == f.Name {
				p.again(other)
			}
		}
	}
}
