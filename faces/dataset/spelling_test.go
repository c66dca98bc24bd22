package dataset

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"
)

// A folder of a Mac and one of a network drive spell ë in two ways: they are one person, which
// is reported. A list finds files however their names are spelled.
func TestSpellings(t *testing.T) {
	composed, apart := norm.NFC.String("Zoë"), norm.NFD.String("Zoë")
	root := drawn(t, map[string][]int{composed: {1, 2}, apart: {3}, "Bob": {4, 5}},
		func(image, at int) int { return (image*37 + at*image*11) % 256 })
	if entries, err := os.ReadDir(root); err != nil || len(entries) != 3 {
		t.Skip("this file system has one spelling only")
	}
	var warned []string
	options := Options{Frame: Frame{Size: Size{Height: 4, Width: 4}}, Warn: func(s string) { warned = append(warned, s) }}
	set, err := Open(context.Background(), root, options)
	if err != nil {
		t.Fatal(err)
	}
	if len(set.Classes) != 2 || len(set.Labels()) != 5 || len(warned) != 1 || !strings.Contains(warned[0], "taken for one person") {
		t.Errorf("%q, %d images, warned %q", set.Classes, len(set.Labels()), warned)
	}
	warned = nil
	files, err := PeopleFiles([]string{root}, "", func(s string) string { return s }, func(err error) { warned = append(warned, err.Error()) })
	people := map[string]bool{}
	for _, f := range files {
		people[f.Person] = true
	}
	if err != nil || len(people) != 2 || len(warned) != 1 {
		t.Errorf("%v, %v, warned %q", people, err, warned)
	}

	// Bob and the decomposed Zoë alone: the list has her name in the other spelling.
	if err := os.RemoveAll(filepath.Join(root, composed)); err != nil {
		t.Fatal(err)
	}
	mixed := filepath.Join(root, apart, norm.NFC.String("ä.pgm"))
	if err := os.Rename(onlyFile(t, filepath.Join(root, apart)), mixed); err != nil {
		t.Fatal(err)
	}
	bob, err := ImageFiles(filepath.Join(root, "Bob"))
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(root, "list.csv")
	text := composed + "/" + norm.NFD.String("ä.pgm") + ";" + composed + "\nBob/" + filepath.Base(bob[0]) + ";Bob\n"
	if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if set, err = Open(context.Background(), list, options); err != nil || len(set.Labels()) != 2 {
		t.Errorf("the list: %v", err)
	}
	for _, path := range []string{filepath.Join(root, composed), filepath.Join(root, composed, norm.NFD.String("ä.pgm"))} {
		if found, _, err := Photographs(path); err != nil || len(found) != 1 || found[0] != mixed {
			t.Errorf("%q: found %q, %v", path, found, err)
		}
	}
}

func onlyFile(t *testing.T, dir string) string {
	t.Helper()
	files, err := ImageFiles(dir)
	if err != nil || len(files) != 1 {
		t.Fatalf("%q, %v", files, err)
	}
	return files[0]
}
