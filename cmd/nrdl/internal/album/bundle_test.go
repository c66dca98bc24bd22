package album

import (
	"bytes"
	"context"
	"image"
	"image/jpeg"
	"io"
	"net/url"
	"path"
	"strings"
	"testing"
	"time"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/results"
)

// A bundle is complete: every address of its pages leads to a file of it, and each photograph is there in large,
// whatever its kind.
func TestBundle(t *testing.T) {
	files := map[string][]byte{}
	b := NewBundle(func(_ context.Context, name string, write func(io.Writer) error) error {
		var file bytes.Buffer
		err := write(&file)
		files[name] = file.Bytes()
		return err
	})
	photo := dataset.NewPhoto(image.NewRGBA(image.Rect(0, 0, 2000, 1000)))
	for i, name := range people {
		o := results.Object{
			File: "2024 #ü/" + name + ".heic", Size: &results.Size{Width: 2000, Height: 1000},
			Faces: []results.Face{{Detection: results.Detection{Box: &results.Box{X: 10, Y: 20, Width: 30, Height: 40}}, Name: &name}, {}},
		}
		if i == 0 {
			o.Taken = "2001-02-03T04:05:06"
		}
		if err := b.Add(t.Context(), o, time.Date(1999, 1, 1, 0, 0, 0, 0, time.UTC), photo); err != nil {
			t.Fatal(err)
		}
	}
	if err := b.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	large := 0
	for at, text := range files {
		if strings.HasSuffix(at, "-large.jpg") {
			large++
			if c, err := jpeg.DecodeConfig(bytes.NewReader(text)); err != nil || c.Width != 1600 || c.Height != 800 {
				t.Errorf("%s: %+v %v", at, c, err)
			}
		}
		for _, m := range addresses.FindAllStringSubmatch(string(text), -1) {
			to, err := url.PathUnescape(strings.ReplaceAll(m[1], "&#43;", "+"))
			if to = path.Join(path.Dir(at), to); err != nil || !strings.HasPrefix(m[1], "#") && files[to] == nil {
				t.Errorf("%s leads to %s, which is not there", at, m[1])
			}
		}
		if bytes.Contains(text, []byte("Original")) || bytes.Contains(text, []byte("nrdl add")) {
			t.Errorf("%s needs other files, or a model", at)
		}
	}
	if large != len(people) || files[indexFile] == nil {
		t.Errorf("%d of %d photographs, %d files", large, len(people), len(files))
	}
	if ann := string(files["people/Ann/index.html"]); !strings.Contains(ann, "3 February 2001") {
		t.Error(ann)
	}
}
