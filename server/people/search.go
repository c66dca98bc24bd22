package people

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/gallery/index"
	"nrdl.example/nrdl/faces/results"
	"nrdl.example/nrdl/openset"
	"nrdl.example/nrdl/server/store"
)

// unnamedFaces are the faces of a collection that are of nobody yet, for searches.
type unnamedFaces struct {
	mu     sync.Mutex
	input  *input
	seq    int64 // of the collection, whose changes up to it are in faces
	faces  *index.Index
	photos map[string]string // by face
}

// unnamed returns the faces of nobody in a collection, each a person of the index with the id of
// the face as the name. The first search reads them all, a later one what has changed.
func (e *engine) unnamed(ctx context.Context, s *snapshot) (*index.Index, *unnamedFaces, error) {
	e.mu.Lock()
	c := e.all[s.ID]
	e.mu.Unlock()
	if c == nil {
		return nil, nil, store.ErrNotFound // deleted meanwhile
	}
	u := &c.unnamed
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.input != s.input {
		err := u.readAll(ctx, e.store, s)
		return u.faces, u, err
	}
	if u.seq >= s.Seq {
		return u.faces, u, nil
	}
	changes, err := e.store.Changes(ctx, s.ID, s.input.space, u.seq)
	switch {
	case err != nil:
		return nil, nil, err
	case changes.All:
		err := u.readAll(ctx, e.store, s)
		return u.faces, u, err
	}
	gone := changes.Removals
	var there []store.Sample
	for _, o := range changes.Samples {
		if o.Person == "" {
			there = append(there, o)
		} else {
			gone = append(gone, o.Face)
		}
	}
	gone = slices.DeleteFunc(slices.Compact(slices.Sorted(slices.Values(gone))), func(id string) bool {
		_, ok := u.faces.Find(id)
		return !ok
	})
	faces, err := u.faces.Without(gone...)
	if err == nil {
		faces, err = u.add(faces, there)
	}
	if err != nil {
		return nil, nil, err
	}
	for _, id := range gone {
		delete(u.photos, id)
	}
	u.faces, u.seq = faces, changes.Seq
	return u.faces, u, nil
}

// readAll reads all faces of nobody. The caller has locked u.
func (u *unnamedFaces) readAll(ctx context.Context, s *store.Store, of *snapshot) error {
	now, err := s.Collection(ctx, of.ID)
	if err != nil {
		return err
	}
	u.photos = map[string]string{}
	faces := index.New(of.input.Frame.Len(), 0)
	const together = 5000
	for after := ""; ; {
		samples, err := s.Samples(ctx, of.ID, of.input.space, "", after, together)
		if err != nil {
			return err
		}
		if len(samples) == 0 {
			break
		}
		after = samples[len(samples)-1].Face
		if faces, err = u.add(faces, samples); err != nil {
			return err
		}
	}
	u.input, u.seq, u.faces = of.input, now.Seq, faces
	return nil
}

func (u *unnamedFaces) add(faces *index.Index, samples []store.Sample) (*index.Index, error) {
	people := make([]*index.Person, len(samples))
	for i, o := range samples {
		people[i] = &index.Person{Name: o.Face, IDs: []string{o.Face}, Vectors: o.Vector}
		u.photos[o.Face] = o.Photo
	}
	if len(people) == 0 {
		return faces, nil
	}
	return faces.With(people...)
}

// A Search is the answer of search.
type Search struct {
	Size     results.Size `json:"size"`
	Searched int          `json:"searched" doc:"Faces of nobody yet with which each face was compared"`
	Space    string       `json:"space,omitempty" doc:"Which network made the vectors; only with them"`
	Faces    []Searched   `json:"faces" doc:"The largest first"`
	Warnings []string     `json:"warnings,omitempty" doc:"What is wrong with the file, which was used all the same"`
}

// A Searched is a face in a photograph, with the most similar faces that have no name yet.
type Searched struct {
	results.Detection
	Refused string      `json:"refused,omitempty" doc:"Why the face cannot be used"`
	Seen    bool        `json:"seen" doc:"Whether the same person is among the faces of nobody yet: the first group, or the nearest face, is by chance as similar for at most the share of strangers that the collection accepts (fpir)"`
	Nearest []Near      `json:"nearest" doc:"The most similar faces, the most similar one first"`
	Groups  []NearGroup `json:"groups" doc:"The 50 most similar faces by person, as far as people can be distinguished; the group that is least by chance first"`
	Vector  []float32   `json:"vector,omitempty" doc:"With vectors=true"`
}

// A Resemblance says how similar a face is to another one, or to the mean of several.
type Resemblance struct {
	Similarity float64 `json:"similarity" doc:"Cosine of the vectors"`
	FMR        float64 `json:"false_match_rate" doc:"Share of other people who are as similar"`
	ByChance   float64 `json:"by_chance" doc:"Share of people who were never here and are as similar to one of all faces that were compared"`
}

