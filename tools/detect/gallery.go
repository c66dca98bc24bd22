package main

import (
	"context"
	"math"

	"gonum.org/v1/gonum/floats"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/frontend/embedding"
	"nrdl.example/nrdl/openset"
)

// enrolledPhotographs are of each person, as they are.
const enrolledPhotographs = 3

// An enrolled is a gallery of people, each with enrolledPhotographs, and a threshold at
// which 1 % of strangers in general are named.
type enrolled struct {
	means    [][]float64 // of unit norm, one per person
	embedder *embedding.Embedder
	law      *openset.Impostors
}

func newEnrolled() *enrolled {
	e := embedding.Default()
	return &enrolled{embedder: e, law: frontend.Pipeline{Frame: e.Frame()}.Law()}
}

func (g *enrolled) cut(by *face.Search) face.Cut {
	return face.Cut{Frame: dataset.Frame{Eyes: g.embedder.Frame().Eyes}, Embedder: g.embedder, Search: by}
}

// enrol adds a person by photographs, in each of which the largest face counts.
func (g *enrolled) enrol(ctx context.Context, by *face.Search, photos []*dataset.Photo) error {
	mean := make([]float64, g.embedder.Frame().Len())
	for _, p := range photos {
		seen, err := face.In(ctx, p, face.Largest, g.cut(by))
		if err != nil {
			return err
		}
		if len(seen) > 0 && seen[0].Values != nil {
			floats.Add(mean, seen[0].Values)
		}
	}
	if norm := floats.Norm(mean, 2); norm > 0 {
		floats.Scale(1/norm, mean)
	}
	g.means = append(g.means, mean)
	return nil
}

// An answer is what a gallery says of a photograph.
type answer struct {
	faces          []face.Face // the largest first; it is the one that is named
	best           int         // the most similar person; −1 without a face
	aboveThreshold bool        // the cosine with that person is above the threshold
	cosines        []float64
}

func (a answer) own(person int) float64 {
	if a.cosines == nil {
		return math.NaN()
	}
	return a.cosines[person]
}

// answer compares the largest face of photo, also one that is refused.
func (g *enrolled) answer(ctx context.Context, by *face.Search, photo *dataset.Photo) (answer, error) {
	faces, err := by.Find(ctx, photo)
	if err != nil || len(faces) == 0 {
		return answer{best: -1}, err
	}
	values, err := g.cut(by).Values(ctx, photo, faces[0])
	if err != nil {
		return answer{}, err
	}
	a := answer{faces: faces, cosines: make([]float64, len(g.means))}
	for i, m := range g.means {
		a.cosines[i] = floats.Dot(m, values)
	}
	a.best = floats.MaxIdx(a.cosines)
	a.aboveThreshold = g.law.Deviate(enrolledPhotographs, a.cosines[a.best]) > openset.AtLarge(0.01, len(g.means))
	return a, nil
}
