package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"
)

// An Info describes a data set. Images are columns of the set.
type Info struct {
	People    int     `json:"people"`
	Images    int     `json:"images"`   // number of images
	Features  int     `json:"features"` // d
	Frame     Frame   `json:"input"`    // zero if the samples are not images of a known size
	MinImages int     `json:"fewest"`   // smallest number of images of a person
	MaxImages int     `json:"most"`     // largest number of images of a person
	Lowest    float64 `json:"lowest"`   // value
	Highest   float64 `json:"highest"`  // value
	Integers  bool    `json:"integers"` // all values are integers
	// Blank images are all zero: no method can recognise them. Constant images
	// have a single nonzero value, up to rounding errors.
	Blank    []int `json:"blank"`
	Constant []int `json:"constant"`
	// Duplicates are groups of identical images that are neither blank nor
	// constant. Conflicts are those groups with more than one person: a label is
	// wrong.
	Duplicates [][]int `json:"duplicates"`
	Conflicts  [][]int `json:"conflicts"`
}

// Describe computes the Info of set from all samples.
func Describe(set *Images) Info {
	d, n := set.X.Dims()
	info := Info{
		People: len(set.Classes), Images: n, Features: d, Frame: set.Frame,
		MinImages: n, Lowest: math.Inf(1), Highest: math.Inf(-1), Integers: true,
		Blank: []int{}, Constant: []int{}, Duplicates: [][]int{}, Conflicts: [][]int{}, // [] in JSON, not null
	}
	for c := range set.Classes {
		size := set.Groups[c+1] - set.Groups[c]
		info.MinImages, info.MaxImages = min(info.MinImages, size), max(info.MaxImages, size)
	}
	alike := make(map[[sha256.Size]byte][]int)
	sample, bytes := make([]float64, d), make([]byte, 8*d)
	for j := range n {
		mat.Col(sample, j, set.X)
		lo, hi := info.see(sample)
		switch {
		case lo == 0 && hi == 0:
			info.Blank = append(info.Blank, j)
		case Blank(sample):
			info.Constant = append(info.Constant, j)
		default:
			for i, v := range sample {
				binary.LittleEndian.PutUint64(bytes[8*i:], math.Float64bits(v))
			}
			key := sha256.Sum256(bytes)
			alike[key] = append(alike[key], j)
		}
	}
	info.compare(set, alike)
	return info
}

// see adds the values of one sample to info and returns their range.
func (info *Info) see(sample []float64) (lo, hi float64) {
	lo, hi = slices.Min(sample), slices.Max(sample)
	info.Lowest, info.Highest = min(info.Lowest, lo), max(info.Highest, hi)
	info.Integers = info.Integers && !slices.ContainsFunc(sample, func(v float64) bool { return v != math.Trunc(v) })
	return lo, hi
}

func (info *Info) compare(set *Images, alike map[[sha256.Size]byte][]int) {
	for _, group := range alike {
		if len(group) > 1 {
			info.Duplicates = append(info.Duplicates, group)
		}
	}
	slices.SortFunc(info.Duplicates, slices.Compare)
	for _, group := range info.Duplicates {
		// Columns are grouped by person and the group is ascending.
		if set.ClassOf(group[0]) != set.ClassOf(group[len(group)-1]) {
			info.Conflicts = append(info.Conflicts, group)
		}
	}
}
