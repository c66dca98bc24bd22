package dataset

import (
	"encoding/binary"
	"fmt"
	"hash/maphash"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mat"

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
		return advice.Add(fmt.Errorf(set.words("all images are equal, %d of %d people: nothing tells people apart"), n, len(set.Classes)),
			"%s", set.words("give each person photographs of their own"))
	}
	names := []string{fmt.Sprintf("%q", set.Classes[index])}
	for _, name := range same {
		names = append(names, fmt.Sprintf("%q", name))
	}
	return advice.Add(fmt.Errorf("%s have the same images (%s): nothing tells them apart", listed(names, " and "),
		legible.Count(set.Groups[index+1]-set.Groups[index], "image")),
		"if they are one person, keep one of them; else give each their own photographs")
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

// The file GroupsMark marks a folder of photographs that nrdl group has divided by person.
// In it, the folders Unknown and NoFaceFolder are not people: they have the photographs
// that belong to no group. GroupsPage shows the faces.
const (
	GroupsMark   = ".nrdl.groups"
	GroupsPage   = "index.html"
	NoFaceFolder = "no face"
)

// Grouped reports whether root has GroupsMark.
func Grouped(root string) bool {
	_, err := os.Stat(filepath.Join(root, GroupsMark))
	return err == nil
}

// leftover returns a function that reports whether an entry of the folder root belongs
// to no person because of GroupsMark.
func leftover(root string) func(entry string) bool {
	grouped := Grouped(root)
	return func(entry string) bool {
		return grouped && (entry == Unknown || entry == NoFaceFolder || entry == GroupsPage)
	}
}

// ungrouped is the advice for images, paths below root, that are not in folders of people:
// nrdl group makes these folders, next to root.
func ungrouped(root string, images []string) advice.Advice {
	beside := filepath.Clean(root)
	if abs, err := filepath.Abs(root); err == nil && (beside == "." || filepath.Base(beside) == "..") {
		beside = filepath.Join(beside, "..", filepath.Base(abs))
	}
	to := beside + "-people"
	for n := 2; ; n++ {
		if _, err := os.Lstat(to); err != nil {
			break
		}
		to = fmt.Sprintf("%s-people%d", beside, n)
	}
	files := advice.Advice{}
	named := 0
	for _, p := range images {
		if NameFiles.check(root, p, NameFiles.person(p)) == nil {
			named++
		}
	}
	if 2*named > len(images) {
		files = advice.New("; or, if each file is named like the person in it, as Ann.jpg and Ann 2.jpg: %v", advice.Names.To(NameFiles))
	}
	return advice.New("%s%v; or let nrdl make folders of photographs of the same person: %v", layout,
		files, advice.Group.With(advice.Data.To(root), advice.Output.To(to)))
}

// leftoverMessage is the warning about a folder that belongs to no person.
func leftoverMessage(folder string) string {
	return fmt.Sprintf("ignored the folder %s: its photographs are of nobody in particular", folder)
}

// flat is the largest contrast of a blank sample, relative to its largest value: 10⁻⁶
// grey values in a white image. Resizing an image of one grey leaves rounding errors.
const flat = 1e-6 / 255

// Blank reports whether an image has a single grey value, so that it shows nobody.
func Blank(sample []float64) bool {
	lo, hi := slices.Min(sample), slices.Max(sample)
	return hi-lo <= flat*max(math.Abs(lo), math.Abs(hi))
}

// maxNamed is the largest number of images that a warning names.
const maxNamed = 20

// refuseBlank warns about the blank images of set. It is an error if a person has no
// others. Samples that are not images are blank only if they are zero.
func refuseBlank(set *Images, opt Options) error {
	d, n := set.X.Dims()
	sample := make([]float64, d)
	var blank []string
	usable := make([]int, len(set.Classes))
	for j := range n {
		mat.Col(sample, j, set.X)
		switch {
		case Blank(sample) && set.Quality != nil: // an image without a face: there was a warning
		case Blank(sample) && (set.AreImages() || sample[0] == 0):
			blank = append(blank, set.ID(j))
		default:
			usable[set.ClassOf(j)]++
		}
	}
	words, what, show, add := set.words, "blank, black or of one grey", "give images that show faces",
		"add images of %q that show a face, or leave the person out"
	if !set.AreImages() {
		what, show, add = "zero", "give images that are not zero", "add images of %q that are not zero, or leave the person out"
	}
	if slices.Max(usable) == 0 && len(blank) == n {
		return advice.Add(fmt.Errorf(words("all %d images are %s: nothing in them tells people apart"), n, what), "%s", words(show))
	}
	if c := slices.Index(usable, 0); c >= 0 {
		size := set.Groups[c+1] - set.Groups[c]
		err := fmt.Errorf(words("all %d images of %q are %s"), size, set.Classes[c], what)
		if size == 1 {
			err = fmt.Errorf(words("the only image of %q is %s"), set.Classes[c], what)
		}
		return advice.Add(err, words(add), set.Classes[c])
	}
	switch n := len(blank); {
	case n > maxNamed:
		opt.warn(words("%d images are %s: %s and %d more"), n, what, strings.Join(blank[:maxNamed], ", "), n-maxNamed)
	case n > 1:
		opt.warn(words("%d images are %s: %s"), n, what, strings.Join(blank, ", "))
	case n == 1:
		text := "the image %s is %s"
		if set.IDs == nil {
			text = "%s is %s" // it is called "sample 3 of class a"
		}
		opt.warn(words(text), blank[0], what)
	}
	return nil
}
