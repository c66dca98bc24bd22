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
		if err := os.WriteFile(filepath.Join(dir, file),
			[]byte(`{"title": "x", "people": [{"name": "Ann"}, {"name": "`+photo+`"}], "more": {}}`), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, photo), nil, 0o666); err != nil {
			t.Fatal(err)
		}
		names, err := new(Takeout).Names(filepath.Join(dir, photo))
		if err != nil || !slices.Equal(names, []string{"Ann", photo}) {
			t.Errorf("%s: %q, %v", photo, names, err)
		}
	}
	if names, err := new(Takeout).Names(filepath.Join(dir, "c.jpg")); err != nil || names != nil {
		t.Errorf("%q, %v", names, err)
	}
}

// Names of JSON files that people report: each photograph has the one that is of it, and no other.
func TestTakeoutForms(t *testing.T) {
	long := "a photograph with a name that is longer than Takeout allows" // 59
	emoji := strings.Repeat("😀", 30)                                      // two UTF-16 units each
	for photo, c := range map[string]struct{ file, title string }{
		"Peanut butter.jpg":   {"Peanut butter.supplemental-metadata.json", "Peanut butter.jpg"},
		"Peanut.jpg":          {"Peanut.json", "Peanut"},
		"a(1).jpg":            {"a(1).jpg.supplemental-metadata.json", "a.jpg"},
		"b(1).jpg":            {"b.supplemental-metadata(1).json", "b.jpg"},
		"c(1).jpg":            {"c(1).json", "c.jpg"},
		"d(1)(2).jpg":         {"d(1).jpg(2).json", "d(1).jpg"},
		"IMG_1.JPG":           {"IMG_1.jpg.supplemental-metadata.json", "IMG_1.JPG"},
		"img_2.jpg":           {"IMG_2.JPG.json", "IMG_2.JPG"},
		"IMG_3.jpg":           {"IMG_3.jpg.SUPPLEMENTAL-METADATA.JSON", "x"},
		"e-edited.jpg":        {"e.heic.supplemental-metadata.json", "e.heic"},
		"f-edited(1).jpg":     {"f.HEIC.supplemental-metadata(1).json", "f.HEIC"},
		"g.jpeg":              {"g.jpg.json", "g.jpg"},
		"h.jpg":               {"h.jpeg.supplemental-metadata.json", "h.jpeg"},
		"i.jpg":               {"i.jpg.supplemental-met.json", "i.jpg"},
		"j.jpg":               {"j.jpg.s.json", "j.jpg"},
		"k.jpg":               {"k.jpg..json", "k.jpg"},
		"l.jpg":               {"another name.json", "l.jpg"},
		long + ".jpg":         {long[:46] + ".json", long + ".jpg"},
		long[:47] + ".jpg":    {long[:46] + ".json", long + ".jpg"},
		long[:47] + "(1).jpg": {long[:46] + "(1).json", long + ".jpg"},
		long[:38] + ".jpg":    {long[:38] + ".jpg.su.json", long[:38] + ".jpg"},
		long[:41] + ".jpg":    {long[:41] + ".jpg..json", long[:41] + ".jpg"},
		long[:43] + ".jpg":    {long[:43] + ".jp.json", long[:43] + ".jpg"},
		emoji + ".jpg":        {emoji[:4*23] + ".json", emoji + ".jpg"},
		"Zoe\u0308.jpg":       {"Zoë.jpg.json", "Zoë.jpg"},
		"m-bearbeitet.png":    {"m.jpg.json", "m.jpg"},
		"o-edited(2).jpg":     {"o(2).heic.supplemental-metadata.json", "o.heic"},
		"p-effects.jpg":       {"p.jpg.supplemental-metadata.json", "p.jpg"},

		long[:42] + "-edi.jpg":       {long[:42] + ".jpg.json", long[:42] + ".jpg"},
		long[:38] + "-edi.jpg":       {long[:38] + ".jpg.supp.json", long[:38] + ".jpg"},
		long[:44] + "-ed(1).jpg":     {long[:44] + ".j(1).json", long[:44] + ".jpg"},
		long[:44] + "-b.jpg":         {long[:44] + ".j.json", long[:44] + ".jpg"},
		emoji[:4*21] + "-modifi.jpg": {emoji[:4*21] + ".jpg.json", emoji[:4*21] + ".jpg"},
		emoji[:4*20] + "-modif.heic": {emoji[:4*20] + ".jpg.s.json", emoji[:4*20] + ".jpg"},
		"n.jpg":                      {"n.jpg.supplemental-metadata.json", "\ufeff"},
	} {
		dir := t.TempDir()
		text := `{"title": "` + c.title + `", "photoTakenTime": {}, "people": [{"name": "Ann"}]}`
		if c.title == "\ufeff" { // a byte order mark
			text = "\ufeff" + strings.Replace(text, c.title, "n.jpg", 1)
		}
		for name, content := range map[string]string{
			photo: "", c.file: text, "other.jpg": "",
			"other.jpg.json": `{"title": "other.jpg", "people": [{"name": "Bo"}]}`,
		} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
				t.Fatal(err)
			}
		}
		var takeout Takeout
		if names, err := takeout.Names(filepath.Join(dir, photo)); err != nil || !slices.Equal(names, []string{"Ann"}) {
			t.Errorf("%s beside %s: %q, %v", photo, c.file, names, err)
		}
		if names, err := takeout.Names(filepath.Join(dir, "other.jpg")); err != nil || !slices.Equal(names, []string{"Bo"}) {
			t.Errorf("beside %s: %q, %v", photo, names, err)
		}
		if left := takeout.Left(); left != "" {
			t.Errorf("%s: %s", photo, left)
		}
	}
}

