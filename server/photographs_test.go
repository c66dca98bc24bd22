package server

import (
	"bytes"
	"context"
	"image/jpeg"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"nrdl.example/nrdl/server/api"
)

// originalsOf is a folder with copies of photographs of these people, by name, and a link to a
// photograph outside of it.
func originalsOf(t *testing.T, outside string, people ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range people {
		for _, path := range photos(t, "people/"+name) {
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			to := filepath.Join(dir, "2024 ü", name+" "+filepath.Base(path))
			if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(to, data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link.jpg")); err != nil {
		t.Skip(err)
	}
	if err := os.Symlink(filepath.Dir(outside), filepath.Join(dir, "folder")); err != nil {
		t.Fatal(err)
	}
	return dir
}

// The photographs of a person have originals if these are in the folder of the operator; nothing
// outside of it is served, and a key needs the scope, and the collection.
func TestPhotographs(t *testing.T) {
	t.Parallel()
	outside, err := filepath.Abs(photos(t, "people/person002")[0])
	if err != nil {
		t.Fatal(err)
	}
	dir := originalsOf(t, outside, "person001")
	c := newClient(t, Options{Photos: dir})
	at := c.collection()
	ids := c.enrol(at, "person001", "person002")
	list := func(person string) (p api.Page[ShownIn]) {
		c.do(200, "GET", at+"/people/"+ids[person]+"/photographs", nil, &p)
		return p
	}
	mine := list("person001")
	for n := 0; len(mine.Items) > 0 && !mine.Items[0].Original && n < 5000; n++ {
		time.Sleep(20 * time.Millisecond)
		mine = list("person001")
	}
	if n := len(photos(t, "people/person001")); len(mine.Items) != n {
		t.Fatalf("%d photographs, want %d", len(mine.Items), n)
	}
	file := at + "/photographs/" + mine.Items[0].ID
	whole := c.send(200, "GET", file+"/original", "", nil, nil)
	if want, err := os.ReadFile(photos(t, "people/person001")[0]); err != nil || !bytes.Equal(whole, want) && len(mine.Items) == 1 {
		t.Errorf("the original has %d bytes, %v", len(whole), err)
	}
	small, err := jpeg.DecodeConfig(bytes.NewReader(c.send(200, "GET", file+"/thumbnail", "", nil, nil)))
	if err != nil || max(small.Width, small.Height) > 320 || small.Width == 0 {
		t.Errorf("%+v, %v", small, err)
	}
	if s := mine.Items[0]; len(s.Faces) != 1 || s.Faces[0].Person != ids["person001"] || s.Size == nil {
		t.Errorf("%+v", s)
	}
	var first, second api.Page[ShownIn]
	c.do(200, "GET", at+"/people/"+ids["person001"]+"/photographs?limit=1", nil, &first)
	c.do(200, "GET", at+"/people/"+ids["person001"]+"/photographs?limit=1&cursor="+first.Next, nil, &second)
	if len(second.Items) != 1 || second.Items[0].ID == first.Items[0].ID {
		t.Errorf("%+v, then %+v", first, second)
	}

	// A link leads out of the folder, so the photograph of the other person has no original.
	other := list("person002").Items[0]
	if other.Original {
		t.Error("a photograph outside of the folder is offered")
	}
	c.do(404, "GET", at+"/photographs/"+other.ID+"/original", nil, nil)
	c.do(404, "GET", at+"/photographs/..%2F..%2Fetc%2Fpasswd/original", nil, nil)

	// A file that is another one by now is not sent.
	path := filepath.Join(dir, "2024 ü", "person001 "+filepath.Base(photos(t, "people/person001")[0]))
	if err := os.WriteFile(path, []byte("secret"), 0o666); err != nil {
		t.Fatal(err)
	}
	gone := 0
	for _, s := range mine.Items {
		r := c.get(at + "/photographs/" + s.ID + "/original")
		a, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		a.Body.Close()
		if a.StatusCode == http.StatusNotFound {
			gone++
		}
	}
	if gone != 1 {
		t.Errorf("%d originals are gone, want 1", gone)
	}

	for scopes, want := range map[string]int{"identify": 403, "enrol": 403, "review": 200} {
		_, secret, err := c.v.store.CreateKey(t.Context(), "tester", scopes, []string{scopes}, nil, time.Time{})
		if err != nil {
			t.Fatal(err)
		}
		c.key = secret
		c.do(want, "GET", at+"/people/"+ids["person001"]+"/photographs", nil, nil)
		for _, s := range mine.Items[len(mine.Items)-1:] {
			c.send(want, "GET", at+"/photographs/"+s.ID+"/original", "", nil, nil)
			c.send(want, "GET", at+"/photographs/"+s.ID+"/thumbnail", "", nil, nil)
		}
	}
	_, c.key, err = c.v.store.CreateKey(t.Context(), "tester", "other", []string{"review"},
		[]string{"01980000-0000-7000-8000-000000000000"}, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	c.send(403, "GET", file+"/original", "", nil, nil)
}

// The page has the photographs of a person; the keyboard opens one.
func testPageOfPhotographs(t *testing.T, ctx context.Context) {
	c := newClient(t, Options{Photos: originalsOf(t, os.DevNull, "person001", "person002")})
	at := c.collection()
	ids := c.enrol(at, everybody...)
	b := browse(t, c, ctx)
	for name, picture := range map[string]string{"person001": `.photos a img`, "person003": `.photos img.crop`} {
		b.run(chromedp.Navigate(c.server.URL + "/#/" + filepath.Base(at) + "/person/" + ids[name]))
		b.until(`document.querySelector("a[href*='/photos/']")`)
		b.tab("a[href*='/photos/']")
		b.press(kb.Enter)
		b.until(`document.querySelector("` + picture + `")?.naturalWidth > 0`)
		b.named()
	}
	for _, what := range b.bad {
		t.Error(what)
	}
}
