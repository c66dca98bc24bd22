package faces

import (
	"cmp"
	"context"
	"errors"
	"image"
	"math"
	"reflect"
	"slices"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/explain"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/frontend/embedding"
	"nrdl.example/nrdl/faces/gallery"
)

// A Face is the result of identifying a face in a photograph.
type Face struct {
	Box  image.Rectangle // in pixels of the upright photograph; empty for a crop, which is the face
	Name string          // "" where Known is false
	// who an unknown face may be: the best guess, if its Probability is at least gallery.Settings.Maybe or
	// not known; else ""
	Maybe       string
	Known       bool    // the margin reaches the threshold
	Probability float64 // that the best guess, Ranked[0], is right; NaN if not known
	Confidence  string  // Probability in a word and a number (gallery.Settings.Confidence); "" if not known
	Margin      float64 // by which the best score exceeds the second; for a network, the evidence of openset.Impostors
	// all people, the most likely first, and last those of Taken; those of the shortlist where there is
	// one (Options.ShortlistAbove)
	Ranking   []Candidate
	Detection *face.Face // pupils and quality; nil for a crop
	Rejection error      // why the face was not identified, or nil; if set, only Box, Detected and Thumb are set too
	// the name that the face would have, if another face of the photograph did not have it with a better
	// score; else ""
	LostName string
	// the name that the face would have, if that person had been born when the photograph was taken
	// (Facts); else ""
	Unborn    string
	Rival     string // an unknown face is too similar to this person to be Maybe, who is not the same (Facts); else ""
	TrainedID string // ID of the equal face that the model was trained on; "" if there is none, or if the model keeps no faces

	// Only for a Photo that asks for Details.
	Thumb   *image.RGBA          // the aligned face, for people to look at
	Nearest []explain.Photograph // of each of the first two of Ranked, the enrolled photograph nearest to the face; nil without a network
	Values  []float64            // of the crop: with a network its vector; must not be changed

	neighbours int              // in the photograph
	values     []float64        // of the crop
	result     gallery.Face     // with its code, for Explain
	crop       []float32        // in colour, for Explain; nil without a network
	gallery    *gallery.Gallery // that looked at it
}

// A Candidate is a person with a score; a higher score means more likely.
type Candidate struct {
	Name  string  `json:"name"`
	Score float64 `json:"score"`
}

// Identify returns the faces in photo, which is upright, with their names, the
// largest first. The result is empty if no face is found. Faces less than half as large as
// the largest are left out unless r takes face.Every. Two faces do not get one name, unless r
// has face.Options.Twice.
func (r *Recogniser) Identify(ctx context.Context, photo image.Image) ([]Face, error) {
	if err := r.checkPhotos(ctx, photo); err != nil {
		return nil, err
	}
	faces, err := r.findFaces(ctx, dataset.NewPhoto(photo))
	if err != nil {
		return nil, err
	}
	return faces, r.namePhotographs(ctx, nil, faces)
}

// checkPhotos reports why r cannot look at photographs; nil where it can.
func (r *Recogniser) checkPhotos(ctx context.Context, photos ...image.Image) error {
	switch {
	case r.m == nil:
		return errEmpty
	case ctx == nil:
		return noContext(ctx)
	case !r.m.Embedding.IsZero() && r.m.Embedder == nil:
		_, err := embedding.Restore(r.m.Frame, nil, nil)
		return err
	case !r.m.SeesImages():
		return errors.New("the model was trained on vectors, or on images of an unknown size")
	case slices.ContainsFunc(photos, func(p image.Image) bool {
		v := reflect.ValueOf(p)
		return p == nil || v.Kind() == reflect.Pointer && v.IsNil()
	}):
		return errors.New("a photograph is nil")
	}
	return nil
}

