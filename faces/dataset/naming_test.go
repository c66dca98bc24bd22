package dataset

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nrdl.example/nrdl/advice"
)

func TestNaming(t *testing.T) {
	for _, c := range []struct {
		by         Naming
		path, want string
	}{
		{NameFiles, "Ann.jpg", "Ann"},
		{NameFiles, "Ann 2.jpg", "Ann"},
		{NameFiles, "Ann_0003.jpg", "Ann"},
		{NameFiles, "Ann-4.jpg", "Ann"},
		{NameFiles, "Ann (5).jpeg", "Ann"},
		{NameFiles, "Ann.6.jpg", "Ann"},
		{NameFiles, "Ann#7.jpg", "Ann"},
		{NameFiles, "Ann Smith.jpg", "Ann Smith"},
		{NameFiles, "Ann_Smith_0001.jpg", "Ann_Smith"},
		{NameFiles, "person001.jpg", "person001"}, // no separator: part of the name
		{NameFiles, "2023/Zoë 2.JPG", "Zoë"},
		{NameLast, "2023/Ann/1.jpg", "Ann"},
		{NameLast, "Ann/1.jpg", "Ann"},
		{NameLast, "1.jpg", ""},
		{NameFirst, "2023/Ann/1.jpg", "2023"},
		{NameFirst, "1.jpg", ""},
	} {
		if got := c.by.person(c.path); got != c.want {
			t.Errorf("%s %s: %q, want %q", c.by, c.path, got, c.want)
		}
	}
}

func TestNamesOfCamerasAreNoPeople(t *testing.T) {
	for _, name := range []string{
		"IMG_0001", "IMG_20230405_101112", "DSC00012", "PXL_20230405",
		"20230405_101112", "photo 3", "WhatsApp Image 2023-04-05",
	} {
		p := name + ".jpg"
		if err := NameFiles.check("photos", p, NameFiles.person(p)); err == nil ||
			advice.Text(err) == "" && !strings.Contains(err.Error(), "empty") {
			t.Errorf("%s is taken for the name of a person: %v", name, err)
		}
	}
	for _, name := range []string{"Ann", "Pat", "Imgard", "Dscomb", "Image Smith"} {
		p := name + ".jpg"
		if err := NameFiles.check("photos", p, NameFiles.person(p)); err != nil {
			t.Error(err)
		}
	}
}

func TestOpenNamed(t *testing.T) {
	root := t.TempDir()
	for i, p := range []string{"Ann.png", "Ann 2.png", "Bo.png", "2023/Cy/1.png", "2024/Cy/1.png", "2024/Di/1.png"} {
		path := filepath.Join(root, []string{"flat", "dated"}[min(1, i/3)], p)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, asPNG(ramp(8+i, 8)), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	flat, dated := filepath.Join(root, "flat"), filepath.Join(root, "dated")
	for _, c := range []struct {
		root    string
		by      Naming
		ids     []string
		offered string // by the error without by
	}{
		{flat, NameFiles, []string{"Ann/Ann 2.png", "Ann/Ann.png", "Bo/Bo.png"}, "Names: files"},
		{dated, NameLast, []string{"Cy/2023/Cy/1.png", "Cy/2024/Cy/1.png", "Di/2024/Di/1.png"}, "Names: last"},
	} {
		if _, err := Open(t.Context(), c.root, Options{}); err == nil || !strings.Contains(advice.Text(err), c.offered) {
			t.Errorf("%s: %v, with the advice %q", c.by, err, advice.Text(err))
		}
		set, err := Open(t.Context(), c.root, Options{Names: c.by, Frame: Frame{Size: Size{Height: 8, Width: 8}}})
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(set.IDs, c.ids) {
			t.Errorf("%s: %q, want %q", c.by, set.IDs, c.ids)
		}
		files, err := NamedFiles(c.root, c.by, strings.ToUpper, func(err error) { t.Error(err) })
		if err != nil || len(files) != 3 || files[0].Person != strings.ToUpper(set.Classes[0]) {
			t.Errorf("%s: %v, %v", c.by, files, err)
		}
	}
}