// resemblance compares the mean of k faces with another one, where n faces were compared.
func resemblance(l *openset.Impostors, k, n int, similarity float64) Resemblance {
	fmr := l.FMR(k, similarity)
	return Resemblance{similarity, fmr, -math.Expm1(float64(n) * math.Log1p(-fmr))}
}

// A Near is a face of nobody yet.
type Near struct {
	StoredFace
	Resemblance
}

// A NearGroup are similar faces of nobody yet.
type NearGroup struct {
	Faces []string `json:"faces"`
	Resemblance
}

// MaxNear faces are listed at most, and of them maxNearGrouped are grouped: to group 100 of one person takes
// longer than the search.
const MaxNear, maxNearGrouped = 100, 50

// Search finds the faces of nobody yet in a collection that are most similar to those in a photograph:
// up to limit of them for each.
func (v *Service) Search(ctx context.Context, collection string, form Form, limit int, vectors bool) (*Search, error) {
	s, err := v.engine.snapshot(ctx, collection)
	if err != nil {
		return nil, err
	}
	if s.input.Law() == nil {
		return nil, errNoLaw
	}
	data, err := form.File("photo")
	if err != nil {
		return nil, err
	}
	response := Search{Faces: []Searched{}}
	var seen []face.Seen
	looked, warnings := noting(ctx)
	err = v.Memory.Decoded(looked, func() error {
		all, size, err := face.Decode(looked, data, "photo", true, face.All, s.input.cut)
		seen, response.Size = all, results.Size{Width: size.X, Height: size.Y}
		return err
	}, data)
	if err != nil {
		return nil, err
	}
	response.Warnings = warnings()
	faces, u, err := v.engine.unnamed(ctx, s)
	if err != nil {
		return nil, err
	}
	_, response.Searched = faces.Len()
	if vectors {
		response.Space = s.input.space
	}
	for _, f := range seen {
		one := Searched{Detection: results.NewDetection(f.Face), Nearest: []Near{}, Groups: []NearGroup{}}
		if f.Reason != nil {
			one.Refused = f.Reason.Error()
		} else if err := v.engine.nearest(ctx, s, u, faces, f.Values, limit, &one); err != nil {
			return nil, err
		}
		if vectors && f.Reason == nil {
			one.Vector = float32s(f.Values)
		}
		response.Faces = append(response.Faces, one)
	}
	return &response, nil
}

// nearest puts the faces of nobody that are most similar to a vector, and their groups, into one.
func (e *engine) nearest(ctx context.Context, s *snapshot, u *unnamedFaces, faces *index.Index,
	vector []float64, limit int, one *Searched,
) error {
	law, of := s.input.Law(), float32s(vector)
	hits, err := faces.Nearest(ctx, of, MaxNear)
	if err != nil {
		return err
	}
	_, n := faces.Len()
	var samples []store.Sample
	for _, h := range hits[0] {
		p, err := faces.Person(h.Ref)
		if err != nil {
			return err
		}
		samples = append(samples, store.Sample{Face: p.Name, Vector: p.Vectors})
	}
	u.mu.Lock()
	for i := range samples {
		samples[i].Photo = u.photos[samples[i].Face]
	}
	u.mu.Unlock()
	for i, o := range samples[:min(limit, len(samples))] {
		f, err := e.store.Face(ctx, s.ID, o.Face)
		if errors.Is(err, store.ErrNotFound) {
			continue // deleted meanwhile
		}
		if err != nil {
			return err
		}
		one.Nearest = append(one.Nearest, Near{FaceResponse(f), resemblance(law, 1, n, float64(hits[0][i].Cosine))})
	}
	samples = samples[:min(maxNearGrouped, len(samples))]
	groups, err := s.group(ctx, samples)
	if err != nil {
		return err
	}
	index := make(map[string]int, len(samples))
	for j, o := range samples {
		index[o.Face] = j
	}
	for _, g := range groups {
		var all []store.Sample
		for _, f := range g.Faces {
			all = append(all, samples[index[f]])
		}
		_, means := openset.Means(matrix(s.input.Frame, all), []int{0, len(all)})
		cosine := max(-1, min(floats.Dot(mat.Col(nil, 0, means), vector), 1))
		one.Groups = append(one.Groups, NearGroup{g.Faces, resemblance(law, len(all), n, cosine)})
	}
	slices.SortStableFunc(one.Groups, func(a, b NearGroup) int { return cmp.Compare(a.FMR, b.FMR) })
	one.Groups = one.Groups[:min(limit, len(one.Groups))]
	one.Seen = len(one.Groups) > 0 && one.Groups[0].ByChance <= s.FPIR || len(one.Nearest) > 0 && one.Nearest[0].ByChance <= s.FPIR
	return nil
}
