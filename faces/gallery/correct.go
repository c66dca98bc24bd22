package gallery

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/internal/lin"
	"nrdl.example/nrdl/openset"
)

// Rename returns e with another name for a person. The folder in the IDs of their images changes
// too, as if the folder had been renamed before reading. If somebody has that name already, the
// images of both are merged, as by Merge.
func (e *Enrolled) Rename(from, to string) (*Enrolled, MergeReport, error) {
	if e.Count(from) == 0 {
		return nil, MergeReport{}, advice.Unknown("person", from, e.Names())
	}
	one, err := e.imagesOfNames([]string{from})
	if err == nil {
		err = dataset.CheckName(to)
	}
	if err != nil {
		return nil, MergeReport{}, err
	}
	var own []int
	for j := range one.Len() {
		if one.Classes[one.ClassOf(j)] == from {
			own = append(own, j)
		}
	}
	one = one.Select(own)
	return e.merge(labelledAs(one, from, to), leaving{people: []string{from}})
}

// labelledAs are images of from as images of to.
func labelledAs(images *dataset.Images, from, to string) *dataset.Images {
	for j, id := range images.IDs {
		if rest, ok := strings.CutPrefix(id, from+"/"); ok {
			images.IDs[j] = to + "/" + rest
		}
	}
	images.Classes = []string{to}
	return images
}

// Move returns e in which the image with this ID shows the person to, who may be new. The folder in
// its ID changes too, as if the photograph had been moved there before reading. A person without
// images is removed. If the image is of this person already, the result is e itself.
func (e *Enrolled) Move(id, to string) (*Enrolled, MergeReport, error) {
	owner, err := e.Owner(id)
	if err == nil {
		err = dataset.CheckName(to)
	}
	if err != nil {
		return nil, MergeReport{}, err
	}
	if owner == to {
		return e, MergeReport{}, nil
	}
	some, err := e.imagesOfNames([]string{owner})
	if err != nil {
		return nil, MergeReport{}, err
	}
	one := some.Select([]int{slices.Index(some.IDs, id)})
	return e.merge(labelledAs(one, owner, to), leaving{image: id, owner: owner})
}

// Owner returns the person whose image has this ID. It is an error if there is none.
func (e *Enrolled) Owner(id string) (string, error) {
	names := e.owners(map[string]bool{id: true})
	if e.Faces == nil {
		names = e.Names()
	}
	for _, name := range names {
		if slices.Contains(e.idsOf(name), id) {
			return name, nil
		}
	}
	person, _, _ := strings.Cut(id, "/")
	if near := e.idsOf(person); near != nil {
		return "", advice.Unknown("photograph", id, near)
	}
	return "", fmt.Errorf("no photograph is called %q", id)
}

// idsOf are the IDs of the images of a person.
func (e *Enrolled) idsOf(name string) []string {
	if e.Faces != nil {
		if r, found := e.Faces.Find(name); found && e.hasIDs {
			return e.Faces.IDs(r)
		}
		return nil
	}
	c := slices.Index(e.Names(), name)
	if c < 0 || e.Images().IDs == nil {
		return nil
	}
	return e.Images().IDs[e.Groups()[c]:e.Groups()[c+1]]
}

// Different reports whether a and b, people of g, are clearly different people. They are not if a
// Review finds that they may be one person. Otherwise each face is held out: if they were one person,
// it would be taken for the other as often as the other has photographs. They are different if so few
// are confused, or fewer, with a probability below 5 %; with Impostors also if not even half of the
// photographs of either are more likely of one person with the other's than of two. Where there are
// too many people for a Review, this alone decides. Progress is called after each fold; may be nil.
func (g *Gallery) Different(ctx context.Context, a, b string, progress func(done, total int)) (bool, error) {
	if g.Enrolled == nil {
		return false, fmt.Errorf("compare people: %w", ErrForgotten)
	}
	unlike := false
	if l := g.Impostors(); l != nil {
		some, err := g.Enrolled.imagesOfNames([]string{a, b})
		if err != nil {
			return false, err
		}
		x, y := unitsOf(some, a), unitsOf(some, b)
		unlike = !resembles(l, x, y) && !resembles(l, y, x)
		if g.Shortlists() || len(g.Names()) > maxReviewed {
			return unlike, nil
		}
		r, err := g.Review(ctx, progress)
		if err != nil || slices.Contains(r.Others(a), b) {
			return false, err
		}
	}
	results, err := g.HeldOut(ctx, progress)
	if err != nil {
		return false, err
	}
	return unlike || g.fewConfused(results, a, b), nil
}

// fewConfused reports whether so few faces of a and b are taken for each other, or fewer, with a
// probability below 5 % if they are one person.
func (g *Gallery) fewConfused(results []HeldOutResult, a, b string) bool {
	of := map[string]float64{a: float64(g.Faces(a)), b: float64(g.Faces(b))}
	other := map[string]string{a: b, b: a}
	confused, probability := 0, []float64{1} // of so many confused faces
	for _, r := range results {
		person := g.Names()[g.Images().ClassOf(r.Image)]
		if r.Stranger || other[person] == "" {
			continue
		}
		if r.Guess == other[person] {
			confused++
		}
		p := of[other[person]] / (of[a] + of[b] - 1) // one face is hidden
		next := make([]float64, len(probability)+1)
		for k, q := range probability {
			next[k] += q * (1 - p)
			next[k+1] += q * p
		}
		probability = next
	}
	const unlikely = 0.05
	return floats.Sum(probability[:confused+1]) < unlikely
}

// resembles reports whether at least half of the columns of x are more likely of the person of y than
// of another.
func resembles(l *openset.Impostors, x, y *mat.Dense) bool {
	_, n := x.Dims()
	_, m := y.Dims()
	var cosines mat.Dense
	cosines.Mul(y.T(), x)
	like := 0
	for j := range n {
		if l.SameRatio(mat.Sum(cosines.ColView(j))/float64(m), 1, float64(m), 0) > 0 {
			like++
		}
	}
	return 2*like >= n
}

// unitsOf are the images of a person, d×n of unit norm.
func unitsOf(images *dataset.Images, name string) *mat.Dense {
	c := slices.Index(images.Classes, name)
	x := mat.DenseCopyOf(lin.Cols(images.X, images.Groups[c], images.Groups[c+1]))
	_, n := x.Dims()
	for j := range n {
		v := x.ColView(j).(*mat.VecDense)
		v.ScaleVec(1/mat.Norm(v, 2), v)
	}
	return x
}
