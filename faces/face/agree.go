package face

import (
	"fmt"

	"gonum.org/v1/gonum/floats"

	"nrdl.example/nrdl/faces/dataset"
)

// AgreeOptions say when the face of a photograph is taken that is like those of the other
// photographs of the person.
type AgreeOptions struct {
	Like  float64 // mean cosine with the faces of the others, below which the largest face is taken
	More  float64 // by how much its mean cosine is at least above that of the largest face
	Looks int     // rounds, each with the faces that the one before chose
}

// DefaultAgree is for the built-in network: cosines of different people are 0.01 ± 0.1 for famous ones, and
// of one person mostly above 0.4.
var DefaultAgree = AgreeOptions{Like: 0.25, More: 0.15, Looks: 3}

// agrees reports whether r reads all faces of a photograph, of which Choose takes one.
func (r *Reader) agrees() bool { return r.Which == Agreeing && r.Embedder != nil }

// Choose implements dataset.Chooser: of several faces of a photograph it takes the one that is like
// those of the other photographs, if Which is Agreeing.
func (r *Reader) Choose(photos [][]dataset.Crop) (chosen []int, reasons []string) {
	if !r.agrees() {
		return nil, nil
	}
	chosen, reasons = make([]int, len(photos)), make([]string, len(photos))
	like := DefaultAgree.likeness(photos, nil)
	for range DefaultAgree.Looks {
		for i, faces := range like {
			best := floats.MaxIdx(faces)
			if faces[best] < DefaultAgree.Like || faces[best] < faces[0]+DefaultAgree.More {
				best = 0
			}
			chosen[i] = best
		}
		like = DefaultAgree.likeness(photos, chosen)
	}
	for i, n := range chosen {
		if n > 0 {
			reasons[i] = fmt.Sprintf("of %d faces not the largest is taken, but one that agrees with the other photographs of the person",
				len(photos[i]))
		}
	}
	return chosen, reasons
}

// likeness is, for each face of each photograph, the mean of its cosines with the others: with the
// chosen face of each, or, where none are chosen yet, with that of its faces which is most alike.
func (AgreeOptions) likeness(photos [][]dataset.Crop, chosen []int) [][]float64 {
	all := make([][]float64, len(photos))
	for i, faces := range photos {
		all[i] = make([]float64, len(faces))
		for k, f := range faces {
			for j, others := range photos {
				if j == i {
					continue
				}
				largest := -1.
				for n, o := range others {
					if chosen == nil || chosen[j] == n {
						largest = max(largest, floats.Dot(f.Values, o.Values)/floats.Norm(f.Values, 2)/floats.Norm(o.Values, 2))
					}
				}
				all[i][k] += largest / float64(len(photos)-1)
			}
		}
	}
	return all
}
