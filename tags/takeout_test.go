package tags

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestTakeout(t *testing.T) {
	dir := t.TempDir()
	for photo, file := range map[string]string{
		"a.jpg":               "a.jpg.json",
		"b.jpg":               "b.jpg.supplemental-metadata.json",
		"c(1).jpg":            "c.jpg(1).json",
		"d(2).jpg":            "d.jpg.supplemental-metadata(2).json",
		"e-edited.jpg":        "e.jpg.json",
		"f-edited(1).jpg":     "f.jpg(1).json", // Google's name of the edited f(1).jpg
		"g(2)-edited.jpg":     "g.jpg.supplemental-metadata(2).json",
		"h-bearbeitet.jpg":    "h.jpg.json",
		"i-modifié(3).jpg":    "i.jpg.supplemental-metadata(3).json",
		"j-modifie\u0301.jpg": "j.jpg.json",
		"PXL_20230405_101112345.PORTRAIT-01.COVER.jpg":       "PXL_20230405_101112345.PORTRAIT-01.COVER.jpg.s.json",
		"a very long name of a photograph which was cut.jpg": "a very long name of a photograph which was cut.json",
	} {
		if err := os.WriteFile(filepath.Join(dir, file), []byte(`{"title": "x", "people": [{"name": "Ann"}, {"name": "`+photo+`"}], "more": {}}`), 0o666); err != nil {
			t.Fatal(err)
		}
		names, err := Takeout(filepath.Join(dir, photo))
		if err != nil || !slices.Equal(names, []string{"Ann", photo}) {
			t.Errorf("%s: %q, %v", photo, names, err)
		}
	}
	if names, err := Takeout(filepath.Join(dir, "c.jpg")); err != nil || names != nil {
		t.Errorf("%q, %v", names, err)
	}
}

func TestReadList(t *testing.T) {
	path := filepath.Join(t.TempDir(), "names.csv")
	for _, text := range []string{"# comment\na/1.jpg;Ann;Bo\na/2.jpg;Cy\na/1.jpg;Di\n", "a/1.jpg,Ann,Bo,Di\n\"a/2.jpg\",Cy\n", "a/1.jpg\tAnn\tBo\tDi\na/2.jpg\tCy", "\ufeffa/1.jpg,Ann,Bo,Di\na/2.jpg,Cy\n"} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		names, err := ReadList(path)
		dir := filepath.Dir(path)
		if err != nil || !slices.Equal(names[filepath.Join(dir, "a", "1.jpg")], []string{"Ann", "Bo", "Di"}) || !slices.Equal(names[filepath.Join(dir, "a", "2.jpg")], []string{"Cy"}) {
			t.Errorf("%q: %q, %v", text, names, err)
		}
	}
}

// A line with another separator is not a photograph of nobody.
func TestReadListOfTwoSeparators(t *testing.T) {
	path := filepath.Join(t.TempDir(), "names.csv")
	if err := os.WriteFile(path, []byte("1.jpg,Ann\n2.jpg\n3.jpg;Cy\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadList(path); err == nil || !strings.Contains(err.Error(), "line 3") {
		t.Error(err)
	}
}

func FuzzReadList(f *testing.F) {
	f.Add([]byte("a;b;c\n"), []byte(`{"people":[{"name":"x"}]}`))
	f.Fuzz(func(t *testing.T, list, takeout []byte) {
		dir := t.TempDir()
		for name, data := range map[string][]byte{"l.csv": list, "a.jpg.json": takeout} {
			if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		_, _ = ReadList(filepath.Join(dir, "l.csv"))
		_, _ = Takeout(filepath.Join(dir, "a.jpg"))
	})
}
