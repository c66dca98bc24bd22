package explain

import (
	"fmt"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/method"
)

func peopleOf(t *testing.T, m *gallery.Gallery, folder string) string {
	t.Helper()
	p := &People{Title: "<m>", Model: m}
	var err error
	if p.Review, err = m.Review(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if folder != "" {
		if p.Portraits, err = Portraits(t.Context(), m, folder, nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	var b strings.Builder
	if err := p.HTML(&b); err != nil {
		t.Fatal(err)
	}
	// Places of the page itself are asked of nobody, and it may have no picture.
	checkAlone(t, strings.ReplaceAll(b.String(), ` href="#`, ` data-place="`)+`<img src="data:image/png," alt="none">`)
	return b.String()
}

// The page lists a photograph with the label of somebody else, and everybody.
func TestPeoplePage(t *testing.T) {
	c := known()
	faces, labels := crops(c, 6, func(int) int { return 8 })
	labels[9], labels[41] = labels[41], labels[9]
	labels[0], labels[1] = "<b>", "<b>"
	m := enrolled(t, c, method.Mean{}, faces, labels)
	page := strings.ReplaceAll(peopleOf(t, m, ""), "<wbr>", "")
	for _, want := range []string{
		"The people of &lt;m&gt;", "person5/09.png", "It may show person1.", "person1/41.png", "It may show person5.",
		"--photos DIR", "7 people, 48 faces", "&lt;b&gt;", "few photographs (2)", "the turn of the heads is measured too",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page does not say %q", want)
		}
	}
	for _, name := range m.Parts().Classes[1:] {
		if !strings.Contains(page, "<h3>"+name+"</h3>") {
			t.Errorf("%s is not on the page", name)
		}
	}
}

// The photographs are those of the folder that the IDs name, and no others.
func TestPortraits(t *testing.T) {
	set, _ := drawn(t)
	set.IDs = nil
	for j := range set.Len() {
		set.IDs = append(set.IDs, fmt.Sprintf("p/%d.png", j))
	}
	set.IDs[1] = "../secret.png"
	m := learn(t, method.DefaultNRC, set, "16x12 pixels")
	parent := t.TempDir()
	folder := filepath.Join(parent, "data")
	if err := os.MkdirAll(filepath.Join(folder, "p"), 0o777); err != nil {
		t.Fatal(err)
	}
	write := func(path string, grey uint8) {
		t.Helper()
		img := image.NewGray(image.Rect(0, 0, 200, 100))
		for i := range img.Pix {
			img.Pix[i] = grey
		}
		img.SetGray(0, 0, color.Gray{})
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if err := png.Encode(f, img); err != nil {
			t.Fatal(err)
		}
	}
	write(filepath.Join(folder, "p", "0.png"), 90)
	write(filepath.Join(parent, "secret.png"), 90)
	if err := os.WriteFile(filepath.Join(folder, "p", "2.png"), []byte("no image"), 0o666); err != nil {
		t.Fatal(err)
	}
	steps := 0
	all, err := Portraits(t.Context(), m, folder, nil, func(done, total int) { steps++ })
	if err != nil || len(all) != set.Len() || steps != set.Len() {
		t.Fatalf("%d portraits in %d steps: %v", len(all), steps, err)
	}
	for j, p := range all {
		if (p != nil) != (j == 0) {
			t.Errorf("portrait %d is %v", j, p)
		}
	}
	if p := all[0]; p.Light < 89 || p.Light > 91 || p.Size != image.Pt(96, 48) {
		t.Errorf("light %v, size %v", p.Light, p.Size)
	}
	if page := peopleOf(t, m, folder); strings.Count(page, "<img ") != 1 {
		t.Errorf("%d pictures", strings.Count(page, "<img "))
	}
}

// The page tells of light where all photographs have the same, or where one differs.
func TestLit(t *testing.T) {
	for want, lights := range map[string][]float64{
		"all 4 photographs are dark":                              {50, 60, 70, 30},
		"all 4 photographs are very bright":                       {190, 200, 210, 220},
		"about equally bright in all 5":                           {100, 110, 105, 101, 120},
		"only one photograph is bright: add more in bright light": {100, 110, 180, 105},
		"only one photograph is dark: add more in poor light":     {130, 140, 60, 135},
		"": {90, 120, 150, 180},
	} {
		if got := strings.Join(lit(slices.Clone(lights)), "; "); !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("of %v it says %q, want %q", lights, got, want)
		}
	}
	if got := lit([]float64{50, 50, 50}); got != nil {
		t.Errorf("of three it says %q", got)
	}
}

func TestOneIn(t *testing.T) {
	for share, want := range map[float64]string{
		0.7: "most", 0.25: "1 in 4", 1. / 347: "1 in 350",
		1e-9: "fewer than 1 in 1000000", 0: "fewer than 1 in 1000000",
	} {
		if got := oneIn(share); got != want {
			t.Errorf("%v is written %q, want %q", share, got, want)
		}
	}
}
