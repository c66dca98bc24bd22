package dataset

import (
	"fmt"
	"os"
	"path/filepath"

	"nrdl.example/nrdl/internal/hint"
)

// A folder of photographs that were divided by person has the file GroupsMark. There, the
// folders Unknown and NoFaceFolder hold the photographs of nobody in particular and are
// no people, and GroupsPage shows the faces.
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

// leftover returns what reports the entries directly below root that belong to no
// person, because of GroupsMark.
func leftover(root string) func(entry string) bool {
	grouped := Grouped(root)
	return func(entry string) bool {
		return grouped && (entry == Unknown || entry == NoFaceFolder || entry == GroupsPage)
	}
}

// ungrouped is the hint for images at root that lie in no folders of people: group makes
// them, beside root.
func ungrouped(root string) string {
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
	return fmt.Sprintf("%s; or let nrdl make folders of photographs of the same person: nrdl group %s -o %s", layout, hint.Quoted(root), hint.Quoted(to))
}

// inNobodys says that folder is left out by leftover.
func inNobodys(folder string) string {
	return fmt.Sprintf("ignored the folder %s: its photographs are of nobody in particular", folder)
}
