package engine

import (
	"bytes"
	"container/list"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/faces/gallery/file"
	"nrdl.example/nrdl/faces/gallery/index"
	"nrdl.example/nrdl/internal/kit/npz"
)

// modelArray has the bytes of a model file.
const modelArray = "model"

// models are those of earlier requests, by the SHA-256 of their files. If they take more than maxSize
// bytes of memory, those that were not used for longest are dropped.
type models struct {
	maxSize, size int64
	order         list.List // of *kept, the last used first
	byHash        map[string]*list.Element
}

type kept struct {
	hash string
	size int64
	g    *gallery.Gallery
}

func (m *models) get(hash string) *gallery.Gallery {
	e := m.byHash[hash]
	if e == nil {
		return nil
	}
	m.order.MoveToFront(e)
	return e.Value.(*kept).g
}

// opened is the memory that g takes at most, where its file has so many bytes: the dictionary and its
// transpose, and DᵀD with a factor and an inverse, which coders make and keep.
func opened(g *gallery.Gallery, file int) int64 {
	if g.Model == nil || g.Classifier == nil || g.Shared().D == nil {
		return int64(file)
	}
	d, k := g.Shared().D.Dims()
	return int64(file) + 8*int64(k)*int64(2*d+3*k)
}

func (m *models) put(k *kept) {
	if m.byHash[k.hash] != nil || k.size > m.maxSize {
		return
	}
	if m.byHash == nil {
		m.byHash = map[string]*list.Element{}
	}
	m.byHash[k.hash] = m.order.PushFront(k)
	for m.size += k.size; m.size > m.maxSize; {
		last := m.order.Remove(m.order.Back()).(*kept)
		delete(m.byHash, last.hash)
		m.size -= last.size
	}
}

// model returns the model that f names or brings.
func (s *session) model(f *incoming) (*gallery.Gallery, error) {
	if i := f.arrays.Index(modelArray); i >= 0 {
		return s.given(f, f.arrays[i])
	}
	if f.Model == "" {
		return nil, &coded{"request", fmt.Errorf("%s needs a model", f.Verb)}
	}
	if g := s.models.get(f.Model); g != nil {
		return g, nil
	}
	return nil, &coded{"model", advice.Add(fmt.Errorf("no model %.64q is known", f.Model), "send its file again, as the array %s", modelArray)}
}

// given reads the model in a.
func (s *session) given(f *incoming, a npz.Array) (*gallery.Gallery, error) {
	if a.Type != "u1" {
		return nil, &coded{"request", fmt.Errorf("%s is %s: the bytes of a model file are uint8", a.Word(), a.Kind)}
	}
	hash := fmt.Sprintf("%x", sha256.Sum256(a.Data))
	if f.Model != "" && f.Model != hash {
		return nil, &coded{"request", fmt.Errorf("the model has the SHA-256 %s, not %.64s", hash, f.Model)}
	}
	if g := s.models.get(hash); g != nil {
		return g, nil
	}
	g, err := read(a.Data, file.Options{Folders: f.Folders})
	if err != nil {
		return nil, fmt.Errorf("read the model: %w", err)
	}
	s.models.put(&kept{hash, opened(g, len(a.Data)), g})
	return g, nil
}

// read reads a model file. One with an index reads from its file, which needs no name once it is open.
func read(data []byte, o file.Options) (*gallery.Gallery, error) {
	if !bytes.HasPrefix(data, []byte(index.Magic)) {
		return file.Read(bytes.NewReader(data), o)
	}
	f, err := os.CreateTemp("", "nrdl-model-*")
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(data)
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	return file.Open(f.Name(), o)
}

// made is the answer with the file of g.
func (s *session) made(g *gallery.Gallery) (*answer, error) {
	var b bytes.Buffer
	if err := file.Write(&b, g); err != nil {
		return nil, err
	}
	hash := fmt.Sprintf("%x", sha256.Sum256(b.Bytes()))
	s.models.put(&kept{hash, opened(g, b.Len()), g})
	trained := g.Shared().Outcome
	return &answer{
		map[string]any{"model": hash, "status": trained.Status, "passes": trained.Iter, "residual": trained.Residual},
		[]npz.Array{npz.Uint8(modelArray, []int{b.Len()}, b.Bytes())},
	}, nil
}
