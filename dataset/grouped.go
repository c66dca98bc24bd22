package dataset

import (
	"fmt"
	"os"
	"path/filepath"

	"nrdl.example/nrdl/advice"
)

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
	return advice.New("%s%v; or let nrdl make folders of photographs of the same person: %v", layout, files, advice.Group.With(advice.Data.To(root), advice.Output.To(to)))
}

// leftoverMessage is the warning about a folder that belongs to no person.
func leftoverMessage(folder string) string {
	return fmt.Sprintf("ignored the folder %s: its photographs are of nobody in particular", folder)
}
