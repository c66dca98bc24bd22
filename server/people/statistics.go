package people

import (
	"context"
	"encoding/json"
	"math"
	"slices"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/explain"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/server/store"
)

// Statistics say how well a person is recognised, if each of its faces is compared with all
// people as if the face were new.
type Statistics struct {
	Person string   `json:"person"`
	Held   int      `json:"held" doc:"Faces that could be compared: none with a single face"`
	Right  int      `json:"right" doc:"Of held: with a right best guess"`
	Known  int      `json:"known" doc:"Of right: at or above the threshold"`
	Rival  *Ref     `json:"rival,omitempty" doc:"The other person that the faces resemble most"`
	Taken  int      `json:"taken" doc:"Of held: that resemble the rival more than the person"`
	Advice []string `json:"advice" doc:"What the photographs lack"`
	Faces  []Judged `json:"faces,omitempty" doc:"Only of a single person"`
}

// A Judged is a face, and how it would be identified.
type Judged struct {
	Face     string  `json:"face"`
	Known    bool    `json:"known"`
	Guess    Ref     `json:"guess"`
	Evidence float64 `json:"evidence"`
}

// Statistics returns the statistics of people; those of a single person have its faces, and advice
// from its crops.
func (v *Service) Statistics(ctx context.Context, collection string, people []string, single bool) ([]Statistics, error) {
	s, err := v.engine.snapshot(ctx, collection)
	if err != nil {
		return nil, err
	}
	samples, err := v.store.SamplesOf(ctx, collection, s.input.space, people, math.MaxInt32)
	if err != nil {
		return nil, err
	}
	comparisons, err := s.compare(ctx, s.input.Frame, samples)
	if err != nil {
		return nil, err
	}
	all := []Statistics{}
	for _, id := range people {
		one := s.personStatistics(id, samples, comparisons)
		faces := slices.DeleteFunc(slices.Clone(samples), func(o store.Sample) bool { return o.Person != id })
		if len(faces) > 0 {
			if one.Advice, err = v.engine.advice(ctx, s, faces, single); err != nil {
				return nil, err
			}
		}
		if !single {
			one.Faces = nil
		}
		all = append(all, one)
	}
	return all, nil
}

// personStatistics returns the statistics of a person without advice. comparisons are those of
// samples, or nil.
func (s *snapshot) personStatistics(id string, samples []store.Sample, comparisons []comparison) Statistics {
	one := Statistics{Person: id, Advice: []string{}}
	rivals := map[string]int{} // how often another person was most similar; wrong guesses count more
	wrong := map[string]int{}  // guesses
	for j, c := range comparisons {
		if samples[j].Person != id || c.isOnly {
			continue
		}
		classes := s.live.Model().Parts().Classes
		best := classes[c.classes[0]]
		one.Held++
		if best != id {
			rivals[best] += 1 + len(samples)
			wrong[best]++
		} else {
			if len(c.classes) > 1 {
				rivals[classes[c.classes[1]]]++
			}
			one.Right++
			if c.Known {
				one.Known++
			}
		}
		one.Faces = append(one.Faces, Judged{samples[j].Face, c.Known, s.ref(best), c.evidence})
	}
	for other, n := range rivals {
		if one.Rival == nil || n > rivals[one.Rival.ID] || n == rivals[one.Rival.ID] && other < one.Rival.ID {
			ref := s.ref(other)
			one.Rival, one.Taken = &ref, wrong[other]
		}
	}
	return one
}

// advice says what the photographs of a person lack. If withCrops is set, it looks at the crops,
// too, unless they are many.
func (e *engine) advice(ctx context.Context, s *snapshot, faces []store.Sample, withCrops bool) ([]string, error) {
	in := s.input.Frame
	var quality []dataset.Quality
	for _, o := range faces {
		var q dataset.Quality
		if err := json.Unmarshal(o.Quality, &q); err != nil {
			return nil, err
		}
		if q != (dataset.Quality{}) {
			quality = append(quality, q)
		}
	}
	if len(quality) != len(faces) {
		quality = nil
	}
	all := append([]string{}, gallery.DefaultSettings.Lacking(s.input.Law(), classify.Unit(matrix(in, faces)), quality)...)
	const limit = 24
	if !withCrops || len(faces) > limit {
		return all, nil
	}
	var portraits []*explain.Portrait
	for _, o := range faces {
		crop, err := e.store.Crop(ctx, s.ID, o.Face)
		if err != nil || len(crop) == 0 {
			return all, err
		}
		photo, err := dataset.DecodeColour(ctx, crop, "crop")
		if err != nil {
			return nil, err
		}
		size := photo.Grey.Rect.Size()
		half, y := in.Eyes.Distance/2*float64(size.X), in.Eyes.Height*float64(size.Y)
		middle := float64(size.X) / 2
		p, err := explain.PortraitOf(ctx, photo, [2]face.Point{{X: middle - half, Y: y}, {X: middle + half, Y: y}})
		if err != nil {
			return nil, err
		}
		portraits = append(portraits, p)
	}
	return append(all, explain.Lacking(portraits)...), nil
}
