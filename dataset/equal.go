package dataset

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math"
	"slices"

	"nrdl.example/nrdl/advice"
	"nrdl.example/nrdl/internal/legible"
)

// refuseEqual is an error if two people have the same images, so that no method can
// distinguish them.
func refuseEqual(set *Images) error {
	first := map[string]int{} // the first person with these images
	same := []string{}
	var index int
	seed := maphash.MakeSeed()
	for c, name := range set.Classes {
		key := distinct(set, c, seed)
		if before, seen := first[key]; !seen {
			first[key] = c
		} else if len(same) == 0 || before == index {
			index, same = before, append(same, name)
		}
	}
	switch n := set.Len(); {
	case len(same) == 0:
		return nil
	case len(first) == 1 && len(distinct(set, 0, seed)) == hashBytes:
		return advice.Add(fmt.Errorf("all images are equal, %d of %d people: nothing tells people apart", n, len(set.Classes)),
			"give each person photographs of their own")
	}
	names := []string{fmt.Sprintf("%q", set.Classes[index])}
	for _, name := range same {
		names = append(names, fmt.Sprintf("%q", name))
	}
	return advice.Add(fmt.Errorf("%s have the same images (%s): nothing tells them apart", listed(names, " and "),
		legible.Count(set.Groups[index+1]-set.Groups[index], "image")), "if they are one person, keep one of them; else give each their own photographs")
}

// hashBytes is the length of a hash in distinct.
const hashBytes = 8

// distinct returns a key of the images of a person: their hashes, sorted, each once.
func distinct(set *Images, class int, seed maphash.Seed) string {
	d, _ := set.X.Dims()
	bytes := make([]byte, 8*d)
	var hashes []uint64
	for j := set.Groups[class]; j < set.Groups[class+1]; j++ {
		for i := range d {
			binary.LittleEndian.PutUint64(bytes[8*i:], math.Float64bits(set.X.At(i, j)))
		}
		hashes = append(hashes, maphash.Bytes(seed, bytes))
	}
	slices.Sort(hashes)
	var key []byte
	for _, h := range slices.Compact(hashes) {
		key = binary.LittleEndian.AppendUint64(key, h)
	}
	return string(key)
}
