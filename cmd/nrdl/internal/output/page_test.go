package output

import (
	"context"
	"errors"
	"fmt"
	"image"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/explain"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/frontend"
	"nrdl.example/nrdl/faces/gallery"
	"nrdl.example/nrdl/openset"
)

// faceOfPage is a face named, or guessed, with this margin.
func faceOfPage(name string, known bool, margin float64) faces.Face {
	f := faces.Face{
		Known: known, Probability: 0.637, Margin: margin, Thumb: image.NewRGBA(image.Rect(0, 0, face.ThumbSide, face.ThumbSide)),
		Ranking: []faces.Candidate{{Name: name, Score: 0.5}, {Name: "second", Score: 0.4}},
		Nearest: []explain.Photograph{{ID: name + "/1.jpg", Person: name, Cosine: 0.9}},
	}
	if known {
		f.Name = name
	} else {
		f.Maybe = name
	}
	return f
}

func pageOf(t *testing.T, c *openset.Calibration, add func(p *Page)) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "page.html")
	p, err := NewPage(path, &gallery.Gallery{Model: &frontend.Model{}, Calibration: c}, "m.nrdl")
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	add(p)
	if size, err := p.Write(t.Context()); err != nil || size == 0 {
		t.Fatal(size, err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The faces are in groups by name, the unknown after them and then what has no face; the
// least sure comes first, and names are text.
func TestPage(t *testing.T) {
	const bad = `<b onclick="x">`
	page := pageOf(t, &openset.Calibration{Threshold: 1, FPIR: 0.01, Faces: 100, LeftOut: make([]float64, 100)}, func(p *Page) {
		for _, r := range []struct {
			faces.Result
			error
		}{
			{faces.Result{Photo: faces.Photo{Name: "broken.jpg"}}, errors.New("it is <broken>")},
			{faces.Result{Photo: faces.Photo{Name: "empty.jpg"}}, nil},
			{faces.Result{Photo: faces.Photo{Name: "far.jpg"}, Faces: []faces.Face{faceOfPage("ann", false, 0.2)}}, nil},
			{faces.Result{Photo: faces.Photo{Name: "near.jpg"}, Faces: []faces.Face{faceOfPage("ann", false, 0.9)}}, nil},
			{faces.Result{
				Photo: faces.Photo{Name: "two.jpg"},
				Faces: []faces.Face{faceOfPage("person10", true, 3), {Rejection: errors.New("too small")}},
			}, nil},
			{faces.Result{Photo: faces.Photo{Name: "sure.jpg"}, Faces: []faces.Face{faceOfPage("person9", true, 3)}}, nil},
			{faces.Result{Photo: faces.Photo{Name: "folder/unsure & 1#?.jpg"}, Faces: []faces.Face{faceOfPage("person9", true, 1.1)}}, nil},
			{faces.Result{Photo: faces.Photo{Name: bad}, Faces: []faces.Face{faceOfPage(bad, true, 2)}}, nil},
		} {
			if err := p.Add(r.Result, r.error); err != nil {
				t.Fatal(err)
			}
		}
	})
	at := 0
	for _, want := range []string{
		"8 photographs: 4 faces of 3 people named, 2 unknown", "Strangers: fewer than ",
		"<h2>&lt;b onclick=&#34;x&#34;&gt; <small>1 face</small>",
		"<h2>person9 <small>2 faces</small>", "unsure%20&amp;%201%23%3F.jpg\">folder/<wbr>unsure &amp; 1#?.jpg</a>",
		"just above the threshold", "sure.jpg", "far above the threshold",
		"<h2>person10", "two.jpg", "1 of 2",
		"<h2>unknown <small>2 faces</small>", "maybe ann, 63 %", "near.jpg", "<dt>Best guess</dt><dd>ann</dd>", "just below", "far.jpg",
		"<h2>Not identified", "too small", "<h2>No face found", "empty.jpg", "<h2>Files that could not be read",
		"it is &lt;broken&gt;", "</html>",
	} {
		i := strings.Index(page[at:], want)
		if i < 0 {
			t.Fatalf("%q is not there, or not in its place", want)
		}
		at += i
	}
	for _, never := range []string{"<script", "http:", "https:", "onclick=\"", "ZgotmplZ", "@import", "url("} {
		if strings.Contains(page, never) {
			t.Errorf("the page has %s", never)
		}
	}
}

// A page of many faces is small for each, and a model without a threshold has no
// probability.
func TestPageOfMany(t *testing.T) {
	const many = 500
	page := pageOf(t, nil, func(p *Page) {
		for i := range many {
			f := faceOfPage(fmt.Sprint("person", i%7), true, float64(i))
			f.Probability = math.NaN()
			if err := p.Add(faces.Result{Photo: faces.Photo{Name: fmt.Sprint(i, ".jpg")}, Faces: []faces.Face{f}}, nil); err != nil {
				t.Fatal(err)
			}
		}
	})
	if n := strings.Count(page, "<img "); n != many || len(page) > 5000*many || strings.Contains(page, "NaN") ||
		!strings.Contains(page, "no threshold") {
		t.Errorf("%d pictures in %d bytes", n, len(page))
	}
}

// A page that is interrupted is not there.
func TestPageInterrupted(t *testing.T) {
	dir := t.TempDir()
	p, err := NewPage(filepath.Join(dir, "page.html"), &gallery.Gallery{Model: &frontend.Model{}}, "m.nrdl")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Add(faces.Result{Photo: faces.Photo{Name: "a.jpg"}}, fs.ErrInvalid); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := p.Write(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%v is left: %v", left, err)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
