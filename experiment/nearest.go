package experiment

import (
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/dataset"
)

// Nearest is the nearest-neighbour baseline. For every column of test it returns the
// class of the column of train with the largest cosine, the first of equals.
func Nearest(train *dataset.Images, test *mat.Dense) []int {
	var cosines mat.Dense // N×n
	cosines.Mul(classify.Unit(train.X).T(), classify.Unit(test))
	_, n := cosines.Dims()
	nearest := make([]int, n)
	for u := range len(train.Labels()) {
		for j, v := range cosines.RawRowView(u) {
			if v > cosines.At(nearest[j], j) {
				nearest[j] = u
			}
		}
	}
	labels := train.Labels()
	for j, u := range nearest {
		nearest[j] = labels[u]
	}
	return nearest
}
