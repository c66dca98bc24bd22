package album

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"nrdl.example/nrdl/faces"
	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/face"
	"nrdl.example/nrdl/faces/results"
)

// people have names that file systems and pages must not take at their word.
var people = []string{"Ann", "../x", "😀 Emoji", "أحمد بن علي", `<b onclick="x">`, "ann", "CON", "a?b#c%20d", "unknown"}

// drawn is an album of n photographs of two people each, and a file that cannot be read.
func drawn(t *testing.T, n int) *Album {
	t.Helper()
	root := t.TempDir()
	a, err := Open(filepath.Join(root, "album"), "0123", t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	img := image.NewRGBA(image.Rect(0, 0, 480, 360))
	for i := range img.Pix {
		img.Pix[i] = uint8(i / 700)
	}
	for y := 90; y < 190; y++ {
		for x := 100; x < 180; x++ {
			img.SetRGBA(x, y, color.RGBA{R: 240, G: 200, B: 170, A: 255})
		}
	}
	var file bytes.Buffer
	if err := jpeg.Encode(&file, img, nil); err != nil {
		t.Fatal(err)
	}
	decoded := dataset.NewPhoto(img)
	if err := os.Mkdir(filepath.Join(root, "photos #1"), 0o777); err != nil {
		t.Fatal(err)
	}
	for k := range n {
		path := filepath.Join(root, "photos #1", fmt.Sprintf("100%% %d?.jpg", k))
		if k == 0 {
			err = os.WriteFile(path, file.Bytes(), 0o666)
		} else { // ten thousand copies would take long
			err = os.Link(filepath.Join(root, "photos #1", "100% 0?.jpg"), path)
		}
		if err != nil {
			t.Fatal(err)
		}
		if k == 0 {
			err = a.Thumb(t.Context(), path)(decoded)
		} else {
			err = os.Link(filepath.Join(a.dir, thumb(a.relative(filepath.Join(root, "photos #1", "100% 0?.jpg")))),
				filepath.Join(a.dir, thumb(a.relative(path))))
		}
		if err != nil {
			t.Fatal(err)
		}
		r := faces.Result{Photo: faces.Photo{Name: path}, Size: image.Pt(480, 360), Orientation: 1, StoredSize: image.Pt(480, 360)}
		if k%10 > 0 {
			r.Taken = time.Date(2001, 1, 1, 12, 0, 0, 0, time.UTC).Add(time.Duration(n-k) * 30 * time.Hour)
		}
		box := image.Rect(100, 90, 180, 190)
		for _, name := range []string{people[0], people[k%len(people)]} {
			r.Faces = append(r.Faces,
				faces.Face{Name: name, Known: true, Box: box, Detection: &face.Face{Box: box}, Ranking: []faces.Candidate{{Name: name}}})
		}
		if k%100 == 0 {
			r.Faces = r.Faces[:1]
			r.Faces[0].Known, r.Faces[0].Detection.Covered = false, "mouth"
		}
		if err := a.File.Write(r, nil); err != nil {
			t.Fatal(err)
		}
	}
	bad := filepath.Join(root, "photos #1", "bad.jpg")
	if err := errors.Join(os.WriteFile(bad, nil, 0o666),
		a.File.Write(faces.Result{Photo: faces.Photo{Name: bad}}, errors.New("not an image"))); err != nil {
		t.Fatal(err)
	}
	return a
}

// many is the number of photographs of an album.
func many() int {
	if os.Getenv("NRDL_LONG") != "" {
		return 10_000
	}
	return 450
}

var (
	addresses = regexp.MustCompile(`(?:href|src)="([^"]*)"`)
	images    = regexp.MustCompile(`<img [^>]*>`)
)

// Every address of every page leads to a file beside it, every picture has a text, every page is
// reached from the index, and names are text.
func TestAlbum(t *testing.T) {
	n := many()
	a := drawn(t, n)
	counts, err := a.Write(t.Context(), "m.nrdl", nil)
	if err != nil || counts.Photographs != n+1 || counts.People != len(people) {
		t.Fatal(counts, err)
	}
	shown := 0
	reached, queue := map[string]bool{a.Index(): true}, []string{a.Index()}
	for len(queue) > 0 {
		at := queue[0]
		queue = queue[1:]
		text, err := os.ReadFile(at)
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(text, []byte("<b onclick")) || bytes.Contains(text, []byte("://")) || bytes.Contains(text, []byte("<script")) {
			t.Errorf("%s takes a name for markup, or needs a network", at)
		}
		for _, img := range images.FindAllString(string(text), -1) {
			if strings.Contains(img, `alt=""`) || !strings.Contains(img, ` alt="`) {
				t.Errorf("%s: %s has no text", at, img)
			}
		}
		if strings.Contains(at, "Ann") {
			shown += strings.Count(string(text), "<img src=")
		}
		for _, m := range addresses.FindAllStringSubmatch(string(text), -1) {
			if strings.HasPrefix(m[1], "#") {
				continue
			}
			path, err := url.PathUnescape(strings.ReplaceAll(m[1], "&#43;", "+"))
			if err != nil {
				t.Fatal(err)
			}
			to := filepath.Join(filepath.Dir(at), filepath.FromSlash(path))
			if missing(to) {
				t.Fatalf("%s leads to %s, which is not there", at, m[1])
			}
			if strings.HasSuffix(to, ".html") && !reached[to] {
				reached[to], queue = true, append(queue, to)
			}
		}
	}
	if len(reached) != counts.Pages {
		t.Errorf("of %d pages %d are reached", counts.Pages, len(reached))
	}
	if want := n - (n+99)/100; shown != want {
		t.Errorf("%d photographs of Ann, want %d", shown, want)
	}
	entries, err := os.ReadDir(filepath.Dir(a.dir))
	if err != nil || len(entries) != 2 {
		t.Errorf("outside of the album there is %v, %v", entries, err)
	}
}

// A second run changes no file, and what is gone leaves the pages; nothing else does.
func TestAlbumAgain(t *testing.T) {
	a := drawn(t, 210)
	first, err := a.Write(t.Context(), "m.nrdl", nil)
	if err != nil {
		t.Fatal(err)
	}
	index, _ := os.ReadFile(a.Index())
	again, err := a.Write(t.Context(), "m.nrdl", nil)
	if text, _ := os.ReadFile(a.Index()); err != nil || again != first || !bytes.Equal(text, index) {
		t.Errorf("%+v, then %+v, %v", first, again, err)
	}
	if missing(filepath.Join(a.dir, "people", "Ann", "2.html")) {
		t.Error("207 photographs need a second page")
	}
	own := filepath.Join(a.dir, "people", "mine.txt")
	if err := os.WriteFile(own, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	photos, err := filepath.Glob(filepath.Join(filepath.Dir(a.dir), "photos #1", "*0?.jpg"))
	if err != nil || len(photos) < 20 {
		t.Fatal(photos, err)
	}
	for _, p := range photos {
		if err := os.Remove(p); err != nil {
			t.Fatal(err)
		}
	}
	fewer, err := a.Write(t.Context(), "m.nrdl", nil)
	if err != nil || fewer.AbsentPhotographs != len(photos) || missing(own) || !missing(filepath.Join(a.dir, "people", "Ann", "2.html")) {
		t.Errorf("%+v, %v", fewer, err)
	}
	thumbs, err := os.ReadDir(filepath.Join(a.dir, "thumbs"))
	if err != nil || len(thumbs) != 210-len(photos) {
		t.Errorf("%d thumbnails, %v", len(thumbs), err)
	}
}

// The thumbnail of a photograph in grey is in grey, and one without its end is not taken.
func TestThumb(t *testing.T) {
	a, err := Open(filepath.Join(t.TempDir(), "album"), "model", t.Logf)
	if err != nil {
		t.Fatal(err)
	}
	defer a.Close()
	if err := a.Thumb(t.Context(), "grey.jpg")(dataset.NewPhoto(image.NewGray(image.Rect(0, 0, 90, 60)))); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(a.dir, thumb(a.relative("grey.jpg")))
	if c, err := configOf(path); err != nil || c.Width != 90 || c.Height != 60 || c.ColorModel != color.GrayModel {
		t.Errorf("%+v, %v", c, err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int64{info.Size() - 2, info.Size(), 0} { // the second time the end is zeros
		if err := os.Truncate(path, size); err != nil {
			t.Fatal(err)
		}
		if c, err := configOf(path); err == nil {
			t.Errorf("of %d bytes: %+v", size, c)
		}
	}
}

// A folder with other files is no album, and another model begins again.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, "0", t.Logf); err == nil {
		t.Error("an album is made beside other files")
	}
	dir = filepath.Join(dir, "new")
	for _, model := range []string{"0", "0", "1"} {
		message := ""
		a, err := Open(dir, model, func(format string, args ...any) { message = fmt.Sprintf(format, args...) })
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Open(dir, model, t.Logf); err == nil {
			t.Error("two processes write one album")
		}
		if err := errors.Join(a.File.Write(faces.Result{Photo: faces.Photo{Name: "a.jpg"}}, nil), a.Close()); err != nil {
			t.Fatal(err)
		}
		if (message != "") != (model == "1") {
			t.Errorf("model %s: %q", model, message)
		}
	}
}

// What an earlier model named is named again, also after an interruption, until the pages are
// written.
func TestEarlier(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "album")
	for i, model := range []string{"0", "1", "1", "2", "2"} {
		a, err := Open(dir, model, t.Logf)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, path := range a.Earlier {
			names = append(names, filepath.Base(path))
		}
		want := [][]string{nil, {"0.jpg"}, {"0.jpg"}, {"0.jpg", "1.jpg", "2.jpg"}, nil}[i]
		if !slices.Equal(names, want) {
			t.Errorf("run %d: %q, want %q", i, names, want)
		}
		photo := filepath.Join(root, fmt.Sprintf("%d.jpg", i))
		err = errors.Join(os.WriteFile(photo, nil, 0o666), a.File.Write(faces.Result{Photo: faces.Photo{Name: photo}}, nil))
		if i == 3 { // the others were interrupted before
			_, written := a.Write(t.Context(), "m.nrdl", nil)
			err = errors.Join(err, written)
		}
		if err := errors.Join(err, a.Close()); err != nil {
			t.Fatal(err)
		}
	}
}

// A face that is meant is in its square, the viewer has a box for each face, and an unknown one has the command that
// names it.
func TestViewer(t *testing.T) {
	size, box := &results.Size{Width: 1000, Height: 500}, &results.Box{X: 600, Y: 100, Width: 100, Height: 100}
	p := &photo{Object: results.Object{Size: size}}
	for _, c := range []struct {
		margin, minSide float64
		want            string
	}{
		// the square in thumbnail pixels is 80 of 320 wide, and is shown 4 times as wide as itself
		{2.5, 0, "width:400.00%;left:-210.00%;top:-10.00%"},
		{1, 160, "width:200.00%;left:-80.00%;top:-0.00%"}, // no larger than the thumbnail is high
	} {
		if style := portrait(p, box, 320, 160, c.margin, c.minSide); string(style) != c.want {
			t.Errorf("%v, not %s", style, c.want)
		}
	}
	a := drawn(t, 101)
	if _, err := a.Write(t.Context(), "my model.nrdl", nil); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(a.dir, peopleFolder, dataset.Unknown, indexFile))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"nrdl add &#39;my model.nrdl&#39; ", "--name NAME --box 100,90,80,100", "left:20.83%;top:25.00%;width:16.67%;height:27.78%",
		`<figure id="p200"`, `<a href="#p200">`, `<li id="sp200">`, `<a href="#p201">Next</a>`,
	} {
		if !bytes.Contains(text, []byte(want)) {
			t.Errorf("there is no %s", want)
		}
	}
	for name, want := range map[string]bool{"a.HEIC": true, "b/c.avif": true, "a.jpg": false, "a.png": false} {
		if isShown(name) == want {
			t.Errorf("%s is shown itself: %v", name, isShown(name))
		}
	}
}
