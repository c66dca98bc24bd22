package dataset

import (
	"slices"

	"gonum.org/v1/gonum/mat"
)

// A Chooser is a Reader that returns all faces of a photograph, and chooses one of them when all
// photographs of a person have been read. Choose gets the faces of each photograph of one person, of
// at least one of which there are several, and returns the number of the one that is meant in each.
// What it says of a photograph ("" for nothing) is a warning. It returns nil where all faces are meant.
type Chooser interface {
	Choose(photos [][]Crop) (chosen []int, reasons []string)
}

// chosen keeps one face of each image, if the Reader chooses. labels and ids are those of images.
func (s *samples) chosen(labels, ids []string, opt Options) {
	chooser, ok := s.reader.(Chooser)
	if !ok || s.x == nil {
		return
	}
	of := map[int][]int{}        // samples by image
	images := map[string][]int{} // by person
	several := map[string]bool{} // people with a photograph of several faces
	drop := map[int]bool{}       // samples
	var people []string
	for j, i := range s.images {
		if of[i] = append(of[i], j); len(of[i]) == 1 {
			if images[labels[i]] == nil {
				people = append(people, labels[i])
			}
			images[labels[i]] = append(images[labels[i]], i)
		} else {
			several[labels[i]] = true
		}
	}
	without := map[int]bool{}
	for _, f := range s.faceless {
		without[f.sample] = true
	}
	for _, person := range people {
		if !several[person] {
			continue
		}
		var photos [][]Crop
		var which []int
		for _, i := range images[person] {
			if without[of[i][0]] {
				continue
			}
			var crops []Crop
			for _, j := range of[i] {
				crops = append(crops, Crop{Values: mat.Col(nil, j, s.x), Quality: s.quality[j]})
			}
			photos, which = append(photos, crops), append(which, i)
		}
		taken, reasons := chooser.Choose(photos)
		if taken == nil {
			return
		}
		for k, i := range which {
			for n, j := range of[i] {
				drop[j] = n != taken[k]
			}
			if reasons[k] != "" {
				opt.warn("%s: %s", ids[i], reasons[k])
			}
		}
	}
	s.without(drop)
}

// without leaves samples out.
func (s *samples) without(drop map[int]bool) {
	var keep []int
	for j := range s.images {
		if !drop[j] {
			keep = append(keep, j)
		}
	}
	if len(keep) == len(s.images) {
		return
	}
	rows, _ := s.x.Dims()
	x := mat.NewDense(rows, len(keep), nil)
	images, quality := make([]int, len(keep)), make([]Quality, len(keep))
	for to, j := range keep {
		x.SetCol(to, mat.Col(nil, j, s.x))
		images[to], quality[to] = s.images[j], s.quality[j]
	}
	for k, f := range s.faceless {
		s.faceless[k].sample = slices.Index(keep, f.sample)
	}
	s.x, s.images, s.quality = x, images, quality
}