// Of several photographs with one name each keeps its own, and what has no partner is counted.
func TestTakeoutPartners(t *testing.T) {
	dir := t.TempDir()
	for name, people := range map[string]string{
		"a.jpg": "", "a(1).jpg": "", "a.heic": "", "a.jpg.json": "A", "a.jpg(1).json": "A1", "b.jpg": "", "b.png": "", "b.png.json": "B",
		"c.mp4": "", "c.mp4.json": "C", "d.mp4.json": "D", "lonely.jpg": "", "short-edi.jpg": "",
		"short.jpg.json": "Short", "gone.jpg.supplemental-metadata.json": "Gone", "metadata.json": "", "a-edited.jpg": "",
	} {
		content := ""
		if strings.HasSuffix(name, ".json") {
			content = `{"title": "` + strings.TrimSuffix(strings.TrimSuffix(name, ".json"), ".supplemental-metadata") + `"}`
			if people != "" {
				content = strings.Replace(content, "}", `, "people": [{"name": "`+people+`"}]}`, 1)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var takeout Takeout
	for photo, want := range map[string]string{
		"a.jpg": "A", "a(1).jpg": "A1", "a.heic": "", "b.jpg": "",
		"b.png": "B", "lonely.jpg": "", "a-edited.jpg": "A",
	} {
		if names, err := takeout.Names(filepath.Join(dir, photo)); err != nil || strings.Join(names, ",") != want {
			t.Errorf("%s: %q, want %q, %v", photo, names, want, err)
		}
	}
	left := takeout.Left()
	for _, want := range []string{
		"3 photographs without", "lonely.jpg", "2 JSON files without a photograph",
		"gone.jpg.supplemental-metadata.json",
	} {
		if !strings.Contains(left, want) {
			t.Errorf("%q lacks %q", left, want)
		}
	}
}

func TestReadList(t *testing.T) {
	path := filepath.Join(t.TempDir(), "names.csv")
	for _, text := range []string{
		"# comment\na/1.jpg;Ann;Bo\na/2.jpg;Cy\na/1.jpg;Di\n",
		"a/1.jpg,Ann,Bo,Di\n\"a/2.jpg\",Cy\n", "a/1.jpg\tAnn\tBo\tDi\na/2.jpg\tCy", "\ufeffa/1.jpg,Ann,Bo,Di\na/2.jpg,Cy\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		names, err := ReadList(path)
		dir := filepath.Dir(path)
		if err != nil || !slices.Equal(names[filepath.Join(dir, "a", "1.jpg")], []string{"Ann", "Bo", "Di"}) ||
			!slices.Equal(names[filepath.Join(dir, "a", "2.jpg")], []string{"Cy"}) {
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
		_, _ = new(Takeout).Names(filepath.Join(dir, "a.jpg"))
	})
}
