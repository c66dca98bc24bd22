package explain

import (
	"bytes"
	"image/png"
	"os"
	"regexp"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"nrdl.example/nrdl/classify"
	"nrdl.example/nrdl/coding"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/faces/lettering"
	"nrdl.example/nrdl/faces/synthetic"
	"nrdl.example/nrdl/method"
)

// drawn are images of four drawn people, and an image of the second that is not
// among them.
func drawn(t testing.TB, names ...string) (learned, other *dataset.Images) {
	t.Helper()
	d := synthetic.Default
	d.People, d.PerPerson, d.Input = 4, 4, dataset.Size{Height: 16, Width: 12}
	set, err := d.Draw(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	copy(set.Classes, names)
	return set.Select([]int{0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14}), set.Select([]int{7})
}

// few are parameters, by the end of their paths, for few images and few passes.
var few = map[string]string{"sparsity": "4", "neighbours": "3", "passes": "3", "atoms": "2"}

func learn(t testing.TB, m classify.Method, set *dataset.Images, text string) *gallery.Gallery {
	t.Helper()
	in, err := frontend.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range method.Params(m) {
		if value, ok := few[p.Path[strings.LastIndexByte(p.Path, '.')+1:]]; ok {
			if m, err = method.Set(m, p.Path, value); err != nil {
				t.Fatal(err)
			}
		}
	}
	model, err := gallery.Learn(t.Context(), set, in, m, classify.Run{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	return model
}

func pageOf(t testing.TB, m *gallery.Gallery, faces ...*dataset.Images) *Page {
	t.Helper()
	p := &Page{Title: "a photograph", Model: m, Show: DefaultShow}
	for _, face := range faces {
		e, err := New(t.Context(), m, face)
		if err != nil {
			t.Fatal(err)
		}
		p.Faces = append(p.Faces, Face{Explanation: e})
	}
	return p
}

func htmlOf(t testing.TB, p *Page) string {
	t.Helper()
	var b bytes.Buffer
	if err := p.HTML(&b); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// What a browser may fetch is in a tag, outside of the text about a picture.
var (
	tags    = regexp.MustCompile(`<[a-zA-Z][^>]*>`)
	alts    = regexp.MustCompile(` alt="[^"]*"`)
	sources = regexp.MustCompile(`(?i)\b(src|href|srcset|action|data|on[a-z]+)\s*=\s*"?([^"\s]*)`)
)

// checkAlone wants a page that asks for nothing from elsewhere, and no script.
func checkAlone(t *testing.T, page string) {
	t.Helper()
	for _, tag := range tags.FindAllString(page, -1) {
		for _, m := range sources.FindAllStringSubmatch(alts.ReplaceAllString(tag, ""), -1) {
			if !strings.HasPrefix(m[2], "data:image/") {
				t.Errorf("the page asks for %.60q", m[0])
			}
		}
	}
	for _, word := range []string{"<script", "<link", "<iframe", "<b>", "@import", "url(", "http-equiv"} {
		if strings.Contains(strings.ToLower(page), word) {
			t.Errorf("the page has %s", word)
		}
	}
	if n := strings.Count(page, "<img "); n != strings.Count(page, ` alt="`) || n == 0 || strings.Contains(page, `alt=""`) {
		t.Errorf("not all of %d pictures have words", n)
	}
}

// Every method has a page. Residual and linear rules, and with NRDL_LONG=1 all others,
// have a picture that is as wide as all and not much higher than what is on it.
func TestEveryMethod(t *testing.T) {
	set, face := drawn(t)
	pictured := map[string]bool{}
	for _, m := range method.All() {
		p := pageOf(t, learn(t, m, set, "16x12 pixels"), face)
		page := htmlOf(t, p)
		checkAlone(t, page)
		if len(page) > 200_000 {
			t.Errorf("%s: the page of a face of 16×12 pixels has %d bytes", m.Name(), len(page))
		}
		rule := p.Model.Parts().Rule.Name()
		if pictured[rule] || os.Getenv("NRDL_LONG") == "" && rule != "linear" && rule != "residual" {
			continue
		}
		pictured[rule] = true
		var b bytes.Buffer
		if err := writePNG(p, &b, lettering.Regular, lettering.Bold); err != nil {
			t.Fatalf("%s: %v", m.Name(), err)
		}
		c, err := png.DecodeConfig(&b)
		if err != nil || c.Width != width || c.Height < 400 || c.Height > 2000 {
			t.Errorf("%s: a picture of %d×%d pixels, %v", m.Name(), c.Width, c.Height, err)
		}
	}
}

// What is shown depends on what there is to show.
func TestWhatIsShown(t *testing.T) {
	set, face := drawn(t)
	robust, blocks := classify.Method(method.DefaultRobust), classify.Method(method.DefaultBlocks)
	for _, c := range []struct {
		of       classify.Method
		input    string
		forget   bool
		pictures string // in the rows
		says     string
	}{
		{method.DefaultCRC, "16x12 pixels", false, "4 10", "The atoms are the training photographs"},
		{method.DefaultCRC, "16x12 pixels", true, "4 10", "The learned atoms"},
		{method.DefaultCRC, "16x12 lcn", false, "5 10", "contrast of the sample"},
		{method.DefaultCRC, "16x12 hog:cell=4 mirror", false, "4 10", "the same coefficients mix the training photographs"},
		{method.DefaultCRC, "16x12 igo fisher:0.1", false, "4 10", "the same coefficients mix the training photographs"},
		{method.DefaultCRC, "16x12 hog:cell=4", true, "1 0", "stores no photographs"},
		{method.DefaultLRC, "16x12 pixels", false, "3 3", "code the face separately"},
		{method.DefaultKSVD, "16x12 hog:cell=4", false, "1 4", "the nearest photograph of the same person"},
		{method.DefaultNRDL, "16x12 pixels", false, "", "what the atom adds to the score"},
		{robust, "16x12 pixels", false, "", "the redder over the face"},
		{robust, "16x12 hog:cell=4", false, "", "the same coefficients mix"},
		{blocks, "16x12 lcn", false, "", "reconstructed separately"},
		{blocks, "16x12 pixels", false, "1 9 1", "orange where somebody else"},
	} {
		m := learn(t, c.of, set, c.input)
		if c.forget {
			m.Enrolled = nil
		}
		sections, err := pageOf(t, m, face).sections()
		if err != nil {
			t.Fatal(err)
		}
		var counts, words []string
		for _, r := range sections[0].Rows {
			counts = append(counts, decimals(float64(len(r.Pictures)), 0))
			words = append(words, r.Caption)
		}
		name := c.of.Name() + " on " + c.input
		if got := strings.Join(counts, " "); c.pictures != "" && got != c.pictures {
			t.Errorf("%s: %s pictures, want %s", name, got, c.pictures)
		}
		if got := strings.Join(words, " "); !strings.Contains(got, c.says) {
			t.Errorf("%s: it says %q", name, got)
		}
	}
}

// Names are shown as they are, whatever they are.
func TestNamesAreText(t *testing.T) {
	set, face := drawn(t, "<script>alert(1)<script>", `"><img src=x onerror=alert(1)>`, "Zoë & red", "李小龍")
	m := learn(t, method.DefaultNRC, set, "16x12 pixels")
	p := pageOf(t, m, face, face)
	p.Title = "</title><script>"
	p.Faces[0].Title, p.Faces[1].Title = "Face 1 of 2", "<b>\x1b[31m"
	page := htmlOf(t, p)
	checkAlone(t, page)
	for _, want := range []string{"&lt;script&gt;alert(1)&lt;script&gt;", "Zoë &amp; red", "李小龍", "&lt;b&gt;[31m", "Face 1 of 2"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %s", want)
		}
	}
	if strings.ContainsAny(page, "\x00\x1b") {
		t.Error("the page has control characters")
	}
	if n := strings.Count(page, "<article>"); n != 2 {
		t.Errorf("%d parts for 2 faces", n)
	}
	p.Faces = p.Faces[:1]
	if err := writePNG(p, new(bytes.Buffer), lettering.Regular, lettering.Bold); err != nil {
		t.Error(err)
	}
}

func TestRefuses(t *testing.T) {
	set, face := drawn(t)
	m := learn(t, method.DefaultNRC, set, "16x12 pixels")
	var b bytes.Buffer
	if err := writePNG(pageOf(t, m, face, face), &b, lettering.Regular, lettering.Bold); err == nil ||
		!strings.Contains(err.Error(), "one face") {
		t.Errorf("error %v of a picture of two faces", err)
	}
	for want, edit := range map[string]func(*Page){
		"no face":            func(p *Page) { p.Faces = nil },
		"0 atoms":            func(p *Page) { p.Atoms = 0 },
		"of 1 people":        func(p *Page) { p.People = 1 },
		"has no image":       func(p *Page) { p.Faces[0].Image = nil },
		"trained on vectors": func(p *Page) { p.Model = vectors(t) },
	} {
		p := pageOf(t, m, face)
		edit(p)
		if err := p.HTML(&b); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q in it", err, want)
		}
	}
	if b.Len() > 0 {
		t.Error("something was written")
	}
}

// vectors is a model of samples that are not images.
func vectors(t testing.TB) *gallery.Gallery {
	t.Helper()
	c, err := classify.NewClassifier(classify.Parts{
		D: mat.NewDense(2, 2, []float64{1, 0, 0, 1}), Groups: []int{0, 1, 2}, Classes: []string{"a", "b"},
		Coder: coding.DefaultRidge, Rule: classify.Residual{},
	})
	if err != nil {
		t.Fatal(err)
	}
	return &gallery.Gallery{Model: &frontend.Model{Classifier: c}}
}
