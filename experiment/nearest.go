package experiment

import (
	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/dataset"
)

// Nearest is the 1-NN baseline: it returns for every column of test the class
// of the column of train at the smallest angle to it, the first of equals.
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
