package server

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"html"
	"image/jpeg"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"nrdl.example/nrdl/faces/dataset"
	"nrdl.example/nrdl/faces/results"
	"nrdl.example/nrdl/server/jobs"
)

// A plainAlbum has one page, with a link to the page of each name.
type plainAlbum struct {
	put   func(ctx context.Context, name string, write func(io.Writer) error) error
	names map[string]int // photographs
	seen  []string       // photographs with their dates
	wait  bool           // until the job ends
}

func (a *plainAlbum) Add(ctx context.Context, o results.Object, changed time.Time, p *dataset.Photo) error {
	if a.wait {
		<-ctx.Done()
		return ctx.Err()
	}
	for _, f := range o.Faces {
		if f.Name != nil {
			a.names[*f.Name]++
		}
	}
	a.seen = append(a.seen, fmt.Sprint(o.File, " ", !changed.IsZero(), " ", o.Size != nil))
	return a.put(ctx, fmt.Sprintf("thumbs/%d.jpg", len(a.seen)), func(w io.Writer) error { return jpeg.Encode(w, p.Image(), nil) })
}

func (a *plainAlbum) Finish(ctx context.Context) error {
	text := "<!doctype html><title>Album</title>"
	for name := range a.names {
		page := "people/" + name + "/index.html"
		text += fmt.Sprintf(`<a href="%s">%s <img src="thumbs/1.jpg" alt="%[2]s"></a>`, html.EscapeString(page), html.EscapeString(name))
		if err := a.put(ctx, page, func(w io.Writer) error { _, err := io.WriteString(w, name); return err }); err != nil {
			return err
		}
	}
	return a.put(ctx, "index.html", func(w io.Writer) error { _, err := io.WriteString(w, text); return err })
}

// maker makes plain albums, and keeps the last one in a.
func maker(a **plainAlbum, wait *bool) jobs.AlbumMaker {
	return func(put func(context.Context, string, func(io.Writer) error) error) jobs.Album {
		*a = &plainAlbum{put: put, names: map[string]int{}, wait: *wait}
		return *a
	}
}