// findFaces returns the faces in photo, without names.
func (r *Recogniser) findFaces(ctx context.Context, photo *dataset.Photo) ([]Face, error) {
	var seen []face.Seen
	var err error
	cut := r.cut()
	kept := &face.Recorder{Embedder: cut.Embedder}
	if cut.Embedder != nil {
		cut.Embedder = kept
	}
	if r.detects() {
		seen, err = face.In(ctx, photo, r.whichFaces(face.All), cut)
	} else {
		seen, err = face.Whole(ctx, photo, cut)
	}
	faces := facesOf(r.m, seen)
	for i := range faces {
		faces[i].crop = kept.Face(faces[i].values)
	}
	return faces, err
}

// cut is how r cuts faces out of photographs.
func (r *Recogniser) cut() face.Cut {
	return cutFor(r.m.Pipeline, r.search())
}

// search is the detector of r; nil for face.DefaultSearch.
func (r *Recogniser) search() *face.Search { return cmp.Or(r.detect.Search, r.m.Search) }

// cutFor is how faces that by finds are cut out for in.
func cutFor(in frontend.Pipeline, by *face.Search) face.Cut {
	if in.Embedder == nil {
		return face.Cut{Frame: in.Frame, Search: by}
	}
	return face.Cut{Frame: in.Frame, Embedder: in.Embedder, Search: by}
}

// whichFaces says which faces of several are meant; missing says which where nobody has chosen.
func (r *Recogniser) whichFaces(missing face.Which) face.Which {
	return cmp.Or(r.detect.Which, missing)
}

func facesOf(m *gallery.Gallery, seen []face.Seen) []Face {
	faces := make([]Face, len(seen))
	for i, s := range seen {
		faces[i] = Face{Detection: s.Face, Rejection: s.Reason, Thumb: s.Thumb, values: s.Values, gallery: m, neighbours: s.Others()}
		if s.Face != nil {
			faces[i].Box = s.Face.Box
		}
	}
	return faces
}

// name fills in what r says of each of the faces that are not rejected.
func (r *Recogniser) name(ctx context.Context, all ...[]Face) error {
	var faces []*Face
	for _, some := range all {
		for i := range some {
			if some[i].Rejection == nil {
				faces = append(faces, &some[i])
			}
		}
	}
	if len(faces) == 0 {
		return context.Cause(ctx)
	}
	x := mat.NewDense(len(faces[0].values), len(faces), nil)
	for j, f := range faces {
		x.SetCol(j, f.values)
	}
	images := dataset.Unlabelled(x, r.m.Frame)
	results, err := r.m.IdentifyCoded(ctx, images)
	if err != nil {
		return err
	}
	for j, f := range faces {
		among := results[j].Gallery
		f.result, f.gallery = results[j], r.m
		if among == nil { // an image without features
			f.Probability = math.NaN()
			continue
		}
		f.set(&results[j], among.Names(), func(string) bool { return false })
		if among.Enrolled == nil {
			continue
		}
		equal, err := among.Enrolled.Duplicates(images.Select([]int{j}))
		if err != nil {
			return err
		}
		f.TrainedID = equal[0].ID
	}
	return nil
}

// set fills in what r says, a result among people. Those that are excluded are the last.
func (f *Face) set(r *gallery.Face, people []string, excluded func(name string) bool) {
	type ranked struct {
		class int
		score float64
	}
	order := make([]ranked, len(people))
	for c := range people {
		order[c] = ranked{c, r.Scores[c]}
	}
	slices.SortFunc(order, func(a, b ranked) int {
		if x, y := excluded(people[a.class]), excluded(people[b.class]); x != y {
			if y {
				return -1
			}
			return 1
		}
		switch { // scores are finite
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return a.class - b.class
	})
	f.Ranking = make([]Candidate, len(people))
	for i, o := range order {
		f.Ranking[i] = Candidate{people[o.class], o.score}
	}
	f.Known, f.Probability, f.Margin = r.Known, r.Probability, r.DecisionScore
	f.Confidence = r.Gallery.Numbers().Confidence(f.Probability)
	switch {
	case f.Known:
		f.Name = f.Ranking[0].Name
	case excluded(f.Ranking[0].Name):
	case !(f.Probability < r.Gallery.Numbers().Maybe):
		f.Maybe = f.Ranking[0].Name
	}
}
