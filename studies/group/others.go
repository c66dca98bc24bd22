package main

import (
	"math"

	"gonum.org/v1/gonum/mat"
)

// averageLinkage returns the groups of n faces with these n×n cosines where those
// with the largest mean cosine are merged while it exceeds a limit, for many limits.
func averageLinkage(cosines *mat.Dense) map[float64][][]int {
	n, _ := cosines.Dims()
	sim := mat.DenseCopyOf(cosines)
	members := make([][]int, n)
	best := make([]int, n)
	value := func(i int) float64 { return sim.At(i, best[i]) }
	search := func(i int) {
		best[i] = -1
		for j, m := range members {
			if m != nil && j != i && (best[i] < 0 || sim.At(i, j) > sim.At(i, best[i])) {
				best[i] = j
			}
		}
	}
	for i := range members {
		members[i] = []int{i}
	}
	for i := range members {
		search(i)
	}
	all := map[float64][][]int{}
	limit := 0.98
	for alive := n; alive > 1; alive-- {
		at := -1
		for i, m := range members {
			if m != nil && (at < 0 || value(i) > value(at)) {
				at = i
			}
		}
		for ; value(at) <= limit; limit -= 0.001 {
			all[math.Round(limit*1000)/1000] = copied(members)
		}
		if limit < 0.9 {
			break
		}
		other := best[at]
		a, b := float64(len(members[at])), float64(len(members[other]))
		members[at], members[other] = append(members[at], members[other]...), nil
		for j, m := range members {
			if m != nil && j != at {
				v := (a*sim.At(at, j) + b*sim.At(other, j)) / (a + b)
				sim.Set(at, j, v)
				sim.Set(j, at, v)
			}
		}
		for j, m := range members {
			if m != nil && (j == at || best[j] == at || best[j] == other) {
				search(j)
			}
		}
	}
	return all
}

func copied(members [][]int) (groups [][]int) {
	for _, m := range members {
		if m != nil {
			groups = append(groups, append([]int(nil), m...))
		}
	}
	return groups
}

// dbscan returns the groups by DBSCAN: faces with at least so many neighbours, counting
// themselves, of more than a cosine are cores, cores that are neighbours are one group,
// other faces join the group of their nearest core or stay alone; for many cosines.
func dbscan(cosines *mat.Dense) map[float64][][]int {
	n, _ := cosines.Dims()
	all := map[float64][][]int{}
	for _, least := range []int{1, 2, 3, 4, 5} {
		for limit := 0.93; limit < 0.98; limit += 0.0025 {
			core := make([]bool, n)
			for i := range n {
				count := 0
				for _, v := range cosines.RawRowView(i) {
					if v >= limit {
						count++
					}
				}
				core[i] = count >= least
			}
			group := make([]int, n)
			for i := range group {
				group[i] = -1
			}
			var groups [][]int
			for i := range n {
				if !core[i] || group[i] >= 0 {
					continue
				}
				id, queue := len(groups), []int{i}
				group[i] = id
				for at := 0; at < len(queue); at++ {
					for j, v := range cosines.RawRowView(queue[at]) {
						if core[j] && group[j] < 0 && v >= limit {
							group[j] = id
							queue = append(queue, j)
						}
					}
				}
				groups = append(groups, queue)
			}
			for i := range n {
				if group[i] >= 0 {
					continue
				}
				nearest := -1
				for j, v := range cosines.RawRowView(i) {
					if core[j] && v >= limit && (nearest < 0 || v > cosines.At(i, nearest)) {
						nearest = j
					}
				}
				if nearest < 0 {
					groups = append(groups, []int{i})
				} else {
					groups[group[nearest]] = append(groups[group[nearest]], i)
				}
			}
			all[float64(least)+limit] = groups
		}
	}
	return all
}