// An album has the photographs of the folder in which the collection has faces. It is there for whoever may see
// the photographs, until there is another one or a person is erased.
func TestAlbumOfPage(t *testing.T) {
	t.Parallel()
	var album *plainAlbum
	wait := false
	dir := originalsOf(t, os.DevNull, "person001", "person002")
	if err := os.WriteFile(filepath.Join(dir, "broken.jpg"), []byte("none"), 0o666); err != nil {
		t.Fatal(err)
	}
	c := newClient(t, Options{Photos: dir, Album: maker(&album, &wait)})
	at := c.collection()
	start := func() (j Job) {
		c.do(200, "POST", at+"/jobs", object{"kind": "album"}, &j)
		return j
	}
	if j := c.follow(at, start().ID, nil); j.State != "failed" || !strings.Contains(j.Error, "no face of a photograph") {
		t.Errorf("%+v", j)
	}
	ids := c.enrol(at, "person001", "person003")
	var result jobs.AlbumResult
	j := c.follow(at, start().ID, &result)
	n := len(photos(t, "people/person001"))
	if j.State != "done" || result.Photos != n || len(result.Refused) != 0 || album.names["person001"] != n || len(album.names) != 1 {
		t.Fatalf("%+v %+v %v", j, result, album)
	}
	pages := at + "/jobs/" + j.ID + "/album/"
	for _, file := range []string{"people/person001/index.html", "thumbs/1.jpg", "index.html"} {
		r, err := c.server.Client().Get(c.server.URL + pages + file)
		if err != nil {
			t.Fatal(err)
		}
		r.Body.Close()
		if policy := r.Header.Get("Content-Security-Policy"); r.StatusCode != 200 ||
			!strings.HasPrefix(policy, "default-src 'none'; img-src 'self'") ||
			r.Header.Get("Content-Type") != map[string]string{".jpg": "image/jpeg", ".html": "text/html; charset=utf-8"}[path.Ext(file)] {
			t.Errorf("%s: %d %v", file, r.StatusCode, r.Header)
		}
	}
	whole := c.send(200, "GET", pages+"album.zip", "", nil, nil)
	z, err := zip.NewReader(bytes.NewReader(whole), int64(len(whole)))
	if err != nil || len(z.File) != n+2 || int64(len(whole)) != result.Bytes {
		t.Errorf("%d bytes, %v", len(whole), err)
	}
	for _, file := range []string{"other.html", "..%2F..%2Fopenapi.json", ""} {
		c.send(404, "GET", pages+file, "", nil, nil)
	}
	c.send(404, "GET", at+"/jobs/"+j.ID+"/file", "", nil, nil)

	other := start()
	if again := c.follow(at, other.ID, nil); again.State != "done" {
		t.Errorf("%+v", again)
	}
	c.send(404, "GET", pages+"index.html", "", nil, nil)
	pages = at + "/jobs/" + other.ID + "/album/"
	secret := ""
	for scopes, want := range map[string]int{"identify": 403, "enrol": 403, "review": 200} {
		if _, secret, err = c.v.store.CreateKey(t.Context(), "tester", scopes, []string{scopes}, nil, time.Time{}); err != nil {
			t.Fatal(err)
		}
		c.key = secret
		c.send(want, "GET", pages+"index.html", "", nil, nil)
		c.send(want, "GET", pages+"album.zip", "", nil, nil)
		c.do(403, "POST", at+"/jobs", object{"kind": "album"}, nil)
	}
	if _, c.key, err = c.v.store.CreateKey(t.Context(), "tester", "all", []string{"admin"}, nil, time.Time{}); err != nil {
		t.Fatal(err)
	}
	wait = true
	stopped := start()
	c.do(200, "DELETE", at+"/jobs/"+stopped.ID, nil, nil)
	if j := c.follow(at, stopped.ID, nil); j.State != "cancelled" {
		t.Errorf("%+v", j)
	}
	c.send(200, "GET", pages+"index.html", "", nil, nil)
	c.do(200, "DELETE", at+"/people/"+ids["person001"], nil, nil)
	c.send(404, "GET", pages+"index.html", "", nil, nil)

	c = newClient(t, Options{Album: maker(&album, &wait)})
	c.do(422, "POST", c.collection()+"/jobs", object{"kind": "album"}, nil)
}

// The page makes an album, stops one, and shows the last one.
func testPageOfAlbum(t *testing.T, ctx context.Context) {
	var album *plainAlbum
	wait := false
	c := newClient(t, Options{Photos: originalsOf(t, os.DevNull, "person001", "person002"), Album: maker(&album, &wait)})
	at := c.collection()
	c.enrol(at, "person001", "person002")
	b := browse(t, c, ctx)
	const section = `[...document.querySelectorAll(".setting")].find((e) => e.querySelector("h2")?.textContent === "Album")`
	open := func() {
		b.run(chromedp.Navigate("about:blank"), chromedp.Navigate(c.server.URL+"/#/"+filepath.Base(at)+"/settings"))
		b.until(section)
		b.run(chromedp.Evaluate[chromedp.Void](section + `.id = "album"`))
	}
	make := func() {
		b.tab("#album button")
		b.press(kb.Enter)
	}
	open()
	make()
	b.until(`document.querySelectorAll("#album a").length === 2`)
	b.named()
	if text := js[string](b, `document.querySelector("#album [role=status]").innerText`); !strings.HasPrefix(text,
		fmt.Sprintf("The album has %d photographs", len(album.seen))) {
		t.Error(text)
	}
	b.picture()
	n, err := chromedp.Run(b.ctx, chromedp.Evaluate[int](`fetch(document.querySelector("#album a").href).then((r) => `+
		`r.text()).then((t) => t.split("href").length - 1)`,
		chromedp.EvalAwaitPromise))
	if err != nil || n != 2 {
		t.Errorf("%d people, %v", n, err)
	}
	wait = true
	make()
	b.until(`document.querySelector("#album [role=status] button")`)
	b.tab("#album [role=status] button")
	b.press(kb.Enter)
	b.until(`document.querySelector("#album [role=status]").innerText === "It was stopped."`)
	open()
	b.until(`document.querySelectorAll("#album a").length === 2`) // the one before
	for _, what := range b.bad {
		t.Error(what)
	}
}
