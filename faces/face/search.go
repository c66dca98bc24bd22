package face

import (
	"cmp"
	"context"
	"encoding/json"
	"image"
	"slices"

	"nrdl.example/nrdl/faces/dataset"
)

// A Search finds the faces in photographs, and the pupils of each face: by the cascade if
// that is sure, and otherwise by networks. It is safe for concurrent use.
//
// A detection of a network counts as a face if its five landmarks fit a mean face; those of
// a face that is upside down do not fit. Detections with the same landmarks are one face,
// and their scores add up.
type Search struct {
	Name    string          `json:"-"` // of the detector; of a network in a file, the file's name
	Digest  string          `json:"-"` // SHA-256 of that file, hexadecimal; "" for a built-in detector
	path    string          // of that file
	initial *Search         // what OpenSearch returned; nil for DefaultSearch
	raw     json.RawMessage // Settings of a detector whose file is missing

	Cascade Finder
	Network BoxDetector // nil: the cascade alone
	Last    BoxDetector // runs where no face is certain; nil: none

	// What several stages ask: whether a face is certain, so that the search can end.
	First   bool    // the cascade is the first stage after QuickOptions
	Certain float64 // score of the cascade, which has no unit, from which no network runs
	Sure    float64 // sum of the scores of networks, each from 0 to 1, from which a face is certain

	// Each stage has its own numbers, in its file.
	QuickOptions
	NetworkOptions
	TurnedOptions
	SmallOptions
	JoinOptions

	Sighting SightingOptions
	Content  ContentOptions

	OffCentre float64 // share by which the size of a face in a corner counts less than that of one in the middle, for Central

	exact bool // pupils are found by the cascade, and not as the middles of the landmarks of the eyes
}

// withPupils returns s for faces that are aligned by their pupils: these are found by the
// cascade, as is the face where it is certain of one.
func (s *Search) withPupils() *Search {
	t := *s
	t.Large, t.exact = 0, true
	return &t
}

// String is the argument of OpenSearch that gives s; "" for nil.
func (s *Search) String() string {
	if s == nil {
		return ""
	}
	return cmp.Or(s.path, s.Name)
}

// DefaultSearch is the tiny detector, which finds large faces, then the cascade, then the
// tiny detector on the photograph turned, then SSD, which finds small faces. Its numbers were
// chosen by the study of detectors (doc/photographs.md). From an OffCentre of 0.75 on,
// Central takes the face that is meant in each of the 25 photographs of LFW with several; LFW
// has it in the middle.
var DefaultSearch = &Search{
	Name: "auto", Cascade: DefaultFinder, First: true, Certain: 60, Sure: 0.5,
	Network:      NetDetector{Side: 224, Border: 0.2, Overlap: 0.4, MinScore: 0.05, Light: DefaultLight, net: builtInTiny},
	Last:         NetDetector{Side: 512, Overlap: 0.4, MinScore: 0.1, Light: DefaultLight, net: builtInSSD},
	QuickOptions: defaultQuick, NetworkOptions: defaultNetwork, TurnedOptions: defaultTurned,
	SmallOptions: defaultSmall, JoinOptions: defaultJoin,
	Sighting: DefaultSighting, Content: DefaultContent, OffCentre: 0.75,
}

// Find returns the faces in photo, the largest eye distance first, without those in the
// background (see Finder.Background). The error is that of ctx, or of a network.
func (s *Search) Find(ctx context.Context, photo *dataset.Photo) ([]Face, error) {
	faces, _, err := s.FindAll(ctx, photo)
	return faces, err
}

// FindAll is Find. It also returns the faces in the background that are certain and that Find
// sees; it does not search for more of them.
func (s *Search) FindAll(ctx context.Context, photo *dataset.Photo) (faces, behind []Face, err error) {
	if s.Cascade.tooSmall(photo.Grey) {
		return nil, nil, nil
	}
	p := newPicture(photo)
	var c candidates
	if s.Network == nil {
		c = s.Cascade.find(p)
	} else if c, _, err = find(ctx, p, s.stages(), c); err != nil {
		return nil, nil, err
	}
	if len(c.faces) == 0 {
		return c.faces, nil, nil
	}
	for _, f := range c.background {
		if f.Quality.Detection >= s.Cascade.Sure && s.Cascade.size(f) < s.Cascade.size(c.faces[0]) && !s.Cascade.alike(c.faces, f) &&
			!s.Cascade.alike(behind, f) {
			behind = append(behind, f)
		}
	}
	return c.faces, behind, nil
}

// stages are those of a search with a network.
func (s *Search) stages() []stage {
	network, small, join := networkStage{s}, smallStage{s}, joinStage{s}
	if !s.First {
		return []stage{network, small, join}
	}
	return []stage{
		quickStage{s},
		uprightStage{s.Cascade, s.enough},
		network,
		confirmStage{s},
		unsureStage{s, asideStage{s}, []stage{edgeStage{s.Cascade}, closerStage{s.Cascade}, turnsStage{s.Cascade}}},
		small,
		slantStage{s},
		join,
	}
}

// enough reports whether the cascade is certain of one of faces, and no part of p has to
// be searched for small ones.
func (s *Search) enough(p *picture, faces []Face) bool {
	return s.cascadeCertain(faces) && !s.far(p.Grey, faces)
}

// cascadeCertain reports whether the cascade is certain of one of faces.
func (s *Search) cascadeCertain(faces []Face) bool { return s.First && surest(faces) >= s.Certain }

// networkCertain reports whether the networks are certain of one of the faces in all.
func (s *Search) networkCertain(all []sighting) bool {
	return slices.ContainsFunc(all, func(o sighting) bool { return o.sum >= s.Sure })
}

// far reports whether img is so large that its parts show more, and has small faces only,
// or none.
func (s *Search) far(img *image.Gray, faces []Face) bool {
	side := longest(img)
	return side >= s.Tiled && !slices.ContainsFunc(faces, func(f Face) bool { return f.Quality.Eyes >= s.Far*float64(side) })
}

// Detect implements BoxDetector.
func (s *Search) Detect(ctx context.Context, photo *dataset.Photo) ([]Detection, error) {
	faces, err := s.Find(ctx, photo)
	found := detections(faces)
	slices.SortStableFunc(found, func(a, b Detection) int { return cmp.Compare(b.Score, a.Score) })
	return found, err
}
